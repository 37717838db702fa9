/* Compares how the recorded run ended with how the same schedule ends now. */
#include "replay/same_end.h"

#include <stdio.h>
#include <string.h>

static bool same_text(const char *a, const char *b)
{
    return strcmp(a ? a : "", b ? b : "") == 0;
}

static bool ended_alike(const struct trace_end *was, const struct trace_end *is)
{
    return was->outcome == is->outcome && was->number == is->number && same_text(was->text, is->text);
}

static enum change change_of(enum run_outcome outcome)
{
    switch (outcome) {
    case RUN_DEADLOCK:
        return CHANGE_DEADLOCK;
    case RUN_HANG:
        return CHANGE_HANG;
    case RUN_ASSERTION:
        return CHANGE_ASSERTION;
    case RUN_SIGNAL:
    case RUN_EXCEPTION:
        return CHANGE_CRASH;
    default:
        return CHANGE_OUTPUT;
    }
}

void replay_same_end(const struct replay_case *c, struct replay_verdict *v)
{
    const struct trace_end *was = &c->trace.end, *is = &c->reference.trace.end;
    const struct schedule whole = {.prefix = (uint32_t)c->trace.count};
    char recorded[512], now[512], line[1024];

    memset(v, 0, sizeof *v);
    trace_end_text(was, recorded, sizeof recorded);
    trace_end_text(is, now, sizeof now);
    v->runs = 1;
    v->sum = is->outcome + is->number;
    v->switches = schedule_switches(&c->trace, &whole);
    v->confirmed = ended_alike(was, is);
    v->diverged = !v->confirmed && c->reference.divergence.diverged;
    v->change = v->confirmed ? change_of(is->outcome) : CHANGE_NONE;
    snprintf(v->divergence, sizeof v->divergence, "%s", c->reference.divergence.text);
    snprintf(v->reason, sizeof v->reason, "%s", c->reference.divergence.reason);
    snprintf(v->outcome, sizeof v->outcome, "%s", now);
    snprintf(line, sizeof line,
             v->confirmed ? "  the recorded schedule, run again, ends the same way: %s"
                          : "  the recorded schedule, run again, does not end with %s",
             recorded);
    buffer_safe(&v->text, line);
    buffer_text(&v->text, "\n");
    for (size_t i = 0; v->confirmed && i < is->waiters_count; i++) {
        run_waiter_text(&is->waiters[i], line, sizeof line);
        buffer_text(&v->text, "    ");
        buffer_safe(&v->text, line);
        buffer_text(&v->text, "\n");
    }
}
