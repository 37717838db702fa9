/* Making a finding happen in the real program. */
#include "replay/confirm.h"
#include "base/memory.h"
#include "replay/follow.h"
#include "replay/minimise.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

void replay_verdict_free(struct replay_verdict *c)
{
    buffer_free(&c->text);
    memset(c, 0, sizeof *c);
}

static void put_value(struct buffer *to, const struct trace *t, uint32_t e)
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

/* The write that a read of the new run reads from; 0: none. */
static uint32_t source_of(const struct trace *t, uint32_t read)
{
    for (uint32_t e = read; e-- > 1;)
        if (kind_writes(trace_kind(t, e)) && t->arg[e] == t->arg[read])
            return e;
    return 0;
}

struct attempt {
    struct replay_case *c;
    const struct finding *finding;
    struct schedule_script script;
    struct replay_result result;
};

/* Whether an event of the new run is this one of the recorded run: same thread, same point of it. */
static bool is_event(const struct attempt *a, uint32_t now, uint32_t recorded)
{
    const struct replay_case *c = a->c;
    const char *thread = trace_name(&a->result.trace, NAME_THREAD, a->result.trace.thread[now]);

    return a->result.ticks[now] == c->reference.ticks[recorded] &&
           strcmp(thread, trace_name(&c->trace, NAME_THREAD, c->trace.thread[recorded])) == 0;
}

static bool confirm_read(const struct attempt *a, struct buffer *to)
{
    const struct step *step = &a->script.steps[a->script.steps_count - 1];
    uint32_t read = a->finding->events[0], alternative = a->finding->events[2];
    uint32_t e = replay_find(&a->result, &a->script, step), from = e ? source_of(&a->result.trace, e) : 0;
    char words[700];

    follow_describe(&a->script, step, words, sizeof words);
    buffer_text(to, "  ");
    buffer_safe(to, words);
    buffer_text(to, ": ");
    put_value(to, &a->c->trace, read);
    buffer_text(to, " in the recording, ");
    if (e == 0) {
        buffer_text(to, "the program ended before another thread used the variable\n");
        return true;
    }
    put_value(to, &a->result.trace, e);
    buffer_text(to, " now");
    if (from) {
        buffer_text(to, ", written by ");
        buffer_safe(to, trace_name(&a->result.trace, NAME_THREAD, a->result.trace.thread[from]));
        buffer_text(to, " at ");
        buffer_safe(to, a->result.trace.location[from] == NAME_NONE
                            ? "?"
                            : trace_name(&a->result.trace, NAME_LOCATION, a->result.trace.location[from]));
    } else {
        buffer_text(to, ", the initial value");
    }
    buffer_text(to, "\n");
    return alternative ? from && is_event(a, from, alternative) : from == 0;
}

static void put_step(const struct attempt *a, size_t step, const char *before, struct buffer *to)
{
    char words[700];

    follow_describe(&a->script, &a->script.steps[step], words, sizeof words);
    buffer_text(to, before);
    buffer_safe(to, words);
    buffer_text(to, "\n");
}

static bool confirm_race(const struct attempt *a, struct buffer *to)
{
    size_t count = a->script.steps_count;

    put_step(a, count - 2, "  at the brink, first ", to);
    put_step(a, count - 1, "    then ", to);
    return true;
}

static bool stuck(const struct attempt *a, uint32_t thread)
{
    for (size_t i = 0; i < sizeof a->result.threads / sizeof *a->result.threads; i++) {
        const struct session_thread *t = &a->result.threads[i];
        if (t->id == thread + 1)
            return t->state == STATE_BLOCKED && t->reason == WAIT_LOCK;
    }
    return false;
}

static bool confirm_deadlock(const struct attempt *a, struct buffer *to)
{
    bool all = true;

    for (size_t i = a->script.steps_count - a->finding->event_count; i < a->script.steps_count; i++) {
        put_step(a, i, "  waits forever: ", to);
        all &= stuck(a, a->script.steps[i].thread);
    }
    return all;
}

