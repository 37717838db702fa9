/* What holds of cuts, windows and runs. Each function is true, or an assertion in it says what does not hold. */
#include "base/invariant.h"
#include "solve/cut.h"
#include "solve/window.h"

bool cut_is_closed(const struct model *m, const struct query *q, const uint32_t *cut)
{
    for (thread_id t = 0; t < m->thread_count; t++) {
        assert(cut[t] >= q->least[t] && cut[t] <= thread_length(m, t));
        assert(cut[t] <= q->most[t]);
        const uint32_t *row = cut[t] > 0 ? clocks_row(model_clocks(m, q->observed), m, t, cut[t] - 1) : NULL;
        for (thread_id u = 0; row && u < m->thread_count; u++)
            assert(u == t || row[u] <= cut[u]);
    }
    return true;
}

bool window_is_ordered(const struct window *w)
{
    const struct model *m = w->m;

    for (uint32_t node = 0; node < w->nodes; node++) {
        event_id e = w->events[node];
        thread_id t = thread_of(m, e);
        assert(window_node(w, e) == node);
        assert(node_count(w, node, t) == m->position[e]); /* not before itself */
        assert(m->position[e] == w->low[t] || node_before(w, node - 1, node));
        for (uint32_t i = w->edge_head[node]; i != UINT32_MAX; i = w->edges[i].next) {
            assert(i < w->edges_count && w->edges[i].from == node && w->edges[i].to < w->nodes);
            assert(node_before(w, node, w->edges[i].to));
        }
    }
    return true;
}

bool run_keeps_order(struct window *w, const event_id *order)
{
    const struct model *m = w->m;

    for (thread_id t = 0; t < m->thread_count; t++)
        w->done[t] = w->low[t];
    for (uint32_t i = 0; i < w->nodes; i++) {
        thread_id t = thread_of(m, order[i]);
        assert(m->position[order[i]] == w->done[t]); /* each once, in program order */
        w->done[t]++;
    }
    for (thread_id t = 0; t < m->thread_count; t++)
        assert(w->done[t] == w->high[t]);
    return true;
}

bool run_keeps_edges(struct window *w, const event_id *order)
{
    const struct model *m = w->m;

    for (thread_id t = 0; t < m->thread_count; t++)
        w->done[t] = w->low[t];
    for (uint32_t i = 0; i < w->nodes; i++) {
        for (thread_id u = 0; u < m->thread_count; u++)
            assert(w->columns[u] == COLUMN_NONE || node_count(w, window_node(w, order[i]), u) <= w->done[u]);
        w->done[thread_of(m, order[i])]++;
    }
    return true;
}
