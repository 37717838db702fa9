/* Builds a window: nodes, their clocks, couples, writes and the edges that are certain. */
#include "solve/window.h"
#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* As many numbers in whole vectors. */
static uint32_t padded(uint32_t numbers)
{
    return (numbers + ROW_UNIT - 1) / ROW_UNIT * ROW_UNIT;
}

struct window *window_new(const struct model *m)
{
    struct window *w = memory_new(1, sizeof *w);
    size_t locks = (size_t)m->lock_count + m->word_count;

    w->m = m;
    w->effort_limit = UINT64_MAX;
    w->row = padded(m->thread_count);
    w->low = memory_new(m->thread_count, sizeof *w->low);
    w->high = memory_new(m->thread_count, sizeof *w->high);
    w->first = memory_new(m->thread_count, sizeof *w->first);
    w->active = memory_new(m->thread_count, sizeof *w->active);
    w->seen_of = memory_new(m->thread_count, sizeof *w->seen_of);
    w->seen_hold = memory_new(m->thread_count, sizeof *w->seen_hold);
    memset(w->seen_hold, 0xff, m->thread_count * sizeof *w->seen_hold);
    w->variables = memory_new(m->variable_count, sizeof *w->variables);
    w->locks = memory_new(locks, sizeof *w->locks);
    w->semaphore_touched = memory_new(trace_names(m->trace, NAME_SEMAPHORE), sizeof *w->semaphore_touched);
    w->columns = memory_new(m->thread_count, sizeof *w->columns);
    w->column_threads = memory_new(m->thread_count, sizeof *w->column_threads);
    w->done = memory_new(m->thread_count, sizeof *w->done);
    w->reached = memory_new(w->row, sizeof *w->reached);
    w->turns = memory_new(m->thread_count, sizeof *w->turns);
    w->all_demanded = memory_new(m->thread_count, sizeof *w->all_demanded);
    w->joined = memory_new(m->thread_count, sizeof *w->joined);
    w->tokens = memory_new(trace_names(m->trace, NAME_SEMAPHORE), sizeof *w->tokens);
    w->token_lack = memory_new(trace_names(m->trace, NAME_SEMAPHORE), sizeof *w->token_lack);
    return w;
}

void window_free(struct window *w)
{
    free(w->low);
    free(w->high);
    free(w->first);
    free(w->active);
    free(w->seen_of);
    free(w->seen_hold);
    free(w->events);
    free(w->clocks);
    free(w->kept);
    free(w->kept_by);
    free(w->edge_head);
    free(w->edges);
    free(w->couples);
    free(w->writes);
    free(w->write_runs);
    free(w->run_places);
    free(w->readers);
    free(w->couple_of);
    free(w->run_of);
    free(w->touched);
    free(w->variables);
    free(w->locks);
    free(w->semaphore_touched);
    free(w->sections);
    free(w->section_runs);
    free(w->lock_sections);
    free(w->sorted);
    free(w->actions);
    free(w->pending);
    free(w->sees);
    free(w->columns);
    free(w->column_threads);
    free(w->done);
    free(w->reached);
    free(w->turns);
    free(w->dirty);
    free(w->demanded);
    free(w->assumed);
    free(w->all_demanded);
    free(w->joined);
    free(w->soft_nodes);
    free(w->needs);
    free(w->cover);
    free(w->known);
    free(w->carried);
    free(w->seen);
    free(w->sem_nodes);
    free(w->tokens);
    free(w->token_lack);
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
    w->clocks = memory_grow(w->clocks, &w->clocks_capacity, (size_t)w->nodes * w->width, sizeof *w->clocks);
    w->dirty = memory_grow(w->dirty, &w->dirty_capacity, words, sizeof *w->dirty);
    w->kept_by = memory_grow(w->kept_by, &w->kept_by_capacity, w->nodes, sizeof *w->kept_by);
    w->touched = memory_grow(w->touched, &w->touched_capacity, w->nodes, sizeof *w->touched);
    w->run_of = memory_grow(w->run_of, &w->run_of_capacity, w->nodes, sizeof *w->run_of);
    w->dirty_words = words;
    memset(w->kept_by, 0, w->nodes * sizeof *w->kept_by);
    memset(w->touched, 0, w->nodes * sizeof *w->touched);
    memset(w->dirty, 0, words * sizeof *w->dirty);
    memset(w->edge_head, 0xff, w->nodes * sizeof *w->edge_head);
    memset(w->run_of, 0xff, w->nodes * sizeof *w->run_of);
}

