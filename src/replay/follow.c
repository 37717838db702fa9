/* Did the program follow the script? Each step is looked up in the new trace by thread and tick. */
#include "replay/follow.h"
#include "base/invariant.h"
#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The events of the new run, by thread number, in order. */
struct followed_timeline {
    uint32_t *events;
    uint32_t *start; /* by thread number; one more than threads */
    size_t threads;
    const uint32_t *numbers;
};

static void timeline_free(struct followed_timeline *l)
{
    free(l->events);
    free(l->start);
}

/* The events of each thread, up to `end`, have ticks that never go back: they are found by halving. */
static bool ticks_ascend(const struct followed_timeline *l, const struct replay_result *r, const uint32_t *end)
{
    for (size_t t = 0; t < l->threads; t++)
        for (uint32_t i = l->start[t] + 1; i < end[t]; i++)
            if (r->ticks[l->events[i - 1]] > r->ticks[l->events[i]])
                return false;
    return true;
}

static void timeline_build(struct followed_timeline *l, const struct replay_result *r, const uint32_t *numbers,
                           size_t threads)
{
    uint32_t *at;

    memset(l, 0, sizeof *l);
    l->threads = threads;
    l->events = memory_new(r->trace.count + 1, sizeof *l->events);
    l->start = memory_new(threads + 2, sizeof *l->start);
    for (size_t e = 1; e <= r->trace.count; e++)
        if (numbers[r->trace.thread[e]] < threads)
            l->start[numbers[r->trace.thread[e]] + 1]++;
    for (size_t t = 0; t < threads; t++)
        l->start[t + 1] += l->start[t];
    at = memory_new(threads + 1, sizeof *at);
    memcpy(at, l->start, threads * sizeof *at);
    for (size_t e = 1; e <= r->trace.count; e++)
        if (numbers[r->trace.thread[e]] < threads && r->ticks[e] != TICK_UNKNOWN)
            l->events[at[numbers[r->trace.thread[e]]]++] = (uint32_t)e;
    assert_costly(ticks_ascend(l, r, at));
    for (size_t t = 0; t < threads; t++) /* events without a tick leave the end of a thread's part empty */
        while (at[t] < l->start[t + 1])
            l->events[at[t]++] = 0;
    free(at);
}

/* The first of the thread's events at or beyond the tick; 0: none. `*slot` is its place in the timeline. */
static uint32_t first_from(const struct followed_timeline *l, const struct replay_result *r, uint32_t thread,
                           uint64_t tick, uint32_t *slot)
{
    uint32_t low, high, end;

    if (thread >= l->threads)
        return 0;
    low = l->start[thread];
    high = end = l->start[thread + 1];
    while (low < high) {
        uint32_t middle = low + (high - low) / 2, e = l->events[middle];
        if (e && r->ticks[e] < tick)
            low = middle + 1;
        else
            high = middle;
    }
    assert(low == l->start[thread] || r->ticks[l->events[low - 1]] < tick);
    *slot = low;
    return low < end ? l->events[low] : 0;
}

static bool same_place(const struct schedule_script *s, const struct schedule_step *step,
                       const struct trace *trace, uint32_t e)
{
    location_id place = trace->location[e];

    return step->location == NAME_NONE || place == NAME_NONE ||
           strcmp(names_text(&s->texts, step->location), trace_name(trace, NAME_LOCATION, place)) == 0;
}

/* A compare-and-exchange is a read when it fails and more when it does not: which, what it reads decides. */
static bool same_kind(enum event_kind a, enum event_kind b)
{
    return a == b || (kind_atomic(a) && kind_atomic(b) && kind_reads(a) && kind_reads(b));
}

static bool same_object(const struct schedule_script *s, const struct schedule_step *step,
                        const struct trace *trace, uint32_t e)
{
    enum name_class class = kind_argument(op_kind(step->op));
    uint32_t arg = trace->arg[e];

    return step->arg == NAME_NONE || class >= NAME_CLASSES || arg == ARG_NONE ||
           strcmp(names_text(&s->texts, step->arg), trace_name(trace, class, arg)) == 0;
}

/* The event that is the step; failing that, one of its kind and place, then any at its tick. */
static uint32_t event_of_step(const struct followed_timeline *l, const struct replay_result *r,
                              const struct schedule_script *s, const struct schedule_step *step,
                              uint32_t *other)
{
    uint32_t slot = 0, alike = 0, e = first_from(l, r, step->thread, step->position, &slot);

    *other = e && r->ticks[e] == step->position ? e : 0;
    for (; e && r->ticks[e] == step->position; e = ++slot < l->start[step->thread + 1] ? l->events[slot] : 0) {
        if (!same_kind(trace_kind(&r->trace, e), op_kind(step->op)) || !same_place(s, step, &r->trace, e))
            continue;
        if (same_object(s, step, &r->trace, e))
            return e;
        if (!alike)
            alike = e;
    }
    return alike;
}

