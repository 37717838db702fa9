/* What the trace of a replayed run shows of a finding. */
#include "replay/evidence.h"
#include "base/memory.h"
#include "replay/evidence_parts.h"
#include "replay/follow.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void evidence_value(struct buffer *to, const struct trace *t, uint32_t e)
{
    char number[32];

    if (!t->value_tag || t->value_tag[e] == VALUE_NONE) {
        buffer_text(to, "an unknown value");
    } else if (t->value_tag[e] == VALUE_NAME) {
        buffer_safe(to, trace_name(t, NAME_VALUE, (uint32_t)t->value[e]));
    } else {
        snprintf(number, sizeof number, t->value_tag[e] == VALUE_NEGATIVE ? "%" PRId64 : "%" PRIu64,
                 t->value[e]);
        buffer_text(to, number);
    }
}

void evidence_step(const struct attempt *a, size_t step, const char *before, struct buffer *to)
{
    char words[700];

    follow_describe(&a->script, &a->script.steps[step], words, sizeof words);
    buffer_text(to, before);
    buffer_safe(to, words);
    buffer_text(to, "\n");
}

/* The run is no evidence: at this step it did something else. */
bool evidence_refute(struct attempt *a, size_t step, const char *got)
{
    struct divergence *d = &a->result.divergence;
    char words[700];

    follow_describe(&a->script, &a->script.steps[step], words, sizeof words);
    assert(!d->diverged && step < a->script.steps_count); /* a run that diverged is no evidence already */
    d->diverged = true;
    d->step = step;
    snprintf(d->text, sizeof d->text, "expected %.400s; got %.400s", words, got);
    return false;
}

/* The write that a read of the new run reads from; 0: none. */
static uint32_t step_source(const struct trace *t, uint32_t read)
{
    for (uint32_t e = read; e-- > 1;)
        if (kind_writes(trace_kind(t, e)) && t->arg[e] == t->arg[read])
            return e;
    return 0;
}

static const char *step_place(const struct trace *t, uint32_t e)
{
    return t->location[e] == NAME_NONE ? "?" : trace_name(t, NAME_LOCATION, t->location[e]);
}

/* Whether an event of the new run is this one of the recorded run: same thread, same point of it, same place.
 */
static bool is_event(const struct attempt *a, uint32_t now, uint32_t recorded)
{
    const struct replay_case *c = a->c;
    const struct trace *t = &a->result.trace;

    return a->result.ticks[now] == c->reference.ticks[recorded] &&
           strcmp(trace_name(t, NAME_THREAD, t->thread[now]),
                  trace_name(&c->trace, NAME_THREAD, c->trace.thread[recorded])) == 0 &&
           strcmp(step_place(t, now), step_place(&c->trace, recorded)) == 0;
}

static bool shows_read(struct attempt *a, struct buffer *to)
{
    size_t last = a->script.steps_count - 1;
    const struct trace *t = &a->result.trace;
    uint32_t read = a->finding->events[0], alternative = a->finding->events[2];
    uint32_t e = replay_find(&a->result, &a->script, &a->script.steps[last]), from = e ? step_source(t, e) : 0;
    char words[700];

    assert(a->finding->event_count == 3 && from < (e ? e : 1)); /* a read sees what was before it */
    if (e == 0)
        return evidence_refute(a, last, "a run whose trace does not have this read");
    follow_describe(&a->script, &a->script.steps[last], words, sizeof words);
    buffer_text(to, "  ");
    buffer_safe(to, words);
    buffer_text(to, ": ");
    evidence_value(to, &a->c->trace, read);
    buffer_text(to, " in the recording, ");
    evidence_value(to, t, e);
    buffer_text(to, " now");
    if (from) {
        buffer_text(to, ", written by ");
        buffer_safe(to, trace_name(t, NAME_THREAD, t->thread[from]));
        buffer_text(to, " at ");
        buffer_safe(to, step_place(t, from));
    } else {
        buffer_text(to, ", the initial value");
    }
    buffer_text(to, "\n");
    return alternative ? from && is_event(a, from, alternative) : from == 0;
}

static bool conflict(const struct trace *t, uint32_t one, uint32_t other)
{
    enum event_kind a = trace_kind(t, one), b = trace_kind(t, other);

    return t->arg[one] == t->arg[other] && (kind_writes(a) || kind_writes(b)) &&
           !(kind_atomic(a) && kind_atomic(b));
}

/* The events that two steps are, with one variable in common. */
static bool find_pair(const struct attempt *a, size_t step, size_t next, uint32_t *one, uint32_t *other)
{
    struct found first = replay_find_all(&a->result, &a->script, &a->script.steps[step]);
    struct found second = replay_find_all(&a->result, &a->script, &a->script.steps[next]);
    bool found = false;

    for (size_t i = 0; i < first.events_count && !found; i++)
        for (size_t k = 0; k < second.events_count && !found; k++) {
            *one = first.events[i];
            *other = second.events[k];
            found = conflict(&a->result.trace, *one, *other);
        }
    free(first.events);
    free(second.events);
    return found;
}

/* Whether nothing of the two threads is between the accesses: the second was next in its thread, too, when the
 * first was made. An access may be several events, of one tick. */
