/* The partial order of a window: edges in, clocks up to date, cycles out. */
#include "base/memory.h"
#include "solve/window.h"

#include <string.h>

static bool refuse(struct window *w, uint32_t from, uint32_t to, enum edge_reason reason)
{
    w->cycle_from = from;
    w->cycle_to = to;
    w->cycle_reason = reason;
    while (w->stack_count > 0)
        w->on_stack[w->stack[--w->stack_count]] = false;
    return false;
}

static void push(struct window *w, uint32_t node)
{
    if (w->on_stack[node])
        return;
    w->on_stack[node] = true;
    ARRAY_PUSH(w, stack, node);
}

/* What is before `from`, and `from`, is before `to`; true if that was news. */
static bool join(struct window *w, uint32_t from, uint32_t to)
{
    const struct model *m = w->m;
    const uint32_t *source = node_clock(w, from);
    uint32_t *clock = w->clocks + (size_t)to * m->thread_count;
    thread_id t = thread_of(m, w->events[from]);
    uint32_t changed = 0;

    for (thread_id u = 0; u < m->thread_count; u++) {
        uint32_t more = source[u] > clock[u] ? source[u] : clock[u];
        changed |= more ^ clock[u];
        clock[u] = more;
    }
    if (clock[t] <= m->position[w->events[from]]) {
        clock[t] = m->position[w->events[from]] + 1;
        changed = 1;
    }
    return changed != 0;
}

/* A node is before itself when its own thread's count exceeds its position. */
static bool is_cyclic(const struct window *w, uint32_t node)
{
    event_id e = w->events[node];

    return node_clock(w, node)[thread_of(w->m, e)] > w->m->position[e];
}

static bool tell_successors(struct window *w, uint32_t from, uint32_t to, enum edge_reason reason)
{
    while (w->stack_count > 0) {
        uint32_t node = w->stack[--w->stack_count];
        w->on_stack[node] = false;
        if (is_cyclic(w, node))
            return refuse(w, from, to, reason);
        thread_id t = thread_of(w->m, w->events[node]);
        if (node + 1 < w->first[t] + (w->high[t] - w->low[t]) && join(w, node, node + 1))
            push(w, node + 1);
        for (uint32_t i = w->edge_head[node]; i != UINT32_MAX; i = w->edges[i].next)
            if (join(w, node, w->edges[i].to))
                push(w, w->edges[i].to);
    }
    return true;
}

bool window_add(struct window *w, uint32_t from, uint32_t to, enum edge_reason reason)
{
    if (from == to || node_before(w, to, from))
        return refuse(w, from, to, reason);

    bool known = node_before(w, from, to);
    if (known && (reason == EDGE_LOCK || reason == EDGE_DATA))
        return true; /* implied by edges that are kept */
    ARRAY_PUSH(w, edges, (struct edge){from, to, w->edge_head[from], reason});
    w->edge_head[from] = (uint32_t)w->edges_count - 1;
    if (known)
        return true;
    w->changed = true;
    join(w, from, to);
    push(w, to);
    return tell_successors(w, from, to, reason);
}
