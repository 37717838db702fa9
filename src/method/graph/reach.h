/* Reachability among the events of a trace under program order, required predecessors, couples and what mutual
 * exclusion induces; arcs can be added and taken back.
 *
 * Invariants between calls, unless the last one failed:
 *   rows      of an event: how many events of each thread reach it, itself included
 *   before    of a section and a rival track: how many of its sections have an acquire that reaches the
 * section's last event; all of them end before it begins after     likewise: the first section of the rival
 * track that comes after it, or how many there are */
#pragma once
#include "method/graph/tracks.h"

struct reach {
    const struct model *m;
    struct tracks tracks;
    uint32_t *rows;
    uint32_t *before, *after; /* by tracks_bounds */

    struct reach_arc {
        event_id from, to;
        uint32_t next_out, next_in; /* plus 1 */
        bool gone;
    } * arcs;
    size_t arcs_count, arcs_capacity;
    uint32_t *first_out, *first_in; /* by event: latest arc, plus 1 */
    uint32_t *couple;               /* by event: the arc of its couple, plus 1 */
    uint32_t *opens, *closes;       /* by event: the section that begins or ends there, plus 1 */
    uint32_t *open_sections;        /* those that never end … */
    uint32_t *open_start;           /* … by owner: thread_count + 1 */

    /* What each induced arc was derived from, the other way round. */
    struct reach_use {
        uint32_t arc, next; /* the arc that depends; next use of the same, plus 1 */
    } * uses;
    size_t uses_count, uses_capacity;
    uint32_t *first_use; /* by arc of the base, plus 1 */
    size_t first_use_count, first_use_capacity;
    size_t base_arcs;

    struct reach_undo {
        uint32_t *where;
        uint32_t old;
    } * undo;
    size_t undo_count, undo_capacity;
    uint32_t *gone; /* arcs */
    size_t gone_count, gone_capacity;
    event_id *work; /* events whose row has grown */
    size_t work_count, work_capacity;
    uint32_t *checks; /* sections whose last event's row has grown */
    size_t checks_count, checks_capacity;
    struct reach_shrunk { /* `before` of a section and a rival track that a lost couple has made smaller */
        uint32_t section, slot, old;
    } * shrunk;
    size_t shrunk_count, shrunk_capacity;
    uint8_t *dirty; /* by event */
};

struct reach_mark {
    size_t arcs, undo, gone;
};

/* The whole trace with all its couples. */
void reach_init(struct reach *r, const struct model *m);
void reach_free(struct reach *r);

struct reach_mark reach_mark(const struct reach *r);

/* Back to where the mark was made. */
void reach_undo(struct reach *r, struct reach_mark mark);

/* Adds an arc and all it induces; false when that leads to a cycle or to a section that would have to end and
 * does not: then only reach_undo may follow. */
bool reach_add(struct reach *r, event_id from, event_id to);

/* Takes the couple of a read away, with what was induced by it alone. Only on the base: nothing added yet. */
void reach_without_couple(struct reach *r, event_id read);

static inline uint32_t *reach_row(const struct reach *r, event_id e)
{
    return r->rows + (size_t)e * r->m->thread_count;
}

/* Whether there is a path; an event reaches itself. */
static inline bool reaches(const struct reach *r, event_id from, event_id to)
{
    return reach_row(r, to)[thread_of(r->m, from)] > r->m->position[from];
}