void follow_describe(const struct schedule_script *s, const struct schedule_step *step, char *to, size_t room)
{
    const char *arg = step->arg == NAME_NONE ? "" : names_text(&s->texts, step->arg);
    const char *place = step->location == NAME_NONE ? "" : names_text(&s->texts, step->location);

    snprintf(to, room, "%s: %s%s%s%s%s%s", names_text(&s->texts, s->threads[step->thread].name),
             step->any_op ? "its next step" : kind_word(op_kind(step->op)), *arg ? "(" : "", arg,
             *arg ? ")" : "", *place ? " at " : "", place);
}

/* The same, with the instruction where it is known. */
static void describe_step(const struct schedule_script *s, const struct schedule_step *step, char *to,
                          size_t room)
{
    size_t length;

    follow_describe(s, step, to, room);
    length = strlen(to);
    if (step->bytecode)
        snprintf(to + length, room - length, " (bytecode %u)", step->bytecode - 1);
}

static void describe_event(const struct replay_result *r, uint32_t e, char *to, size_t room)
{
    const struct trace *trace = &r->trace;
    size_t length;
    struct event v = trace_event(trace, e);
    enum name_class class = kind_argument(op_kind(v.op));
    const char *arg = class < NAME_CLASSES && v.arg != ARG_NONE ? trace_name(trace, class, v.arg) : "";
    const char *place = v.location == NAME_NONE ? "" : trace_name(trace, NAME_LOCATION, v.location);

    snprintf(to, room, "%s%s%s%s%s%s", kind_word(op_kind(v.op)), *arg ? "(" : "", arg, *arg ? ")" : "",
             *place ? " at " : "", place);
    length = strlen(to);
    if (r->bytecodes)
        snprintf(to + length, room - length, " (bytecode %u)", r->bytecodes[e]);
}

static void set(struct divergence *d, uint64_t step, const char *expected, const char *got)
{
    d->diverged = true;
    d->step = step;
    snprintf(d->text, sizeof d->text, "expected %.400s; got %.400s", expected, got);
}

static const char *const troubles[] = {
    [TROUBLE_NONE] = "",
    [TROUBLE_NO_THREAD] = "the thread was not started",
    [TROUBLE_ENDED] = "the thread ended before that",
    [TROUBLE_BLOCKED] = "the thread waits for something that no thread will do",
    [TROUBLE_OUTSIDE] = "the thread did not return from a system call",
    [TROUBLE_ORDER] = "every thread waits for an event of another thread",
};

/* The step of the script that the runtime's step is the first half or all of. */
static uint64_t step_of_compiled(const struct schedule_script *s, uint64_t compiled)
{
    uint64_t low = 0, high = s->steps_count;

    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (script_compiled_before(s, middle + 1) <= compiled)
            low = middle + 1;
        else
            high = middle;
    }
    assert(low == 0 || script_compiled_before(s, low) <= compiled);
    return low < s->steps_count ? low : s->steps_count - 1;
}

struct followed_walk {
    const struct schedule_script *script;
    struct replay_result *result;
    struct followed_timeline timeline;
    uint32_t latest;   /* event of the steps so far */
    uint64_t *reached; /* by thread: position of its last step */
};

/* What is told, or where, depends on the rest of the run: that something was done once, if another thread looks
 * at it later; that a Java thread handed something to another, where it may have. */
static bool is_derived(const struct schedule_script *s, const struct schedule_step *step)
{
    enum event_kind kind = op_kind(step->op);
    const char *name = step->arg != NAME_NONE ? names_text(&s->texts, step->arg) : "";

    return (kind == EVENT_POST && strncmp(name, "once ", 5) == 0) ||
           (s->java && (kind == EVENT_POST || kind == EVENT_SEM_WAIT) && strstr(name, " from "));
}

/* Whether the step is a post that no later step waits for. The request for a timer posts only if a handler runs in another
 * thread, which may come after the script. */
static bool posts_for_the_rest(const struct schedule_script *s, uint64_t i)
{
    uint32_t object = s->steps[i].arg;

    if (op_kind(s->steps[i].op) != EVENT_POST || object == NAME_NONE)
        return false;
    while (++i < s->steps_count)
        if (s->steps[i].arg == object && op_kind(s->steps[i].op) == EVENT_SEM_WAIT)
            return false;
    return true;
}

