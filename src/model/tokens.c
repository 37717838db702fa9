/* Semaphores and condition variables. */
#include "model/tokens.h"
#include "base/memory.h"
#include "model/model_parts.h"

#include <assert.h>
#include <stdlib.h>

void events_group(const struct model *m, struct grouped_events *g, size_t objects,
                  bool (*wanted)(enum event_kind))
{
    uint32_t *fill = memory_new(objects + 1, sizeof *fill), total = 0;

    if (objects == 0) { /* nothing to look for */
        g->start = fill;
        return;
    }
    for (event_id e = 1; e <= m->event_count; e++)
        if (wanted(kind_of(m, e)))
            fill[arg_of(m, e) + 1]++;
    for (size_t i = 0; i < objects; i++)
        fill[i + 1] += fill[i];
    total = fill[objects];
    assert(total <= m->event_count);
    uint32_t *end = memory_new(objects + 1, sizeof *end);
    for (size_t i = 0; i < objects; i++)
        end[i] = fill[i + 1];
    g->events = memory_new(total, sizeof *g->events);
    for (uint32_t i = 0; i < m->event_count; i++) /* thread by thread */
        if (wanted(kind_of(m, m->thread_events[i])))
            g->events[fill[arg_of(m, m->thread_events[i])]++] = m->thread_events[i];
    g->start = memory_new(objects + 1, sizeof *g->start);
    for (size_t i = 0, at = 0; i < objects; i++) {
        g->start[i] = (uint32_t)g->groups_count;
        for (; at < end[i]; at++) {
            thread_id t = thread_of(m, g->events[at]);
            if (g->groups_count == g->start[i] || g->groups[g->groups_count - 1].thread != t)
                ARRAY_PUSH(g, groups, (struct thread_group){t, (uint32_t)at, 0});
            g->groups[g->groups_count - 1].count++;
        }
    }
    g->start[objects] = (uint32_t)g->groups_count;
    assert(fill[objects - 1] == total);
    free(fill);
    free(end);
}

static bool is_notify(enum event_kind kind)
{
    return kind == EVENT_NOTIFY || kind == EVENT_NOTIFY_ALL;
}

static bool is_post(enum event_kind kind)
{
    return kind == EVENT_POST;
}

static bool is_sem_wait(enum event_kind kind)
{
    return kind == EVENT_SEM_WAIT;
}

/* The least that makes the trace possible, or what seminit says. */
static void find_initial_tokens(struct model *m)
{
    size_t count = trace_names(m->trace, NAME_SEMAPHORE);
    int64_t *now = memory_new(count, sizeof *now);

    m->initial_tokens = memory_new(count, sizeof *m->initial_tokens);
    for (event_id e = 1; e <= m->event_count && count > 0; e++) {
        uint32_t s = arg_of(m, e);
        if (kind_of(m, e) == EVENT_SEM_INIT)
            m->initial_tokens[s] = now[s] = (int64_t)m->trace->value[e];
        else if (is_post(kind_of(m, e)))
            now[s]++;
        else if (is_sem_wait(kind_of(m, e)) && now[s] > 0)
            now[s]--;
        else if (is_sem_wait(kind_of(m, e)))
            m->initial_tokens[s]++;
    }
    free(now);
}

void tokens_find(struct model *m)
{
    size_t conditions = trace_names(m->trace, NAME_CONDITION);
    size_t semaphores = trace_names(m->trace, NAME_SEMAPHORE);

    events_group(m, &m->notifies, conditions, is_notify);
    events_group(m, &m->posts, semaphores, is_post);
    events_group(m, &m->sem_waits, semaphores, is_sem_wait);
    find_initial_tokens(m);
}

uint32_t group_up_to(const struct model *m, const struct grouped_events *g, const struct thread_group *group,
                     uint32_t position)
{
    uint32_t low = 0, high = group->count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (m->position[g->events[group->first + middle]] < position)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void tokens_certain(const struct model *m, event_id wait, const uint32_t *row,
                    void (*found)(void *context, event_id before), void *context)
{
    uint32_t s = arg_of(m, wait);
    thread_id t = thread_of(m, wait);
    int64_t need = 1 - m->initial_tokens[s], all = 0;

    for (uint32_t i = m->sem_waits.start[s]; i < m->sem_waits.start[s + 1]; i++) {
        const struct thread_group *g = &m->sem_waits.groups[i];
        need += group_up_to(m, &m->sem_waits, g, g->thread == t ? m->position[wait] : row[g->thread]);
    }
    for (uint32_t i = m->posts.start[s]; i < m->posts.start[s + 1]; i++) {
        const struct thread_group *g = &m->posts.groups[i];
        all += g->thread == t ? group_up_to(m, &m->posts, g, m->position[wait]) : g->count;
    }
    for (uint32_t i = m->posts.start[s]; i < m->posts.start[s + 1]; i++) {
        const struct thread_group *g = &m->posts.groups[i];
        int64_t own = need - (all - g->count);
        assert(own <= g->count); /* the trace itself has enough */
        if (g->thread != t && own > 0)
            found(context, m->posts.events[g->first + (uint32_t)own - 1]);
    }
}

/* If all the notifies that can end the wait are of one other thread, its first one comes before the end. */
void notify_certain(const struct model *m, event_id post, void (*found)(void *context, event_id before),
                    void *context)
{
    const struct woken_wait *wait = model_wait(m, post);
    event_id first = EVENT_NONE;
    thread_id t = thread_of(m, post);

    if (!wait)
        return;
    uint32_t c = arg_of(m, post);
    const uint32_t *before = clocks_forward_row(m, t, m->position[wait->pre]);
    for (uint32_t i = m->notifies.start[c]; i < m->notifies.start[c + 1]; i++) {
        const struct thread_group *g = &m->notifies.groups[i];
        uint32_t skipped =
            group_up_to(m, &m->notifies, g, g->thread == t ? m->position[wait->pre] : before[g->thread]);
        if (skipped == g->count ||
            (g->thread == t && m->position[m->notifies.events[g->first + skipped]] > m->position[wait->end]))
            continue;
        if (first != EVENT_NONE || g->thread == t)
            return;
        first = m->notifies.events[g->first + skipped];
    }
    if (first != EVENT_NONE)
        found(context, first);
}

const struct woken_wait *model_wait(const struct model *m, event_id post)
{
    size_t low = 0, high = m->waits_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (m->waits[middle].post < post)
            low = middle + 1;
        else
            high = middle;
    }
    return low < m->waits_count && m->waits[low].post == post ? &m->waits[low] : NULL;
}
