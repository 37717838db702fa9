/* The shortest cycle through a block: breadth first, backward along conflicts, inside its component.
 *
 * All conflicts count here, not only those with the last writer. They are not listed: an event conflicts with a
 * beginning of its thread's events and of its object's accesses, and what has been seen of these is not looked
 * at again, so that a search costs no more than the component has events. */
#include "base/memory.h"
#include "property/cycle_parts.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* The component's events, sorted into lists: of a thread, of an object, of a transaction. */
struct family {
    uint32_t *list; /* by item: which list it is in, or OBJECT_NONE */
    uint32_t *at;   /* by item: where in it */
    uint32_t *start, *items;
    uint32_t lists;
};

struct cycle_walk {
    uint32_t component; /* the one that is prepared */
    size_t *first;      /* by component: its first in `events`; one more at the end */
    event_id *events;   /* of all components, one after the other, each ascending */
    uint32_t *number;   /* by node, object + event_count + 1 …: its list in the prepared component */

    const event_id *item; /* the events of the prepared component */
    uint32_t count;
    struct family threads, objects, nodes;
    uint32_t *thread_seen, *all_seen, *writers_seen; /* by list: how much of its beginning */

    uint32_t *queue; /* nodes, in the order they were reached */
    uint32_t queue_count;
    bool *reached;
    struct cycle_step {
        uint32_t next; /* the node on the way to the block */
        event_id from, to;
    } * steps; /* by node */
};

static void family_free(struct family *f)
{
    free(f->list);
    free(f->at);
    free(f->start);
    free(f->items);
    *f = (struct family){0};
}

static void unprepare(struct cycle_walk *w)
{
    family_free(&w->threads);
    family_free(&w->objects);
    family_free(&w->nodes);
    free(w->thread_seen);
    free(w->all_seen);
    free(w->writers_seen);
    free(w->queue);
    free(w->reached);
    free(w->steps);
}

void walk_free(struct cycles *c)
{
    if (!c->walk)
        return;
    unprepare(c->walk);
    free(c->walk->first);
    free(c->walk->events);
    free(c->walk->number);
    free(c->walk);
}

static struct cycle_walk *walk_new(const struct cycles *c)
{
    const struct model *m = c->m;
    struct cycle_walk *w = memory_new(1, sizeof *w);
    size_t total = 0;

    w->first = memory_new((size_t)c->component_count + 3, sizeof *w->first);
    for (event_id e = 1; e <= m->event_count; e++) {
        uint32_t component = c->component[c->node[e]];
        w->first[component + 2] += component > 0;
        total += component > 0;
    }
    for (size_t i = 2; i < (size_t)c->component_count + 3; i++)
        w->first[i] += w->first[i - 1];
    w->events = memory_new(total, sizeof *w->events);
    for (event_id e = 1; e <= m->event_count; e++)
        if (c->component[c->node[e]] > 0)
            w->events[w->first[c->component[c->node[e]] + 1]++] = e;
    w->number = memory_new((size_t)m->event_count + 1 + m->variable_count + m->lock_count + m->thread_count,
                           sizeof *w->number);
    return w;
}

static size_t thread_key(const struct model *m, thread_id t)
{
    return (size_t)m->event_count + 1 + m->variable_count + m->lock_count + t;
}

/* The key that an event is sorted by: numbers all different for nodes, objects and threads. */
static size_t key_of(const struct cycles *c, const struct family *f, event_id e)
{
    const struct model *m = c->m;

    if (f == &c->walk->nodes)
        return c->node[e];
    if (f == &c->walk->threads)
        return thread_key(m, thread_of(m, e));
    if (cycle_object(m, e) == OBJECT_NONE || (c->inert[e / 8] >> e % 8 & 1))
        return SIZE_MAX;
    return (size_t)m->event_count + 1 + cycle_object(m, e);
}

