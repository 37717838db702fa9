/* Which threads must be tried in a state, so that no behaviour is missed.
 *
 * For every node: what the thread may touch from there on, in any history known, its children included. Two
 * steps that touch nothing in common, one of which writes, can be made in either order; so it is enough to try,
 * in a state, a set of threads whose next steps touch nothing that any thread outside the set may ever touch (a
 * persistent set). A thread does not get past joining another one that stands still: what it may touch after
 * that does not count. */
#pragma once
#include "explore/space.h"

struct reduction {
    const struct space *space;
    size_t plane;      /* words in a plane of a set: cells read, cells written, objects; then one for "all" */
    struct names sets; /* as bytes */
    uint32_t *steps;   /* by node: the set of the next step */
    uint32_t *futures; /* by thread that is not joined, and node */
    size_t nodes;
};

void reduction_build(struct reduction *reduction, const struct space *space);
void reduction_free(struct reduction *reduction);

/* The threads to try, as bits, in a state in which thread t can do `steps[t]`; 0: none can do anything. */
uint64_t reduction_choose(const struct reduction *reduction, const uint32_t *state, const enum stepped *steps);

/* Whether some thread may read the cell from now on. `live` has a bit for each cell. */
void reduction_live(const struct reduction *reduction, const uint32_t *state, uint64_t *live);
