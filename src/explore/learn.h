/* Adds what a run did to the histories. */
#pragma once
#include "explore/history.h"

enum lesson_end {
    LESSON_EXIT,  /* the process ended, in whatever way */
    LESSON_STUCK, /* no thread could continue */
    LESSON_HANG,  /* it was ended from outside */
};

struct lesson {
    uint32_t nodes[EXPLORE_THREADS]; /* where each thread ended; NODE_NONE: it never began */
    uint32_t exit;                   /* the thread that ended the process, plus one; 0: none did */
    bool idle;     /* every thread has ended, is stuck, or waits in a loop for what no other does */
    bool recount;  /* a loop was taken for one that waits: learn all runs again */
    size_t broken; /* the deed, plus one, that does not fit what was seen before; 0: all fit */
};

/* Adds a run to the histories, and notes in the run where loops repeat themselves. */
void learn(struct history *history, struct deeds *deeds, enum lesson_end end, struct lesson *lesson);

/* Two runs behaved alike when these are equal: every thread saw the same. How far a thread got that was cut off
 * by the end of the process does not count, as long as it saw nothing of others and put nothing out. */
uint64_t lesson_sum(const struct history *history, const struct lesson *lesson);
