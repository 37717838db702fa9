/* The runs that the histories known so far make possible: states, and the steps between them.
 *
 * A state is where each thread is in its history, what it waits for, who holds what, and where each shared cell
 * was last written. A step is a thread's next move with all that is glued to it. */
#pragma once
#include "explore/history.h"

/* Bytes that are always touched together, by more than one thread, one of which writes. */
struct cell_range {
    uint64_t start, end;
};

/* What a move touches that others may touch. */
struct touch {
    uint32_t first_cell, cell_count;
    uint32_t object; /* plus one; 0: none */
    uint32_t stream; /* the same: what an output waits for */
};

struct space {
    const struct history *history;
    size_t threads;
    struct cell_range *cells;
    size_t cells_count, cells_capacity;
    struct map objects; /* place → index + 1 */
    size_t objects_count;
    struct touch *touches; /* by move */
    bool *writes;          /* by move: it was seen to change memory */
    size_t words;          /* of a state */
    uint64_t layout;       /* sum of all that gives the words of a state their meaning */
};

enum stepped {
    STEPPED_DONE,
    STEPPED_OVER, /* the thread has ended, or not begun */
    STEPPED_BLOCKED,
    STEPPED_CUT,     /* it would repeat a busy-wait iteration a third time */
    STEPPED_EXIT,    /* it ends the process */
    STEPPED_UNKNOWN, /* what happens then was never seen */
};

/* How a step is made, where there is a choice: the number, plus one, of the thread that a notify wakes. */
enum { VARIANT_NONE = 0, VARIANT_TIME_OUT = 0x10000 };

void space_build(struct space *space, const struct history *history);
void space_free(struct space *space);

void space_start(const struct space *space, uint32_t *state);

/* Makes the step of the thread in place. When it does not return STEPPED_DONE the state is of no use any more;
 * `*node` is then how far the thread got. */
enum stepped space_step(const struct space *space, uint32_t *state, uint32_t thread, uint32_t variant,
                        uint32_t *node);

/* The ways the thread's next step can be made: whom it may wake. Returns how many. */
size_t space_variants(const struct space *space, const uint32_t *state, uint32_t thread,
                      uint32_t variants[EXPLORE_THREADS]);

/* Whether the thread's wait has a time-out. */
bool space_timed(const struct space *space, const uint32_t *state, uint32_t thread);

/* The condition that a thread at this node waits for, an object plus one; 0: none. */
uint32_t space_condition(const struct space *space, uint32_t node);

/* The sight made of these words; NAME_NONE: never seen. */
uint32_t space_sight(const struct space *space, const uint32_t *words, size_t count);

static inline size_t state_cells(const struct space *s)
{
    return 2 * s->threads + 4 * s->objects_count;
}
