/* Which block an event belongs to, in one pass over the trace.
 *
 * A transaction is an outermost begin … end of a thread; for deterministic blocks also everything that threads
 * do that were forked in it, directly or by way of others, to their end. What lies in none is a transaction of
 * its own, of one event: unary. Blocks inside a transaction are part of it. Memory follows the live threads. */
#pragma once
#include "model/model.h"

struct transaction {
    event_id first;   /* its outermost begin or dbegin: its name */
    uint32_t members; /* threads that are in it and have more to do; 0: it is over */
    uint32_t slot;    /* below the number of threads; no two transactions under way share one */
    bool forked;      /* it has had more than one thread */
};

struct transactions {
    const struct model *m;
    enum event_kind begin, end;
    struct transaction *slots; /* room for one a thread */
    uint32_t *free_slots;
    uint32_t free_count;
    struct transaction **current; /* by thread; NULL: in none */
    uint32_t *depth;              /* by thread: its own open blocks */
    bool *inherited;              /* by thread: it was forked in its transaction */
    uint64_t count;               /* transactions so far, unary ones left out */
};

/* `begin`: EVENT_BEGIN for atomic blocks, EVENT_DET_BEGIN for deterministic ones. */
void transactions_init(struct transactions *x, const struct model *m, enum event_kind begin);
void transactions_free(struct transactions *x);

/* How many outermost begins there can be: 0 tells a pass that it has nothing to do. */
uint64_t transactions_begins(const struct model *m, enum event_kind begin);

/* The transaction of `e`, NULL if it is unary. To be called for every event in order, then transactions_after.
 */
struct transaction *transactions_at(struct transactions *x, event_id e);

/* The transaction that `e` was the last event of, or NULL. It stays readable until the next transaction begins.
 */
struct transaction *transactions_after(struct transactions *x, event_id e);

/* Whether the transaction called `first` is still under way in this slot. */
static inline bool transaction_lives(const struct transactions *x, uint32_t slot, event_id first)
{
    return x->slots[slot].first == first && x->slots[slot].members > 0;
}
