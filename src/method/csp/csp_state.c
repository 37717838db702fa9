/* The state of a search: windows, steps, and the states that were visited. */
#include "base/memory.h"
#include "method/csp/csp_search_parts.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

/* Lets a thread go on to `position`, and from there to where it holds no lock. */
static void demand(struct csp_search *s, thread_id t, uint32_t position)
{
    if (t == thread_of(s->m, s->goal[0]) || t == thread_of(s->m, s->goal[1]) || s->limit[t] >= position)
        return;
    s->limit[t] = position < chain_length(s->p, t) ? s->p->rest_up[s->p->chain_start[t] + position] : position;
}

/* What a link requires of other threads. */
static void demand_for(struct csp_search *s, const struct csp_link *link)
{
    const struct csp_plan *p = s->p;

    if (link->leaf < p->stage_count) {
        uint32_t first = p->member_start[link->leaf], end = p->member_start[link->leaf + 1], stage = 0;
        for (uint32_t i = first; i < end; i++)
            stage = p->members[i].label == link->label ? p->members[i].stage : stage;
        for (uint32_t i = first; i < end && p->members[i].stage < stage; i++)
            demand(s, p->members[i].thread, p->members[i].position + 1);
    } else if (link->leaf != LEAF_NONE && !link->takes && !link->gives) {
        lock_id lock = link->leaf - p->stage_count;
        for (uint32_t i = p->lock_start[lock]; i < p->lock_start[lock + 1]; i++) {
            if (p->lock_labels[i].label == link->label) {
                const struct section *blocker = &s->m->sections[p->lock_labels[i].section];
                demand(s, blocker->owner, p->chain_position[blocker->acquire] + 1);
            }
        }
    }
}

static void find_windows(struct csp_search *s)
{
    bool changed = true;

    while (changed) {
        changed = false;
        for (thread_id t = 0; t < s->m->thread_count; t++) {
            for (; s->scanned[t] < s->limit[t]; s->scanned[t]++) {
                demand_for(s, chain_link(s->p, t, s->scanned[t]));
                changed = true;
            }
        }
    }
    s->mover_count = 0;
    for (thread_id t = 0; t < s->m->thread_count; t++)
        if (s->limit[t] > s->position[t])
            s->movers[s->mover_count++] = t;
}

static void next_epoch(struct csp_search *s)
{
    if (++s->epoch == 0) {
        memset(s->leaf_epoch, 0, ((size_t)s->p->stage_count + s->m->lock_count) * sizeof *s->leaf_epoch);
        s->epoch = 1;
    }
}

/* Everything as after the observed prefix. */
void state_start(struct csp_search *s, event_id a, event_id b)
{
    const struct csp_plan *p = s->p;
    event_id first = a < b ? a : b;

    s->goal[0] = a;
    s->goal[1] = b;
    s->prefix = p->rest[first - 1];
    next_epoch(s);
    for (thread_id t = 0; t < s->m->thread_count; t++) {
        event_id access = t == thread_of(s->m, a) ? a : t == thread_of(s->m, b) ? b : 0;
        s->position[t] = s->scanned[t] = chain_count_up_to(p, t, s->prefix);
        s->limit[t] = access ? p->chain_position[access] : s->position[t];
        s->blocked[t] = false;
    }
    find_windows(s);
    for (uint32_t i = 0; i < s->mover_count; i++) {
        thread_id t = s->movers[i];
        event_id access = t == thread_of(s->m, a) ? a : t == thread_of(s->m, b) ? b : 0;
        s->thread[t] = csp_thread(s->pr, t, s->position[t], access);
    }
    s->open = s->missed = 0;
    s->path_count = s->committed = 0;
    s->states_count = s->visited = 0;
    if (s->slot_count > 0)
        memset(s->slots, 0, s->slot_count * sizeof *s->slots);
}

/* The only process, besides its thread and the pattern, that takes part in an event. */
static process_id leaf_now(struct csp_search *s, uint32_t leaf)
{
    if (s->leaf_epoch[leaf] != s->epoch) {
        s->leaf_epoch[leaf] = s->epoch;
        s->leaf[leaf] = csp_leaf(s->pr, leaf, s->prefix);
    }
    return s->leaf[leaf];
}

static process_id step(struct csp_search *s, process_id p, csp_event label)
{
    s->steps.steps_count = 0;
    csp_after(s->pr->c, p, label, &s->steps);
    assert(s->steps.steps_count <= 1); /* threads and synchronization are deterministic */
    return s->steps.steps_count > 0 ? s->steps.steps[0].then : UINT32_MAX;
}

