/* What a thread of a stuck run waits for, and which thread would have had to act (semantics §3, stuck). */
#pragma once
#include "finding/finding.h"
#include "model/model.h"

enum lack {
    LACK_LOCK,    /* another thread holds the lock */
    LACK_SIGNAL,  /* nobody signals the condition any more */
    LACK_TOKEN,   /* the semaphore has none left */
    LACK_PARTNER, /* a thread has not arrived at the barrier */
    LACK_END      /* the thread to join has not ended */
};

struct lacking {
    enum lack what;
    thread_id who;  /* who holds it, or would have had to act */
    event_id event; /* the acquire of who holds it; what would have helped in the trace, or EVENT_NONE */
    bool happened;  /* that is in the run and does not help … */
    bool early;     /* … because it comes before the wait begins */
    bool waits;     /* `who` waits itself in the run */
    bool over;      /* `who` has done all its events in the run */
};

/* Of the event `e` of the stuck run `f`. */
struct lacking stuck_lacks(const struct model *m, const struct finding *f, event_id e);
