/* The oracle: the sets of semantics §3 for a small trace, by brute force.
 *
 * Written from docs/semantics.md alone and kept simple rather than fast: it explores every feasible run of §2, up to runs
 * that no continuation can tell apart. Everything else that decides these sets is judged by it.
 *
 * Where that page leaves a choice:
 *
 * - What a write without a recorded value wrote is unknown and equal to itself only. A read that sees the write
 *   it saw in the trace, carrying what it wrote there, sees what it saw, even if only the read recorded it.
 * - A cas that is not as observed is no write in any definition, and none of its thread's events is enabled
 *   after it.
 * - A woken wait needs its notify where it ends: at the acquire right before the waitpost, or at the waitpost.
 * - A thread at a tryfail, at an acquire that is a try, or before a seminit that has not run does not wait: it
 *   goes on in some way that was not observed.
 * - final-state: the alternative may be the observed last write itself if it carries something else.
 * - stale: a list that is not given names no read; w is no cas; r is the last read of the variable that w's `by`
 *   names, or the last that its `from` names: otherwise w's thread looks again. */
#pragma once
#include "random/tuples.h"
#include "trace/trace.h"

#define ORACLE_EVENTS 63 /* the longest trace it takes; beyond about 24 events it takes long */

struct oracle_options {
    bool atomic_locks;   /* --atomic=locks */
    bool values_ignore;  /* --values=ignore */
    bool grounds_ignore; /* --grounds=ignore */
    bool ignore_data;    /* --method=csp: condition 4 of §2 is dropped; for oracle_races and feasible runs */
};

enum oracle_property {
    ORACLE_NONDET,    /* read, alternative write */
    ORACLE_FINAL,     /* observed last write, alternative, id of the variable */
    ORACLE_RACE,      /* both events, the smaller first */
    ORACLE_UNORDERED, /* likewise; not reduced by what is also a race */
    ORACLE_DEADLOCK,  /* the acquires, ascending */
    ORACLE_STUCK,     /* the waiting events, ascending */
    ORACLE_ATOMICITY, /* first, remote, second */
    ORACLE_STALE,     /* read, remote write, write */
    ORACLE_PROPERTIES
};

struct oracle_sets {
    struct tuple_set of[ORACLE_PROPERTIES];
};

/* Fills `sets`, which must be empty, with all findings of the trace, which must be valid (semantics §7). */
void oracle_compute(const struct trace *trace, struct oracle_options options, struct oracle_sets *sets);

/* Fills `pairs`, which must be empty, with the races alone. */
void oracle_races(const struct trace *trace, struct oracle_options options, struct tuple_set *pairs);

/* Whether the events of the schedule, in that order, are a feasible run: the four conditions of semantics §2, each
 * checked by itself. */
bool oracle_run_feasible(const struct trace *trace, const size_t *schedule, size_t count,
                         struct oracle_options options);

/* Prints every property in which the two differ, with the tuples only one of them has; true if none does. */
bool oracle_sets_agree(FILE *out, const struct oracle_sets *a, const char *a_name, const struct oracle_sets *b,
                       const char *b_name);

void oracle_sets_free(struct oracle_sets *sets);
