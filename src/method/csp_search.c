/* The search itself: steps along rests as long as that works, depth first where it does not. */
#include "method/csp_search.h"
#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#define THREAD_NONE UINT32_MAX

/* One step of the way, and what it takes to take it back. */
struct taken {
    thread_id thread;
    uint32_t leaf;
    process_id leaf_before, thread_before;
    uint32_t open_before, missed_before;
};

/* A state of the depth-first part: where the way to it left the one above, and the last choice tried in it. */
struct frame {
    size_t mark;
    event_id tried;
};

enum entry { ENTRY_NEW, ENTRY_KNOWN, ENTRY_GOAL, ENTRY_REST, ENTRY_BUDGET };

struct csp_search {
    struct csp_processes *pr;
    const struct csp_plan *p;
    const struct model *m;
    uint64_t budget;
    const volatile bool *stop;
    struct csp_search_stats stats;

    event_id goal[2], prefix;
    uint32_t *position, *limit, *scanned; /* by thread */
    process_id *thread;                   /* by thread: the process it has become */
    thread_id *movers;                    /* threads with something left in their windows */
    uint32_t mover_count;
    bool *blocked; /* by thread: its next step to a rest failed since the last that did not */

    process_id *leaf; /* by process of the plan; of an older epoch: as after the prefix */
    uint32_t *leaf_epoch, epoch;

    uint32_t open;   /* sections that are open and that others may want */
    uint32_t missed; /* tries that can no longer fail */
    struct taken *path;
    size_t path_count, path_capacity;
    size_t committed; /* the way to the last rest */

    struct frame *frames;
    size_t frames_count, frames_capacity;
    uint32_t *states; /* positions of the movers, one state after the other */
    size_t states_count, states_capacity;
    uint32_t *slots; /* open addressing over 1 + number of a state; 0 is free */
    size_t slot_count, visited;
    struct csp_steps steps;
};

struct csp_search *csp_search_new(struct csp_processes *pr, uint64_t budget, const volatile bool *stop)
{
    struct csp_search *s = memory_new(1, sizeof *s);
    const struct model *m = pr->p->m;
    size_t leaves = (size_t)pr->p->stage_count + m->lock_count;

    *s = (struct csp_search){.pr = pr, .p = pr->p, .m = m, .budget = budget, .stop = stop};
    s->position = memory_new(m->thread_count, sizeof *s->position);
    s->limit = memory_new(m->thread_count, sizeof *s->limit);
    s->scanned = memory_new(m->thread_count, sizeof *s->scanned);
    s->thread = memory_new(m->thread_count, sizeof *s->thread);
    s->movers = memory_new(m->thread_count, sizeof *s->movers);
    s->blocked = memory_new(m->thread_count, sizeof *s->blocked);
    s->leaf = memory_new(leaves, sizeof *s->leaf);
    s->leaf_epoch = memory_new(leaves, sizeof *s->leaf_epoch);
    return s;
}

void csp_search_free(struct csp_search *s)
{
    free(s->position);
    free(s->limit);
    free(s->scanned);
    free(s->thread);
    free(s->movers);
    free(s->blocked);
    free(s->leaf);
    free(s->leaf_epoch);
    free(s->path);
    free(s->frames);
    free(s->states);
    free(s->slots);
    free(s->steps.steps);
    free(s);
}

const struct csp_search_stats *csp_search_counts(const struct csp_search *s)
{
    return &s->stats;
}

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
static void start(struct csp_search *s, event_id a, event_id b)
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

static const struct csp_link *next_link(const struct csp_search *s, thread_id t)
{
    return s->position[t] < s->limit[t] ? chain_link(s->p, t, s->position[t]) : NULL;
}

/* The only process beside its thread and the pattern that has a say in an event. */
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

/* Whether others may want the lock of a link that takes one or gives one back. */
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
        left += l->operation == LOCK_TRY && l->section == s->m->section_of[release->event] &&
                s->position[l->thread] <= p->chain_position[l->label - 1];
    }
    return left;
}

