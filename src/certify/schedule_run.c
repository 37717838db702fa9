/* The four conditions of SPEC §2, event by event along the tail. */
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

/* The write to the variable of `access`, which is not in the prefix, that the prefix ends with. Looks back in
 * growing steps: schedules leave the observed order shortly before what they are about. */
static uint32_t prefix_write(const struct certifier *c, uint32_t access)
{
    const struct certify_index *index = c->index;
    uint32_t floor = index->write_start[index->trace->arg[access]];
    uint32_t high = index->detail[access]; /* writes from here on are after the prefix */
    uint32_t low, step = 1;

    for (;; step *= 2) {
        low = high - floor > step ? high - step : floor;
        if (low == high)
            return EVENT_INIT;
        if (index->writes[low] <= c->prefix)
            break;
        high = low;
    }
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (index->writes[middle] <= c->prefix)
            low = middle;
        else
            high = middle;
    }
    return index->writes[low];
}

static struct variable_state *variable_at(struct certifier *c, uint32_t access)
{
    struct variable_state *x = &c->variables[c->index->trace->arg[access]];

    if (x->epoch != c->epoch)
        *x = (struct variable_state){.epoch = c->epoch, .last = prefix_write(c, access)};
    return x;
}

/* The same search as prefix_write, among the lock's holds. */
static const struct hold *prefix_hold(const struct certifier *c, uint32_t event)
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

struct lock_now *lock_at(struct certifier *c, uint32_t event)
{
    struct lock_now *lock = &c->locks[c->index->trace->arg[event]];

    if (lock->epoch != c->epoch) {
        const struct hold *hold = prefix_hold(c, event);
        *lock = (struct lock_now){
            .epoch = c->epoch, .owner = hold ? hold->owner : NOBODY, .readers = hold ? hold->readers : 0};
    }
    return lock;
}

struct value {
    uint8_t tag; /* VALUE_NONE: unknown */
    uint64_t number;
};

static struct value recorded(const struct trace *trace, uint32_t event)
{
    return (struct value){trace->value_tag[event], trace->value[event]};
}

static struct value value_written(const struct certify_index *index, uint32_t write, variable_id variable)
{
    if (write != EVENT_INIT)
        return recorded(index->trace, write);
    if (index->initial_reader[variable])
        return recorded(index->trace, index->initial_reader[variable]);
    return (struct value){VALUE_NONE, 0};
}

/* What the read got in the trace; what an rmw records is what it wrote. */
static struct value value_read(const struct certify_index *index, uint32_t read)
{
    const struct trace *trace = index->trace;

    if (!kind_updates(trace_kind(trace, read)) && trace->value_tag[read] != VALUE_NONE)
        return recorded(trace, read);
    return value_written(index, source_of(index, read), trace->arg[read]);
}

/* Whether the read's thread can go on as observed when it reads from `write`. */
static bool keeps(const struct certifier *c, uint32_t read, uint32_t write, bool fresh)
{
    const struct trace *trace = c->index->trace;

    if (fresh)
        return false;
    if (write == source_of(c->index, read))
        return true;
    if (!c->same_value || !trace->value_tag)
        return false;

    struct value had = value_read(c->index, read), gets = value_written(c->index, write, trace->arg[read]);
    return had.tag != VALUE_NONE && had.tag == gets.tag && had.number == gets.number;
}

static void access_variable(struct certifier *c, struct thread_state *t, uint32_t e)
{
    enum event_kind kind = trace_kind(c->index->trace, e);
    bool fresh = false;

    if (kind_reads(kind)) {
        const struct variable_state *x = variable_at(c, e);
        fresh = !keeps(c, e, x->last, x->fresh);
        if (fresh) {
            t->news = x->last;
            c->reads_news = e;
        }
    }
    if (kind_writes(kind))
        c->variables[c->index->trace->arg[e]] = (struct variable_state){c->epoch, e, fresh};
}

