/* Deadlocks: cycles of acquires, each waiting for a lock that the next one's thread holds (semantics §3).
 *
 * Candidates come from the graph of lock order: an acquire links each lock its thread holds to the one it
 * wants. Only acquires that link two locks of one strongly connected component can be part of a cycle. */
#include "base/memory.h"
#include "property/deadlock_parts.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

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
                ARRAY_PUSH(s, links,
                           (struct deadlock_link){section_lock(held), section_lock(wanted), wanted->acquire});
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
    assert(s->first[s->m->lock_count] == s->links_count);
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
        assert(t->stacked > 0);
        t->components++;
        do {
            member = t->stack[--t->stacked];
            s->component[member] = t->components;
        } while (member != l);
    }
    assert(t->depth > 0 && t->calls[t->depth - 1] == l);
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
    assert(t.stacked == 0 && t.counter == locks);
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

bool acquires_exclude(const struct model *m, event_id a, event_id b)
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

void deadlock_ask(struct deadlock_search *s)
{
    event_id *events = memory_new(s->path_count, sizeof *events);

    assert(s->path_count > 1);
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
        if (acquires_exclude(s->m, s->path[i], next)) {
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
        deadlock_ask(s);
    for (uint32_t i = s->first[wanted]; i < s->first[wanted + 1] && !*s->w->stop; i++) {
        if (!fits(s, s->links[i].acquire))
            continue;
        size_t depth = s->path_count;
        ARRAY_PUSH(s, path, s->links[i].acquire);
        extend(s);
        assert(s->path_count == depth + 1); /* a stack */
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
        deadlock_search_kinds(&s);
    free(s.links);
    free(s.first);
    free(s.component);
    free(s.path);
}
