/* The native format `.htr`: a header, then self-contained compressed blocks (docs/trace-format.md). */
#pragma once
#include "trace/input.h"
#include "trace/trace.h"

#define HTR_MAGIC   "\x89HTR\r\n\x1a\n"
#define HTR_VERSION 1

enum {
    HTR_MAGIC_SIZE = 8,
    HTR_HEADER_SIZE = 16,
    HTR_BLOCK_HEADER_SIZE = 32,
    HTR_BLOCK_EVENTS = 1 << 16, /* at most, in one block */
    HTR_BLOCK_BYTES = 1 << 30,  /* at most, before and after compression */
    HTR_UNNAMED = 1 << 18,      /* new names at most in one block, where they are not written out */
    HTR_SLOTS = 1 << 12,        /* of each prediction table */
};

enum htr_feature {
    HTR_NAMES = 1,
    HTR_LOCATIONS = 2,
    HTR_VALUES = 4,
    HTR_GROUNDS = 8,
    HTR_DIFFERENCES = 16, /* with grounds: offsets that the values of two events tell are not written out */
    HTR_USUAL = HTR_NAMES | HTR_LOCATIONS | HTR_VALUES,
    HTR_FEATURES = HTR_USUAL | HTR_GROUNDS | HTR_DIFFERENCES,
};

enum htr_block {
    HTR_EVENTS = 1,
    HTR_ORIGIN = 2,
    HTR_END = 3,
    HTR_FUNCTIONS = 4,
    HTR_JOURNAL = 5,
    HTR_STACKS = 6,
    HTR_PART = 7,
    HTR_TYPES = 8,
    HTR_ENDING = 9,
    HTR_PRINTED = 10,
    HTR_FREEING = 11,
    HTR_TYPE_RUNS = 12,
};

/* At the end of an origin block: the program was not instrumented. */
enum { HTR_ORIGIN_BINARY = 1 };

/* Appends all events of the file to an empty trace, checking each. A file that stops inside a block gives the
 * events of its whole blocks and a note. */
enum status htr_read(struct trace *trace, struct input *in, struct error *err);

/* How many events a native file says that it has, by the headers of its blocks alone; 0 where it cannot be told: it is
 * no such file, or no file. */
uint64_t htr_count(const char *path);

/* Whether a native file says that its events may have grounds. */
bool htr_has_grounds(const char *path);

/* Writes a file in one pass. */
struct htr_writer;

/* `names` are the NAME_CLASSES tables behind the events' ids; they may grow while events are appended. Names
 * that no event uses are not written. `path` and `names` must stay until htr_close. */
enum status htr_create(struct htr_writer **writer, const char *path, unsigned features,
                       const struct names *names, struct error *err);

/* Writes the header alone: a trace without events that says it was cut short, for as long as there is nothing
 * else. */
enum status htr_announce(const char *path, struct error *err);

void htr_append(struct htr_writer *writer, const struct event *event);

/* Before the first event: they have stacks of this table, which may grow and must stay until htr_close. */
void htr_stacks(struct htr_writer *writer, const struct stacks *stacks);

/* The stack of all events that are appended from now on; STACK_NONE at first. */
void htr_stack(struct htr_writer *writer, stack_id stack);

/* Before the first event: their grounds, with the feature HTR_GROUNDS, are ids of this pool, which may grow and
 * must stay until htr_close. */
void htr_grounds(struct htr_writer *writer, const struct grounds *pool);

/* Without a pool: the id for the lists of the event that is appended next; GROUNDS_NONE without the feature HTR_GROUNDS. */
grounds_id htr_give(struct htr_writer *writer, const struct event *event, const struct grounds_given *given);

/* How many names of the class are part of the file: the texts of these are not asked for again. */
uint32_t htr_named(const struct htr_writer *writer, enum name_class class);

/* Makes all events appended so far part of the file. */
void htr_flush(struct htr_writer *writer);

/* What was left out and what was run; any number of times, the last counts. */
void htr_origin(struct htr_writer *writer, const struct trace_origin *origin);

/* Types of variables (enum value_type) by id; any number of times. Those of variables that no event so far uses
 * are not written. */
void htr_types(struct htr_writer *writer, const uint8_t *types, size_t count);

/* The reads that reach the output, ascending; any number of times, all count. */
void htr_printed(struct htr_writer *writer, const struct event_set *printed);

/* The writes that free memory, likewise. */
void htr_freeing(struct htr_writer *writer, const struct event_set *freeing);

/* How the run ended; any number of times, the last counts. Nothing when nothing is known. */
void htr_ending(struct htr_writer *writer, const struct trace_end *end);

/* Where functions begin, as locations; any number of times, all count. */
void htr_functions(struct htr_writer *writer, const struct names *functions);

/* The journal, needed to run the program again (journal.h); any number of times, the last counts. Nothing when
 * `length` is 0. */
void htr_journal(struct htr_writer *writer, const unsigned char *bytes, size_t length);

/* A part of the journal; any number of times, before the journal. Events that are not out yet may come after
 * it.
 */
void htr_part(struct htr_writer *writer, const unsigned char *bytes, size_t length);

/* Ends the file; reports the first error of all writes. */
enum status htr_close(struct htr_writer *writer, struct error *err);

/* What a number is predicted from: the last one seen in its slot of this block (docs/trace-format.md). */
static inline size_t htr_slot(uint32_t id)
{
    return (id * 0x9e3779b1u) >> 20;
}

/* The same for the stack of an event: the last one of the thread at the place. */
static inline size_t htr_stack_slot(location_id location, thread_id thread)
{
    return htr_slot(location + 1 + thread * 0x85ebca6bu);
}

static inline uint64_t htr_zigzag(uint64_t delta)
{
    return delta << 1 ^ (uint64_t) - (int64_t)(delta >> 63);
}

static inline uint64_t htr_unzigzag(uint64_t coded)
{
    return coded >> 1 ^ (uint64_t) - (int64_t)(coded & 1);
}

static inline uint32_t htr_unzigzag_u32(uint32_t coded)
{
    return coded >> 1 ^ (0 - (coded & 1));
}
