/* The blocks that are meant to be atomic: outermost begin/end, and outermost lock scopes without a wait if
 * wanted. */
#pragma once
#include "model/model.h"

struct blocks;

struct blocks *blocks_new(const struct model *m, bool atomic_locks);
void blocks_free(struct blocks *blocks, const struct model *m);

/* The position after the last event of the longest block around `e`; 0 when none is. Two events of a thread lie
 * in one block when the later one's position is below that of the earlier one. */
uint32_t blocks_end(const struct blocks *blocks, const struct model *m, event_id e);

size_t blocks_count(const struct blocks *blocks);
