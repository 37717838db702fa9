/* Where the graph method and the exact one differ: read by read and write by write, and why. */
#pragma once
#include "base/stop.h"
#include "model/model.h"

enum difference {
    DIFFERENCE_NONE,
    DIFFERENCE_OTHER,  /* graph only: the read can miss its source after this write, but sees a third one */
    DIFFERENCE_COUPLE, /* graph only: another write would have to come between a couple */
    DIFFERENCE_TRY,    /* graph only: a try-lock that failed would find its lock free */
    DIFFERENCE_EARLY,  /* exact only: the run stops before what the graph method wants to be possible, too */
    DIFFERENCES
};

struct compare_options {
    uint64_t budget; /* choices, for one candidate of either method */
    unsigned workers;
};

struct compared {
    uint64_t pairs;     /* of a read and another write to its variable */
    uint64_t both;      /* feasible */
    uint64_t neither;   /* infeasible */
    uint64_t undecided; /* by one of the two */
    uint64_t differences[DIFFERENCES];
    struct {
        event_id read, challenger;
        unsigned kind;      /* of the witness that the graph method accepts, 1 to 3; 0: none */
    } example[DIFFERENCES]; /* of each, the one whose events lie closest in the trace */
};

void compare_trace(const struct model *m, const struct compare_options *options, const stop_flag *stop,
                   struct compared *c);

/* The same for one pair: looked at from scratch. */
enum difference compare_pair(const struct model *m, const struct compare_options *options,
                             const stop_flag *stop, event_id read, event_id challenger, unsigned *kind);

/* Leaves out of the trace what is not needed for the two to differ in this way on this pair, which is
 * renumbered; the initial write may take the challenger's place. */
void compare_reduce(struct trace *t, const struct compare_options *options, const stop_flag *stop,
                    enum difference difference, event_id *read, event_id *challenger);

/* "a third write" … and a sentence or two that explain it. */
const char *difference_title(enum difference d);
const char *difference_reason(enum difference d);
