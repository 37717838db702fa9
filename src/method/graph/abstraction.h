/* The lock abstraction graph and S_choice over reachability that changes (FMCAD'12 §III.B): what choices.h does
 * by search, done by cuts.
 *
 * A vertex is what sections of a thread cover together, or an event outside of them. What a vertex leads to is
 * a last part of each thread, what leads to it a first part: a number a thread. */
#pragma once
#include "method/graph/reach.h"

struct abstraction {
    const struct reach *r;
    uint32_t *start, *end; /* by event: the position its vertex starts at, and the one after its end */
    uint32_t *section_start, *section_end; /* the same for the vertex of each section, track by track */
    uint32_t *scratch;
    struct box *boxes; /* of the witness under way */
    size_t boxes_count, boxes_capacity;
    uint32_t *corners; /* of the boxes: 2 × thread_count each */
    size_t corners_count, corners_capacity;
    uint32_t *moved; /* by thread: the first position the witness moves, once abstraction_guess_holds has run */
};

/* The vertices between the head of a witness order edge and its tail: positions first ≤ p < last of each
 * thread. */
struct box {
    size_t corner; /* in corners: first, then last */
};

void abstraction_init(struct abstraction *a, const struct reach *r);
void abstraction_free(struct abstraction *a);

/* What the vertex of `e` leads to: from cut[t] on, every event of thread t. */
void abstraction_after(const struct abstraction *a, event_id e, uint32_t *cut);

/* What leads to the vertex of `e`: of thread t the first cut[t] events. */
void abstraction_before(const struct abstraction *a, event_id e, uint32_t *cut);

/* Starts a witness; adds the box of one of its ordered pairs, if there is a way from `after` back to `before`.
 */
void abstraction_clear(struct abstraction *a);
void abstraction_add_box(struct abstraction *a, const uint32_t *first, const uint32_t *last);

/* Whether an event lies in one of the boxes. */
bool abstraction_holds(const struct abstraction *a, event_id e);

/* |S_choice|: the pairs of unordered sections in the boxes. */
uint64_t abstraction_count(const struct abstraction *a);

/* Whether the first choice graph is acyclic by inspection: the events the witness moves, put after all others,
 * each part in the order observed, is a linear order of it. May be false for an acyclic graph, too. Arcs from
 * `arcs` on are those of the witness. */
bool abstraction_guess_holds(struct abstraction *a, size_t arcs);

/* Whether the first choice graph has the later one of two sections before the earlier one. */
bool abstraction_swaps(const struct abstraction *a, const struct section *earlier, const struct section *later);
