/* From the log of a Java virtual machine to a trace. */
#pragma once
#include "record/java/log_counts.h"
#include "record/java/name_list.h"
#include "runtime/protocol/session.h"
#include "trace/journal.h"
#include "trace/trace.h"

struct java_conversion {
    uint64_t events;
    uint64_t dropped_events, dropped_variables;
    uint64_t records;    /* in the log */
    uint64_t unfilled;   /* slots taken and never filled */
    uint64_t mismatches; /* reads of a value that differs from the write they are said to read from */
    char first_mismatch[512];
    uint64_t refused;
    char refusal[512];
    bool full;       /* recording ended before the machine did, … */
    int full_error;  /* … and why: an errno, or 0 for the limit */
    bool again;      /* the program must be run once more: no trace was written */
    bool shortened;  /* of what the first thread did alone only last writes are there */
    uint64_t stolen; /* stripes */
    uint32_t threads;
    size_t left; /* classes and methods left as they were */
    char first_left[512];
    struct java_counts counts;
};

/* What of the run is not in the trace, a sentence each. */
void java_tell_losses(const struct java_conversion *v, void (*tell)(void *to, const char *text), void *to);

struct java_converter;
struct java_light;
struct want;

/* What is to be converted, and what is wanted of it. */
struct java_conversion_input {
    const char *name; /* stands for the log in errors */
    const uint8_t *log;
    size_t log_bytes;
    struct java_list *list;
    const char *path;                    /* of the trace */
    const char *program;                 /* command line */
    const struct script_thread *threads; /* of the script that was followed, or NULL */
    size_t thread_count;
    const struct want *wants; /* accesses that the trace keeps in any case */
    size_t wants_count;
    struct trace_end
        *end; /* how the process ended; what the virtual machine reported is added. NULL: not wanted */
    struct journal *journal; /* with what is known of the run; the rest is filled in */
    uint64_t **ticks;        /* where to put the position of each event, by event; NULL: not wanted */
    uint32_t **bytecodes;    /* the same for the indices of instructions */
    uint64_t *last_tick;     /* of the last record, if ticks are wanted */
    char *last_place;        /* its place, if ticks are wanted; 512 bytes */
    /* Looks at the records when all is known of them; or NULL. */
    void (*observe)(void *observer, struct java_converter *converter, const struct java_gate *gate);
    void *observer;
    struct java_light *light; /* of a program that is run twice: what is not recorded; NULL: it is run once */
    bool learns;              /* … and this is the first pass */
    struct code_reach *reach; /* gets the places that the run reached; or NULL */
    const struct java_gate *gate; /* the final state of the machine's gate, or NULL */
};

/* Converts the log in memory. */
enum status java_convert(const struct java_conversion_input *input, struct java_conversion *result,
                         struct error *err);