/* Does the thread's next event, if SYNC lets it. The pattern answers a synchronization by starting over: it
 * stays as it is. */
static bool take(struct csp_search *s, thread_id t)
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

static void take_back(struct csp_search *s, size_t to)
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

static bool is_rest(const struct csp_search *s)
{
    return s->open == 0 && s->missed == 0;
}

static bool at_goal(const struct csp_search *s)
{
    thread_id one = thread_of(s->m, s->goal[0]), other = thread_of(s->m, s->goal[1]);

    return s->position[one] == s->limit[one] && s->position[other] == s->limit[other];
}

/* Moves one thread alone to its next rest; all or nothing. */
static bool move_to_rest(struct csp_search *s, thread_id t)
{
    size_t mark = s->path_count;

    while (next_link(s, t) && take(s, t)) {
        if (is_rest(s)) {
            s->committed = s->path_count;
            s->stats.states++;
            return true;
        }
    }
    take_back(s, mark);
    return false;
}

/* The mover whose next event comes first in the trace. */
static thread_id first_mover(const struct csp_search *s)
{
    thread_id first = THREAD_NONE;

    for (uint32_t i = 0; i < s->mover_count; i++) {
        thread_id t = s->movers[i];
        if (!s->blocked[t] && next_link(s, t) &&
            (first == THREAD_NONE || next_link(s, t)->event < next_link(s, first)->event))
            first = t;
    }
    return first;
}

static void move_along_rests(struct csp_search *s)
{
    thread_id t;

    for (uint32_t i = 0; i < s->mover_count; i++)
        s->blocked[s->movers[i]] = false;
    while (!at_goal(s) && !*s->stop && (t = first_mover(s)) != THREAD_NONE) {
        if (!move_to_rest(s, t)) {
            s->blocked[t] = true;
            continue;
        }
        for (uint32_t i = 0; i < s->mover_count; i++)
            s->blocked[s->movers[i]] = false;
    }
}

/* Whether an event can be disabled by others or disables some of theirs. */
static bool is_choice(const struct csp_search *s, thread_id t, const struct csp_link *link)
{
    return (link->takes && is_wanted(s, t, link)) || tries_left(s, link) > 0;
}

