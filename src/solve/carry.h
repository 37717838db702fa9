/* What the reads of a run see and its writes carry (semantics §1, "Values in a run"), and whether condition 4 and what
 * a query wants of values hold. */
#pragma once
#include "solve/window.h"

struct carrier;

struct carrier *carrier_new(const struct model *m);
void carrier_free(struct carrier *c);

enum flaw_kind {
    FLAW_NONE,
    FLAW_READ, /* `by` stands on `read`, which is not as it must be; `event` is in the run because of that */
    FLAW_CAS,  /* `read`, a cas, was taken to be not as observed, or to be so, and is the other */
    FLAW_WAKE, /* nobody can have woken the waitpost `event` */
    FLAW_TEST  /* the run does not show what the query wants of values */
};

/* What is wrong with a run, if something is. */
struct flaw {
    enum flaw_kind kind;
    event_id event; /* without it the flaw would not be there; EVENT_NONE: the query has it */
    event_id by, read;
    event_id blamed; /* a read whose freedom is behind it; EVENT_NONE: no read's is, so all such runs have it */
    bool any;        /* of the blamed read: it may have to see any write, not only one of its value */
};

/* Looks at the run of the window: the first `start` events as observed, then `order`. Without a prefix, what is
 * before the window is unknown and taken to be right. The first flaw in the order of the run. */
struct flaw carrier_check(struct carrier *c, const struct window *w, const struct query *q, event_id start,
                          const event_id *order);