static bool acquire(struct certifier *c, uint32_t e)
{
    const struct trace *trace = c->index->trace;
    bool shared = trace_kind(trace, e) == EVENT_SHARED_ACQUIRE;
    struct lock_now *lock;

    if (c->index->detail[e] == NO_EFFECT)
        return true;
    lock = lock_at(c, e);
    if (lock->owner != NOBODY && lock->owner != trace->thread[e])
        return reject(c, "event %u takes lock %.80s while %.80s holds it", e,
                      trace_name(trace, NAME_LOCK, trace->arg[e]), trace_name(trace, NAME_THREAD, lock->owner));
    if (shared) {
        lock->readers++;
        return true;
    }
    if (lock->readers > c->index->holds[c->index->detail[e]].also_reader)
        return reject(c, "event %u takes lock %.80s while another thread holds it in reader mode", e,
                      trace_name(trace, NAME_LOCK, trace->arg[e]));
    lock->owner = trace->thread[e];
    return true;
}

/* The thread holds the lock: it has done all that it did before this release in the trace. */
static void release(struct certifier *c, uint32_t e)
{
    struct lock_now *lock;

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

static bool do_event(struct certifier *c, struct thread_state *t, uint32_t e)
{
    switch (trace_kind(c->index->trace, e)) {
    case EVENT_READ:
    case EVENT_WRITE:
    case EVENT_ATOMIC_READ:
    case EVENT_ATOMIC_WRITE:
    case EVENT_RMW:
    case EVENT_CAS:
        access_variable(c, t, e);
        return true;
    case EVENT_ACQUIRE:
    case EVENT_SHARED_ACQUIRE:
        return acquire(c, e);
    case EVENT_RELEASE:
    case EVENT_SHARED_RELEASE:
        release(c, e);
        return true;
    case EVENT_TRY_FAIL:
        return try_and_fail(c, e);
    case EVENT_JOIN:
    case EVENT_WAIT_POST:
    case EVENT_NOTIFY:
    case EVENT_NOTIFY_ALL:
    case EVENT_BARRIER_EXIT:
    case EVENT_SEM_WAIT:
        return requirements_met(c, e);
    default:
        return true;
    }
}

/* Brings in a thread that has nothing in the tail yet: `e` must be its next event after the prefix. */
static bool first_in_tail(struct certifier *c, struct thread_state *t, uint32_t e)
{
    uint32_t before = c->index->before[e], fork = c->index->forked_by[c->index->trace->thread[e]];

    if (before > c->prefix)
        return reject(c, "event %u runs before event %u of its own thread", e, before);
    if (!before && fork && !in_run(c, fork))
        return reject(c, "event %u runs before event %u, which forks its thread", e, fork);
    *t = (struct thread_state){.epoch = c->epoch, .last = before, .news = NOTHING_NEW};
    return true;
}

static bool next_in_tail(struct certifier *c, const struct thread_state *t, uint32_t e)
{
    uint32_t before = c->index->before[e];

    if (before != t->last)
        return e <= t->last ? reject(c, "event %u is in the run twice", e)
                            : reject(c, "event %u runs before event %u of its own thread", e, before);
    if (t->news != NOTHING_NEW)
        return reject(
            c,
            "event %u follows event %u of its own thread, which reads from %u and read from %u in the "
            "trace",
            e, before, t->news, source_of(c->index, before));
    return true;
}

bool run_step(struct certifier *c, uint32_t e)
{
    struct thread_state *t;

    if (e == 0 || e > c->index->count)
        return reject(c, "event %u does not exist: the trace has events 1 to %u", e, c->index->count);
    if (e <= c->prefix)
        return reject(c, "event %u is in the run twice", e);
    t = &c->threads[c->index->trace->thread[e]];
    if (t->epoch == c->epoch ? !next_in_tail(c, t, e) : !first_in_tail(c, t, e))
        return false;
    if (!do_event(c, t, e))
        return false;
    t->last = e;
    return true;
}

/* Makes every entry of the state one of an older epoch. */
static void forget(struct certifier *c)
{
    if (++c->epoch != 0)
        return;
    memset(c->threads, 0, c->index->thread_count * sizeof *c->threads);
    memset(c->variables, 0, c->index->variable_count * sizeof *c->variables);
    memset(c->locks, 0, c->index->lock_count * sizeof *c->locks);
    c->epoch = 1;
}

bool run_begin(struct certifier *c, uint32_t prefix)
{
    forget(c);
    c->prefix = prefix;
    c->reads_news = 0;
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
    c->same_value = !options->values_ignore;
    c->why = why;
    return run_schedule(c, schedule);
}