/* A step of an exact script; false: it did not happen. */
static bool check_step(struct followed_walk *w, uint64_t i)
{
    const struct schedule_step *step = &w->script->steps[i];
    struct replay_result *r = w->result;
    char expected[700], got[700];
    bool part = step->position == w->reached[step->thread]; /* of a call whose first part was checked */
    uint32_t other, e;

    assert(step->thread < w->script->threads_count && i < w->script->steps_count);
    w->reached[step->thread] = step->position;
    if (step->any_op || step->attempt || step->position == STEP_UNKNOWN || is_derived(w->script, step))
        return true;
    e = event_of_step(&w->timeline, r, w->script, step, &other);
    describe_step(w->script, step, expected, sizeof expected);
    if (e && (e > w->latest || part)) {
        if (!part) /* the rest of a call has no place of its own: leaving a barrier means nothing to others */
            w->latest = e;
        return true;
    }
    if (e) {
        set(&r->divergence, i, expected, "it happened earlier");
        return false;
    }
    if (other) {
        describe_event(r, other, got, sizeof got);
        set(&r->divergence, i, expected, got);
        return false;
    }
    if (!step->wanted &&
        (kind_accesses(op_kind(step->op)) /* left out, where its variable is not shared in this run */
         || posts_for_the_rest(w->script, i)))
        return true;
    set(&r->divergence, i, expected, "something else at that point of the thread");
    r->divergence.unseen = step->wanted;
    return false;
}

/* A program that got into a deadlock or died cannot make its remaining steps; that is its outcome. */
static bool cut_short(const struct replay_result *r)
{
    return r->outcome.ending != ENDED_EXIT;
}

/* Whether the program ended of itself while it made the last step, after all that the step holds. */
static bool ended_in_last_step(const struct followed_walk *w, uint64_t at)
{
    const struct schedule_step *last = &w->script->steps[w->script->steps_count - 1];
    uint32_t other;

    if (at + 1 < script_compiled_before(w->script, w->script->steps_count))
        return false;
    return last->any_op || last->attempt || w->result->last_tick >= last->position ||
           event_of_step(&w->timeline, w->result, w->script, last, &other) != 0;
}

static void check_exact(struct followed_walk *w, uint64_t at, enum script_trouble trouble)
{
    struct replay_result *r = w->result;
    const struct schedule_script *s = w->script;
    uint64_t limit = s->steps_count;
    char expected[700];

    if (r->state == SCRIPT_DIVERGED || (r->state == SCRIPT_RUNNING && !ended_in_last_step(w, at)))
        limit = step_of_compiled(s, at);
    assert(limit <= s->steps_count);
    for (uint64_t i = 0; i < limit; i++)
        if (!check_step(w, i))
            return;
    if (limit == s->steps_count)
        return;
    describe_step(s, &s->steps[limit], expected, sizeof expected);
    if (r->state == SCRIPT_DIVERGED)
        set(&r->divergence, limit, expected, troubles[trouble]);
    else
        set(&r->divergence, limit, expected, cut_short(r) ? "the program died" : "the program ended");
}

void follow_check(const struct schedule_script *s, struct replay_result *r, enum script_trouble trouble,
                  uint64_t at)
{
    struct followed_walk w = {.script = s, .result = r};
    uint32_t *numbers;

    if (s->steps_count == 0)
        return;
    if (s->mode == SCRIPT_ORDER) {
        char expected[700];
        if (r->state == SCRIPT_DONE)
            return;
        follow_describe(s, &s->steps[at < s->steps_count ? at : s->steps_count - 1], expected, sizeof expected);
        set(&r->divergence, at, expected,
            r->state == SCRIPT_DIVERGED ? troubles[trouble] : "the program ended");
        return;
    }
    numbers = script_thread_numbers(&r->journal, &r->trace);
    timeline_build(&w.timeline, r, numbers, s->threads_count);
    w.reached = memory_new(s->threads_count + 1, sizeof *w.reached);
    check_exact(&w, at, trouble);
    free(w.reached);
    timeline_free(&w.timeline);
    free(numbers);
}

uint32_t replay_find(const struct replay_result *r, const struct schedule_script *s,
                     const struct schedule_step *step)
{
    struct followed_timeline l;
    uint32_t *numbers = script_thread_numbers(&r->journal, &r->trace), other, e;

    timeline_build(&l, r, numbers, s->threads_count);
    e = event_of_step(&l, r, s, step, &other);
    timeline_free(&l);
    free(numbers);
    return e;
}

struct found replay_find_all(const struct replay_result *r, const struct schedule_script *s,
                             const struct schedule_step *step)
{
    struct found found = {0};
    struct followed_timeline l;
    uint32_t *numbers = script_thread_numbers(&r->journal, &r->trace), slot = 0, e;

    timeline_build(&l, r, numbers, s->threads_count);
    for (e = first_from(&l, r, step->thread, step->position, &slot); e && r->ticks[e] == step->position;
         e = ++slot < l.start[step->thread + 1] ? l.events[slot] : 0)
        if (same_kind(trace_kind(&r->trace, e), op_kind(step->op)) && same_place(s, step, &r->trace, e))
            ARRAY_PUSH(&found, events, e);
    timeline_free(&l);
    free(numbers);
    return found;
}
