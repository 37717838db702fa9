/* Exploring feasible runs: a depth-first walk over states with a hash set of those already met. */
#include "random/oracle_runs.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

size_t state_next(const struct meaning *m, const struct run_state *s, size_t thread)
{
    event_set done = s->done & m->of_thread[thread];

    if (s->fresh & done)
        return 0;
    return m->by_thread[thread][__builtin_popcountll(done)];
}

bool state_ready(const struct meaning *m, const struct run_state *s, size_t event)
{
    return (m->requires[event] & ~s->done) == 0;
}

bool state_section_open(const struct meaning *m, const struct run_state *s, size_t section)
{
    size_t end = m->section_end[section];

    return has_event(s->done, section) && !(end && has_event(s->done, end));
}

size_t state_source(const struct meaning *m, const struct run_state *s, size_t access)
{
    event_set last = s->last & m->writes_beside[access];

    return last ? first_event(last) : EVENT_INIT;
}

bool state_keeps(const struct meaning *m, const struct run_state *s, size_t read)
{
    size_t source = state_source(m, s, read);

    return has_event(m->keeps[read], source) && !has_event(s->fresh, source);
}

/* Whether the run may go on with `event`, the next of its thread. */
static bool enabled(const struct meaning *m, const struct run_state *s, size_t event)
{
    size_t in_the_way = m->tryfail_section[event];

    if (!state_ready(m, s, event))
        return false;
    if (in_the_way && !state_section_open(m, s, in_the_way))
        return false;
    for (event_set rest = m->section_rivals[event] & s->done; rest; rest &= rest - 1) {
        if (state_section_open(m, s, first_event(rest)))
            return false;
    }
    return true;
}

static struct run_state state_after(const struct meaning *m, const struct run_state *s, size_t event)
{
    struct run_state after = *s;

    after.done |= one_event(event);
    if (kind_reads(kind_of(m, event)) && !state_keeps(m, s, event))
        after.fresh |= one_event(event);
    if (kind_writes(kind_of(m, event)))
        after.last = (after.last & ~m->writes_beside[event]) | one_event(event);
    return after;
}

static size_t state_hash(const struct run_state *s)
{
    uint64_t h = s->done * 0x9e3779b97f4a7c15u;

    h = (h ^ h >> 29 ^ s->fresh) * 0xbf58476d1ce4e5b9u;
    h = (h ^ h >> 32 ^ s->last) * 0x94d049bb133111ebu;
    return (size_t)(h ^ h >> 31);
}

/* The slot that has the state, or the free one where it belongs. */
static uint32_t *slot_of(const struct search *search, const struct run_state *s)
{
    size_t mask = search->slot_count - 1;

    for (size_t at = state_hash(s) & mask;; at = (at + 1) & mask) {
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

        if (!event || !enabled(m, s, event))
            continue;
        if (event == search->held_back && !has_event(s->done, search->until))
            continue;
        if (event == search->also_held_back && !has_event(s->done, search->also_until))
            continue;
        struct run_state after = state_after(m, s, event);
        reach(search, &after);
    }
}

void search_runs(struct search *search)
{
    search->states_count = 0;
    slots_clear(search, 256);
    reach(search, &(struct run_state){0});
}

void search_free(struct search *search)
{
    free(search->states);
    free(search->slots);
}
