/* Deadlocks: cycles of acquires, each waiting for a lock that the next one's thread holds (semantics §3).
 *
 * Candidates come from the graph of lock order: an acquire links each lock its thread holds to the one it
 * wants. Only acquires that link two locks of one strongly connected component can be part of a cycle. */
#include "base/memory.h"
#include "finding/place.h"
#include "property/classes.h"
#include "property/worker.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

struct deadlock_link { /* an acquire that wants `wanted` while `held` is held exclusively */
    lock_id held, wanted;
    event_id acquire;
};

/* Acquires that a grouped check does not tell apart: one thread, one place, the same locks held and wanted. */
struct link_class {
    lock_id held, wanted;
    event_id *acquires;
    size_t acquires_count, acquires_capacity;
};

struct deadlock_search {
    struct worker *w;
    const struct model *m;
    struct deadlock_link *links; /* sorted by held lock */
    size_t links_count, links_capacity;
    uint32_t *first;     /* by lock: where its links begin; lock_count + 1 */
    uint32_t *component; /* by lock */
    event_id *path;
    size_t path_count, path_capacity;
    struct link_class *classes;
    size_t classes_count, classes_capacity;
    uint32_t *class_path;
    size_t class_path_count, class_path_capacity;
    uint64_t steps; /* of the cycle of classes under way */
    bool enough;    /* its locations are shown and enough was asked */
};

static void find_links(struct deadlock_search *s)
{
    const struct model *m = s->m;

    for (size_t i = 0; i < m->section_start[m->lock_count]; i++) {
        const struct section *wanted = &m->sections[i];
        if (!op_waits_for_lock(m->trace->op[wanted->acquire]))
            continue;
        uint32_t h = model_hold_at(m, wanted->owner, m->position[wanted->acquire]);
        for (; h != HOLD_NONE; h = m->holds[h].outer) {
            const struct section *held = &m->sections[m->holds[h].section];
            if (!held->shared)
                ARRAY_PUSH(
                    s, links,
                    (struct deadlock_link){section_lock(m, held), section_lock(m, wanted), wanted->acquire});
        }
    }
}

static int by_held_lock(const void *a, const void *b)
{
    const struct deadlock_link *p = a, *q = b;

    if (p->held != q->held)
        return p->held < q->held ? -1 : 1;
    return p->acquire < q->acquire ? -1 : p->acquire > q->acquire;
}

/* Where the links of each held lock begin. */
static void index_links(struct deadlock_search *s)
{
    if (s->links_count > 0)
        qsort(s->links, s->links_count, sizeof *s->links, by_held_lock);
    memset(s->first, 0, ((size_t)s->m->lock_count + 1) * sizeof *s->first);
    for (size_t i = 0; i < s->links_count; i++)
        s->first[s->links[i].held + 1]++;
    for (lock_id l = 0; l < s->m->lock_count; l++)
        s->first[l + 1] += s->first[l];
}

/* Tarjan's components, without recursion: traces may chain thousands of locks. */
struct tarjan {
    uint32_t *number, *low, *next, *stack, *calls;
    size_t stacked, depth;
    uint32_t counter, components;
};

static void enter(struct tarjan *t, const struct deadlock_search *s, lock_id l)
{
    t->number[l] = t->low[l] = ++t->counter;
    t->next[l] = s->first[l];
    t->stack[t->stacked++] = l;
    t->calls[t->depth++] = l;
}

static void leave(struct tarjan *t, struct deadlock_search *s, lock_id l)
{
    if (t->low[l] == t->number[l]) {
        lock_id member;
        t->components++;
        do {
            member = t->stack[--t->stacked];
            s->component[member] = t->components;
        } while (member != l);
    }
    t->depth--;
    if (t->depth > 0) {
        lock_id caller = t->calls[t->depth - 1];
        if (t->low[l] < t->low[caller])
            t->low[caller] = t->low[l];
    }
}

static void find_components(struct deadlock_search *s)
{
    uint32_t locks = s->m->lock_count;
    struct tarjan t = {.number = memory_new(locks, 4),
                       .low = memory_new(locks, 4),
                       .next = memory_new(locks, 4),
                       .stack = memory_new(locks, 4),
                       .calls = memory_new(locks, 4)};

    for (lock_id root = 0; root < locks; root++) {
        if (t.number[root])
            continue;
        enter(&t, s, root);
        while (t.depth > 0) {
            lock_id l = t.calls[t.depth - 1];
            if (t.next[l] == s->first[l + 1]) {
                leave(&t, s, l);
                continue;
            }
            lock_id to = s->links[t.next[l]++].wanted;
            if (!t.number[to])
                enter(&t, s, to);
            else if (!s->component[to] && t.number[to] < t.low[l])
                t.low[l] = t.number[to];
        }
    }
    free(t.number);
    free(t.low);
    free(t.next);
    free(t.stack);
    free(t.calls);
}