static void take_eager(struct csp_search *s)
{
    bool changed = true;

    while (changed) {
        changed = false;
        for (uint32_t i = 0; i < s->mover_count; i++) {
            thread_id t = s->movers[i];
            while (next_link(s, t) && !is_choice(s, t, next_link(s, t)) && take(s, t))
                changed = true;
        }
    }
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
static bool add_state(struct csp_search *s)
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

/* What the state is that was just reached. */
static enum entry enter(struct csp_search *s)
{
    take_eager(s);
    if (at_goal(s))
        return ENTRY_GOAL;
    if (is_rest(s) && s->path_count > s->committed)
        return ENTRY_REST;
    if (s->visited >= s->budget || *s->stop)
        return ENTRY_BUDGET;
    return add_state(s) ? ENTRY_NEW : ENTRY_KNOWN;
}

/* The mover with the choice that comes next in the trace after `tried`. */
static thread_id next_choice(const struct csp_search *s, event_id tried)
{
    thread_id next = THREAD_NONE;

    for (uint32_t i = 0; i < s->mover_count; i++) {
        thread_id t = s->movers[i];
        const struct csp_link *link = next_link(s, t);
        if (link && link->event > tried && is_choice(s, t, link) &&
            (next == THREAD_NONE || link->event < next_link(s, next)->event))
            next = t;
    }
    return next;
}

/* Everything that can be reached from the last rest, until the goal or another rest is. ENTRY_KNOWN: neither
 * is. */
static enum entry search_depth_first(struct csp_search *s)
{
    size_t mark = s->path_count;
    enum entry entry = enter(s);

    s->frames_count = 0;
    if (entry != ENTRY_NEW)
        return entry;
    ARRAY_PUSH(s, frames, (struct frame){.mark = mark});
    while (s->frames_count > 0) {
        struct frame *top = &s->frames[s->frames_count - 1];
        thread_id t = next_choice(s, top->tried);
        if (t == THREAD_NONE) {
            take_back(s, top->mark);
            s->frames_count--;
            continue;
        }
        top->tried = next_link(s, t)->event;
        mark = s->path_count;
        if (!take(s, t))
            continue;
        entry = enter(s);
        if (entry == ENTRY_NEW)
            ARRAY_PUSH(s, frames, (struct frame){.mark = mark});
        else if (entry == ENTRY_KNOWN)
            take_back(s, mark);
        else
            return entry;
    }
    return ENTRY_KNOWN;
}

/* Both accesses come next. Whether PROGRAM does one, then the other, and PATTERN does `race` then. */
static bool can_race(struct csp_search *s)
{
    struct csp_pattern who = {thread_of(s->m, s->goal[0]), thread_of(s->m, s->goal[1]),
                              arg_of(s->m, s->goal[0])};
    csp_event events[3] = {csp_label_of(s->pr, s->goal[0]), csp_label_of(s->pr, s->goal[1]), s->p->race};
    struct csp_steps now = {0}, next = {0};
    bool found;

    ARRAY_PUSH(&now, steps, (struct csp_step){CSP_TAU, csp_pattern(s->pr, who)});
    for (int i = 0; i < 3; i++) {
        next.steps_count = 0;
        for (size_t k = 0; k < now.steps_count; k++)
            csp_after(s->pr->c, now.steps[k].then, events[i], &next);
        struct csp_steps swap = now;
        now = next;
        next = swap;
    }
    found = now.steps_count > 0;
    s->stats.transitions += 3;
    free(now.steps);
    free(next.steps);
    return found;
}

struct tail {
    uint32_t *events;
    size_t events_count, events_capacity;
};

/* Appends the thread's synchronization events up to a position, re-entrant ones included. */
static void tell_until(const struct csp_search *s, struct tail *tail, thread_id t, uint32_t *told, uint32_t end)
{
    for (; *told < end; ++*told)
        if (kind_synchronizes(kind_of(s->m, event_at(s->m, t, *told))))
            ARRAY_PUSH(tail, events, event_at(s->m, t, *told));
}

static struct schedule tell_schedule(const struct csp_search *s)
{
    const struct model *m = s->m;
    uint32_t *told = memory_new(m->thread_count, sizeof *told),
             *next = memory_new(m->thread_count, sizeof *next);
    struct tail tail = {0};

    for (thread_id t = 0; t < m->thread_count; t++) {
        told[t] = thread_count_up_to(m, t, s->prefix);
        next[t] = chain_count_up_to(s->p, t, s->prefix);
    }
    for (size_t i = 0; i < s->path_count; i++) {
        thread_id t = s->path[i].thread;
        const struct csp_link *link = chain_link(s->p, t, next[t]++);
        if (link->kind != LINK_START)
            tell_until(s, &tail, t, &told[t], m->position[link->event] + 1);
    }
    for (int i = 0; i < 2; i++) {
        thread_id t = thread_of(m, s->goal[i]);
        tell_until(s, &tail, t, &told[t], m->position[s->goal[i]]);
    }
    free(told);
    free(next);
    return (struct schedule){s->prefix, (uint32_t)tail.events_count, tail.events};
}

enum csp_verdict csp_search_race(struct csp_search *s, event_id a, event_id b, struct schedule *schedule)
{
    enum entry entry = ENTRY_REST;

    start(s, a, b);
    s->stats.states++;
    while (entry == ENTRY_REST) {
        s->committed = s->path_count;
        move_along_rests(s);
        entry = at_goal(s) ? ENTRY_GOAL : search_depth_first(s);
    }
    if (entry == ENTRY_BUDGET)
        return CSP_OUT_OF_BUDGET;
    if (entry != ENTRY_GOAL || !can_race(s))
        return CSP_REFINES;
    if (schedule)
        *schedule = tell_schedule(s);
    return CSP_VIOLATES;
}
