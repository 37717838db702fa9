/* Exploring feasible runs: a depth-first walk over states with a hash set of those already met. */
#include "random/oracle_runs.h"
#include "base/memory.h"
#include "random/oracle_step.h"

#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

/* The slot that has the state, or the free one where it belongs. */
static uint32_t *slot_of(const struct search *search, const struct run_state *s)
{
    size_t mask = search->slot_count - 1;

    for (size_t at = XXH3_64bits(s, sizeof *s) & mask;; at = (at + 1) & mask) {
        uint32_t slot = search->slots[at];
        if (!slot || memcmp(&search->states[slot - 1], s, sizeof *s) == 0)
            return &search->slots[at];
    }
}

static void slots_clear(struct search *search, size_t count)
{
    search->slots = memory_resize(search->slots, count, sizeof *search->slots);
    memset(search->slots, 0, count * sizeof *search->slots);
    search->slot_count = count;
}

/* Adds the state; false if it was there. */
static bool add_state(struct search *search, const struct run_state *s)
{
    uint32_t *slot = slot_of(search, s);

    if (*slot)
        return false;
    ARRAY_PUSH(search, states, *s);
    *slot = (uint32_t)search->states_count;
    if (2 * search->states_count > search->slot_count) {
        slots_clear(search, 2 * search->slot_count);
        for (size_t i = 0; i < search->states_count; i++)
            *slot_of(search, &search->states[i]) = (uint32_t)i + 1;
    }
    return true;
}

/* Goes as deep as the trace is long. */
static void reach(struct search *search, const struct run_state *s)
{
    const struct meaning *m = search->m;

    if (!add_state(search, s) || !search->visit(search, s))
        return;
    for (size_t t = 0; t < m->thread_count; t++) {
        size_t event = state_next(m, s, t);

        if (state_status(search, s, t) != THREAD_READY)
            continue;
        if (event == search->held_back && !has_event(s->done, search->until))
            continue;
        if (event == search->also_held_back && !has_event(s->done, search->also_until))
            continue;
        struct run_state after = state_after(search, s, event);
        reach(search, &after);
    }
}

void search_runs(struct search *search)
{
    struct run_state start = state_first(search);

    search->states_count = 0;
    slots_clear(search, 256);
    reach(search, &start);
}

void search_free(struct search *search)
{
    free(search->states);
    free(search->slots);
    free(search->values);
}
