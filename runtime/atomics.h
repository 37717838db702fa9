/* Atomic operations: a lock for those that the machine does not have, and how memory orders are recorded. */
#pragma once

/* While nothing is recorded, threads do not take turns. */
void atomics_lock(void);
void atomics_unlock(void);

/* __ATOMIC_CONSUME is acquire; orders that a load or store cannot have are taken as the strongest. */
static inline unsigned load_order(int order)
{
    unsigned o = (unsigned)order & 7;

    return o == __ATOMIC_CONSUME                            ? __ATOMIC_ACQUIRE
           : o == __ATOMIC_RELEASE || o == __ATOMIC_ACQ_REL ? __ATOMIC_SEQ_CST
                                                            : o;
}

static inline unsigned store_order(int order)
{
    unsigned o = (unsigned)order & 7;

    return o == __ATOMIC_RELAXED || o == __ATOMIC_RELEASE ? o : __ATOMIC_SEQ_CST;
}

static inline unsigned change_order(int order)
{
    unsigned o = (unsigned)order & 7;

    return o == __ATOMIC_CONSUME ? __ATOMIC_ACQUIRE : o;
}
