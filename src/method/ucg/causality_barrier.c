/* Causality barriers. */
#include "method/ucg/causality_barrier.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

static void find_must(struct barriers *b)
{
    const struct model *m = b->m;
    uint32_t threads = m->thread_count;
    size_t next = 0;

    for (event_id e = 1; e <= m->event_count; e++) { /* what is required comes earlier in the trace */
        thread_id t = thread_of(m, e);
        uint32_t *row = b->must + (size_t)e * threads;
        if (m->position[e] > 0)
            memcpy(row, b->must + (size_t)event_at(m, t, m->position[e] - 1) * threads, threads * sizeof *row);
        row[t] = m->position[e] + 1;
        for (; next < m->requirements_count && m->requirements[next].event == e; next++) {
            for (uint32_t i = 0; i < m->requirements[next].count; i++) {
                event_id needed = m->required_events[m->requirements[next].first + i];
                const uint32_t *other = b->must + (size_t)needed * threads;
                for (uint32_t u = 0; u < threads; u++)
                    row[u] = other[u] > row[u] ? other[u] : row[u];
            }
        }
    }
}

static void find_free(struct barriers *b)
{
    const struct model *m = b->m;

    for (thread_id t = 0; t < m->thread_count; t++) {
        uint32_t last = 0;
        for (uint32_t p = 0; p < thread_length(m, t); p++) {
            if (model_hold_at(m, t, p) == HOLD_NONE)
                last = p;
            b->free_from[m->thread_start[t] + p] = last;
        }
    }
}

void barriers_init(struct barriers *b, const struct model *m)
{
    b->m = m;
    b->must = memory_new(((size_t)m->event_count + 1) * m->thread_count, sizeof *b->must);
    b->free_from = memory_new((size_t)m->event_count + 1, sizeof *b->free_from);
    find_must(b);
    find_free(b);
}

void barriers_free(struct barriers *b)
{
    free(b->must);
    free(b->free_from);
}

bool barriers_must(const struct barriers *b, event_id from, event_id to)
{
    return b->must[(size_t)to * b->m->thread_count + thread_of(b->m, from)] > b->m->position[from];
}

/* The last position up to `position` of a thread at which it holds no lock. */
static uint32_t free_position(const struct barriers *b, thread_id t, uint32_t position)
{
    uint32_t length = thread_length(b->m, t);

    if (position < length)
        return b->free_from[b->m->thread_start[t] + position];
    if (model_hold_at(b->m, t, length) == HOLD_NONE)
        return length;
    return length > 0 ? b->free_from[b->m->thread_start[t] + length - 1] : 0;
}

/* The latest possible barrier of each thread: before the property's events and, in the other threads, not
 * after the last of these in the trace. */
static void start_late(const struct barriers *b, const struct causality_property *p, uint32_t *low)
{
    const struct model *m = b->m;
    event_id last = 0;

    for (thread_id t = 0; t < m->thread_count; t++) {
        low[t] = p->most[t];
        for (unsigned i = 0; i < p->order_count; i++) {
            if (thread_of(m, p->order[i].before) == t && m->position[p->order[i].before] < low[t])
                low[t] = m->position[p->order[i].before];
            if (thread_of(m, p->order[i].after) == t && m->position[p->order[i].after] < low[t])
                low[t] = m->position[p->order[i].after];
        }
        if (low[t] < thread_length(m, t) && event_at(m, t, low[t]) > last)
            last = event_at(m, t, low[t]);
    }
    for (thread_id t = 0; t < m->thread_count; t++) {
        uint32_t seen = thread_count_up_to(m, t, last);
        low[t] = free_position(b, t, seen < low[t] ? seen : low[t]);
    }
}

bool barriers_find(const struct barriers *b, const struct causality_property *p, uint32_t *low)
{
    const struct model *m = b->m;
    bool again = true, any = false;

    start_late(b, p, low);
    while (again) {
        again = false;
        for (thread_id t = 0; t < m->thread_count; t++) {
            while (low[t] > 0) {
                const uint32_t *needed = b->must + (size_t)event_at(m, t, low[t] - 1) * m->thread_count;
                uint32_t u = 0;
                while (u < m->thread_count && (u == t || needed[u] <= low[u]))
                    u++;
                if (u == m->thread_count)
                    break;
                low[t] = free_position(b, t, low[t] - 1);
                again = true;
            }
        }
    }
    for (thread_id t = 0; t < m->thread_count; t++)
        any |= low[t] > 0;
    return any;
}
