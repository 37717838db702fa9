/* The four conditions of semantics §2, event by event along the tail. */
#include "certify/certify_parts.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool reject(struct certifier *c, const char *format, ...)
{
    va_list args;

    if (!c->why)
        return false;
    c->why->status = HEDDLE_REJECTED;
    va_start(args, format);
    vsnprintf(c->why->text, sizeof c->why->text, format, args);
    va_end(args);
    return false;
}

/* What the prefix leaves of the lock: its last hold there, or NULL. Looks back in growing steps: schedules leave the
 * observed order shortly before what they are about. */
static const struct certified_hold *prefix_hold(const struct certifier *c, uint32_t event)
{
    const struct certify_index *index = c->index;
    uint32_t floor = index->hold_start[index->trace->arg[event]];
    uint32_t high = index->detail[event], low, step = 1;

    for (;; step *= 2) {
        low = high - floor > step ? high - step : floor;
        if (low == high)
            return NULL;
        if (index->holds[low].event <= c->prefix)
            break;
        high = low;
    }
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (index->holds[middle].event <= c->prefix)
            low = middle;
        else
            high = middle;
    }
    return &index->holds[low];
}

struct certified_lock *lock_at(struct certifier *c, uint32_t event)
{
    struct certified_lock *lock = &c->locks[c->index->trace->arg[event]];

    if (lock->epoch != c->epoch) {
        const struct certified_hold *hold = prefix_hold(c, event);
        *lock = (struct certified_lock){
            .epoch = c->epoch, .owner = hold ? hold->owner : NOBODY, .readers = hold ? hold->readers : 0};
    }
    return lock;
}

/* A cas that does not see what it saw writes nothing, and its thread does something else. */
static void access_variable(struct certifier *c, struct thread_state *t, uint32_t e)
{
    enum event_kind kind = trace_kind(c->index->trace, e);

    if (kind_reads(kind))
        read_variable(c, t, e);
    if (kind == EVENT_CAS && news_of(c, e))
        t->gave_up = e;
    else if (kind_writes(kind))
        write_variable(c, e);
}

static bool lock_free_for(struct certifier *c, uint32_t e)
{
    const struct trace *trace = c->index->trace;
    const struct certified_lock *lock;

    if (c->index->detail[e] == NO_EFFECT)
        return true;
    lock = lock_at(c, e);
    if (lock->owner != NOBODY && lock->owner != trace->thread[e])
        return reject(c, "event %u takes lock %.80s while %.80s holds it", e,
                      trace_name(trace, NAME_LOCK, trace->arg[e]), trace_name(trace, NAME_THREAD, lock->owner));
    return trace_kind(trace, e) == EVENT_SHARED_ACQUIRE ||
           lock->readers <= c->index->holds[c->index->detail[e]].also_reader ||
           reject(c, "event %u takes lock %.80s while another thread holds it in reader mode", e,
                  trace_name(trace, NAME_LOCK, trace->arg[e]));
}

static void acquire(struct certifier *c, uint32_t e)
{
    struct certified_lock *lock;

    if (c->index->detail[e] == NO_EFFECT)
        return;
    lock = lock_at(c, e);
    if (trace_kind(c->index->trace, e) == EVENT_SHARED_ACQUIRE)
        lock->readers++;
    else
        lock->owner = c->index->trace->thread[e];
}

thread_id holder_of(struct certifier *c, uint32_t e)
{
    return c->index->detail[e] == NO_EFFECT ? NOBODY : lock_at(c, e)->owner;
}

/* The thread holds the lock: it has done all that it did before this release in the trace. */
static void release(struct certifier *c, uint32_t e)
{
    struct certified_lock *lock;

    if (c->index->detail[e] == NO_EFFECT)
        return;
    lock = lock_at(c, e);
    if (trace_kind(c->index->trace, e) == EVENT_SHARED_RELEASE)
        lock->readers--;
    else
        lock->owner = NOBODY;
}

static bool try_and_fail(struct certifier *c, uint32_t e)
{
    const struct blocker *b = &c->index->blockers[c->index->detail[e]];

    if (c->index->detail[e] == 0)
        return true;
    if (!in_run(c, b->acquire))
        return reject(c, "event %u fails to take a lock before event %u has taken it", e, b->acquire);
    if (b->release && in_run(c, b->release))
        return reject(c, "event %u fails to take a lock that event %u has released", e, b->release);
    return true;
}

static bool requirements_met(struct certifier *c, uint32_t e)
{
    const struct certify_index *index = c->index;
    uint32_t list = index->detail[e];

    for (uint32_t i = index->lists[list]; i < index->lists[list + 1]; i++)
        if (!in_run(c, index->required[i]))
            return reject(c, "event %u runs before event %u, which it requires", e, index->required[i]);
    return true;
}

/* A post or semwait comes after the seminit, if the trace has one before it. */
static bool initialised(struct certifier *c, uint32_t e)
{
    uint32_t seminit = c->index->seminit[c->index->trace->arg[e]];

    return !seminit || seminit > e || in_run(c, seminit) ||
           reject(c, "event %u runs before event %u, which it requires", e, seminit);
}

bool can_happen(struct certifier *c, uint32_t e)
{
    const struct trace *trace = c->index->trace;

    switch (trace_kind(trace, e)) {
    case EVENT_ACQUIRE:
    case EVENT_SHARED_ACQUIRE:
        return lock_free_for(c, e) && (!certified_ends_wait(c, e) || signal_there(c, e));
    case EVENT_WAIT_POST:
        return !certified_ends_wait(c, e) || signal_there(c, e);
    case EVENT_TRY_FAIL:
        return try_and_fail(c, e);
    case EVENT_JOIN:
        return requirements_met(c, e) && end_holds(c, trace->arg[e]);
    case EVENT_BARRIER_EXIT:
        return requirements_met(c, e);
    case EVENT_POST:
        return initialised(c, e);
    case EVENT_SEM_WAIT:
        return initialised(c, e) && token_there(c, e);
    default:
        return true;
    }
}

