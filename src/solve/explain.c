/* Explains why a query has no run: an event that must be in the run and cannot, or a cycle in the required
 * order. */
#include "solve/explain.h"
#include "base/memory.h"
#include "solve/cut.h"
#include "solve/window.h"
#include "trace/std.h"

#include <stdlib.h>
#include <string.h>

void explain_event(const struct model *m, event_id e, struct buffer *to)
{
    char text[256];

    std_event_text(m->trace, e, text, sizeof text);
    for (char *p = text; *p; p++)
        if ((unsigned char)*p < 0x20 || *p == 0x7f)
            *p = '?';
    buffer_format(to, "event %u, %s", e, text);
}

static const char *reason_words(enum edge_reason reason)
{
    switch (reason) {
    case EDGE_REQUIRED:
        return "which synchronization orders before";
    case EDGE_COUPLE:
        return "whose value must be read by";
    case EDGE_QUERY:
        return "which the candidate puts before";
    case EDGE_TOKEN:
        return "without which the semaphore has no token for";
    case EDGE_LOCK:
        return "which releases the lock before";
    case EDGE_TRY:
        return "a failed try-lock, which comes before the release";
    default:
        return "which must not come between a read and the write it sees, and so comes before";
    }
}

/* The first event that stands on the read: it makes the read necessary as observed. */
static void say_ground(const struct model *m, event_id read, struct buffer *to)
{
    thread_id t = thread_of(m, read);
    uint32_t position = read_first_at(m, read);

    if (m->source[read] == EVENT_NONE || position == POSITION_END)
        return;
    buffer_text(to, " (which must be as observed: ");
    if (position < thread_length(m, t))
        buffer_format(to, "event %u depends on it)", event_at(m, t, position));
    else
        buffer_text(to, "the end of its thread depends on it)");
}

/* How a breadth-first search came to a node. */
struct way_step {
    uint32_t from;
    int reason; /* enum edge_reason, or -1: program order */
};

/* Finds a shortest way from node to node along program order and edges; fills `steps`. */
static bool find_way(const struct window *w, uint32_t from, uint32_t to, struct way_step *steps)
{
    uint32_t *queue = memory_new(w->nodes, sizeof *queue), head = 0, tail = 0;
    bool *seen = memory_new(w->nodes, sizeof *seen);

    queue[tail++] = from;
    seen[from] = true;
    while (head < tail && !seen[to]) {
        uint32_t node = queue[head++];
        thread_id t = thread_of(w->m, w->events[node]);
        if (node + 1 < w->first[t] + (w->high[t] - w->low[t]) && !seen[node + 1]) {
            seen[node + 1] = true;
            steps[node + 1] = (struct way_step){node, -1};
            queue[tail++] = node + 1;
        }
        for (uint32_t i = w->edge_head[node]; i != UINT32_MAX; i = w->edges[i].next) {
            uint32_t next = w->edges[i].to;
            if (seen[next])
                continue;
            seen[next] = true;
            steps[next] = (struct way_step){node, (int)w->edges[i].reason};
            queue[tail++] = next;
        }
    }
    bool found = seen[to];
    free(queue);
    free(seen);
    return found;
}

/* The search yields the way from its end; it is told from its start, with program order as one step. */
static void say_way(const struct window *w, const struct way_step *steps, uint32_t from, uint32_t node,
                    struct buffer *to)
{
    uint32_t before = node;

    if (node == from)
        return;
    while (before != from && steps[before].reason < 0)
        before = steps[before].from;
    if (before != node) {
        say_way(w, steps, from, before, to);
        buffer_text(to, ",\n  which precedes in its thread ");
    } else {
        say_way(w, steps, from, steps[node].from, to);
        buffer_format(to, ",\n  %s ", reason_words((enum edge_reason)steps[node].reason));
    }
    explain_event(w->m, w->events[node], to);
    if (before == node && steps[node].reason == EDGE_COUPLE)
        say_ground(w->m, w->events[node], to);
}

