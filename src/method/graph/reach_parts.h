/* What the files behind reach.h share. */
#pragma once
#include "method/graph/reach.h"

/* Changes a number so that reach_undo finds its way back. */
void reach_set(struct reach *r, uint32_t *where, uint32_t value);

/* Links an arc; rows do not change. */
void reach_push_arc(struct reach *r, event_id from, event_id to);

/* Until all that grew is handed on and every section that may have come after another one is. */
bool reach_settle(struct reach *r);

/* Notes what the arc just pushed, from p to q, was derived from: the arcs of one path from acquire p to the end
 * of q. */
void reach_explain(struct reach *r, const struct section *p, const struct section *q);

/* The row of an event as its predecessors make it. */
void reach_gather(const struct reach *r, event_id e, uint32_t *row);
