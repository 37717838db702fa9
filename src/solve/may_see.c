/* What the soft reads of a window may still see: where one write is left the read sees it, where none is the window
 * has no run, and what all that are left have in common comes before the read. */
#include "base/memory.h"
#include "model/tokens.h"
#include "solve/window.h"

#include <string.h>

/* How many writes of a thread are looked at before the next is taken to fit. */
enum { LOOK_AT = 64 };

/* What is known of a read while the writes are looked at that it may see. */
struct look {
    struct window *w;
    uint32_t node;
    event_id read;
    variable_id x;
    uint32_t first_group, end_group;
    event_id only;  /* the write, if there is one that may be seen */
    uint32_t count; /* how many may, as far as it matters: none, one, more */
    bool lost;      /* what they have in common is not known: nothing */
    bool any_known; /* a write is known to come before the read */
};

void window_find_soft(struct window *w, const struct query *q)
{
    const struct model *m = w->m;

    w->soft_nodes_count = 0;
    w->most = q->most;
    if (q->observed || !m->writes.start)
        return;
    for (uint32_t node = 0; node < w->nodes; node++)
        if ((w->demanded[node] & (NODE_DEMANDED | NODE_COUPLED)) == NODE_DEMANDED && w->events[node] != q->read)
            ARRAY_PUSH(w, soft_nodes, node);
    if (w->soft_nodes_count > 0) {
        assert(w->columns_are_threads);
        w->needs = memory_grow(w->needs, &w->needs_capacity, w->row, sizeof *w->needs);
        w->cover = memory_grow(w->cover, &w->cover_capacity, w->row, sizeof *w->cover);
        w->known = memory_grow(w->known, &w->known_capacity, m->thread_count, sizeof *w->known);
    }
}

static bool is_before_window(const struct window *w, event_id e)
{
    return e == EVENT_INIT || window_node(w, e) == NODE_BEFORE;
}

/* The row of what must come before a write: of its node, or what every run keeps. */
static const uint32_t *row_of(const struct window *w, event_id write)
{
    uint32_t node = window_node(w, write);

    return node < NODE_OUT ? node_clock(w, node)
                           : clocks_forward_row(w->m, thread_of(w->m, write), w->m->position[write]);
}

/* The last write of the group that is known to come before the read, or EVENT_INIT; with a prefix, in the window. */
static event_id known_write(const struct look *l, const struct thread_group *g)
{
    const struct model *m = l->w->m;
    thread_id t = thread_of(m, l->read);
    uint32_t position = g->thread == t ? m->position[l->read] : node_count(l->w, l->node, g->thread);
    uint32_t count = group_up_to(m, &m->writes, g, position);

    while (count > 0) {
        event_id write = m->writes.events[g->first + count - 1];
        uint32_t node = window_node(l->w, write);
        if (node == NODE_BEFORE && l->w->prefix)
            return EVENT_INIT;
        if (node >= NODE_OUT || node_writes(l->w, node))
            return write;
        count--;
    }
    return EVENT_INIT;
}

/* to = the larger of both, number by number. */
static void raise_row(uint32_t *restrict to, const uint32_t *restrict row, uint32_t count)
{
    for (uint32_t v = 0; v < count; v++)
        to[v] = row[v] > to[v] ? row[v] : to[v];
}

/* to = the smaller of both, number by number. */
static void lower_row(uint32_t *restrict to, const uint32_t *restrict row, uint32_t count)
{
    for (uint32_t v = 0; v < count; v++)
        to[v] = row[v] < to[v] ? row[v] : to[v];
}

/* Finds the writes that are known to come before the read, and how many events of each thread come before one of these.
 * Whether there are any. */
static bool find_known(const struct look *l)
{
    struct window *w = l->w;
    const struct model *m = w->m;
    bool any = false;

    memset(w->cover, 0, w->row * sizeof *w->cover);
    for (uint32_t i = l->first_group; i < l->end_group; i++) {
        event_id known = known_write(l, &m->writes.groups[i]);
        w->known[i - l->first_group] = known;
        if (known == EVENT_INIT)
            continue;
        any = true;
        raise_row(w->cover, row_of(w, known), m->thread_count);
        uint32_t *own = &w->cover[thread_of(m, known)];
        *own = m->position[known] > *own ? m->position[known] : *own;
    }
    return any;
}

/* Whether a write that is known to come before the read is known to come after this one. */
static bool is_overwritten(const struct look *l, event_id write)
{
    const struct model *m = l->w->m;

    if (is_before_window(l->w, write) && l->w->prefix)
        return l->any_known;
    return l->w->cover[thread_of(m, write)] > m->position[write];
}

static bool comes_after(const struct look *l, event_id write)
{
    uint32_t node = window_node(l->w, write);

    if (node == NODE_OUT)
        return must_before(l->w->m, l->read, write);
    return node != NODE_BEFORE && node_before(l->w, l->node, node);
}

static bool fits(const struct look *l, event_id write)
{
    return write != l->read && (write == l->w->m->source[l->read] || model_may_show(l->w->m, write, l->read));
}

