/* Whether every woken wait of a run can be given a notify: each notify goes to the current wait that ends
 * first, which is as good as any other assignment. */
#include "solve/wake.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

struct wake_job { /* a wait that needs a notify between two places of the run */
    event_id post;
    uint64_t begin, end;
    bool served;
};

struct chance { /* a notify */
    uint64_t at;
    bool all;
};

struct waker {
    const struct model *m;
    uint64_t *place; /* by node: where it is in the run */
    size_t place_capacity;
    struct wake_job *jobs;
    size_t jobs_count, jobs_capacity;
    struct chance *chances;
    size_t chances_count, chances_capacity;
    uint64_t since;  /* what happened before does not matter */
    uint8_t *looked; /* by condition: it was looked at in this run */
};

struct waker *waker_new(const struct model *m)
{
    struct waker *k = memory_new(1, sizeof *k);

    k->m = m;
    k->looked = memory_new(trace_names(m->trace, NAME_CONDITION), sizeof *k->looked);
    return k;
}

void waker_free(struct waker *k)
{
    free(k->place);
    free(k->jobs);
    free(k->chances);
    free(k->looked);
    free(k);
}

/* Events before the window keep their numbers, those of the window come after all of them. */
static uint64_t place_of_event(const struct waker *k, const struct window *w, event_id e)
{
    uint32_t node = window_node(w, e);

    return node == NODE_BEFORE ? e : k->place[node];
}

/* The waits of a condition that the run holds and that a notify may be needed for by one of the window. A wait
 * before the window counts if it competes with such a one, directly or not: all back to the first place where
 * nobody waits. */
static void find_jobs(struct waker *k, const struct window *w, uint32_t condition)
{
    const struct model *m = k->m;

    k->since = UINT64_MAX;
    k->jobs_count = 0;
    for (size_t i = m->waits_count; i-- > 0;) {
        const struct woken_wait *wait = &m->waits[i];
        uint32_t node = window_node(w, wait->post);
        if (arg_of(m, wait->post) != condition || node == NODE_OUT)
            continue;
        struct wake_job job = {wait->post, place_of_event(k, w, wait->pre), place_of_event(k, w, wait->end),
                               false};
        if (node == NODE_BEFORE && window_node(w, wait->end) == NODE_BEFORE && job.end < k->since)
            continue;
        k->since = job.begin < k->since ? job.begin : k->since;
        ARRAY_PUSH(k, jobs, job);
    }
}

static int by_place(const void *a, const void *b)
{
    uint64_t p = ((const struct chance *)a)->at, q = ((const struct chance *)b)->at;

    return p < q ? -1 : p > q;
}

static void find_chances(struct waker *k, const struct window *w, uint32_t condition)
{
    const struct grouped_events *g = &k->m->notifies;

    k->chances_count = 0;
    for (uint32_t i = g->start[condition]; i < g->start[condition + 1]; i++)
        for (uint32_t n = 0; n < g->groups[i].count; n++) {
            event_id e = g->events[g->groups[i].first + n];
            if (window_node(w, e) == NODE_OUT)
                break;
            if (place_of_event(k, w, e) > k->since)
                ARRAY_PUSH(k, chances,
                           (struct chance){place_of_event(k, w, e), kind_of(k->m, e) == EVENT_NOTIFY_ALL});
        }
    if (k->chances_count > 0)
        qsort(k->chances, k->chances_count, sizeof *k->chances, by_place);
}

static void serve(struct waker *k, const struct chance *chance)
{
    struct wake_job *first = NULL;

    for (size_t i = 0; i < k->jobs_count; i++) {
        struct wake_job *job = &k->jobs[i];
        if (job->served || job->begin > chance->at || job->end < chance->at)
            continue;
        job->served = chance->all;
        if (!chance->all && (!first || job->end < first->end))
            first = job;
    }
    if (first)
        first->served = true;
}

/* Assigns the notifies; waits that some notifyall reaches need none. */
static bool all_served(struct waker *k)
{
    bool served = true;

    for (int all = 1; all >= 0; all--)
        for (size_t i = 0; i < k->chances_count; i++)
            if (k->chances[i].all == all)
                serve(k, &k->chances[i]);
    for (size_t i = 0; i < k->jobs_count; i++)
        served &= k->jobs[i].served;
    return served;
}

/* A wait of the window to decide about: one that is not pinned, one that got no notify before others. If all are
 * pinned, other notifies would be of no use. */
static event_id choose_wait(const struct waker *k, const struct window *w, const struct query *q)
{
    event_id chosen = EVENT_NONE;

    for (size_t i = 0; i < k->jobs_count; i++) {
        const struct wake_job *job = &k->jobs[i];
        if (window_node(w, job->post) != NODE_BEFORE && !query_pin(q, job->post) &&
            (chosen == EVENT_NONE || !job->served))
            chosen = job->post;
    }
    return chosen;
}

static struct flaw check_condition(struct waker *k, const struct window *w, const struct query *q,
                                   uint32_t condition)
{
    find_jobs(k, w, condition);
    find_chances(k, w, condition);
    if (all_served(k))
        return (struct flaw){FLAW_NONE};
    return (struct flaw){FLAW_WAKE, choose_wait(k, w, q), EVENT_NONE, EVENT_NONE, EVENT_NONE, false};
}

struct flaw waker_check(struct waker *k, const struct window *w, const struct query *q, event_id start,
                        const event_id *order)
{
    const struct model *m = k->m;
    struct flaw flaw = {FLAW_NONE};

    if (m->waits_count == 0 || !w->prefix)
        return flaw;
    k->place = memory_grow(k->place, &k->place_capacity, w->nodes, sizeof *k->place);
    for (uint32_t i = 0; i < w->nodes; i++)
        k->place[window_node(w, order[i])] = (uint64_t)start + 1 + i;
    memset(k->looked, 0, trace_names(m->trace, NAME_CONDITION) * sizeof *k->looked);
    for (uint32_t i = 0; i < w->nodes && flaw.kind == FLAW_NONE; i++) {
        uint32_t condition = arg_of(m, order[i]);
        if (kind_of(m, order[i]) != EVENT_WAIT_POST || k->looked[condition] || !model_wait(m, order[i]))
            continue;
        k->looked[condition] = 1;
        flaw = check_condition(k, w, q, condition);
    }
    return flaw;
}