static void family_build(struct cycles *c, struct family *f)
{
    struct cycle_walk *w = c->walk;

    f->list = memory_new(w->count, sizeof *f->list);
    f->at = memory_new(w->count, sizeof *f->at);
    f->start = memory_new((size_t)w->count + 2, sizeof *f->start);
    f->items = memory_new(w->count, sizeof *f->items);
    for (uint32_t i = 0; i < w->count; i++) { /* numbers that older components left are set anew */
        size_t key = key_of(c, f, w->item[i]);
        if (key != SIZE_MAX)
            w->number[key] = OBJECT_NONE;
    }
    for (uint32_t i = 0; i < w->count; i++) {
        size_t key = key_of(c, f, w->item[i]);
        f->list[i] = OBJECT_NONE;
        if (key == SIZE_MAX)
            continue;
        if (w->number[key] == OBJECT_NONE)
            w->number[key] = f->lists++;
        f->list[i] = w->number[key];
        f->at[i] = f->start[f->list[i] + 1]++;
    }
    for (uint32_t l = 0; l < f->lists; l++)
        f->start[l + 1] += f->start[l];
    for (uint32_t i = 0; i < w->count; i++)
        if (f->list[i] != OBJECT_NONE)
            f->items[f->start[f->list[i]] + f->at[i]] = i;
}

static void prepare(struct cycles *c, uint32_t component)
{
    struct cycle_walk *w = c->walk;

    if (w->component == component)
        return;
    unprepare(w);
    w->component = component;
    w->item = w->events + w->first[component];
    w->count = (uint32_t)(w->first[component + 1] - w->first[component]);
    family_build(c, &w->threads);
    family_build(c, &w->objects);
    family_build(c, &w->nodes);
    w->thread_seen = memory_new(w->threads.lists, sizeof *w->thread_seen);
    w->all_seen = memory_new(w->objects.lists, sizeof *w->all_seen);
    w->writers_seen = memory_new(w->objects.lists, sizeof *w->writers_seen);
    w->queue = memory_new(w->nodes.lists, sizeof *w->queue);
    w->reached = memory_new(w->nodes.lists, sizeof *w->reached);
    w->steps = memory_new(w->nodes.lists, sizeof *w->steps);
}

static void forget_seen(struct cycle_walk *w)
{
    memset(w->thread_seen, 0, w->threads.lists * sizeof *w->thread_seen);
    if (w->objects.lists > 0) {
        memset(w->all_seen, 0, w->objects.lists * sizeof *w->all_seen);
        memset(w->writers_seen, 0, w->objects.lists * sizeof *w->writers_seen);
    }
}

/* Which item of the component the event is; it is one of them. */
static uint32_t item_of(const struct cycle_walk *w, event_id e)
{
    uint32_t i = (uint32_t)events_up_to(w->item, w->count, e) - 1;

    assert(w->item[i] == e);
    return i;
}

/* Item `s` conflicts with the later item `i`. True when that closes the cycle: `s` is of the block itself, from
 * which the search began. */
static bool reach(struct cycle_walk *w, uint32_t s, uint32_t i, uint32_t block)
{
    uint32_t from = w->nodes.list[s], to = w->nodes.list[i];

    if (from == to || (w->reached[from] && from != block))
        return false;
    w->steps[from] = (struct cycle_step){to, w->item[s], w->item[i]};
    if (from == block)
        return true;
    w->reached[from] = true;
    w->queue[w->queue_count++] = from;
    return false;
}

/* The first `end` events of a thread's list. */
static bool reach_thread(struct cycle_walk *w, uint32_t thread, uint32_t end, uint32_t i, uint32_t block)
{
    const uint32_t *items = w->threads.items + w->threads.start[thread];

    while (w->thread_seen[thread] < end)
        if (reach(w, items[w->thread_seen[thread]++], i, block))
            return true;
    return false;
}

/* The accesses before this one that conflict with it. */
static bool reach_object(const struct cycles *c, uint32_t i, uint32_t block)
{
    struct cycle_walk *w = c->walk;
    uint32_t list = w->objects.list[i];

    if (list == OBJECT_NONE)
        return false;
    const uint32_t *items = w->objects.items + w->objects.start[list];
    bool writes = object_written(kind_of(c->m, w->item[i]));
    uint32_t *seen = writes ? &w->all_seen[list] : &w->writers_seen[list];
    if (*seen < w->all_seen[list])
        *seen = w->all_seen[list];
    while (*seen < w->objects.at[i]) {
        uint32_t s = items[(*seen)++];
        if ((writes || object_written(kind_of(c->m, w->item[s]))) && reach(w, s, i, block))
            return true;
    }
    return false;
}

