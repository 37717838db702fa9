/* Makes a finding happen in the real program. */
#include "replay/confirm.h"
#include "base/memory.h"
#include "replay/evidence.h"
#include "replay/follow.h"
#include "replay/minimise.h"
#include "replay/same_end.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

void replay_verdict_free(struct replay_verdict *c)
{
    buffer_free(&c->text);
    memset(c, 0, sizeof *c);
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

/* Takes down what one run showed. */
static void judge(struct attempt *a, struct replay_verdict *out)
{
    const struct replay_result *again = NULL;
    enum change change = outcome_compare(&a->c->reference, NULL, &a->result);
    struct divergence *d = &a->result.divergence;
    char words[600];
    bool shown;

    if (change != CHANGE_NONE && !a->result.divergence.diverged) {
        again = replay_again(a->c);
        change = outcome_compare(&a->c->reference, again, &a->result);
    }
    out->runs++;
    out->sum = sum_run(&a->result, out->sum);
    shown = !d->diverged && evidence_shows(a, &out->text);
    if (d->diverged) {
        out->diverged = true;
        snprintf(out->divergence, sizeof out->divergence, "%s", d->text);
        snprintf(out->reason, sizeof out->reason, "%s", d->reason);
        return;
    }
    out->confirmed = shown && out->confirmed;
    outcome_words(change, &a->result.outcome, words, sizeof words);
    buffer_text(&out->text, "    outcome: ");
    buffer_safe(&out->text, words);
    buffer_text(&out->text, "\n");
    outcome_diff(&a->c->reference, again, &a->result, &out->text);
    if (change >= out->change) {
        out->change = change;
        snprintf(out->outcome, sizeof out->outcome, "%s", words);
    }
}

/* A run that records what threads share says nothing of an access whose bytes they do not share this time: then
 * one records everything. */
static enum status run_attempt(struct attempt *a, struct error *err)
{
    struct replay_settings settings = a->c->settings;
    enum status status = replay_run(&settings, &a->script, &a->result, err);

    if (status != HEDDLE_OK || !a->result.divergence.unseen || !a->script.two_pass || settings.one_pass)
        return status;
    replay_result_free(&a->result);
    settings.one_pass = true;
    return replay_run(&settings, &a->script, &a->result, err);
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
        status = run_attempt(&a, err);
        if (status == HEDDLE_OK) {
            judge(&a, out);
            replay_result_free(&a.result);
        }
    }
    script_free(&a.script);
    return status;
}

static uint64_t sum_text(const struct captured_text *t)
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
    assert(s->steps_count > 0);
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
    assert(out->runs <= (uint32_t)variants);
    out->confirmed = out->confirmed && !out->diverged && out->runs == (uint32_t)variants;
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

    if (f->property == PROPERTY_OBSERVED) {
        replay_same_end(c, out);
        return HEDDLE_OK;
    }
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
