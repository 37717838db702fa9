/* A graph over the events of a trace, or over a prefix of each thread, with program order built in.
 *
 * Kept simple rather than fast: every question is answered from clocks that are computed anew after arcs were
 * added. The plain versions of the published methods are made of it. */
#pragma once
#include "model/model.h"

struct digraph {
    const struct model *m;
    uint32_t *cut; /* by thread: how many of its events are there */
    struct arc {
        event_id from, to;
        uint32_t next; /* arc from the same event, plus 1; 0: none */
    } * arcs;
    size_t arcs_count, arcs_capacity;
    uint32_t *first;  /* by event: its latest arc, plus 1 */
    uint32_t *clocks; /* by event and thread: how many events of the thread reach it, itself included */
    uint32_t *missing;
    event_id *ready;
};

/* No arcs; all events that `cut` has, or all there are when it is NULL. */
void digraph_init(struct digraph *g, const struct model *m, const uint32_t *cut);
void digraph_free(struct digraph *g);

/* Adds an arc; both ends must be there. */
void digraph_add(struct digraph *g, event_id from, event_id to);

/* Takes back all arcs but the first `arcs`. */
void digraph_shrink(struct digraph *g, size_t arcs);

/* Adds what the events require (semantics §1). */
void digraph_add_required(struct digraph *g);

/* Brings the clocks up to date; false when there is a cycle. */
bool digraph_close(struct digraph *g);

/* Whether the event is there. */
static inline bool digraph_has(const struct digraph *g, event_id e)
{
    return g->m->position[e] < g->cut[thread_of(g->m, e)];
}

/* Whether there is a path, by the clocks; an event reaches itself. */
static inline bool digraph_reaches(const struct digraph *g, event_id from, event_id to)
{
    return g->clocks[(size_t)to * g->m->thread_count + thread_of(g->m, from)] > g->m->position[from];
}

/* The release of a section or EVENT_NONE; its last event: the release, or else the last of its thread. */
event_id digraph_release(const struct digraph *g, const struct section *s);
event_id digraph_last(const struct digraph *g, const struct section *s);
