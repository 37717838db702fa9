/* From a finding to the script that makes it happen. */
#include "replay/plan.h"
#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>

/* The events to be made to happen, in order. */
struct events {
    uint32_t *list;
    size_t list_count, list_capacity;
};

static void add_schedule(struct events *e, const struct schedule *s)
{
    for (uint32_t i = 1; i <= s->prefix; i++)
        ARRAY_PUSH(e, list, i);
    for (uint32_t i = 0; i < s->tail_count; i++)
        ARRAY_PUSH(e, list, s->tail[i]);
}

/* What is claimed of the recorded run shows there, up to its last event. */
static void add_observed(struct events *e, const struct finding *f)
{
    uint32_t last = 0;

    for (uint32_t i = 0; i < f->event_count; i++)
        last = f->events[i] > last ? f->events[i] : last;
    for (uint32_t i = 1; i <= last; i++)
        ARRAY_PUSH(e, list, i);
}

static bool shows_in_recorded_run(const struct finding *f)
{
    return property_traits(f->property)->observed_only || finding_is_conflict(f) ||
           (finding_cycle(f) > 0 && f->schedule.prefix == 0 && f->schedule.tail_count == 0);
}

/* Whether the finding's events are those that threads wait at. */
static bool threads_wait(const struct finding *f)
{
    return f->property == PROPERTY_DEADLOCK || f->property == PROPERTY_STUCK;
}

static void list_events(struct events *e, const struct finding *f, int variant)
{
    if (shows_in_recorded_run(f))
        add_observed(e, f);
    else
        add_schedule(e, &f->schedule);
    if (f->property == PROPERTY_RACE) {
        assert(f->event_count == 2);
        ARRAY_PUSH(e, list, f->events[variant ? 1 : 0]);
        ARRAY_PUSH(e, list, f->events[variant ? 0 : 1]);
    }
    for (uint32_t i = 0; i < f->event_count && threads_wait(f); i++)
        ARRAY_PUSH(e, list, f->events[i]);
}

static bool is_of_finding(const struct finding *f, uint32_t event)
{
    for (uint32_t i = 0; i < f->event_count; i++)
        if (f->events[i] == event)
            return true;
    return false;
}

/* How far the script takes the thread. */
static uint64_t reached(const struct schedule_script *s, uint32_t thread)
{
    for (size_t i = s->steps_count; i-- > 0;)
        if (s->steps[i].thread == thread && s->steps[i].position != STEP_UNKNOWN)
            return s->steps[i].position;
    return 0;
}

/* A step that takes the event's thread right up to it. */
static void stop_before(struct schedule_script *s, const struct replay_case *c, const uint32_t *numbers,
                        uint32_t event)
{
    uint32_t thread = numbers[c->trace.thread[event]];
    uint64_t position = c->reference.ticks[event];

    if (position == TICK_UNKNOWN || position == 0 || reached(s, thread) >= position)
        return;
    ARRAY_PUSH(s, steps,
               (struct schedule_step){.thread = thread,
                                      .any_op = true,
                                      .arg = NAME_NONE,
                                      .location = NAME_NONE,
                                      .position = position - 1});
}

/* Some events are the first part of a call, of the same tick as what the call does: the look at a condition variable before
 * the wait or the notify, and what a record of a Java machine comes after, like the end of a class's initializer. A
 * thread cannot stop between the two: both happen where the second of them stands. */
static bool comes_with_next(const struct replay_case *c, const struct finding *f, uint32_t event)
{
    const struct trace *t = &c->trace;
    enum event_kind kind = trace_kind(t, event);
    uint32_t next = event + 1;

    if ((kind != EVENT_ATOMIC_READ && !(c->reference.bytecodes && kind == EVENT_SEM_WAIT)) ||
        is_of_finding(f, event))
        return false;
    while (next <= c->same && t->thread[next] != t->thread[event])
        next++;
    return next <= c->same && c->reference.ticks[next] == c->reference.ticks[event] &&
           (kind != EVENT_ATOMIC_READ || !kind_accesses(trace_kind(t, next)));
}

/* Whether the event is an earlier part of the call that an access of the race belongs to, such as the read of a collection
 * before its write: a thread cannot stop between the two. */
static bool comes_with_race(const struct replay_case *c, const struct finding *f, uint32_t event)
{
    const uint64_t *ticks = c->reference.ticks;

    if (f->property != PROPERTY_RACE || is_of_finding(f, event))
        return false;
    for (uint32_t i = 0; i < f->event_count; i++)
        if (f->events[i] <= c->same && c->trace.thread[f->events[i]] == c->trace.thread[event] &&
            ticks[f->events[i]] == ticks[event] && ticks[event] != TICK_UNKNOWN)
            return true;
    return false;
}

enum status replay_plan(struct replay_case *c, const struct finding *f, int variant, struct schedule_script *s,
                        struct error *err)
{
    uint32_t *numbers = script_thread_numbers(&c->journal, &c->trace);
    uint32_t attempts = threads_wait(f) ? f->event_count : 0;
    struct events e = {0};
    enum status status = HEDDLE_OK;

    script_init(s);
    script_from_journal(s, &c->journal, &c->trace);
    list_events(&e, f, variant);
    for (size_t i = 0; i < e.list_count && status == HEDDLE_OK; i++) {
        if (e.list[i] == 0 || e.list[i] > c->trace.count)
            status = fail(err, HEDDLE_BAD_REPORT, "the finding names event %u, which %.200s does not have",
                          e.list[i], c->path);
        else if (e.list[i] > c->same)
            status = fail(err, HEDDLE_REJECTED, "event %u: %.800s", c->same + 1, c->difference);
        if (status != HEDDLE_OK)
            break;
        if (comes_with_next(c, f, e.list[i]) || comes_with_race(c, f, e.list[i]))
            continue;
        if (f->property == PROPERTY_RACE && i + 2 == e.list_count && e.list[i + 1] <= c->same) {
            stop_before(s, c, numbers, e.list[i]);
            stop_before(s, c, numbers, e.list[i + 1]);
        }
        script_add_event(s, &c->trace, c->reference.ticks, numbers, e.list[i]);
        s->steps[s->steps_count - 1].wanted = is_of_finding(f, e.list[i]);
        if (c->reference.bytecodes)
            s->steps[s->steps_count - 1].bytecode = c->reference.bytecodes[e.list[i]] + 1;
    }
    assert(status != HEDDLE_OK || attempts <= s->steps_count);
    for (size_t i = s->steps_count - (status == HEDDLE_OK ? attempts : 0); i < s->steps_count; i++)
        s->steps[i].attempt = true;
    free(numbers);
    free(e.list);
    return status;
}

uint32_t schedule_switches(const struct trace *trace, const struct schedule *s)
{
    uint32_t switches = 0, last = 0;

    for (uint32_t i = 0; i < s->prefix + s->tail_count; i++) {
        uint32_t e = i < s->prefix ? i + 1 : s->tail[i - s->prefix];
        assert(e >= 1 && e <= trace->count);
        switches += last && trace->thread[e] != trace->thread[last];
        last = e;
    }
    return switches;
}
