/* Builds a window: nodes, their clocks, couples, writes and the edges that are certain. */
#include "solve/window.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

struct window *window_new(const struct model *m)
{
    struct window *w = memory_new(1, sizeof *w);

    w->m = m;
    w->row = (m->thread_count + ROW_UNIT - 1) / ROW_UNIT * ROW_UNIT;
    w->low = memory_new(m->thread_count, sizeof *w->low);
    w->high = memory_new(m->thread_count, sizeof *w->high);
    w->first = memory_new(m->thread_count, sizeof *w->first);
    w->variable_stamp = memory_new(m->variable_count, sizeof *w->variable_stamp);
    w->variable_start = memory_new(m->variable_count, sizeof *w->variable_start);
    w->variable_end = memory_new(m->variable_count, sizeof *w->variable_end);
    w->pending_before = memory_new(m->variable_count, sizeof *w->pending_before);
    w->current = memory_new(m->variable_count, sizeof *w->current);
    w->done = memory_new(m->thread_count, sizeof *w->done);
    w->lock_fill = memory_new(m->lock_count, sizeof *w->lock_fill);
    w->lock_owner = memory_new(m->lock_count, sizeof *w->lock_owner);
    w->lock_readers = memory_new(m->lock_count, sizeof *w->lock_readers);
    w->lock_takes = memory_new(m->lock_count, sizeof *w->lock_takes);
    w->lock_last = memory_new(m->lock_count, sizeof *w->lock_last);
    w->next = memory_new(m->thread_count, sizeof *w->next);
    return w;
}

void window_free(struct window *w)
{
    free(w->low);
    free(w->high);
    free(w->first);
    free(w->events);
    free(w->clocks);
    free(w->edge_head);
    free(w->edges);
    free(w->couples);
    free(w->writes);
    free(w->write_runs);
    free(w->variable_stamp);
    free(w->variable_start);
    free(w->variable_end);
    free(w->sections);
    free(w->sorted);
    free(w->lock_fill);
    free(w->actions);
    free(w->pending);
    free(w->sees);
    free(w->pending_before);
    free(w->current);
    free(w->done);
    free(w->lock_owner);
    free(w->lock_readers);
    free(w->lock_takes);
    free(w->lock_last);
    free(w->next);
    free(w->dirty);
    free(w);
}

uint32_t window_node(const struct window *w, event_id e)
{
    thread_id t = thread_of(w->m, e);
    uint32_t position = w->m->position[e];

    if (position < w->low[t])
        return NODE_BEFORE;
    return position < w->high[t] ? w->first[t] + (position - w->low[t]) : NODE_OUT;
}

/* Makes room for the nodes, and for a bit for each event up to the last of them. */
static void make_room(struct window *w, event_id last)
{
    size_t words = (last > w->start ? last - w->start : 0) / 64 + 1;

    w->events = memory_grow(w->events, &w->events_capacity, w->nodes, sizeof *w->events);
    w->edge_head = memory_grow(w->edge_head, &w->edge_head_capacity, w->nodes, sizeof *w->edge_head);
    w->clocks = memory_grow(w->clocks, &w->clocks_capacity, (size_t)w->nodes * w->row, sizeof *w->clocks);
    w->actions = memory_grow(w->actions, &w->actions_capacity, w->nodes, sizeof *w->actions);
    w->dirty = memory_grow(w->dirty, &w->dirty_capacity, words, sizeof *w->dirty);
    w->dirty_words = words;
    memset(w->dirty, 0, words * sizeof *w->dirty);
    memset(w->actions, 0, w->nodes * sizeof *w->actions);
    memset(w->edge_head, 0xff, w->nodes * sizeof *w->edge_head);
}

void window_place(struct window *w, const uint32_t *cut, event_id start)
{
    const struct model *m = w->m;

    w->nodes = 0;
    w->start = start;
    for (thread_id t = 0; t < m->thread_count; t++) {
        w->low[t] = start == 0 ? 0 : thread_count_up_to(m, t, start);
        w->high[t] = cut[t] > w->low[t] ? cut[t] : w->low[t];
        w->first[t] = w->nodes;
        w->nodes += w->high[t] - w->low[t];
    }
}

static void fill_nodes(struct window *w)
{
    const struct model *m = w->m;
    event_id last = 0;

    for (thread_id t = 0; t < m->thread_count; t++) {
        if (w->high[t] > w->low[t] && event_at(m, t, w->high[t] - 1) > last)
            last = event_at(m, t, w->high[t] - 1);
    }
    make_room(w, last);
    for (thread_id t = 0; t < m->thread_count; t++)
        if (w->high[t] > w->low[t])
            memcpy(w->events + w->first[t], m->thread_events + m->thread_start[t] + w->low[t],
                   (w->high[t] - w->low[t]) * sizeof *w->events);
}

