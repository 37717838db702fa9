/* Universal causality graphs (CAV'10): what program order, required predecessors, locks and the property itself
 * put in order, data left aside; and whether that has a cycle.
 *
 * A property says how far each thread goes. Only events that some run of it cannot do without are vertices;
 * each thread's part of them is a prefix that grows while edges are induced. The rule for locks (Algorithm 1,
 * for n threads with causality chains): when the acquire of p reaches an event inside q or its release, or q
 * cannot end, p ends before q begins. */
#pragma once
#include "model/model.h"

/* A property: the run holds at least `least` and at most `most` events of each thread, and `order` in this
 * order. */
struct causality_property {
    uint32_t *least, *most;
    struct {
        event_id before, after;
    } order[2];
    unsigned order_count;
};

void property_init(struct causality_property *p, const struct model *m);
void property_free(struct causality_property *p);

/* Both accesses come next: all that they need is done, neither is. */
void property_race(struct causality_property *p, const struct model *m, event_id a, event_id b);

/* a, then b, then c, with which the run ends. */
void property_atomicity(struct causality_property *p, const struct model *m, event_id a, event_id b,
                        event_id c);

/* The graph of one property built afresh over whole prefixes, the definition as code: false when it has a
 * cycle. */
bool causality_plain(const struct model *m, const struct causality_property *p);

/* One graph for all properties (§3.5), each edge labelled with the properties whose graph has it. Graphs begin
 * at a causality barrier (§4). */
struct causality;

struct causality *causality_new(const struct model *m);
void causality_free(struct causality *c);

/* Whether the property's graph is acyclic; its edges are labelled with `label`. */
bool causality_holds(struct causality *c, const struct causality_property *p, uint32_t label);

/* Whether the last graph began at a barrier that left something out. */
bool causality_was_chopped(const struct causality *c);

/* Whether the labelled graph has this edge, the property's own or one that it induced, for the property. */
bool causality_has_edge(const struct causality *c, event_id from, event_id to, uint32_t label);

/* Vector clocks of program order and required predecessors alone: does `from` reach `to`? */
bool causality_must(const struct causality *c, event_id from, event_id to);
