/* The journal of a recorded run: what is needed, besides the events, to run it again (docs/trace-format.md).
 *
 * Threads have the recorder's numbers, in order of creation. Slices and inputs, which grow with the run, may
 * be written in parts while the trace is written, before the rest. */
#pragma once
#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { JOURNAL_INPUT_KINDS = 64 }; /* more than there are */

#define JOURNAL_TO_THE_END UINT64_MAX /* position: the thread went on until the process ended */

struct journal_thread {
    uint32_t parent;  /* number of its creator, plus one; 0: unknown */
    uint32_t ordinal; /* its ordinal among that creator's threads, from 1 */
    uint32_t name;    /* id of class NAME_THREAD, plus one; 0: it has no event */
};

/* The thread ran, alone, until its next step would have taken it beyond `position` ticks. */
struct journal_slice {
    uint32_t thread;
    uint64_t position;
};

/* A file with instrumented code, and its build-id. */
struct journal_module {
    char *path;
    char *build;
};

/* What a thread learned from outside: the time, a random number, the sum of what it read. */
struct journal_input {
    uint32_t thread;
    uint32_t kind;
    uint64_t value;
};

struct journal {
    uint64_t seed;
    uint32_t policy;
    bool two_pass, real_time;
    uint32_t status;    /* as waitpid gives it */
    uint64_t clocks[2]; /* nanoseconds on the wall clock and on the monotonic one when it started */
    struct journal_thread *threads;
    size_t threads_count, threads_capacity;
    struct journal_slice *slices;
    size_t slices_count, slices_capacity;
    struct journal_module *modules;
    size_t modules_count, modules_capacity;
    struct journal_input *inputs;
    size_t inputs_count, inputs_capacity;
    bool has_standard_input; /* it is known what there was to read */
    char *standard_input;
    size_t standard_input_length;
    char *java; /* of a Java program: the settings of its agent; else NULL */
};

void journal_free(struct journal *journal);

/* The bytes of the journal, to be freed. */
unsigned char *journal_encode(const struct journal *journal, size_t *length);

/* The bytes of its slices and inputs alone, to be freed: a part. */
unsigned char *journal_encode_part(const struct journal *journal, size_t *length);

/* How many of the bytes are the first part; 0: it is damaged. */
size_t journal_part_length(const unsigned char *bytes, size_t length);

/* Whether these are the bytes of a Java program's journal. */
bool journal_is_java(const unsigned char *bytes, size_t length);

/* A journal as a trace holds it. */
struct journal_bytes {
    const unsigned char *bytes, *parts; /* `parts`: one after the other, may be NULL */
    size_t length, parts_length;
};

/* The bytes are not trusted; the caller must check that thread names exist. On failure the journal is empty. */
enum status journal_decode(struct journal *journal, const struct journal_bytes *from, struct error *err);