static void happen(struct certifier *c, struct thread_state *t, uint32_t e)
{
    switch (trace_kind(c->index->trace, e)) {
    case EVENT_READ:
    case EVENT_WRITE:
    case EVENT_ATOMIC_READ:
    case EVENT_ATOMIC_WRITE:
    case EVENT_RMW:
    case EVENT_CAS:
        access_variable(c, t, e);
        break;
    case EVENT_ACQUIRE:
    case EVENT_SHARED_ACQUIRE:
        acquire(c, e);
        break;
    case EVENT_RELEASE:
    case EVENT_SHARED_RELEASE:
        release(c, e);
        break;
    case EVENT_WAIT_PRE:
        certifier_begin_wait(c, e);
        break;
    case EVENT_NOTIFY:
    case EVENT_NOTIFY_ALL:
        add_signal(c, e);
        break;
    case EVENT_POST:
        add_token(c, e);
        break;
    case EVENT_SEM_WAIT:
        take_token(c, e);
        break;
    default:
        break;
    }
    if (certified_ends_wait(c, e))
        certifier_end_wait(c, e);
}

/* The last event of the thread in the prefix, and where its next one is in `thread_events`. */
static uint32_t last_in_prefix(const struct certifier *c, thread_id t, uint32_t *next)
{
    const struct certify_index *index = c->index;
    uint32_t low = index->thread_start[t], high = index->thread_start[t + 1];

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (index->thread_events[middle] <= c->prefix)
            low = middle + 1;
        else
            high = middle;
    }
    *next = low;
    return low > index->thread_start[t] ? index->thread_events[low - 1] : 0;
}

struct thread_state *thread_at(struct certifier *c, thread_id t)
{
    struct thread_state *state = &c->threads[t];

    if (state->epoch != c->epoch) {
        uint32_t next;
        state->epoch = c->epoch;
        state->last = last_in_prefix(c, t, &next);
        state->gave_up = 0;
        state->news_count = 0;
    }
    return state;
}

uint32_t next_of(const struct certifier *c, thread_id t)
{
    const struct certify_index *index = c->index;
    const struct thread_state *state = &c->threads[t];
    uint32_t next, low, high = index->thread_start[t + 1];

    last_in_prefix(c, t, &next);
    if (state->epoch == c->epoch && state->last > c->prefix) {
        for (low = next; low < high;) {
            uint32_t middle = low + (high - low) / 2;
            if (index->thread_events[middle] <= state->last)
                low = middle + 1;
            else
                high = middle;
        }
        next = low;
    }
    return next < index->thread_start[t + 1] ? index->thread_events[next] : 0;
}

/* The thread has come to the event, and has begun. */
static bool comes_next(struct certifier *c, const struct thread_state *t, uint32_t e)
{
    uint32_t before = c->index->before[e], fork = c->index->forked_by[c->index->trace->thread[e]];

    if (before != t->last)
        return e <= t->last ? reject(c, "event %u is in the run twice", e)
                            : reject(c, "event %u runs before event %u of its own thread", e, before);
    return before || !fork || in_run(c, fork) ||
           reject(c, "event %u runs before event %u, which forks its thread", e, fork);
}

bool run_step(struct certifier *c, uint32_t e)
{
    struct thread_state *t;

    if (e == 0 || e > c->index->count)
        return reject(c, "event %u does not exist: the trace has events 1 to %u", e, c->index->count);
    if (e <= c->prefix)
        return reject(c, "event %u is in the run twice", e);
    t = thread_at(c, c->index->trace->thread[e]);
    if (!comes_next(c, t, e) || !grounds_hold(c, e) || !can_happen(c, e))
        return false;
    happen(c, t, e);
    t->last = e;
    c->place++;
    return true;
}

/* Makes every entry of the state one of an older epoch. */
static void forget(struct certifier *c)
{
    if (++c->epoch != 0)
        return;
    for (size_t t = 0; t < c->index->thread_count; t++)
        c->threads[t].epoch = 0;
    memset(c->variables, 0, c->index->variable_count * sizeof *c->variables);
    memset(c->locks, 0, c->index->lock_count * sizeof *c->locks);
    memset(c->semaphores, 0, trace_names(c->index->trace, NAME_SEMAPHORE) * sizeof *c->semaphores);
    for (size_t i = 0; i < trace_names(c->index->trace, NAME_CONDITION); i++)
        c->conditions[i].epoch = 0;
    c->epoch = 1;
}

bool run_begin(struct certifier *c, uint32_t prefix)
{
    forget(c);
    c->blamed = (struct blamed_read){0, 0};
    c->prefix = prefix;
    c->place = prefix + 1;
    c->waits_count = 0;
    return prefix <= c->index->count ||
           reject(c, "the run begins with %u events as observed, the trace has %u", prefix, c->index->count);
}

bool run_schedule(struct certifier *c, const struct schedule *schedule)
{
    if (!run_begin(c, schedule->prefix))
        return false;
    for (uint32_t i = 0; i < schedule->tail_count; i++)
        if (!run_step(c, schedule->tail[i]))
            return false;
    return true;
}

bool certifier_run_feasible(struct certifier *c, const struct schedule *schedule,
                            const struct certify_options *options, struct error *why)
{
    c->options = *options;
    c->why = why;
    return run_schedule(c, schedule);
}