/* Drops the links that leave their component: no cycle runs through them. */
static void keep_cyclic_links(struct deadlock_search *s)
{
    size_t kept = 0;

    for (size_t i = 0; i < s->links_count; i++)
        if (s->component[s->links[i].held] == s->component[s->links[i].wanted])
            s->links[kept++] = s->links[i];
    s->links_count = kept;
    index_links(s);
}

/* Whether both acquires' threads hold one lock in modes that exclude each other, or one of the acquires must
 * come before the other is reached. */
static bool cannot_meet(const struct model *m, event_id a, event_id b)
{
    thread_id t = thread_of(m, a), u = thread_of(m, b);

    if (clocks_forward_row(m, u, m->position[b])[t] > m->position[a] ||
        clocks_forward_row(m, t, m->position[a])[u] > m->position[b])
        return true;
    return share_lock(m, a, b);
}

static int ascending(const void *a, const void *b)
{
    event_id x = *(const event_id *)a, y = *(const event_id *)b;

    return x < y ? -1 : x > y;
}

static void ask(struct deadlock_search *s)
{
    event_id *events = memory_new(s->path_count, sizeof *events);

    memcpy(events, s->path, s->path_count * sizeof *events);
    qsort(events, s->path_count, sizeof *events, ascending);
    worker_ask(s->w, PROPERTY_DEADLOCK, events, (uint32_t)s->path_count);
    free(events);
}

/* Whether `next` can be appended: another thread than all, which can meet all. The first of a path has its
 * smallest thread, so that each cycle is found once. */
static bool fits(const struct deadlock_search *s, event_id next)
{
    if (thread_of(s->m, next) <= thread_of(s->m, s->path[0]))
        return false;
    for (size_t i = 0; i < s->path_count; i++) {
        if (thread_of(s->m, s->path[i]) == thread_of(s->m, next))
            return false;
        if (cannot_meet(s->m, s->path[i], next)) {
            worker_refute(s->w, PROPERTY_DEADLOCK, REFUTED_MUST_ORDER, 1);
            return false;
        }
    }
    return true;
}

/* Whether the thread of the path's first acquire holds the lock that the last one wants. */
static bool closes(const struct deadlock_search *s, lock_id wanted)
{
    event_id first = s->path[0];

    for (uint32_t i = s->first[wanted]; i < s->first[wanted + 1]; i++)
        if (s->links[i].acquire == first)
            return true;
    return false;
}

/* Extends the path by every acquire whose thread holds what the last one wants. */
static void extend(struct deadlock_search *s)
{
    lock_id wanted = arg_of(s->m, s->path[s->path_count - 1]);

    if (s->path_count > 1 && closes(s, wanted))
        ask(s);
    for (uint32_t i = s->first[wanted]; i < s->first[wanted + 1] && !*s->w->stop; i++) {
        if (!fits(s, s->links[i].acquire))
            continue;
        ARRAY_PUSH(s, path, s->links[i].acquire);
        extend(s);
        s->path_count--;
    }
}

/* Every set of acquires. */
static void search_events(struct deadlock_search *s)
{
    struct map seen = {0}; /* an acquire has a link for each lock held */

    for (size_t i = 0; i < s->links_count && !*s->w->stop; i++) {
        event_id acquire = s->links[i].acquire;
        if ((*map_at(&seen, acquire))++)
            continue;
        s->w->stats[PROPERTY_DEADLOCK].subjects++;
        s->path_count = 0;
        ARRAY_PUSH(s, path, acquire);
        extend(s);
    }
    map_free(&seen);
}

static void make_classes(struct deadlock_search *s)
{
    struct map index = {0};

    for (size_t i = 0; i < s->links_count; i++) {
        const struct deadlock_link *l = &s->links[i];
        struct {
            uint64_t locks;
            uint32_t thread, held, wanted, place;
        } key = {locks_held(s->m, l->acquire), thread_of(s->m, l->acquire), l->held, l->wanted,
                 place_of(s->m->trace, l->acquire)};
        uint32_t *at = map_at(&index, XXH3_64bits(&key, sizeof key));
        if (!*at) {
            ARRAY_PUSH(s, classes, (struct link_class){.held = l->held, .wanted = l->wanted});
            *at = (uint32_t)s->classes_count;
        }
        ARRAY_PUSH(&s->classes[*at - 1], acquires, l->acquire);
    }
    s->w->stats[PROPERTY_DEADLOCK].subjects += s->links_count;
    map_free(&index);
}

