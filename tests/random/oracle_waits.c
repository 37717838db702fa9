/* Conditions and semaphores of a small trace: which waits were woken, how many tokens there are, and what
 * synchronization the trace itself shows. */
#include "random/oracle_meaning.h"

#include <assert.h>

/* The next waitpost of the waiter: where its wait will end; 0 if the trace ends first or it waits anew. */
static size_t wait_end(const struct meaning *m, size_t waitpre)
{
    for (size_t e = waitpre + 1; e <= m->count; e++) {
        if (m->thread[e] != m->thread[waitpre] || !names_the(m, e, NAME_CONDITION, m->trace->arg[waitpre]))
            continue;
        if (kind_of(m, e) == EVENT_WAIT_POST)
            return e;
        if (kind_of(m, e) == EVENT_WAIT_PRE)
            return 0;
    }
    return 0;
}

/* The acquire right before the waitpost, or itself. */
static size_t wait_last(const struct meaning *m, size_t waitpost)
{
    size_t before = 0;

    for (size_t e = 1; e < waitpost; e++) {
        if (m->thread[e] == m->thread[waitpost])
            before = e;
    }
    bool acquires = kind_of(m, before) == EVENT_ACQUIRE || kind_of(m, before) == EVENT_SHARED_ACQUIRE;
    return before && acquires ? before : waitpost;
}

static size_t waiter_number(const struct meaning *m, uint32_t condition, size_t thread)
{
    size_t waiters = 0;

    for (size_t i = 0; i < m->wait_count; i++) {
        if (m->waits[i].condition != condition)
            continue;
        if (m->thread[m->waits[i].begin] == thread)
            return m->waits[i].waiter;
        if (m->waits[i].waiter >= waiters)
            waiters = m->waits[i].waiter + 1;
    }
    return waiters;
}

static void wake(struct meaning *m, size_t notify, size_t *waitpre)
{
    uint32_t condition = m->notifies[notify] - 1;
    size_t waitpost = wait_end(m, *waitpre);
    struct woken_wait wait = {.begin = *waitpre,
                              .end = wait_last(m, waitpost),
                              .condition = condition,
                              .waiter = waiter_number(m, condition, m->thread[*waitpre])};

    assert(wait.waiter < WAITERS);
    m->waits[m->wait_count++] = wait;
    m->wait_begun[wait.begin] = m->wait_count;
    m->wait_ended[wait.end] = m->wait_count;
    m->observed_after[notify] |= one_event(*waitpre);
    m->observed_after[waitpost] |= one_event(notify);
    *waitpre = 0;
}

/* `waiting` holds, for each thread, the waitpre it is in and was not woken in, or 0. */
static void match_notify(struct meaning *m, size_t notify, size_t *waiting)
{
    size_t *chosen = NULL;

    for (size_t t = 0; t < m->thread_count; t++) {
        size_t waitpost = waiting[t] ? wait_end(m, waiting[t]) : 0;

        if (!waitpost || wait_last(m, waitpost) < notify)
            continue; /* it does not wait, or not any more */
        if (kind_of(m, notify) == EVENT_NOTIFY_ALL)
            wake(m, notify, &waiting[t]);
        else if (!chosen || waitpost < wait_end(m, *chosen))
            chosen = &waiting[t];
    }
    if (chosen)
        wake(m, notify, chosen);
}

void meaning_condition(struct meaning *m, uint32_t condition)
{
    size_t waiting[EVENT_SLOTS] = {0};

    assert(condition < OBJECTS);
    for (size_t e = 1; e <= m->count; e++) {
        if (!names_the(m, e, NAME_CONDITION, condition))
            continue;
        if (kind_of(m, e) == EVENT_WAIT_PRE)
            waiting[m->thread[e]] = e;
        else if (kind_of(m, e) == EVENT_WAIT_POST)
            waiting[m->thread[e]] = 0;
        else {
            m->notifies[e] = condition + 1;
            match_notify(m, e, waiting);
        }
    }
}

/* The least count that makes the trace possible, unless a seminit says it. */
static uint64_t initial_count(const struct meaning *m, uint32_t semaphore)
{
    uint64_t least = 0, posts = 0, semwaits = 0;

    for (size_t e = 1; e <= m->count; e++) {
        if (!names_the(m, e, NAME_SEMAPHORE, semaphore))
            continue;
        if (kind_of(m, e) == EVENT_SEM_INIT)
            return m->trace->value[e];
        posts += kind_of(m, e) == EVENT_POST;
        semwaits += kind_of(m, e) == EVENT_SEM_WAIT;
        if (semwaits > posts + least)
            least = semwaits - posts;
    }
    return least;
}

void meaning_semaphore(struct meaning *m, uint32_t semaphore)
{
    event_set posts = 0, semwaits = 0, seminit = 0;
    event_set taken = 0;  /* posts */
    uint64_t initial = 0; /* tokens of the seminit that are left: the oldest */

    for (size_t e = 1; e <= m->count; e++) {
        if (!names_the(m, e, NAME_SEMAPHORE, semaphore))
            continue;
        if (kind_of(m, e) == EVENT_SEM_INIT) {
            seminit = one_event(e);
            initial = m->trace->value[e];
            continue;
        }
        m->seminit[e] = seminit;
        m->requires[e] |= seminit;
        if (kind_of(m, e) == EVENT_POST) {
            posts |= one_event(e);
            continue;
        }
        semwaits |= one_event(e);
        if (initial > 0) {
            initial--;
        } else if (posts & ~taken) {
            size_t oldest = first_event(posts & ~taken);
            m->observed_after[e] |= one_event(oldest);
            taken |= one_event(oldest);
        }
    }
    for (event_set rest = semwaits; rest; rest &= rest - 1) {
        size_t e = first_event(rest);
        m->posts_beside[e] = posts;
        m->semwaits_beside[e] = semwaits;
        m->tokens[e] = initial_count(m, semaphore);
    }
}
