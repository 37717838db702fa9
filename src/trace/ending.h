/* How the recorded run ended (semantics §3, observed), and why the trace may not be the whole run.
 *
 * The numbers of outcomes are part of the native file format (docs/trace-format.md): add at the end. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum run_outcome {
    RUN_UNKNOWN,
    RUN_EXIT,      /* `number` is the exit status */
    RUN_SIGNAL,    /* `number` is the signal */
    RUN_DEADLOCK,  /* threads wait for each other's locks */
    RUN_HANG,      /* every thread waits, not all of them for locks */
    RUN_ASSERTION, /* `text` is what it printed */
    RUN_EXCEPTION, /* nobody caught it; `text` is its type and message */
    RUN_OUTCOMES
};

/* A thread that waited when the run ended. */
struct run_waiter {
    char *thread;
    char *what;   /* what for, in words: "lock b" */
    char *place;  /* "" if unknown */
    char *holder; /* the thread that holds the lock, "" where there is none */
};

struct trace_end {
    enum run_outcome outcome;
    uint64_t number;
    char *text; /* NULL: none */
    struct run_waiter *waiters;
    size_t waiters_count, waiters_capacity;
    char **incomplete; /* why the trace is not the whole run, in words */
    size_t incomplete_count, incomplete_capacity;
};

void trace_end_free(struct trace_end *end);

/* Copies texts, each up to its first line break. */
void trace_end_outcome(struct trace_end *end, enum run_outcome outcome, uint64_t number, const char *text);
void trace_end_waiter(struct trace_end *end, const char *thread, const char *what, const char *place,
                      const char *holder);
void trace_end_incomplete(struct trace_end *end, const char *reason);

/* Whether the run ended, and not well: what the property `observed` reports. */
bool trace_end_failed(const struct trace_end *end);

/* The outcome in words: "signal 11 (Segmentation fault)"; cut to fit. */
void trace_end_text(const struct trace_end *end, char *to, size_t room);

/* "T1 waits for lock b, which T2 holds, at x.c:7"; cut to fit. */
void run_waiter_text(const struct run_waiter *waiter, char *to, size_t room);

/* The word of an outcome in files and reports: "deadlock"; "" for RUN_UNKNOWN. */
const char *outcome_word(enum run_outcome outcome);