/* Most windows begin near the one before: then only the events in between are looked at. */
const uint32_t *window_seen(struct window *w, event_id start)
{
    const struct model *m = w->m;
    event_id low = start < w->seen_start ? start : w->seen_start, high = start + w->seen_start - low;

    assert(start <= m->event_count);
    if (high - low < m->thread_count) {
        for (event_id e = low + 1; e <= high; e++)
            w->seen_of[thread_of(m, e)] += start == high ? 1 : UINT32_MAX;
        for (event_id e = low + 1; e <= high; e++)
            if (model_section_of(m, e) != SECTION_NONE)
                w->seen_hold[thread_of(m, e)] = model_hold_at(m, thread_of(m, e), w->seen_of[thread_of(m, e)]);
    } else {
        for (thread_id t = 0; t < m->thread_count; t++) {
            w->seen_of[t] = thread_count_up_to(m, t, start);
            w->seen_hold[t] = model_hold_at(m, t, w->seen_of[t]);
        }
    }
    w->seen_start = start;
    return w->seen_of;
}

void window_place(struct window *w, const uint32_t *cut, event_id start)
{
    const struct model *m = w->m;

    w->nodes = 0;
    w->active_count = 0;
    w->start = start;
    memcpy(w->low, window_seen(w, start), m->thread_count * sizeof *w->low);
    for (thread_id t = 0; t < m->thread_count; t++) {
        w->high[t] = cut[t] > w->low[t] ? cut[t] : w->low[t];
        w->first[t] = w->nodes;
        w->nodes += w->high[t] - w->low[t];
        if (w->high[t] > w->low[t])
            w->active[w->active_count++] = t;
        assert(w->low[t] <= w->high[t] && w->high[t] <= thread_length(m, t));
    }
    assert(w->nodes < NODE_OUT);
}

bool window_afford(struct window *w, uint32_t vectors)
{
    uint64_t cost = (uint64_t)w->nodes * vectors;

    if (w->effort_limit < cost || w->effort > w->effort_limit - cost) {
        w->effort_limit = 0;
        return false;
    }
    w->effort += cost;
    return true;
}

static void add_column(struct window *w, thread_id t)
{
    w->columns[t] = w->columns_count;
    w->column_threads[w->columns_count++] = t;
}

/* Gives the threads that have nodes a column. The others say nothing where all that is before the window comes first, as
 * observed; without that only sources before the window do. What soft reads need, and semaphores, is worked out for all
 * threads. */
static void place_columns(struct window *w, const struct query *q)
{
    const struct model *m = w->m;
    bool some = (q->observed || !m->writes.start) && (w->prefix || trace_names(m->trace, NAME_SEMAPHORE) == 0);

    w->columns_count = 0;
    memset(w->columns, 0xff, m->thread_count * sizeof *w->columns);
    for (uint32_t i = 0; i < (some ? w->active_count : m->thread_count); i++)
        add_column(w, some ? w->active[i] : i);
    w->columns_are_threads = w->columns_count == m->thread_count;
}

static void place_sources(struct window *w)
{
    for (size_t i = 0; !w->prefix && i < w->couples_count; i++) {
        event_id source = w->couples[i].source;
        if (source != EVENT_INIT && w->columns[thread_of(w->m, source)] == COLUMN_NONE)
            add_column(w, thread_of(w->m, source));
    }
    w->width = padded(w->columns_count);
}

static void fill_nodes(struct window *w)
{
    const struct model *m = w->m;
    event_id last = 0;

    for (size_t i = 0; i < w->active_count; i++) {
        thread_id t = w->active[i];
        last = event_at(m, t, w->high[t] - 1) > last ? event_at(m, t, w->high[t] - 1) : last;
    }
    make_room(w, last);
    for (size_t i = 0; i < w->active_count; i++) {
        thread_id t = w->active[i];
        memcpy(w->events + w->first[t], m->thread_events + m->thread_start[t] + w->low[t],
               (w->high[t] - w->low[t]) * sizeof *w->events);
    }
}

/* The numbers of a row that have a column. */
static void copy_row(const struct window *w, uint32_t *clock, const uint32_t *row)
{
    if (w->columns_are_threads)
        memcpy(clock, row, w->columns_count * sizeof *clock);
    else
        for (uint32_t i = 0; i < w->columns_count; i++)
            clock[i] = row[w->column_threads[i]];
    memset(clock + w->columns_count, 0, (w->width - w->columns_count) * sizeof *clock);
}