/* Must-order as it stands before a node; that of a free last read does not have its couple. */
static void start_clocks(struct window *w)
{
    const struct model *m = w->m;
    size_t bytes = m->thread_count * sizeof *w->clocks;

    memset(w->clocks, 0, (size_t)w->nodes * w->row * sizeof *w->clocks);
    for (thread_id t = 0; t < m->thread_count; t++) {
        if (w->high[t] == w->low[t])
            continue;
        const struct epoch *epoch = clocks_forward_epoch(m, t, w->low[t]);
        const struct epoch *end = m->forward.threads[t].epochs + m->forward.threads[t].epochs_count;
        uint32_t *clock = w->clocks + (size_t)w->first[t] * w->row;
        for (uint32_t position = w->low[t]; position < w->high[t]; position++, clock += w->row) {
            bool free_read = position + 1 == w->high[t] && kind_reads(kind_of(m, event_at(m, t, position)));
            while (!free_read && epoch + 1 < end && epoch[1].at <= position)
                epoch++;
            if (free_read && position == w->low[t] && position > 0)
                epoch = clocks_forward_epoch(m, t, position - 1);
            if (!free_read || position > 0)
                memcpy(clock, m->forward.rows + (size_t)epoch->row * m->thread_count, bytes);
            clock[t] = position;
        }
    }
}

static void couple_add(struct window *w, event_id source, uint32_t reader)
{
    uint32_t from = source == EVENT_INIT ? NODE_BEFORE : window_node(w, source);

    ARRAY_PUSH(w, couples, (struct couple){source, from, reader});
}

/* A read that is told what to see, whether it is bound or not. */
static void tell_read(struct window *w, const struct query *q, event_id read, uint32_t node)
{
    for (size_t i = 0; i < q->sight_count; i++)
        if (q->sights[i].read == read)
            couple_add(w, q->sights[i].from, node);
}

/* A read that is bound: to its source, or, if it is soft, to the write it was told to see, if any. */
static void bind_read(struct window *w, const struct query *q, event_id read, uint32_t node)
{
    if (is_soft(w->m, read))
        tell_read(w, q, read, node);
    else
        couple_add(w, w->m->source[read], node);
}

static bool is_reader(const struct window *w, uint32_t node)
{
    for (size_t i = 0; i < w->couples_count; i++)
        if (w->couples[i].reader == node)
            return true;
    return false;
}

/* The reads that must see their source: all that their thread goes on after, and those of threads that keep. An
 * rmw that such a read reads from must have seen its own source, too: it is added while the list is walked. */
static void find_couples(struct window *w, const struct query *q)
{
    const struct model *m = w->m;

    w->couples_count = 0;
    for (uint32_t node = 0; node < w->nodes; node++) {
        event_id e = w->events[node];
        thread_id t = thread_of(m, e);
        bool last = m->position[e] + 1 == w->high[t];
        if (m->source[e] != EVENT_NONE && (!last || q->keep[t]))
            bind_read(w, q, e, node);
    }
    for (size_t i = 0; i < w->couples_count; i++) {
        event_id source = w->couples[i].source;
        if (source == EVENT_INIT || m->source[source] == EVENT_NONE)
            continue;
        uint32_t node = window_node(w, source);
        thread_id t = thread_of(m, source);
        if (node == NODE_BEFORE || node == NODE_OUT || q->keep[t] || m->position[source] + 1 != w->high[t])
            continue; /* not the free end of its thread: a couple already */
        if (!is_reader(w, node))
            bind_read(w, q, source, node);
    }
    if (q->read != EVENT_NONE)
        couple_add(w, q->from, window_node(w, q->read));
}

