/* Whether all critical sections of a trace can be put in order around a witness, couples kept before their
 * readers and nothing else asked of data.
 *
 * Whenever the graph method accepts a witness there is such an order: see docs/methods.md. */
#pragma once
#include "method/graph/witness.h"

enum lock_answer {
    LOCKS_ORDERED,
    LOCKS_CYCLIC, /* there is no such order */
    LOCKS_UNKNOWN /* the budget ran out */
};

struct lock_search;

struct lock_search *lock_search_new(const struct model *m);
void lock_search_free(struct lock_search *s);

/* Looks for an order with at most `budget` choices. With `tries`, every failed try-lock comes before the
 * release that would have let it pass. */
enum lock_answer lock_search_order(struct lock_search *s, const struct witness *w, bool tries, uint64_t budget);
