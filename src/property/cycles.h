/* Why blocks could not have run one after the other: the shortest cycle through each block that is on one.
 *
 * Built only where serial_violation has found that there is a cycle: takes memory and time like the trace. */
#pragma once
#include "base/stop.h"
#include "property/transactions.h"

/* A cycle of transactions, each ordered before the next and the last before the first. */
struct cycle {
    uint32_t length;
    const event_id *transactions; /* each by the name of its first event */
    const event_id *edges; /* pairs: an event of each transaction, and one of the next it conflicts with */
};

struct cycles;

/* Finds all transactions that are on cycles of the order that serial.h speaks of. */
struct cycles *cycles_new(const struct model *m, enum event_kind begin, const stop_flag *stop);
void cycles_free(struct cycles *c);

/* How many blocks there are at all. */
uint64_t cycles_block_count(const struct cycles *c);

/* The blocks that are on cycles, by their first events, ascending. */
struct event_span cycles_blocks(const struct cycles *c);

/* A shortest cycle through one of these. It begins with the first of its transactions that is a block. Valid
 * until the next call. */
struct cycle cycles_through(struct cycles *c, event_id block);
