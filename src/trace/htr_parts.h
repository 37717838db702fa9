/* What the parts of the native reader and writer share; private to this room. */
#pragma once
#include "trace/htr.h"
#include "trace/output.h"

/* The bytes of a block that are still to come. */
struct payload {
    const unsigned char *at, *end;
};

static inline bool get_varint(struct payload *p, uint64_t *value)
{
    *value = 0;
    for (unsigned shift = 0; shift < 64 && p->at < p->end; shift += 7) {
        unsigned char byte = *p->at++;
        *value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return true;
    }
    return false;
}

/* A header has bit 4 in place of bit 3, not beside it: a reader that takes one for the other misreads every block of events.
 * Gives the bits that no header of this version has, 0: all is well. */
static inline unsigned htr_features_told(unsigned told, unsigned *features)
{
    bool twice = (told & HTR_DIFFERENCES) && (told & HTR_GROUNDS);

    *features = told | (told & HTR_DIFFERENCES ? HTR_GROUNDS : 0);
    return (told & ~(unsigned)HTR_FEATURES) | (twice ? HTR_GROUNDS : 0);
}

/* Turns the payloads of event blocks into events of the trace, checking each. */
struct htr_decoder;

struct htr_decoder *htr_decoder_new(struct trace *trace, unsigned features, uint64_t longest_name);
void htr_decoder_free(struct htr_decoder *decoder);

/* The events of one block; errors name the event, not the file. */
enum status htr_decode(struct htr_decoder *decoder, struct payload payload, struct error *err);

/* The same without grounds, into a trace that holds no events: those of one block at a time. `*columns` is where they begin in
 * the payload. The events before are forgotten, not what is possible after them. */
enum status htr_decode_alone(struct htr_decoder *decoder, struct payload payload, size_t *columns,
                             struct error *err);

/* The events of a block that was decoded before, into a trace that holds no events; the payload begins with the columns. False:
 * it is another one. */
bool htr_decode_again(struct htr_decoder *decoder, struct payload payload, size_t count);

/* The stacks of the events that a writer has collected for a block, and what of the table is in the file. */
struct stack_column {
    const struct stacks *table; /* NULL: there are none */
    stack_id now;               /* of the next event */
    stack_id *of;               /* by event of the block */
    uint32_t stacks_out, places_out;
    unsigned char *bytes; /* the payload of the block of stacks */
    size_t bytes_count, bytes_capacity;
};

/* Makes that payload; false when none is needed: the events have no stacks. */
bool stack_column_make(struct stack_column *column, const struct event *events, size_t count);

/* A block of stacks, of `events` events from `first` on; false when it is damaged. */
bool htr_stacks_decode(struct stacks *stacks, struct payload payload, size_t first, size_t events);

/* The reads of each thread so far, by event number. A writer knows the numbers that the last ones saw. */
enum { NUMBERS_KEPT = 16 };
struct read_index {
    struct thread_reads {
        uint32_t *reads;
        size_t reads_count, reads_capacity;
        struct seen_by_read {
            uint32_t ordinal; /* among the thread's reads, from 1; 0: none, or no number */
            uint64_t number;
        } seen[NUMBERS_KEPT]; /* by the last bits of the ordinal */
    } * threads;
    size_t threads_count, threads_capacity;
};

struct ground_scratch {
    struct ground *grounds;
    size_t grounds_count, grounds_capacity;
};

struct htr_batch;

/* The shapes of the grounds that a writer has met, and what of them is in the file. */
struct grounds_column {
    const struct grounds *pool; /* of the events; NULL: their ids are those of shapes */
    bool differences;           /* the file has HTR_DIFFERENCES and values */
    struct grounds *shapes;
    grounds_id shapes_out;
    struct read_index index;
    struct ground_scratch scratch;
    struct ground_scratch pooled; /* lists of the pool */
};

void grounds_column_init(struct grounds_column *column, unsigned features);
void grounds_column_free(struct grounds_column *column);

/* The id of the shape of these lists, of the event that comes next, which gets this number. */
grounds_id grounds_column_give(struct grounds_column *column, const struct event *event, uint32_t number,
                               const struct grounds_given *given);

/* The event comes next; returns the id of its shape. */
grounds_id grounds_column_put(struct grounds_column *column, const struct event *event, uint32_t number);

/* Adds the shapes that are new to the batch. */
void grounds_column_out(struct grounds_column *column, struct htr_batch *batch);

/* The way back. */
struct grounds_decoder {
    bool differences; /* the file has HTR_DIFFERENCES */
    struct grounds *shapes;
    struct read_index index;
    struct ground_scratch scratch;
    struct value_range *ranges;
    size_t ranges_count, ranges_capacity;
};

void grounds_decoder_free(struct grounds_decoder *decoder);

/* The new shapes of a block; false when they are damaged. */
bool grounds_decoder_shapes(struct grounds_decoder *decoder, struct payload *payload);

/* The id, in the trace's pool, of the lists of the next event, which has this shape and is in the trace's columns; false when it
 * names what is not there. */
bool grounds_decoder_event(struct grounds_decoder *decoder, const struct trace *trace, uint32_t number,
                           grounds_id shape, grounds_id *id);

/* What the last shape at the same place of the code is kept under. */
static inline size_t htr_shape_slot(uint32_t place, event_op op)
{
    return htr_slot(place + op * 0x85ebca6bu);
}

/* Blocks of types, of what is printed, of what frees memory, and of how the run ended; false when they are damaged. */
bool htr_types_decode(struct trace *trace, struct payload payload, bool more);
bool htr_type_runs_decode(struct trace *trace, struct payload payload, bool more);
bool htr_printed_decode(struct trace *trace, struct payload payload);
bool htr_freeing_decode(struct trace *trace, struct payload payload);
bool htr_ending_decode(struct trace_end *end, struct payload payload);

/* A block on its way into the file. */
struct htr_batch {
    enum htr_block type;
    uint64_t before;    /* events in the blocks before it */
    unsigned char *raw; /* its payload, for a block of events up to their names */
    size_t raw_count, raw_capacity;
    struct event *events; /* the rest of it, not yet in columns */
    size_t count;
    const char *failed; /* why no whole file can come of it; NULL when all is well */
};

void batch_byte(struct htr_batch *batch, unsigned char byte);
void batch_varint(struct htr_batch *batch, uint64_t value);
void batch_bytes(struct htr_batch *batch, const void *bytes, size_t length);

/* Makes blocks of batches and appends them, in a thread of its own once there are many. */
struct htr_press;

struct htr_press *press_new(struct output *out, unsigned features);

/* An empty one to fill. */
struct htr_batch *press_batch(struct htr_press *press);

/* Takes the one that was given last. */
void press_put(struct htr_press *press);

/* Waits until all that were taken are in the file. */
void press_wait(struct htr_press *press);

/* The same, and the end of it; returns why the file is not whole, or NULL. */
const char *press_end(struct htr_press *press);

/* What is wrong with a block, after so many events. */
enum status htr_damaged(const struct trace *trace, struct error *err, const char *what);
