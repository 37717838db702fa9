/* Whether a replayed run shows a stale read: the other thread's write comes between the read and the write that
 * stands on it. */
#include "replay/evidence_parts.h"

#include <assert.h>

/* The step that stands for an event of the recorded trace; steps_count: none does. */
static size_t step_of(const struct attempt *a, uint32_t event)
{
    size_t i = a->script.steps_count;

    while (i > 0 && a->script.steps[i - 1].event != event)
        i--;
    return i > 0 ? i - 1 : a->script.steps_count;
}

static void put_access(const struct attempt *a, size_t step, uint32_t now, const char *before,
                       struct buffer *to)
{
    evidence_step(a, step, before, to);
    assert(to->text_count > 0 && to->text[to->text_count - 1] == '\n');
    to->text_count--; /* its end of line */
    buffer_text(to, ": ");
    evidence_value(to, &a->result.trace, now);
    buffer_text(to, "\n");
}

bool evidence_stale(struct attempt *a, struct buffer *to)
{
    static const char *const words[] = {"  it reached ", "    meanwhile ", "    then "};
    const struct trace *t = &a->result.trace;
    uint32_t now[3];
    size_t steps[3];

    for (uint32_t i = 0; i < 3; i++) {
        steps[i] = step_of(a, a->finding->events[i]);
        if (steps[i] == a->script.steps_count)
            return false;
        now[i] = replay_find(&a->result, &a->script, &a->script.steps[steps[i]]);
        if (now[i] == 0)
            return evidence_refute(a, steps[i], "something else at that point of the thread");
    }
    assert(now[0] <= t->count && now[1] <= t->count && now[2] <= t->count);
    if (now[1] < now[0] || now[2] < now[1])
        return evidence_refute(a, steps[1], "it did not happen between the read and the write");
    if (t->arg[now[0]] != t->arg[now[1]] || t->arg[now[1]] != t->arg[now[2]])
        return evidence_refute(a, steps[1], "an access to other bytes than the read's");
    for (uint32_t e = now[1] + 1; e < now[2]; e++)
        if (kind_writes(trace_kind(t, e)) && t->arg[e] == t->arg[now[1]])
            return evidence_refute(a, steps[2], "another write just before it");
    for (uint32_t i = 0; i < 3; i++)
        put_access(a, steps[i], now[i], words[i], to);
    return true;
}