/* The events of a finding about blocks, as they came. */
static bool confirm_events(const struct attempt *a, struct buffer *to)
{
    uint32_t *numbers = script_thread_numbers(&a->c->journal, &a->c->trace);
    struct schedule_script events;

    script_init(&events);
    script_from_journal(&events, &a->c->journal, &a->c->trace);
    for (uint32_t i = 0; i < a->finding->event_count; i++)
        if (a->finding->events[i] && a->finding->events[i] <= a->c->same)
            script_add_event(&events, &a->c->trace, a->c->reference.ticks, numbers, a->finding->events[i]);
    for (size_t i = 0; i < events.steps_count; i++) {
        char words[700];
        follow_describe(&events, &events.steps[i], words, sizeof words);
        buffer_text(to, i == 0 ? "  it came to " : "    then ");
        buffer_safe(to, words);
        buffer_text(to, "\n");
    }
    script_free(&events);
    free(numbers);
    return true;
}

static bool confirm(const struct attempt *a, struct buffer *to)
{
    switch (a->finding->property) {
    case PROPERTY_NONDET:
        return confirm_read(a, to);
    case PROPERTY_RACE:
        return confirm_race(a, to);
    case PROPERTY_DEADLOCK:
        return confirm_deadlock(a, to);
    default:
        return confirm_events(a, to);
    }
}

/* All that happened in a run, in a number. */
static uint64_t sum_run(const struct replay_result *r, uint64_t seed)
{
    const struct trace *t = &r->trace;

    seed = XXH3_64bits_withSeed(t->op, t->count + 1, seed);
    seed = XXH3_64bits_withSeed(t->thread, (t->count + 1) * sizeof *t->thread, seed);
    seed = XXH3_64bits_withSeed(t->arg, (t->count + 1) * sizeof *t->arg, seed);
    if (t->value)
        seed = XXH3_64bits_withSeed(t->value, (t->count + 1) * sizeof *t->value, seed);
    seed = XXH3_64bits_withSeed(r->outcome.output[0].bytes, r->outcome.output[0].length, seed);
    return XXH3_64bits_withSeed(&r->outcome.raw, sizeof r->outcome.raw, seed);
}

/* A race found with data ignored: the run took a path of its own, on which the same points of the threads may
 * be other steps. Both accesses have to be there, of one variable, which is shared then and so is in the trace.
 */
static void check_other_path(struct attempt *a)
{
    const struct step *steps = a->script.steps + a->script.steps_count - 2;
    struct divergence *d = &a->result.divergence;
    uint32_t one, other;
    char words[700];

    if (d->diverged || !a->finding->synchronization || a->finding->property != PROPERTY_RACE)
        return;
    one = replay_find(&a->result, &a->script, &steps[0]);
    other = replay_find(&a->result, &a->script, &steps[1]);
    if (one && other && a->result.trace.arg[one] == a->result.trace.arg[other])
        return;
    d->diverged = true;
    follow_describe(&a->script, &steps[one ? 1 : 0], words, sizeof words);
    snprintf(d->text, sizeof d->text, "expected %.400s; got something else at that point of the thread", words);
}

/* Takes down what one run showed. */
static void judge(struct attempt *a, struct replay_verdict *out)
{
    enum change change = outcome_compare(&a->c->reference, &a->result);
    char words[600];

    check_other_path(a);
    out->runs++;
    out->sum = sum_run(&a->result, out->sum);
    if (a->result.divergence.diverged) {
        out->diverged = true;
        snprintf(out->divergence, sizeof out->divergence, "%s", a->result.divergence.text);
        snprintf(out->reason, sizeof out->reason, "%s", a->result.divergence.reason);
        return;
    }
    out->confirmed = confirm(a, &out->text) && out->confirmed;
    outcome_words(change, &a->result.outcome, words, sizeof words);
    buffer_text(&out->text, "    outcome: ");
    buffer_safe(&out->text, words);
    buffer_text(&out->text, "\n");
    outcome_diff(&a->c->reference, &a->result, &out->text);
    if (change >= out->change) {
        out->change = change;
        snprintf(out->outcome, sizeof out->outcome, "%s", words);
    }
}

/* One run; a race has two. */
static enum status try_variant(struct replay_case *c, const struct finding *f, int variant,
                               struct replay_verdict *out, struct error *err)
{
    struct attempt a = {.c = c, .finding = f};
    enum status status = replay_plan(c, f, variant, &a.script, err);

    if (status == HEDDLE_REJECTED) { /* the recorded run itself does not happen any more */
        out->diverged = true;
        snprintf(out->divergence, sizeof out->divergence, "%s", err->text);
        snprintf(out->reason, sizeof out->reason, "%s", c->reference.divergence.reason);
        status = HEDDLE_OK;
    } else if (status == HEDDLE_OK) {
        status = replay_run(&c->settings, &a.script, &a.result, err);
        if (status == HEDDLE_OK) {
            judge(&a, out);
            replay_result_free(&a.result);
        }
    }
    script_free(&a.script);
    return status;
}

