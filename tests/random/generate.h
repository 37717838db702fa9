/* Random valid traces: a random scheduler over a few threads that make up what they do as they go.
 *
 * The same seed and shape give the same trace on every machine. */
#pragma once
#include "trace/trace.h"

#define SHAPE_OBJECTS 8 /* the most threads, variables, locks … of a shape */

/* What kinds of events are drawn together. */
enum shape_group {
    GROUP_PLAIN,  /* r w */
    GROUP_ATOMIC, /* ar aw rmw cas, all memory orders */
    GROUP_FENCE,
    GROUP_LOCK,      /* acq rel, nested, crossing and re-entrant */
    GROUP_SHARED,    /* racq rrel */
    GROUP_TRY,       /* tryfail */
    GROUP_THREAD,    /* fork join exit, and ends of threads without one */
    GROUP_CONDITION, /* waitpre rel acq waitpost, notify, notifyall */
    GROUP_BARRIER,
    GROUP_SEMAPHORE, /* post semwait seminit */
    GROUP_SPIN,      /* words that are taken and given back as locks are, mostly */
    GROUP_TAKE, /* variables that say whether something is taken: looked at and changed in sections of the first lock */
    GROUP_HAND,      /* atomic flags that two threads hand to each other */
    GROUP_BLOCK,     /* begin end */
    GROUP_DET_BLOCK, /* dbegin dend */
    SHAPE_GROUPS
};

struct shape {
    const char *name;
    unsigned min_events, max_events;
    unsigned min_threads, max_threads;
    unsigned variables, locks, conditions, barriers, semaphores, locations; /* each at least 1 */
    unsigned words; /* variables after the others, for GROUP_SPIN, GROUP_TAKE and GROUP_HAND */
    unsigned weight[SHAPE_GROUPS];

    /* Percent of the unusual but valid: events inside a wait, upgraded locks, one's own tryfail. */
    unsigned odd;
    unsigned idle; /* percent of the forked threads that do nothing */
    unsigned
        guarded; /* percent of the accesses and notifies that wait for a lock, or word, to be taken, after the first few */
    bool values; /* every access records its value */

    /* Percent, where there are values: accesses that record none all the same, values that are names. */
    unsigned gaps, names;

    /* Percent of the events that have lists of grounds; where there are some, variables may have types. */
    unsigned grounds;

    /* Percent of the events with a list that ask of the read right before them for the very number that it saw. */
    unsigned exact;
};

/* Profiles that between them make every kind of event. */
extern const struct shape shapes[];
extern const size_t shapes_count;

/* The same for grounds and values of all forms, and for values under locks. */
extern const struct shape ground_shapes[];
extern const size_t ground_shapes_count;

/* All of both, in turn. */
static inline const struct shape *shape_in_turn(uint64_t number)
{
    size_t at = number % (shapes_count + ground_shapes_count);

    return at < shapes_count ? &shapes[at] : &ground_shapes[at - shapes_count];
}

/* Makes a trace where there was none: `t` is initialised here. It may have fewer than min_events events if no
 * thread can go on. */
void random_trace(struct trace *t, uint64_t seed, const struct shape *shape);

/* The generator's own numbers, for whoever needs more. */
unsigned random_below(uint64_t *state, unsigned bound);
