/* The order between events of one run: program order, required predecessors, reads from writes, and locks handed
 * over. Vector clocks, one row an event. */
#pragma once
#include "export/export.h"

struct run_order {
    const struct exported *x;
    uint32_t thread_count;
    uint32_t *rows; /* by position - 1: for each thread, how many of its events come before or are this one */
    uint32_t *position; /* by event: where it is in the run; 0: it is not */
    uint32_t *source;   /* by position - 1: the write that a read sees, or EVENT_INIT; EVENT_NONE for others */
};

/* Refused when there are too many events for what the viewers show. */
enum status run_order_build(struct run_order *c, const struct exported *x, struct error *err);
void run_order_free(struct run_order *c);

/* Whether the event at position a comes before the one at position b. */
bool run_order_before(const struct run_order *c, uint32_t a, uint32_t b);

static inline const uint32_t *run_order_row(const struct run_order *c, uint32_t position)
{
    return c->rows + (size_t)(position - 1) * c->thread_count;
}

/* The positions worth showing, ascending: those that matter to the finding, or all. The caller frees them. */
uint32_t *run_order_shown(const struct run_order *c, size_t *count);
