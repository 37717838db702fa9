/* Must-order as vector clocks, kept per epoch: a thread gets a new row only where another thread's events come
 * in (forward) or leave (backward).
 *
 * The forward sweep keeps the cross-thread edges that told it something new; the others follow from them, so
 * the backward sweep needs only these. */
#include "base/memory.h"
#include "model/model_parts.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct edge {
    event_id from, to;
};

struct sweep {
    struct model *m;
    struct edge *edges; /* forward order of `to` */
    size_t edges_count, edges_capacity;
};

void clocks_free(struct clocks *clocks, uint32_t thread_count)
{
    for (uint32_t t = 0; clocks->threads && t < thread_count; t++)
        free(clocks->threads[t].epochs);
    free(clocks->threads);
    free(clocks->rows);
}

/* A new epoch of thread t, its row a copy of the thread's row so far. */
static uint32_t *epoch_add(struct clocks *c, uint32_t threads, thread_id t, uint32_t at)
{
    struct epoch_list *list = &c->threads[t];
    uint32_t last = list->epochs[list->epochs_count - 1].row;
    uint32_t row = (uint32_t)(c->rows_count / threads);

    if (c->rows_count + threads > c->rows_capacity)
        c->rows = memory_grow(c->rows, &c->rows_capacity, c->rows_count + threads, sizeof *c->rows);
    c->rows_count += threads;
    memcpy(c->rows + (size_t)row * threads, c->rows + (size_t)last * threads, threads * sizeof *c->rows);
    ARRAY_PUSH(list, epochs, (struct epoch){at, row});
    return c->rows + (size_t)row * threads;
}

/* Row 0 is every thread's first: `fill` everywhere. */
static void clocks_init(struct clocks *c, uint32_t threads, uint32_t first_at, uint32_t fill)
{
    c->threads = memory_new(threads, sizeof *c->threads);
    c->rows = memory_grow(NULL, &c->rows_capacity, threads, sizeof *c->rows);
    c->rows_count = threads;
    for (uint32_t t = 0; t < threads; t++) {
        c->rows[t] = fill;
        ARRAY_PUSH(&c->threads[t], epochs, (struct epoch){first_at, 0});
    }
}

/* The newest row of a thread. */
static uint32_t *row_now(const struct clocks *c, uint32_t threads, thread_id t)
{
    const struct epoch_list *list = &c->threads[t];

    return c->rows + (size_t)list->epochs[list->epochs_count - 1].row * threads;
}

const struct epoch *clocks_forward_epoch(const struct model *m, thread_id thread, uint32_t position)
{
    const struct epoch_list *list = &m->forward.threads[thread];
    size_t low = 1, high = list->epochs_count; /* the first epoch begins at 0 */

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (list->epochs[middle].at <= position)
            low = middle + 1;
        else
            high = middle;
    }
    return &list->epochs[low - 1];
}

const uint32_t *clocks_forward_row(const struct model *m, thread_id thread, uint32_t position)
{
    return m->forward.rows + (size_t)clocks_forward_epoch(m, thread, position)->row * m->thread_count;
}

/* Backward epochs lie in falling order of position: the list was made from the end. */
const uint32_t *clocks_backward_row(const struct model *m, thread_id thread, uint32_t position)
{
    const struct epoch_list *list = &m->backward.threads[thread];
    size_t low = 1, high = list->epochs_count; /* the first epoch reaches to the end */

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (list->epochs[middle].at >= position)
            low = middle + 1;
        else
            high = middle;
    }
    return m->backward.rows + (size_t)list->epochs[low - 1].row * m->thread_count;
}

/* What is before `from`, and `from` itself, is before `to`. */
static void forward_edge(struct sweep *s, event_id from, event_id to)
{
    struct model *m = s->m;
    thread_id u = thread_of(m, from), t = thread_of(m, to);
    uint32_t threads = m->thread_count, position = m->position[to];
    struct epoch_list *list = &m->forward.threads[t];

    assert(from < to);
    if (u == t || row_now(&m->forward, threads, t)[u] > m->position[from])
        return;
    ARRAY_PUSH(s, edges, (struct edge){from, to});

    struct epoch *last = &list->epochs[list->epochs_count - 1];
    uint32_t *row = row_now(&m->forward, threads, t);
    if (last->at != position || last->row == 0)
        row = epoch_add(&m->forward, threads, t, position);
    const uint32_t *other = clocks_forward_row(m, u, m->position[from]);
    for (uint32_t v = 0; v < threads; v++)
        if (other[v] > row[v])
            row[v] = other[v];
    row[u] = m->position[from] + 1;
}

/* A read that ends its thread may see anything: its couple binds nobody but those who read from it (an rmw) and
 * do go on. So its source comes before these readers, not before the read. */
static void couple_edges(struct sweep *s, event_id read)
{
    struct model *m = s->m;

    if (is_thread_end(m, read) || is_soft(m, read))
        return;
    for (event_id from = m->source[read]; from != EVENT_NONE && from != EVENT_INIT; from = m->source[from]) {
        forward_edge(s, from, read);
        if (!is_thread_end(m, from) || is_soft(m, from))
            return;
    }
}

static void sweep_forward(struct sweep *s)
{
    struct model *m = s->m;
    size_t next = 0; /* requirement */

    clocks_init(&m->forward, m->thread_count, 0, 0);
    for (event_id e = 1; e <= m->event_count; e++) {
        if (m->source[e] != EVENT_NONE)
            couple_edges(s, e);
        for (; next < m->requirements_count && m->requirements[next].event == e; next++) {
            const struct requirement *r = &m->requirements[next];
            for (uint32_t i = 0; i < r->count; i++)
                forward_edge(s, m->required_events[r->first + i], e);
        }
    }
}

static int by_source_falling(const void *a, const void *b)
{
    event_id x = ((const struct edge *)a)->from, y = ((const struct edge *)b)->from;

    return x < y ? 1 : x > y ? -1 : 0;
}

static void backward_edge(struct model *m, event_id from, event_id to)
{
    thread_id u = thread_of(m, to), t = thread_of(m, from);
    uint32_t threads = m->thread_count, position = m->position[from];
    struct epoch_list *list = &m->backward.threads[t];
    uint32_t *row = row_now(&m->backward, threads, t);

    if (row[u] <= m->position[to])
        return;
    if (list->epochs[list->epochs_count - 1].at != position || list->epochs_count == 1)
        row = epoch_add(&m->backward, threads, t, position);
    const uint32_t *other = clocks_backward_row(m, u, m->position[to]);
    for (uint32_t v = 0; v < threads; v++)
        if (other[v] < row[v])
            row[v] = other[v];
    row[u] = m->position[to];
}

void clocks_build(struct model *m)
{
    struct sweep s = {.m = m};

    sweep_forward(&s);
    clocks_init(&m->backward, m->thread_count, POSITION_END, POSITION_END);
    if (s.edges_count > 0)
        qsort(s.edges, s.edges_count, sizeof *s.edges, by_source_falling);
    for (size_t i = 0; i < s.edges_count; i++)
        backward_edge(m, s.edges[i].from, s.edges[i].to);
    free(s.edges);
}