/* Must-order as it stands before a node. */
static void start_clocks(struct window *w, const struct clocks *clocks)
{
    const struct model *m = w->m;

    for (size_t i = 0; i < w->active_count; i++) {
        thread_id t = w->active[i];
        const struct epoch *epoch = clocks_epoch(clocks, t, w->low[t]);
        const struct epoch *end = clocks->threads[t].epochs + clocks->threads[t].epochs_count;
        uint32_t *clock = w->clocks + (size_t)w->first[t] * w->width;
        const struct epoch *copied = NULL;
        for (uint32_t position = w->low[t]; position < w->high[t]; position++, clock += w->width) {
            while (epoch + 1 < end && epoch[1].at <= position)
                epoch++;
            if (epoch == copied)
                memcpy(clock, clock - w->width, w->width * sizeof *clock);
            else
                copy_row(w, clock, clocks->rows + (size_t)epoch->row * m->thread_count);
            copied = epoch;
            clock[w->columns[t]] = position;
        }
    }
}

/* Writes by variable and thread. Nodes come thread by thread, so filling in order sorts them. */
static void find_writes(struct window *w)
{
    const struct model *m = w->m;
    uint32_t total = 0;

    if (++w->stamp == 0) {
        for (variable_id x = 0; x < m->variable_count; x++)
            w->variables[x].stamp = 0;
        w->stamp = 1;
    }
    for (uint32_t node = 0; node < w->nodes; node++) {
        if (!node_writes(w, node))
            continue;
        variable_id x = arg_of(m, w->events[node]);
        if (w->variables[x].stamp != w->stamp) {
            w->variables[x].stamp = w->stamp;
            w->variables[x].end = w->variables[x].touched = w->variables[x].early = w->variables[x].runs = 0;
        }
        w->variables[x].end++;
        total++;
    }
    w->writes = memory_grow(w->writes, &w->writes_capacity, total, sizeof *w->writes);
    w->write_runs = memory_grow(w->write_runs, &w->write_runs_capacity, total, sizeof *w->write_runs);
    w->writes_count = total;
    total = 0;
    for (uint32_t node = 0; node < w->nodes; node++) {
        if (!node_writes(w, node))
            continue;
        variable_id x = arg_of(m, w->events[node]);
        if (w->variables[x].end & 1u << 31) {
            uint32_t at = w->variables[x].end++ & ~(1u << 31);
            w->writes[at] = node;
            continue;
        }
        w->variables[x].start = total; /* the first write of x: its count becomes a place */
        total += w->variables[x].end;
        w->writes[w->variables[x].start] = node;
        w->variables[x].end = (w->variables[x].start + 1) | 1u << 31;
    }
    assert(total == w->writes_count);
    for (size_t i = 0; i < w->writes_count; i++) {
        w->variables[arg_of(m, w->events[w->writes[i]])].end &= ~(1u << 31);
        w->write_runs[i] = (struct write_run){.count = 1};
    }
    for (size_t i = w->writes_count; i-- > 1;) {
        event_id e = w->events[w->writes[i]], before = w->events[w->writes[i - 1]];
        if (arg_of(m, e) == arg_of(m, before) && thread_of(m, e) == thread_of(m, before))
            w->write_runs[i - 1].count = w->write_runs[i].count + 1;
    }
    w->run_places_count = 0;
    for (uint32_t run = 0; run < w->writes_count; run += w->write_runs[run].count) {
        thread_id t = thread_of(m, w->events[w->writes[run]]);
        struct window_variable *x = &w->variables[arg_of(m, w->events[w->writes[run]])];
        if (x->runs++ == 0)
            x->places = (uint32_t)w->run_places_count;
        ARRAY_PUSH(w, run_places, (struct run_place){run, w->columns[t]});
        w->write_runs[run].column = w->columns[t];
        w->write_runs[run].origin = w->first[t] - w->low[t];
        for (uint32_t i = 0; i < w->write_runs[run].count; i++)
            w->run_of[w->writes[run + i]] = run;
    }
}

static bool add_event_edge(struct window *w, event_id from, uint32_t to, enum edge_reason reason)
{
    uint32_t node = window_node(w, from);

    if (node == NODE_BEFORE)
        return true;
    return node != NODE_OUT && window_add(w, node, to, reason);
}