static void say_cycle(const struct window *w, struct buffer *to)
{
    struct way_step *steps = memory_new(w->nodes, sizeof *steps);
    bool known = w->cycle_from < NODE_OUT && w->cycle_to < NODE_OUT && w->cycle_from != w->cycle_to;

    if (known && find_way(w, w->cycle_to, w->cycle_from, steps)) {
        buffer_text(to, "a causality cycle: ");
        explain_event(w->m, w->events[w->cycle_to], to);
        say_way(w, steps, w->cycle_to, w->cycle_from, to);
        buffer_format(to, ",\n  %s ", reason_words(w->cycle_reason));
        explain_event(w->m, w->events[w->cycle_to], to);
        buffer_text(to, " again\n");
    } else if (w->cycle_reason == EDGE_LOCK) {
        buffer_text(to, "a critical section would have to end before another one of its lock begins, but it "
                        "cannot end in such a run\n");
    } else {
        buffer_text(to, "a write would come between a read and the write that the read must see\n");
    }
    free(steps);
}

/* A read in the causal past `row` that must see an event of thread u which the run has to stop before, if there
 * is one. */
static void say_seen(const struct model *m, const struct query *q, const uint32_t *row, thread_id u,
                     struct buffer *to)
{
    for (thread_id t = 0; t < m->thread_count; t++)
        for (uint32_t p = 0; p < row[t]; p++) {
            event_id read = event_at(m, t, p), source = m->source[read];
            if (t == u || source == EVENT_NONE || source == EVENT_INIT || thread_of(m, source) != u ||
                m->position[source] < q->most[u] || m->position[source] >= row[u] ||
                read_bound_at(m, read) > row[t])
                continue;
            buffer_text(to, "  because of ");
            explain_event(m, read, to);
            say_ground(m, read, to);
            buffer_text(to, "\n");
            return;
        }
}

/* The run stops at some events; what it needs of the others reaches beyond. */
static void say_impossible(const struct model *m, const struct query *q, const uint32_t *cut,
                           const struct rivals *rivals, struct buffer *to)
{
    for (thread_id t = 0; t < m->thread_count; t++) {
        if (cut[t] == 0)
            continue;
        const uint32_t *row = clocks_row(model_clocks(m, q->observed), m, t, cut[t] - 1);
        for (thread_id u = 0; u < m->thread_count; u++) {
            if (u == t || row[u] <= q->most[u])
                continue;
            buffer_text(to, "an order that every run keeps: ");
            explain_event(m, event_at(m, u, row[u] - 1), to);
            buffer_text(to, "\n  must come before ");
            explain_event(m, event_at(m, t, cut[t] - 1), to);
            buffer_format(to, ",\n  but the run has to stop before event %u\n", event_at(m, u, q->most[u]));
            say_seen(m, q, row, u, to);
            return;
        }
    }
    if (rivals->excluded)
        buffer_text(to, "locks: two threads would have to hold one lock at the same time, and neither can "
                        "release it\n");
    else
        buffer_text(to, "the run has to stop before an event that it needs: one that a read must see\n");
}

/* What the run must hold of its own thread comes after its end: nothing is to be solved. */
static bool say_too_late(const struct model *m, const struct query *q, struct buffer *to)
{
    for (thread_id t = 0; t < m->thread_count; t++)
        if (q->least[t] > q->most[t]) {
            buffer_text(to, "program order: the run would have to hold ");
            explain_event(m, event_at(m, t, q->least[t] - 1), to);
            buffer_format(to, ",\n  and to stop before event %u of the same thread\n",
                          event_at(m, t, q->most[t]));
            return true;
        }
    return false;
}

void solver_explain(struct solver *s, struct buffer *to)
{
    const struct model *m = solver_model(s);
    struct query asked = *solver_last_query(s);
    const struct query *q = &asked;

    if (say_too_late(m, q, to))
        return;

    uint32_t *cut = memory_new(m->thread_count, sizeof *cut);
    struct window *w = window_new(m);
    struct rivals rivals = {0};

    asked.pin_count = 0; /* what was tried last is no part of the question */
    w->plain = true;
    memcpy(cut, q->least, m->thread_count * sizeof *cut);
    if (cut_close(m, q, cut, NULL, &rivals) == CUT_IMPOSSIBLE)
        say_impossible(m, q, cut, &rivals, to);
    else if (!window_build(w, q, cut, 0, true) || (!window_saturate(w) && !w->must_close))
        say_cycle(w, to);
    else
        buffer_text(to,
                    "every order of the remaining critical sections and writes leads to a causality cycle\n");
    rivals_free(&rivals);
    window_free(w);
    free(cut);
}