/* The write may be seen: what it needs limits what all of them do. */
static void take(struct look *l, event_id write, bool first)
{
    const struct window *w = l->w;
    const struct model *m = w->m;

    l->only = write;
    l->count++;
    if (!first || l->lost)
        return;
    if (write == EVENT_INIT || (w->prefix && is_before_window(w, write))) {
        l->lost = true;
        return;
    }
    thread_id t = thread_of(m, write);
    uint32_t own = w->needs[t] < m->position[write] + 1 ? w->needs[t] : m->position[write] + 1;
    lower_row(w->needs, row_of(w, write), m->thread_count);
    w->needs[t] = own;
}

/* The writes of one thread, from the one on that is known to come before the read. */
static void look_at_group(struct look *l, const struct thread_group *g, event_id known)
{
    const struct model *m = l->w->m;
    uint32_t from = known == EVENT_INIT ? 0 : group_up_to(m, &m->writes, g, m->position[known]);
    uint32_t end = group_up_to(m, &m->writes, g, l->w->most[g->thread]);
    bool first = true;

    if (l->w->prefix && known == EVENT_INIT)
        from = group_up_to(m, &m->writes, g, l->w->low[g->thread]);
    for (uint32_t i = from; i < end && (first || l->count < 2); i++) {
        event_id write = m->writes.events[g->first + i];
        bool enough = i - from == LOOK_AT;
        l->w->effort += 4;
        if (write != l->read && comes_after(l, write))
            return;
        if (!enough && (!fits(l, write) || is_overwritten(l, write)))
            continue;
        take(l, write, first);
        first = false;
        l->count += enough;
        if (enough)
            return;
    }
}

/* What is there before the window, or before everything. */
static void look_before(struct look *l, event_id start)
{
    const struct model *m = l->w->m;
    event_id before = l->w->prefix ? model_last_write(m, l->x, start) : EVENT_INIT;

    if (!l->any_known && fits(l, before))
        take(l, before, true);
}

static bool refuse(struct window *w, uint32_t node)
{
    w->cycle_from = w->cycle_to = node;
    w->cycle_reason = EDGE_COUPLE;
    return false;
}

/* So many events of each thread come before the read. Those that the window does not have are missing, if it may
 * grow. */
static bool raise_to_needs(struct look *l)
{
    struct window *w = l->w;
    const struct model *m = w->m;
    bool raised = false;

    for (uint32_t v = 0; v < m->thread_count; v++) {
        uint32_t *need = &w->needs[v];
        if (v == thread_of(m, l->read)) {
            if (*need > m->position[l->read])
                return refuse(w, l->node);
            *need = 0;
            continue;
        }
        if (*need > w->most[v])
            return refuse(w, l->node);
        if (*need > w->high[v]) {
            if (w->may_grow) {
                w->missing = event_at(m, v, *need - 1);
                return refuse(w, l->node);
            }
            *need = w->high[v];
        }
        raised |= *need > node_count(w, l->node, v);
    }
    memset(w->needs + m->thread_count, 0, (w->row - m->thread_count) * sizeof *w->needs);
    return !raised || window_raise(w, l->node, w->needs);
}

/* There is one write that the read may see. */
static bool bind_only(struct look *l)
{
    struct window *w = l->w;
    uint32_t from = is_before_window(w, l->only) ? NODE_BEFORE : window_node(w, l->only);

    if (from == NODE_OUT || (from != NODE_BEFORE && !node_writes(w, from)))
        return true; /* a longer run has it; or it has to be decided that it writes */
    if (w->demanded[l->node] & NODE_BOUND)
        return true;
    w->demanded[l->node] |= NODE_BOUND;
    window_push_couple(w, (struct couple){l->only, from, l->node, l->read, 0, 0, false});
    w->changed = true;
    return from == NODE_BEFORE || window_add(w, from, l->node, EDGE_COUPLE);
}

static bool look_at_read(struct window *w, uint32_t node)
{
    const struct model *m = w->m;
    event_id read = w->events[node];
    struct look l = {.w = w, .node = node, .read = read, .x = arg_of(m, read)};

    w->effort += (m->writes.start[l.x + 1] - m->writes.start[l.x] + 1) * (w->row / ROW_UNIT + 4);
    l.first_group = m->writes.start[l.x];
    l.end_group = m->writes.start[l.x + 1];
    memset(w->needs, 0xff, w->row * sizeof *w->needs);
    l.any_known = find_known(&l);
    for (uint32_t i = l.first_group; i < l.end_group; i++)
        look_at_group(&l, &m->writes.groups[i], w->known[i - l.first_group]);
    look_before(&l, w->start);
    if (l.count == 0)
        return refuse(w, node);
    if (!l.lost && !raise_to_needs(&l))
        return false;
    return l.count > 1 || bind_only(&l);
}

/* Whether something that the read's look depends on has changed since the pass: its clock, or that of a write. */
static bool is_touched(const struct window *w, uint32_t node, uint32_t pass)
{
    variable_id x = arg_of(w->m, w->events[node]);

    return w->touched[node] >= pass || (w->variables[x].stamp == w->stamp && w->variables[x].touched >= pass);
}

bool window_saturate_soft(struct window *w)
{
    uint32_t last = w->soft_pass;

    w->soft_pass = ++w->pass;
    w->effort += w->soft_nodes_count / SCAN_UNIT;
    for (size_t i = 0; i < w->soft_nodes_count; i++)
        if (is_touched(w, w->soft_nodes[i], last) && (window_is_spent(w) || !look_at_read(w, w->soft_nodes[i])))
            return false;
    return true;
}