/* Asks for the events on the path, unless a finding stands for their locations and that is enough. */
static void ask_path(struct deadlock_search *s)
{
    if (worker_skips(s->w, PROPERTY_DEADLOCK, s->path, (uint32_t)s->path_count, 1))
        s->enough = true;
    else
        ask(s);
}

/* Chooses an acquire from each class of the cycle, as long as they can meet and the budget lasts. */
static void choose_acquires(struct deadlock_search *s)
{
    if (s->path_count == s->class_path_count) {
        ask_path(s);
        return;
    }
    const struct link_class *c = &s->classes[s->class_path[s->path_count]];
    for (size_t i = 0; i < c->acquires_count && !s->enough && !*s->w->stop; i++) {
        bool meets = true;
        if (++s->steps > s->w->options->budget)
            return;
        for (size_t k = 0; k < s->path_count && meets; k++)
            meets = !cannot_meet(s->m, s->path[k], c->acquires[i]);
        if (!meets) {
            worker_refute(s->w, PROPERTY_DEADLOCK, REFUTED_MUST_ORDER, 1);
            continue;
        }
        ARRAY_PUSH(s, path, c->acquires[i]);
        choose_acquires(s);
        s->path_count--;
    }
}

/* A cycle of classes: does one of its sets of acquires deadlock? */
static void check_cycle(struct deadlock_search *s)
{
    struct property_stats *stats = &s->w->stats[PROPERTY_DEADLOCK];
    uint64_t feasible = stats->feasible;

    s->steps = 0;
    s->enough = false;
    s->path_count = 0;
    choose_acquires(s);
    if (s->steps <= s->w->options->budget || stats->feasible > feasible || s->enough)
        return;
    s->path_count = 0;
    for (size_t i = 0; i < s->class_path_count; i++)
        ARRAY_PUSH(s, path, s->classes[s->class_path[i]].acquires[0]);
    qsort(s->path, s->path_count, sizeof *s->path, ascending);
    worker_give_up(s->w, PROPERTY_DEADLOCK, s->path, (uint32_t)s->path_count);
}

static void extend_classes(struct deadlock_search *s)
{
    lock_id wanted = s->classes[s->class_path[s->class_path_count - 1]].wanted;
    const struct link_class *start = &s->classes[s->class_path[0]];

    if (s->class_path_count > 1 && start->held == wanted)
        check_cycle(s);
    for (uint32_t i = 0; i < s->classes_count && !*s->w->stop; i++) {
        event_id next = s->classes[i].acquires[0];
        bool fits = s->classes[i].held == wanted && thread_of(s->m, next) > thread_of(s->m, start->acquires[0]);
        for (size_t k = 0; k < s->class_path_count && fits; k++) {
            event_id other = s->classes[s->class_path[k]].acquires[0];
            fits = thread_of(s->m, other) != thread_of(s->m, next) && !share_lock(s->m, other, next);
        }
        if (!fits)
            continue;
        ARRAY_PUSH(s, class_path, i);
        extend_classes(s);
        s->class_path_count--;
    }
}

/* One finding for each set of locations: cycles of classes first, events only as far as one shows it. */
static void search_classes(struct deadlock_search *s)
{
    make_classes(s);
    for (uint32_t i = 0; i < s->classes_count && !*s->w->stop; i++) {
        s->class_path_count = 0;
        ARRAY_PUSH(s, class_path, i);
        extend_classes(s);
    }
    for (size_t i = 0; i < s->classes_count; i++)
        free(s->classes[i].acquires);
    free(s->classes);
    free(s->class_path);
}

void deadlock_all(struct worker *w)
{
    struct deadlock_search s = {.w = w, .m = w->m};

    s.first = memory_new((size_t)w->m->lock_count + 1, sizeof *s.first);
    s.component = memory_new(w->m->lock_count, sizeof *s.component);
    find_links(&s);
    index_links(&s);
    find_components(&s);
    keep_cyclic_links(&s);
    if (w->options->all)
        search_events(&s);
    else
        search_classes(&s);
    free(s.links);
    free(s.first);
    free(s.component);
    free(s.path);
}