/* The notify that the wait is pinned to comes between its beginning and its end. */
static bool add_wake_up(struct window *w, const struct query *q, event_id post)
{
    const struct pin *pin = query_pin(q, post);
    const struct woken_wait *wait = q->observed ? NULL : model_wait(w->m, post);

    if (!wait || (!pin && !window_assumes(w, q, post)))
        return true;
    event_id from = pin ? pin->from : wait->notify;
    uint32_t notify = window_node(w, from), end = window_node(w, wait->end);
    if (notify == NODE_OUT) {
        w->missing = from;
        return false;
    }
    if (end == NODE_BEFORE)
        return !w->prefix || notify == NODE_BEFORE;
    if (notify == NODE_BEFORE)
        return !w->prefix || (wait->pre <= w->start && wait->pre < from);
    return add_event_edge(w, wait->pre, notify, EDGE_REQUIRED) && window_add(w, notify, end, EDGE_REQUIRED);
}

static bool add_requirements(struct window *w, const struct query *q)
{
    const struct model *m = w->m;

    for (uint32_t node = 0; node < w->nodes; node++) {
        event_id e = w->events[node];
        if (!is_thread_start(m, e) && !kind_requires(kind_of(m, e)))
            continue;
        struct event_span required = model_required(m, e);
        for (size_t i = 0; i < required.count; i++)
            if (query_requires(m, q, e, required.events[i]) &&
                !add_event_edge(w, required.events[i], node, EDGE_REQUIRED))
                return false;
        if (kind_of(m, e) == EVENT_WAIT_POST && !add_wake_up(w, q, e))
            return false;
        if (kind_of(m, e) != EVENT_TRY_FAIL)
            continue;
        for (size_t i = 0; i < required.count; i++) {
            if (kind_of(m, required.events[i]) != EVENT_ACQUIRE ||
                arg_of(m, required.events[i]) != arg_of(m, e))
                continue; /* a fork */
            event_id release = m->sections[model_section_of(m, required.events[i])].release;
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
        for (uint32_t i = w->variables[x].start; i < w->variables[x].end; i++)
            if (w->writes[i] != last && !window_add(w, w->writes[i], last, EDGE_QUERY))
                return false;
    }
    /* What is to be seen must be the last write before the window, or in it. */
    for (size_t i = 0; w->prefix && i < w->couples_count; i++)
        if (w->couples[i].source <= start && w->couples[i].source != m->source[w->couples[i].read] &&
            model_last_write(m, arg_of(m, w->couples[i].read), start) != w->couples[i].source)
            return false;
    return true;
}

/* A source before the window comes before its reader. */
static void know_source(struct window *w, const struct couple *c)
{
    thread_id t = thread_of(w->m, c->source);
    uint32_t column = w->columns[t], count = w->m->position[c->source] + 1;

    if (column == COLUMN_NONE || t == thread_of(w->m, c->read))
        return;
    uint32_t *known = &w->clocks[(size_t)c->reader * w->width + column];
    *known = *known < count ? count : *known;
}

/* The couples as edges. Where the source comes before the window, the clock says so. */
static bool add_couples(struct window *w)
{
    const struct model *m = w->m;

    for (size_t i = 0; i < w->couples_count; i++) {
        const struct couple *c = &w->couples[i];
        assert(c->reader < w->nodes && w->events[c->reader] == c->read);
        if (c->source == EVENT_INIT)
            continue;
        assert(arg_of(m, c->source) == arg_of(m, c->read) && kind_writes(kind_of(m, c->source)));
        if (c->from == NODE_BEFORE)
            know_source(w, c);
        else if (!window_add(w, c->from, c->reader, EDGE_COUPLE))
            return false;
    }
    return true;
}

bool window_build(struct window *w, const struct query *q, const uint32_t *cut, event_id start, bool prefix)
{
    assert(!w->patient && start <= w->m->event_count);
    w->prefix = prefix;
    w->edges_count = 0;
    w->kept_count = 0;
    w->mark = 0;
    w->sections_count = 0;
    w->must_close = false;
    w->assume_open = false;
    w->may_grow = true;
    w->pass = 1;
    w->locks_pass = w->couples_pass = w->tokens_pass = w->soft_pass = 0;
    w->couples_seen = 0;
    window_place(w, cut, start);
    place_columns(w, q);
    if (!window_afford(w, padded(w->columns_count) / ROW_UNIT + WINDOW_NODE) || !window_bind(w, q))
        return false;
    place_sources(w);
    fill_nodes(w);
    start_clocks(w, model_clocks(w->m, q->observed));
    find_writes(w);
    if (!add_requirements(w, q))
        return false;
    if (!add_couples(w))
        return false;
    window_find_readers(w);
    window_find_sections(w, q);
    window_find_tokens(w, q);
    window_find_soft(w, q);
    return add_query(w, q, start);
}