static bool in_component(const struct cycles *c, event_id e)
{
    return c->component[c->node[e]] == c->walk->component;
}

/* The list of a thread's events in the component; OBJECT_NONE if it has none there. */
static uint32_t thread_list(const struct cycles *c, thread_id t)
{
    const struct cycle_walk *w = c->walk;
    uint32_t list = w->number[thread_key(c->m, t)];

    if (list >= w->threads.lists || /* a number may be left from another component */
        thread_of(c->m, w->item[w->threads.items[w->threads.start[list]]]) != t)
        return OBJECT_NONE;
    return list;
}

/* The fork of its thread; for a join, all events of the thread it joins; what it waits for elsewhere. */
static bool reach_links(const struct cycles *c, uint32_t i, uint32_t block)
{
    const struct model *m = c->m;
    struct cycle_walk *w = c->walk;
    event_id e = w->item[i], start = event_at(m, thread_of(m, e), 0);
    struct event_span required = model_required(m, start);

    for (size_t r = 0; r < required.count; r++) {
        event_id fork = required.events[r];
        if (kind_of(m, fork) == EVENT_FORK && arg_of(m, fork) == thread_of(m, e) && in_component(c, fork) &&
            reach(w, item_of(w, fork), i, block))
            return true;
    }
    if (kind_of(m, e) == EVENT_JOIN) {
        uint32_t list = thread_list(c, arg_of(m, e));
        return list != OBJECT_NONE &&
               reach_thread(w, list, w->threads.start[list + 1] - w->threads.start[list], i, block);
    }
    required = links_before(m, e);
    for (size_t r = 0; r < required.count; r++)
        if (in_component(c, required.events[r]) && reach(w, item_of(w, required.events[r]), i, block))
            return true;
    return false;
}

/* Looks at all that conflicts with the node's events and comes before them. */
static bool expand(const struct cycles *c, uint32_t node, uint32_t block)
{
    struct cycle_walk *w = c->walk;

    for (uint32_t k = w->nodes.start[node]; k < w->nodes.start[node + 1]; k++) {
        uint32_t i = w->nodes.items[k];
        if (reach_object(c, i, block) || reach_links(c, i, block) ||
            reach_thread(w, w->threads.list[i], w->threads.at[i], i, block))
            return true;
    }
    return false;
}

static void search(const struct cycles *c, uint32_t block)
{
    struct cycle_walk *w = c->walk;
    bool closed = false;

    memset(w->reached, 0, w->nodes.lists * sizeof *w->reached);
    forget_seen(w);
    w->queue_count = 0;
    w->reached[block] = true;
    expand(c, block, block);
    forget_seen(w); /* the block's own events were passed over: now they are what is looked for */
    for (uint32_t q = 0; q < w->queue_count && !closed; q++)
        closed = expand(c, w->queue[q], block);
    assert(closed);
}

static bool is_block(const struct cycles *c, event_id first)
{
    return kind_of(c->m, first) == c->begin;
}

static void push(struct cycles *c, event_id e)
{
    ARRAY_PUSH(c, result, e);
}

struct cycle cycles_through(struct cycles *c, event_id block)
{
    if (!c->walk)
        c->walk = walk_new(c);
    prepare(c, c->component[block]);

    struct cycle_walk *w = c->walk;
    uint32_t start = w->nodes.list[item_of(w, block)], first = start, length = 0, v = start;
    search(c, start);
    do { /* each step leads from a node to the next on the cycle */
        event_id name = w->item[w->nodes.items[w->nodes.start[v]]];
        event_id best = w->item[w->nodes.items[w->nodes.start[first]]];
        if (is_block(c, name) && name < best)
            first = v;
        length++;
        v = w->steps[v].next;
    } while (v != start);
    c->result_count = 0;
    v = first;
    for (uint32_t i = 0; i < length; i++, v = w->steps[v].next)
        push(c, w->item[w->nodes.items[w->nodes.start[v]]]);
    v = first;
    for (uint32_t i = 0; i < length; i++, v = w->steps[v].next) {
        push(c, w->steps[v].from);
        push(c, w->steps[v].to);
    }
    return (struct cycle){length, c->result, c->result + length};
}