static bool nothing_between(const struct replay_result *r, uint32_t one, uint32_t other)
{
    const struct trace *t = &r->trace;

    for (uint32_t e = one + 1; e < other; e++)
        if ((t->thread[e] == t->thread[one] && r->ticks[e] != r->ticks[one]) ||
            (t->thread[e] == t->thread[other] && r->ticks[e] != r->ticks[other]))
            return false;
    return one < other;
}

static bool shows_race(struct attempt *a, struct buffer *to)
{
    size_t first = a->script.steps_count - 2, second = first + 1;
    uint32_t one = 0, other = 0;

    assert(a->finding->event_count == 2 && a->script.steps_count >= 2);
    if (replay_find(&a->result, &a->script, &a->script.steps[first]) == 0)
        return evidence_refute(a, first, "something else at that point of the thread");
    if (replay_find(&a->result, &a->script, &a->script.steps[second]) == 0)
        return evidence_refute(a, second, "something else at that point of the thread");
    if (!find_pair(a, first, second, &one, &other))
        return evidence_refute(a, second, "an access to other bytes than the first one's");
    if (!nothing_between(&a->result, one, other))
        return evidence_refute(a, second, "more events of the two threads between the accesses");
    evidence_step(a, first, "  stopped before both accesses; first ", to);
    evidence_step(a, second, "    then ", to);
    return true;
}

const struct session_thread *evidence_thread(const struct attempt *a, uint32_t number)
{
    for (size_t i = 0; i < sizeof a->result.threads / sizeof *a->result.threads; i++)
        if (a->result.threads[i].id == number + 1)
            return &a->result.threads[i];
    return NULL;
}

/* Whether the step's thread waits for a lock that another one of the `count` last steps' threads holds. */
static bool waits_for_another(const struct attempt *a, const struct schedule_step *step, uint32_t count)
{
    const struct session_thread *t = evidence_thread(a, step->thread);

    if (!t || t->state != STATE_BLOCKED || t->reason != WAIT_LOCK)
        return false;
    if (a->script.java) /* the machine says that it is stuck at a monitor or lock, not whose */
        return true;
    for (size_t i = a->script.steps_count - count; i < a->script.steps_count; i++)
        if (&a->script.steps[i] != step && t->owner == a->script.steps[i].thread + 1)
            return true;
    return false;
}

/* Every thread waits for one of the others: following them leads round a circle. */
static bool shows_deadlock(struct attempt *a, struct buffer *to)
{
    uint32_t count = a->finding->event_count;

    assert(count <= a->script.steps_count);
    for (size_t i = a->script.steps_count - count; i < a->script.steps_count; i++) {
        if (!waits_for_another(a, &a->script.steps[i], count))
            return evidence_refute(a, i, "a thread that does not wait for one of the others");
        evidence_step(a, i, "  waits forever: ", to);
    }
    return count > 0;
}

/* The last write to the variable in the new run is the alternative. */
static bool shows_final(struct attempt *a, struct buffer *to)
{
    const struct trace *t = &a->result.trace;

    assert(a->finding->event_count == 2);
    for (size_t i = a->script.steps_count; i-- > 0;) {
        const struct schedule_step *step = &a->script.steps[i];
        uint32_t e = step->event == a->finding->events[1] ? replay_find(&a->result, &a->script, step) : 0;
        if (step->event != a->finding->events[1])
            continue;
        for (uint32_t later = e + 1; e && later <= t->count; later++)
            if (kind_writes(trace_kind(t, later)) && t->arg[later] == t->arg[e])
                return evidence_refute(a, i, "another write after it");
        evidence_step(a, i, "  the last write is ", to);
        return e != 0;
    }
    return false;
}

/* The events of the finding came in the order of the script. */
static bool shows_events(struct attempt *a, struct buffer *to)
{
    uint32_t latest = 0;
    bool any = false;

    for (size_t i = 0; i < a->script.steps_count; i++) {
        const struct schedule_step *step = &a->script.steps[i];
        uint32_t e;
        if (!step->wanted)
            continue;
        e = replay_find(&a->result, &a->script, step);
        if (e == 0)
            return evidence_refute(a, i, "something else at that point of the thread");
        if (e < latest)
            return evidence_refute(a, i, "it happened earlier");
        evidence_step(a, i, any ? "    then " : "  it reached ", to);
        latest = e;
        any = true;
    }
    return any;
}

bool evidence_shows(struct attempt *a, struct buffer *to)
{
    if (a->script.steps_count < a->finding->event_count && a->finding->property == PROPERTY_RACE)
        return false;
    switch (a->finding->property) {
    case PROPERTY_NONDET:
        return shows_read(a, to);
    case PROPERTY_RACE:
        return shows_race(a, to);
    case PROPERTY_DEADLOCK:
        return shows_deadlock(a, to);
    case PROPERTY_STUCK:
        return evidence_stuck(a, to);
    case PROPERTY_STALE:
        return evidence_stale(a, to);
    case PROPERTY_FINAL:
        return shows_final(a, to);
    default:
        return shows_events(a, to);
    }
}
