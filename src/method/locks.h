/* Whether all critical sections of a trace can be put in order around a witness, couples kept before their
 * readers and nothing else asked of data.
 *
 * Whenever the graph method accepts a witness there is such an order: see docs/methods.md. */
#pragma once
#include "method/witness.h"

struct lock_search;

struct lock_search *lock_search_new(const struct model *m);
void lock_search_free(struct lock_search *s);

/* False when there is no such order, or none was found within `budget` choices. With `tries`, every failed
 * try-lock comes before the release that would have let it pass. */
bool lock_search_finds(struct lock_search *s, const struct witness *w, bool tries, uint64_t budget);