/* Writes by variable and thread. Nodes come thread by thread, so filling in order sorts them. */
static void find_writes(struct window *w)
{
    const struct model *m = w->m;
    uint32_t total = 0;

    if (++w->stamp == 0) {
        memset(w->variable_stamp, 0, m->variable_count * sizeof *w->variable_stamp);
        w->stamp = 1;
    }
    for (uint32_t node = 0; node < w->nodes; node++) {
        if (!kind_writes(kind_of(m, w->events[node])))
            continue;
        variable_id x = arg_of(m, w->events[node]);
        if (w->variable_stamp[x] != w->stamp) {
            w->variable_stamp[x] = w->stamp;
            w->variable_end[x] = 0;
        }
        w->variable_end[x]++;
        total++;
    }
    w->writes = memory_grow(w->writes, &w->writes_capacity, total, sizeof *w->writes);
    w->write_runs = memory_grow(w->write_runs, &w->write_runs_capacity, total, sizeof *w->write_runs);
    w->writes_count = total;
    total = 0;
    for (uint32_t node = 0; node < w->nodes; node++) {
        if (!kind_writes(kind_of(m, w->events[node])))
            continue;
        variable_id x = arg_of(m, w->events[node]);
        if (w->variable_end[x] & 1u << 31) {
            uint32_t at = w->variable_end[x]++ & ~(1u << 31);
            w->writes[at] = node;
            continue;
        }
        w->variable_start[x] = total; /* the first write of x: its count becomes a place */
        total += w->variable_end[x];
        w->writes[w->variable_start[x]] = node;
        w->variable_end[x] = (w->variable_start[x] + 1) | 1u << 31;
    }
    for (size_t i = 0; i < w->writes_count; i++) {
        w->variable_end[arg_of(m, w->events[w->writes[i]])] &= ~(1u << 31);
        w->write_runs[i] = 1;
    }
    for (size_t i = w->writes_count; i-- > 1;) {
        event_id e = w->events[w->writes[i]], before = w->events[w->writes[i - 1]];
        if (arg_of(m, e) == arg_of(m, before) && thread_of(m, e) == thread_of(m, before))
            w->write_runs[i - 1] = w->write_runs[i] + 1;
    }
}

static bool add_event_edge(struct window *w, event_id from, uint32_t to, enum edge_reason reason)
{
    uint32_t node = window_node(w, from);

    if (node == NODE_BEFORE)
        return true;
    return node != NODE_OUT && window_add(w, node, to, reason);
}

static bool add_requirements(struct window *w)
{
    const struct model *m = w->m;

    for (uint32_t node = 0; node < w->nodes; node++) {
        event_id e = w->events[node];
        if (m->position[e] > 0 && !kind_may_require(kind_of(m, e)))
            continue;
        struct event_span required = model_required(m, e);
        for (size_t i = 0; i < required.count; i++)
            if (!add_event_edge(w, required.events[i], node, EDGE_REQUIRED))
                return false;
        if (kind_of(m, e) != EVENT_TRY_FAIL)
            continue;
        for (size_t i = 0; i < required.count; i++) {
            if (kind_of(m, required.events[i]) != EVENT_ACQUIRE ||
                arg_of(m, required.events[i]) != arg_of(m, e))
                continue; /* a fork */
            event_id release = m->sections[m->section_of[required.events[i]]].release;
            uint32_t after = release == EVENT_NONE ? NODE_OUT : window_node(w, release);
            if (after == NODE_BEFORE || (after != NODE_OUT && !window_add(w, node, after, EDGE_TRY)))
                return false;
        }
    }
    return true;
}

static bool add_query(struct window *w, const struct query *q, event_id start)
{
    const struct model *m = w->m;

    for (unsigned i = 0; i < q->order_count; i++)
        if (!add_event_edge(w, q->order[i].before, window_node(w, q->order[i].after), EDGE_QUERY))
            return false;
    if (q->final != EVENT_NONE) {
        variable_id x = arg_of(m, q->final);
        uint32_t last = window_node(w, q->final);
        for (uint32_t i = w->variable_start[x]; i < w->variable_end[x]; i++)
            if (w->writes[i] != last && !window_add(w, w->writes[i], last, EDGE_QUERY))
                return false;
    }
    /* What a read is told to see must be the last write before the window, or in it. */
    for (size_t i = 0; w->prefix && i < q->sight_count; i++)
        if (q->sights[i].read > start && q->sights[i].from <= start &&
            model_last_write(m, arg_of(m, q->sights[i].read), start) != q->sights[i].from)
            return false;
    if (w->prefix && q->read != EVENT_NONE && q->from <= start)
        return model_last_write(m, arg_of(m, q->read), start) == q->from;
    return true;
}

bool window_build(struct window *w, const struct query *q, const uint32_t *cut, event_id start, bool prefix)
{
    w->prefix = prefix;
    w->edges_count = 0;
    w->sections_count = 0;
    w->must_close = false;
    w->assume_open = false;
    window_place(w, cut, start);
    fill_nodes(w);
    start_clocks(w);
    find_couples(w, q);
    find_writes(w);
    if (!add_requirements(w))
        return false;
    for (size_t i = 0; i < w->couples_count; i++)
        if (w->couples[i].source != EVENT_INIT &&
            !add_event_edge(w, w->couples[i].source, w->couples[i].reader, EDGE_COUPLE))
            return false;
    window_find_sections(w, q);
    return add_query(w, q, start);
}
