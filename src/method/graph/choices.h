/* S_choice of FMCAD'12 §III.B: which pairs of unordered sections matter for a witness, by the lock abstraction
 * graph. The plain way: from a closed graph, by search. */
#pragma once
#include "method/graph/digraph.h"
#include "method/graph/witness.h"

struct choice_pair {
    uint32_t section[2]; /* of the model; the one entered first in the trace comes first */
    bool swapped;        /* the first graph tried has the second before the first */
};

struct choices {
    struct choice_pair *pairs;
    size_t pairs_count, pairs_capacity;
};

void choices_free(struct choices *c);

/* All pairs of sections of one lock that exclude each other and that `g`, which must be closed, does not order;
 * by lock, then by acquires. */
void choices_unordered(struct choices *c, const struct digraph *g);

/* Keeps the pairs on a way from the head of a witness order edge to its tail in the lock abstraction graph. The
 * witness order edges are the arcs of `g` from `first` to `end`. A way may use an undirected edge in both
 * directions. */
void choices_keep_relevant(struct choices *c, const struct digraph *g, size_t first, size_t end);

/* Decides which order of each pair is tried first: a section that comes after something the witness moved goes
 * last, otherwise the order observed stays. */
void choices_guess(struct choices *c, const struct digraph *g);

/* Tries the graphs with one edge for each pair, at most `budget` of them, until one is acyclic: number 0 has
 * every pair as guessed, bit i of the number reverses pair i. The graph is left as it was, but not closed. */
struct witness_outcome choices_explore(const struct choices *c, struct digraph *g, uint64_t budget);