static uint64_t sum_text(const struct text *t)
{
    return XXH3_64bits(t->bytes, t->length);
}

enum status replay_finding_script(struct replay_case *c, const struct finding *f, bool as_found, const char *id,
                                  struct schedule_script *s, struct error *err)
{
    const struct outcome *was = &c->reference.outcome;
    struct finding shorter = *f;
    char title[1024], words[700];
    enum status status;

    minimise_schedule(c, f, &shorter.schedule);
    status = replay_plan(c, as_found ? f : &shorter, 0, s, err);
    free(shorter.schedule.tail);
    if (status != HEDDLE_OK)
        return status;
    follow_describe(s, &s->steps[replay_deciding_step(f, s)], words, sizeof words);
    snprintf(title, sizeof title, "%s, %s: %s", id, property_title(f->property), words);
    s->title = memory_text(title, strlen(title));
    replay_expect(s, was);
    return HEDDLE_OK;
}

void replay_expect(struct schedule_script *s, const struct outcome *was)
{
    s->expected = (struct expectation){.known = true,
                                       .status = (uint32_t)was->raw,
                                       .sums = {sum_text(&was->output[0]), sum_text(&was->output[1])}};
}

uint64_t replay_deciding_step(const struct finding *f, const struct schedule_script *s)
{
    return f->property == PROPERTY_RACE && s->steps_count > 1 ? s->steps_count - 2 : s->steps_count - 1;
}

enum change replay_against_expectation(const struct schedule_script *s, const struct outcome *now)
{
    if (!s->expected.known)
        return CHANGE_NONE;
    if (now->ending != ENDED_EXIT && (now->ending == ENDED_HANG || (uint32_t)now->raw != s->expected.status))
        return now->ending == ENDED_SIGNAL || now->ending == ENDED_EXCEPTION ? CHANGE_CRASH
               : now->ending == ENDED_ASSERTION                              ? CHANGE_ASSERTION
               : now->ending == ENDED_DEADLOCK                               ? CHANGE_DEADLOCK
                                                                             : CHANGE_HANG;
    return (uint32_t)now->raw != s->expected.status || sum_text(&now->output[0]) != s->expected.sums[0] ||
                   sum_text(&now->output[1]) != s->expected.sums[1]
               ? CHANGE_OUTPUT
               : CHANGE_NONE;
}

/* All runs of one schedule. */
static enum status try_schedule(struct replay_case *c, const struct finding *f, struct replay_verdict *out,
                                struct error *err)
{
    int variants = f->property == PROPERTY_RACE ? 2 : 1;
    enum status status = HEDDLE_OK;

    memset(out, 0, sizeof *out);
    out->confirmed = true;
    out->switches = schedule_switches(&c->trace, &f->schedule);
    for (int i = 0; i < variants && status == HEDDLE_OK; i++)
        status = try_variant(c, f, i, out, err);
    out->confirmed = out->confirmed && !out->diverged && out->runs > 0;
    return status;
}

static bool same_schedule(const struct schedule *a, const struct schedule *b)
{
    return a->prefix == b->prefix && a->tail_count == b->tail_count &&
           (a->tail_count == 0 || memcmp(a->tail, b->tail, a->tail_count * sizeof *a->tail) == 0);
}

/* What the shortest schedule leaves out does not matter for the finding, but it may for what comes of it: where
 * nothing changes, the schedule as it was found is tried, too. */
enum status replay_confirm(struct replay_case *c, const struct finding *f, struct replay_verdict *out,
                           struct error *err)
{
    struct finding shorter = *f;
    struct replay_verdict other;
    enum status status;

    minimise_schedule(c, f, &shorter.schedule);
    status = try_schedule(c, &shorter, out, err);
    if (status == HEDDLE_OK && (!out->confirmed || out->change == CHANGE_NONE) &&
        !same_schedule(&shorter.schedule, &f->schedule)) {
        status = try_schedule(c, f, &other, err);
        if (status == HEDDLE_OK && other.confirmed && (!out->confirmed || other.change > out->change)) {
            replay_verdict_free(out);
            *out = other;
            out->as_found = true;
        } else {
            replay_verdict_free(&other);
        }
    }
    free(shorter.schedule.tail);
    return status;
}
