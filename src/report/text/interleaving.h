/* The few events of a run that show what a finding is about. */
#pragma once
#include "finding/finding.h"
#include "model/model.h"

enum {
    STEPS_MOST = 20,    /* events shown of one run, besides those of the finding */
    THREADS_ABREAST = 4 /* with more threads, lines are led by the thread's name */
};

/* Why an event is shown; the first are kept when not all fit. */
enum importance {
    IMPORTANCE_NONE,
    IMPORTANCE_FINDING, /* it is what the finding is about */
    IMPORTANCE_LOCKS,   /* takes or releases a lock around one of those */
    IMPORTANCE_WRITE,   /* writes the same variable just before or after */
    IMPORTANCE_SWAP,    /* a lock operation that changed places with another */
    IMPORTANCE_LINK,    /* orders the threads otherwise: fork, join, wait, barrier … */
    IMPORTANCE_GAP,     /* the only event between two that are shown */
};

struct shown_step {
    event_id event;
    uint32_t position; /* in the run, from 1; past its end for what is enabled after it */
    enum importance importance;
};

struct steps {
    struct schedule run;      /* borrowed from the finding; the observed run for those without a schedule */
    uint32_t length;          /* of the run */
    struct shown_step *steps; /* in the order of the run */
    size_t steps_count, steps_capacity;
};

void steps_choose(struct steps *s, const struct model *m, const struct finding *f);

/* The same in any run of the trace's events, which stays the caller's, with at most `most` events besides those
 * of the finding; without what could come after the run. */
void steps_choose_in(struct steps *s, const struct model *m, const struct finding *f, struct schedule run,
                     size_t most);
void steps_free(struct steps *s);

/* The event at a position of the run, from 1. */
event_id run_event(const struct schedule *run, uint32_t position);
