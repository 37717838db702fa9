/* What the parts of the native reader and writer share; private to this room. */
#pragma once
#include "trace/htr.h"

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

/* Turns the payloads of event blocks into events of the trace, checking each. */
struct htr_decoder;

struct htr_decoder *htr_decoder_new(struct trace *trace, unsigned features);
void htr_decoder_free(struct htr_decoder *decoder);

/* The events of one block; errors name the event, not the file. */
enum status htr_decode(struct htr_decoder *decoder, struct payload payload, struct error *err);

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

/* What is wrong with a block, after so many events. */
enum status htr_damaged(const struct trace *trace, struct error *err, const char *what);
