/* From where on a run demands that a read is as observed: the first event that stands on it (semantics §1, grounds).
 */
#include "base/memory.h"
#include "model/model_parts.h"

#include <assert.h>
#include <stdlib.h>

/* The reads of one thread that no event so far stands on without a range. */
struct open_reads {
    event_id *reads;
    size_t reads_count, reads_capacity;
};

static void demand_plain(struct model *m, event_id read, uint32_t position)
{
    assert(m->source[read] != EVENT_NONE && m->position[read] < position);
    if (m->plain_at[read] == POSITION_END)
        m->plain_at[read] = position;
    if (m->first_at[read] == POSITION_END)
        m->first_at[read] = position;
}

static void demand_all(struct model *m, struct open_reads *open, uint32_t position)
{
    for (size_t i = 0; i < open->reads_count; i++)
        demand_plain(m, open->reads[i], position);
    open->reads_count = 0;
}

static void demand_range(struct model *m, event_id e, const struct ground *g)
{
    assert(thread_of(m, g->read) == thread_of(m, e) && g->read < e);
    if (m->plain_at[g->read] != POSITION_END)
        return;
    if (m->first_at[g->read] == POSITION_END)
        m->first_at[g->read] = m->position[e];
    ARRAY_PUSH(m, range_demands, (struct range_demand){e, g->read, g->ranges, g->range_count});
}

static void demand_by(struct model *m, event_id e, struct open_reads *open)
{
    struct ground_list by = trace_by(m->trace, e);

    if (!by.given)
        demand_all(m, open, m->position[e]);
    for (uint32_t i = 0; by.given && i < by.count; i++) {
        struct ground g = ground_at(&by, i);
        if (g.form == GROUND_RANGES && m->values)
            demand_range(m, e, &g);
        else
            demand_plain(m, g.read, m->position[e]);
    }
}

/* A thread goes on after a cas only if that is as observed. */
static void demand_before(struct model *m, event_id e, struct open_reads *open)
{
    uint32_t position = m->position[e];
    event_id before = is_thread_start(m, e) ? EVENT_INIT : event_at(m, thread_of(m, e), position - 1);

    if (before != EVENT_INIT && kind_of(m, before) == EVENT_CAS)
        demand_plain(m, before, position);
    demand_by(m, e, open);
    if (kind_reads(kind_of(m, e)))
        ARRAY_PUSH(open, reads, e);
}

/* The end of a thread, unless it is an event, stands on every read. */
static void demand_end(struct model *m, thread_id of_trace, struct open_reads *open)
{
    if (has_events(m, of_trace) && kind_of(m, last_event(m, of_trace)) != EVENT_EXIT)
        demand_all(m, open, m->ends[of_trace]);
}

/* Sorts the reads by thread and by the position given for each; those without one are left out. */
void demands_sort(const struct model *m, const uint32_t *at, struct demand_list *list)
{
    uint32_t *fill = memory_new((size_t)m->event_count + 2, sizeof *fill);

    free(list->reads);

    /* Nothing is demanded at position 0, so a lane's end and the next one's start do not meet. Inside a lane they do:
     * who begins there needs what the thread before needs to end. */
    for (event_id e = 1; e <= m->event_count; e++)
        if (m->source[e] != EVENT_NONE && at[e] != POSITION_END)
            fill[m->thread_start[thread_of(m, e)] + at[e] + 1]++;
    for (uint32_t i = 0; i <= m->event_count; i++)
        fill[i + 1] += fill[i];
    list->reads = memory_new(fill[m->event_count + 1], sizeof *list->reads);
    for (event_id e = 1; e <= m->event_count; e++)
        if (m->source[e] != EVENT_NONE && at[e] != POSITION_END)
            list->reads[fill[m->thread_start[thread_of(m, e)] + at[e]]++] = e;
    rising_take(&list->end, fill, (size_t)m->event_count + 1);
    free(fill);
}

void demands_find(struct model *m)
{
    uint32_t threads = (uint32_t)trace_names(m->trace, NAME_THREAD);

    if (!m->grounds)
        return;
    struct open_reads *open = memory_new(threads, sizeof *open);
    m->plain_at = memory_resize(NULL, (size_t)m->event_count + 1, sizeof *m->plain_at);
    m->first_at = memory_resize(NULL, (size_t)m->event_count + 1, sizeof *m->first_at);
    for (event_id e = 0; e <= m->event_count; e++)
        m->plain_at[e] = m->first_at[e] = POSITION_END;
    for (event_id e = 1; e <= m->event_count; e++)
        demand_before(m, e, &open[m->trace->thread[e]]);
    for (thread_id t = 0; t < threads; t++) {
        demand_end(m, t, &open[t]);
        free(open[t].reads);
    }
    free(open);
    demands_sort(m, m->first_at, &m->by_first);
}

struct event_span model_demanded_at(const struct model *m, bool observed, thread_id t, uint32_t position)
{
    if (position == 0)
        return (struct event_span){NULL, 0};
    if (!m->grounds) {
        const event_id *before = m->thread_events + m->thread_start[t] + position - 1;
        bool bound = m->source[*before] != EVENT_NONE && (observed || read_bound_at(m, *before) == position);
        return (struct event_span){before, bound};
    }
    const struct demand_list *list = observed ? &m->by_first : &m->by_bound;
    uint32_t index = m->thread_start[t] + position, first = rising_at(&list->end, index - 1);
    return (struct event_span){list->reads + first, rising_at(&list->end, index) - first};
}
