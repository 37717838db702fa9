/* What the files behind reach.h share. */
#pragma once
#include "method/reach.h"

/* Changes a number so that reach_undo finds its way back. */
void reach_set(struct reach *r, uint32_t *where, uint32_t value);

/* Links an arc; rows do not change. */
void reach_push_arc(struct reach *r, event_id from, event_id to);

/* Looks for sections that must end before this one begins. */
bool reach_check_section(struct reach *r, uint32_t section);
bool reach_settle(struct reach *r);

/* p ends before q begins; the work is left to reach_settle. */
bool reach_induce(struct reach *r, const struct section *p, const struct section *q);

/* Notes what the arc just pushed, from p to q, was derived from: the arcs of one path from acquire p to the end
 * of q. */
void reach_explain(struct reach *r, const struct section *p, const struct section *q);

/* The row of an event as its predecessors make it. */
void reach_gather(const struct reach *r, event_id e, uint32_t *row);

/* How many sections of a track have their acquire among the first `position` events of its owner; at least
 * `start`.
 */
uint32_t track_entered(const struct model *m, const struct track *track, uint32_t start, uint32_t position);