/* Whether other threads may need the lock of a link that acquires or releases one. */
static bool is_wanted(const struct csp_search *s, thread_id t, const struct csp_link *link)
{
    return csp_taken_by_others(s->p, arg_of(s->m, link->event), t) > s->prefix;
}

/* Tries that failed in the section that the release ends, and that are still to come. */
static uint32_t tries_left(const struct csp_search *s, const struct csp_link *release)
{
    const struct csp_plan *p = s->p;
    lock_id lock = arg_of(s->m, release->event);
    uint32_t left = 0;

    if (release->tries == 0)
        return 0;
    for (uint32_t i = p->lock_start[lock]; i < p->lock_start[lock + 1]; i++) {
        const struct csp_lock_label *l = &p->lock_labels[i];
        left += l->operation == LOCK_TRY && l->section == model_section_of(s->m, release->event) &&
                s->position[l->thread] <= p->chain_position[l->label - 1];
    }
    return left;
}

/* Does the thread's next event, if SYNC lets it. The pattern answers a synchronization by starting over: it
 * stays as it is. */
bool state_take(struct csp_search *s, thread_id t)
{
    const struct csp_link *link = next_link(s, t);
    struct taken taken = {.thread = t,
                          .leaf = link->leaf,
                          .thread_before = s->thread[t],
                          .open_before = s->open,
                          .missed_before = s->missed};

    if (link->leaf != LEAF_NONE) {
        taken.leaf_before = leaf_now(s, link->leaf);
        process_id then = step(s, taken.leaf_before, link->label);
        if (then == UINT32_MAX)
            return false;
        s->leaf[link->leaf] = then;
    }
    if (link->takes && is_wanted(s, t, link))
        s->open++;
    if (link->gives && is_wanted(s, t, link))
        s->open--;
    s->missed += tries_left(s, link);
    s->thread[t] = step(s, s->thread[t], link->label);
    s->position[t]++;
    s->stats.transitions++;
    ARRAY_PUSH(s, path, taken);
    return true;
}

void state_take_back(struct csp_search *s, size_t to)
{
    while (s->path_count > to) {
        const struct taken *taken = &s->path[--s->path_count];
        s->position[taken->thread]--;
        s->thread[taken->thread] = taken->thread_before;
        if (taken->leaf != LEAF_NONE)
            s->leaf[taken->leaf] = taken->leaf_before;
        s->open = taken->open_before;
        s->missed = taken->missed_before;
    }
}

/* Whether an event can be disabled by others or disables some of theirs. */
bool state_is_choice(const struct csp_search *s, thread_id t, const struct csp_link *link)
{
    return (link->takes && is_wanted(s, t, link)) || tries_left(s, link) > 0;
}

static uint64_t state_hash(const struct csp_search *s, size_t number)
{
    return XXH3_64bits(s->states + number * s->mover_count, s->mover_count * sizeof *s->states);
}

static uint32_t *slot_of(const struct csp_search *s, size_t number)
{
    size_t mask = s->slot_count - 1, bytes = s->mover_count * sizeof *s->states;
    const uint32_t *wanted = s->states + number * s->mover_count;

    for (size_t at = (size_t)state_hash(s, number) & mask;; at = (at + 1) & mask)
        if (s->slots[at] == 0 || memcmp(s->states + (s->slots[at] - 1) * s->mover_count, wanted, bytes) == 0)
            return &s->slots[at];
}

static void grow_slots(struct csp_search *s)
{
    free(s->slots);
    s->slot_count = s->slot_count > 0 ? 2 * s->slot_count : 256;
    s->slots = memory_new(s->slot_count, sizeof *s->slots);
    for (size_t i = 0; i < s->visited; i++)
        *slot_of(s, i) = (uint32_t)i + 1;
}

/* Adds the state; false if it was there. */
bool state_add(struct csp_search *s)
{
    uint32_t *slot;

    if (2 * (s->visited + 1) > s->slot_count)
        grow_slots(s);
    s->states_count = s->visited * s->mover_count;
    for (uint32_t i = 0; i < s->mover_count; i++)
        ARRAY_PUSH(s, states, s->position[s->movers[i]]);
    slot = slot_of(s, s->visited);
    if (*slot)
        return false;
    *slot = (uint32_t)++s->visited;
    s->stats.states++;
    return true;
}
