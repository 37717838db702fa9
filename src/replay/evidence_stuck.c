/* Whether a replayed run shows threads that wait forever: it came to a standstill, and they wait as the finding
 * says. */
#include "replay/evidence_parts.h"

#include <string.h>

/* Whether a thread that waits in this call would do so at the event. */
static bool fits(const struct attempt *a, uint32_t event, uint32_t reason)
{
    switch (trace_kind(&a->c->trace, event)) {
    case EVENT_ACQUIRE:
    case EVENT_SHARED_ACQUIRE:
        return reason == WAIT_LOCK || reason == WAIT_CONDITION || reason == WAIT_ONCE; /* or it ends a wait */
    case EVENT_WAIT_POST:
        return reason == WAIT_CONDITION || reason == WAIT_FUTEX;
    case EVENT_SEM_WAIT:
        return reason == WAIT_SEMAPHORE || reason == WAIT_FUTEX || reason == WAIT_DESCRIPTOR;
    case EVENT_BARRIER_EXIT:
        return reason == WAIT_BARRIER;
    case EVENT_JOIN:
        return reason == WAIT_JOIN;
    default:
        return false;
    }
}

/* A machine says that a thread waits, not where: the thread must not have come to the event. */
static bool went_on(const struct attempt *a, const struct schedule_step *step)
{
    const struct trace *t = &a->result.trace;
    const char *name = trace_name(&a->c->trace, NAME_THREAD, a->c->trace.thread[step->event]);

    for (uint32_t e = 1; e <= t->count; e++)
        if (a->result.ticks[e] != TICK_UNKNOWN && a->result.ticks[e] >= step->position &&
            strcmp(trace_name(t, NAME_THREAD, t->thread[e]), name) == 0)
            return true;
    return false;
}

static bool waits_there(const struct attempt *a, const struct schedule_step *step,
                        const struct session_thread *t)
{
    return t && t->state == STATE_BLOCKED &&
           (a->script.java ? !went_on(a, step) : fits(a, step->event, t->reason));
}

bool evidence_stuck(struct attempt *a, struct buffer *to)
{
    uint32_t count = a->finding->event_count;

    for (size_t i = a->script.steps_count - count; i < a->script.steps_count; i++) {
        const struct schedule_step *step = &a->script.steps[i];
        const struct session_thread *t = evidence_thread(a, step->thread);

        enum event_kind kind = trace_kind(&a->c->trace, step->event);

        if (!waits_there(a, step, t))
            return evidence_refute(a, i, "a thread that does not wait there");
        bool signal = t->reason == WAIT_CONDITION && (kind == EVENT_ACQUIRE || kind == EVENT_SHARED_ACQUIRE);
        evidence_step(a, i, signal ? "  waits forever for a signal, before: " : "  waits forever: ", to);
    }
    if (a->result.outcome.ending != ENDED_DEADLOCK && a->result.outcome.ending != ENDED_HANG)
        return evidence_refute(a, a->script.steps_count - 1, "a run in which other threads could continue");
    return count > 0;
}
