/* Asking about one state in which threads may be stuck; private to stuck. */
#pragma once
#include "property/halts.h"

struct order {
    event_id before, after;
};

struct stuck_question {
    struct worker *w;
    const struct model *m;
    const struct signals *signals;
    uint32_t *cut;
    event_id *events; /* that wait in it */
    uint32_t event_count;
    struct order *orders;
    size_t orders_count, orders_capacity;
    uint64_t asks;         /* of the cut under way */
    uint64_t asked_about;  /* events of all cuts, as often as they were asked about */
    uint64_t to_ask_about; /* so many at most */
};

/* Whether a run of the cut leaves every waiting thread without a signal. */
struct verdict stuck_ask(struct stuck_question *q);

/* Looks for a run in strides whose notifies all come too early: undecided where it finds none. Then `reach` says, as after
 * solver_stride, who did not come to the cut. */
struct verdict stuck_ask_quickly(struct stuck_question *q, uint32_t *reach);
