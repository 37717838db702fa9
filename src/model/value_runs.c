/* The writes of a variable by value: a read of a value that few of them carry need not look at the others. A variable is sorted
 * when it is first asked for. */
#include "model/value_runs.h"
#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>

/* Of a variable: some writes add to what was read; by_value is filled in. */
enum { VARIABLE_SUMS = 1, VARIABLE_SORTED = 2 };

void value_runs_init(struct value_runs *v, const struct model *m)
{
    size_t groups = m->writes.groups_count;

    *v = (struct value_runs){.m = m};
    v->by_value = memory_new(groups == 0 ? 0 : m->event_count, sizeof *v->by_value);
    v->state = memory_new(m->variable_count, sizeof *v->state);
}

void value_runs_free(struct value_runs *v)
{
    free(v->by_value);
    free(v->state);
}

static int by_value_then_order(const void *a, const void *b)
{
    const struct valued_write *p = a, *q = b;

    if (p->value != q->value)
        return p->value < q->value ? -1 : 1;
    return p->index < q->index ? -1 : p->index > q->index;
}

/* Where the writes of a group begin in the list of all; of the one after the last, where they end. */
static uint32_t first_write(const struct model *m, uint32_t group)
{
    return group == 0 ? 0 : m->writes.groups[group - 1].first + m->writes.groups[group - 1].count;
}

static void fill(struct value_runs *v, variable_id x)
{
    const struct model *m = v->m;

    for (uint32_t i = m->writes.start[x]; i < m->writes.start[x + 1]; i++) {
        const struct thread_group *g = &m->writes.groups[i];
        assert(g->first == first_write(m, i));
        for (uint32_t k = g->first; k < g->first + g->count; k++) {
            event_id write = m->writes.events[k];
            v->by_value[k] = (struct valued_write){model_written(m, write, x).number, k, i};
            if (model_adds(m, write))
                v->state[x] |= VARIABLE_SUMS;
        }
    }
}

static void sort(struct value_runs *v, variable_id x, uint32_t first, uint32_t end)
{
    if (v->state[x] & VARIABLE_SORTED)
        return;
    v->state[x] |= VARIABLE_SORTED;
    fill(v, x);
    if (!(v->state[x] & VARIABLE_SUMS))
        qsort(v->by_value + first, end - first, sizeof *v->by_value, by_value_then_order);
}

/* The first write of this value, at such a place or later in the list of all, as an index of by_value between these. */
static uint32_t first_of_value(const struct value_runs *v, uint32_t low, uint32_t high, uint64_t value,
                               uint32_t index)
{
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const struct valued_write *w = &v->by_value[middle];
        if (w->value < value || (w->value == value && w->index < index))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

struct runs runs_of_any(const struct value_runs *v, variable_id x)
{
    return (struct runs){false, 0, v->m->writes.start[x], v->m->writes.start[x + 1]};
}

struct runs runs_of(struct value_runs *v, variable_id x, struct known_value value)
{
    uint32_t first = first_write(v->m, v->m->writes.start[x]),
             end = first_write(v->m, v->m->writes.start[x + 1]);

    sort(v, x, first, end);
    if (v->state[x] & VARIABLE_SUMS)
        return runs_of_any(v, x);
    return (struct runs){true, value.number, first_of_value(v, first, end, value.number, 0), end};
}

bool runs_next(const struct value_runs *v, struct runs *runs, struct value_run *next)
{
    const struct model *m = v->m;

    if (runs->at == runs->end || (runs->by_value && v->by_value[runs->at].value != runs->value))
        return false;
    if (!runs->by_value) {
        const struct thread_group *g = &m->writes.groups[runs->at++];
        *next = (struct value_run){g, NULL, g->count};
        return true;
    }
    const struct valued_write *first = &v->by_value[runs->at];
    const struct thread_group *g = &m->writes.groups[first->group];
    uint32_t most = runs->end - runs->at < g->count ? runs->end : runs->at + g->count,
             end = first_of_value(v, runs->at, most, runs->value, g->first + g->count);
    *next = (struct value_run){g, first, end - runs->at};
    runs->at = end;
    return true;
}

uint32_t run_up_to(const struct model *m, const struct value_run *r, uint32_t events)
{
    uint32_t low = 0, high = events > 0 ? r->count : 0;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (m->position[m->writes.events[run_index(r, middle)]] < events)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}
