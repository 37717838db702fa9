/* Could the blocks have run one after the other? One pass, no graph (Velodrome's question, Fig. 5 of ESOP'09;
 * clocks in place of the graph as in AeroDrome).
 *
 * Transactions are ordered by the conflicts of their events: accesses of one variable of which one writes,
 * operations on one lock unless both only read its state, a thread's fork and join with its events, one
 * thread's events with each other, and what semantics §1 requires at conditions, barriers and semaphores. They could
 * have run one after the other if and only if this order has no cycle. */
#pragma once
#include "base/stop.h"
#include "property/transactions.h"

/* The event at which a cycle is certain, EVENT_NONE if there is none. `blocks`: how many transactions there
 * were, unary ones left out, up to there. Time is near-linear, memory follows live threads, variables and
 * locks. */
event_id serial_violation(const struct model *m, enum event_kind begin, const stop_flag *stop,
                          uint64_t *blocks);
