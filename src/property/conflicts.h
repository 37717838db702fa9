/* Conflict freedom of deterministic blocks (Fig. 4 of ESOP'09): of two operations of one transaction that
 * conflict, something in the program must decide which comes first, whatever the schedule.
 *
 * Ordered are: the events of a thread; a fork, the thread, its join; what semantics §1 matches at conditions,
 * barriers and semaphores. Locks and atomics order nothing here: the scheduler decides which operation comes
 * first at these.
 *
 * Conflicts, of different threads and not ordered: accesses of one variable, atomic or not, of which one
 * writes; the release of a lock and a later acquire, not both shared; a failed try and an exclusive acquire or
 * release of the lock; two waits on one semaphore, the order that the second gets from its own post left out. */
#pragma once
#include "base/stop.h"
#include "property/transactions.h"

/* Calls `on_conflict` for every such pair, in the order of `second`. Unless `all`, of pairs with the same
 * threads, kinds and source locations only one for each `second` is reported. Where there are none this is one
 * pass in near-linear time, and memory follows live threads, variables and locks. */
void conflicts_find(const struct model *m, bool all, const stop_flag *stop,
                    void (*on_conflict)(void *context, event_id block, event_id first, event_id second),
                    void *context);
