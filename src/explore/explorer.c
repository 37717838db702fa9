/* Runs of an exploration: what each teaches, and how it ended. */
#include "explore/explorer.h"
#include "base/memory.h"
#include "explore/tearing.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void explorer_init(struct explorer *e, const struct explore_settings *settings, struct exploration *to,
                   struct error *err)
{
    memset(e, 0, sizeof *e);
    memset(to, 0, sizeof *to);
    e->settings = settings;
    e->to = to;
    e->err = err;
    history_init(&e->history);
    e->history.java = settings->java;
    deed_numbers_init(&e->numbers);
    history_threads(&e->history, &e->numbers);
}

void explorer_free(struct explorer *e)
{
    for (size_t i = 0; i < e->runs_count; i++)
        deeds_free(&e->runs[i]);
    free(e->runs);
    free(e->ends);
    history_free(&e->history);
    deed_numbers_free(&e->numbers);
    map_free(&e->seen);
    map_free(&e->ways);
    map_free(&e->problems);
}

void explorer_miss(struct explorer *e, enum incomplete why, const char *format, ...)
{
    va_list list;

    if (e->to->incomplete)
        return;
    e->to->incomplete = why;
    va_start(list, format);
    vsnprintf(e->to->reason, sizeof e->to->reason, format, list);
    va_end(list);
}

bool explorer_seen(struct explorer *e, uint64_t sum)
{
    return map_get(&e->seen, sum) != 0;
}

bool explorer_remember(struct explorer *e, uint64_t sum)
{
    return (*map_at(&e->seen, sum))++ != 0;
}

/* The same input from its beginning, as the first run had it. */
static void keep_start(struct explorer *e, const struct journal *journal)
{
    if (!e->clocks_known)
        memcpy(e->clocks, journal->clocks, sizeof e->clocks);
    e->clocks_known = true;
}

static bool same_end(const struct replay_result *a, const struct replay_result *b)
{
    if (a->outcome.ending != b->outcome.ending || a->outcome.status != b->outcome.status)
        return false;
    for (int i = 0; i < 2; i++)
        if (a->outcome.output[i].length != b->outcome.output[i].length ||
            memcmp(a->outcome.output[i].bytes, b->outcome.output[i].bytes, a->outcome.output[i].length) != 0)
            return false;
    return true;
}

static enum change change_of(const struct exploration *x, const struct replay_result *now)
{
    enum change change = x->outcomes_count ? outcome_compare(&x->outcomes[0].result, NULL, now) : CHANGE_NONE;

    return change == CHANGE_VALUES ? CHANGE_OUTPUT : change;
}

/* Whether the run took too long because it could not follow its schedule. */
static bool is_held_up(const struct replay_result *r)
{
    return r->outcome.ending == ENDED_HANG && r->state == SCRIPT_RUNNING;
}

/* Files the run under how it ended; takes its result over if it is the first of its kind. */
static void file_outcome(struct explorer *e, struct replay_result *result, const struct deeds *deeds,
                         bool fresh)
{
    struct exploration *x = e->to;

    for (size_t i = 0; i < x->outcomes_count; i++)
        if (same_end(&x->outcomes[i].result, result)) {
            x->outcomes[i].times += fresh;
            return;
        }
    struct explored_outcome new = {.change = change_of(x, result), .times = 1, .run = x->runs};
    new.result = *result;
    memset(result, 0, sizeof *result);
    trace_init(&result->trace);
    new.deeds = *deeds;
    new.deeds.deeds = memory_new(deeds->deeds_count + 1, sizeof *deeds->deeds);
    new.deeds.deeds_capacity = deeds->deeds_count;
    new.deeds.stuck = NULL;
    new.deeds.stuck_count = new.deeds.stuck_capacity = 0;
    if (deeds->deeds_count)
        memcpy(new.deeds.deeds, deeds->deeds, deeds->deeds_count * sizeof *deeds->deeds);
    ARRAY_PUSH(x, outcomes, new);
    if (e->settings->stop_at_first &&
        (x->outcomes_count > 1 || new.result.outcome.ending != ENDED_EXIT || new.result.outcome.status != 0))
        explorer_miss(e, INCOMPLETE_STOPPED, "it stopped at the first failure or different outcome, as asked");
}

/* Threads that were waiting at the end: what they wait for is what they do next. Where some thread could still go on, that is asked of
 * one thread only, and only where it is known when the wait is over. */
static void expect_stuck(struct explorer *e, const struct deeds *deeds, const struct lesson *lesson, bool all)
{
    for (size_t i = 0; i < deeds->stuck_count && !lesson->broken && !lesson->recount; i++) {
        const struct stuck_thread *s = &deeds->stuck[i];
        bool wanted = all || (s->thread + 1 == e->asked && !s->vague && s->move.value != STUCK_ELSEWHERE);
        if (wanted && s->thread < EXPLORE_THREADS && lesson->nodes[s->thread] != NODE_NONE)
            history_expect(&e->history, lesson->nodes[s->thread], &s->move);
    }
}

/* All runs again, with loops that count known as such, up to one that contradicts others. Returns the last one that was learned from. */
static size_t learn_again(struct explorer *e, struct lesson *lesson)
{
    size_t at = 0;

    do {
        history_restart(&e->history);
        map_free(&e->seen);
        map_free(&e->ways);
        memset(&e->seen, 0, sizeof e->seen);
        memset(&e->ways, 0, sizeof e->ways);
        lesson->recount = false;
        e->to->behaviours = 0;
        lesson->broken = 0;
        for (at = 0; at < e->runs_count && !lesson->recount && !lesson->broken; at++) {
            learn(&e->history, &e->runs[at], e->ends[at], lesson);
            e->to->behaviours += !explorer_remember(e, lesson_sum(&e->history, lesson));
        }
    } while (lesson->recount);
    return at - 1;
}

/* Of a deed in a run; `result`: what came of the last run. The traces of earlier ones are gone. */
static void place_text(const struct explorer *e, const struct replay_result *result, size_t run, size_t deed,
                       char *to, size_t room)
{
    const struct deed *d = &e->runs[run].deeds[deed];

    if (e->settings->java && d->move.pc)
        snprintf(to, room, "%s", names_text(&e->numbers.places, (uint32_t)d->move.pc - 1));
    else if (run + 1 == e->runs_count && !e->settings->java)
        explored_place(result, &e->runs[run], deed, to, room);
    else
        snprintf(to, room, "%#llx", (unsigned long long)d->move.pc);
}

static void take_lesson(struct explorer *e, const struct replay_result *result, struct lesson *lesson,
                        bool *relearned)
{
    size_t run = e->runs_count - 1;

    assert(e->runs_count > 0 && e->runs_count == e->ends_count);
    learn(&e->history, &e->runs[run], e->ends[run], lesson);
    *relearned = lesson->recount;
    if (lesson->recount)
        run = learn_again(e, lesson);
    if (lesson->broken) {
        assert(lesson->broken <= e->runs[run].deeds_count);
        const struct deed *d = &e->runs[run].deeds[lesson->broken - 1];
        char place[512];
        place_text(e, result, run, lesson->broken - 1, place, sizeof place);
        explorer_miss(e, INCOMPLETE_OTHER,
                      "thread %u behaved differently (at %.300s, move %zu of run %llu) from another run in "
                      "which it had read the same values: it depends on something that is not recorded, such "
                      "as %s, uninstrumented code or other processes",
                      d->thread, place, lesson->broken,
                      run + 1 == e->runs_count ? (unsigned long long)e->to->runs : run + 1,
                      e->settings->java ? "time" : "addresses");
        return;
    }
    if (!*relearned)
        e->to->behaviours += !explorer_remember(e, lesson_sum(&e->history, lesson));
}

static enum lesson_end end_of(const struct outcome *o)
{
    switch (o->ending) {
    case ENDED_DEADLOCK:
        return LESSON_STUCK;
    case ENDED_HANG:
        return LESSON_HANG;
    default:
        return LESSON_EXIT;
    }
}

static void note_tearing(struct explorer *e, const struct deeds *deeds, const struct replay_result *result)
{
    size_t torn = e->settings->java || e->limit[0] ? 0 : tearing_find(deeds);
    char place[512];

    if (torn == 0)
        return;
    explored_place(result, deeds, torn - 1, place, sizeof place);
    explorer_limit(e, "not explored: other threads running in the middle of the %llu-byte access at %s",
                   (unsigned long long)deeds->deeds[torn - 1].move.length, place);
}

/* A condition wait whose time is over may still see what a notification left for it, or not. */
static void note_time_outs(struct explorer *e, const struct deeds *deeds, const struct replay_result *result)
{
    char place[512];

    for (size_t i = 0; i < deeds->deeds_count && !e->settings->java && !e->limit[0]; i++)
        if (deeds->deeds[i].move.kind == MOVE_WAIT && deeds->deeds[i].move.value == 1 &&
            e->history.threads_count > 1) {
            explored_place(result, deeds, i, place, sizeof place);
            explorer_limit(e, "not explored: other moments for the time-out of the wait at %s", place);
        }
}

/* Where the thread that was asked for got to. */
static void note_asked(struct explorer *e, const struct deeds *deeds, const struct replay_result *result)
{
    e->asked_place[0] = '\0';
    for (size_t i = deeds->deeds_count; i-- > 0 && !e->asked_place[0];) /* a thread's end has no place */
        if (deeds->deeds[i].thread == e->asked - 1)
            explored_place(result, deeds, i, e->asked_place, sizeof e->asked_place);
    if (!e->asked_place[0])
        snprintf(e->asked_place, sizeof e->asked_place, "its start");
}

static void note_limits(struct explorer *e, const struct deeds *deeds, const struct replay_result *result)
{
    if (e->history.threads_count > EXPLORE_THREADS)
        explorer_miss(e, INCOMPLETE_UNSUPPORTED, "more than %d threads", EXPLORE_THREADS);
    if (deeds->unsupported[0] && !e->settings->java)
        explorer_miss(e, INCOMPLETE_UNSUPPORTED, "not explored: %s", deeds->unsupported);
    if (result->unmodelled[0])
        explorer_limit(e, "not explored: the effects of %.400s on other threads", result->unmodelled);
    e->outlasting |= result->outlasting;
    note_tearing(e, deeds, result);
    note_time_outs(e, deeds, result);
    if (e->asked)
        note_asked(e, deeds, result);
    if (e->to->longest < deeds->deeds_count)
        e->to->longest = deeds->deeds_count;
}

/* Whether only the beginning of the run was recorded, and more is to come than waiting. */
static bool is_too_large(struct explorer *e, const struct deeds *deeds, const struct lesson *lesson)
{
    bool too_large = deeds->too_many && !lesson->idle;

    if (too_large)
        explorer_miss(e, INCOMPLETE_UNSUPPORTED,
                      "a run made more than %d million steps: explore the program with a smaller input",
                      DEEDS_MOST >> 20);
    if (e->kept > EXPLORER_KEEPS)
        explorer_miss(e, INCOMPLETE_UNSUPPORTED,
                      "the runs so far made more than %d million steps, which are kept in memory: explore the "
                      "program with a smaller input",
                      EXPLORER_KEEPS >> 20);
    return too_large;
}

/* A run that teaches nothing: it was interrupted, or went where no schedule leads. */
static void skip_run(struct explorer *e, bool interrupted, struct deeds *deeds, struct lesson *lesson)
{
    if (interrupted)
        explorer_miss(e, INCOMPLETE_STOPPED, "it was interrupted");
    else if (deeds->unsupported[0])
        explorer_limit(e, "not explored: %.400s", deeds->unsupported);
    memset(lesson, 0, sizeof *lesson);
    memset(lesson->nodes, 0xff, sizeof lesson->nodes);
    deeds_free(deeds);
}

void explored_run_free(struct explored_run *run)
{
    replay_result_free(&run->result);
    deeds_free(&run->deeds);
    free(run->marks);
    memset(run, 0, sizeof *run);
}

enum status explorer_execute(struct explorer *e, const struct schedule_script *script, const char *path,
                             struct explored_run *run)
{
    struct replay_settings settings = e->settings->replay;
    enum status status;

    memset(run, 0, sizeof *run);
    settings.keep = *path ? path : NULL;
    settings.one_pass = true;
    settings.deeds = &run->deeds;
    settings.numbers = &e->numbers;
    status = replay_run(&settings, script, &run->result, e->err);
    if (status != HEDDLE_OK)
        deeds_free(&run->deeds);
    return status;
}

void explorer_trace_path(const struct explorer *e, char *to, size_t room)
{
    *to = '\0';
    if (e->settings->folder)
        snprintf(to, room, "%s/run.htr", e->settings->folder);
}

void explorer_absorb(struct explorer *e, struct explored_run *run, struct lesson *lesson, bool *grown,
                     bool *relearned)
{
    uint64_t behaviours = e->to->behaviours, facts = e->history.facts;
    struct replay_result *result = &run->result;
    struct deeds deeds = run->deeds;
    bool whole;
    char path[4200];

    explorer_trace_path(e, path, sizeof path);
    e->to->runs++;
    *grown = *relearned = false;
    if (deeds.impossible || (deeds.too_many && result->outcome.ending != ENDED_HANG)) {
        skip_run(e, false, &run->deeds, lesson);
        if (!deeds.impossible)
            is_too_large(e, &deeds, lesson);
        explored_run_free(run);
        return;
    }
    memset(&run->deeds, 0, sizeof run->deeds);
    e->kept += deeds.deeds_count;
    history_threads(&e->history, &e->numbers);
    keep_start(e, &result->journal);
    ARRAY_PUSH(e, runs, deeds);
    ARRAY_PUSH(e, ends, (uint8_t)end_of(&result->outcome));
    note_limits(e, &deeds, result);
    take_lesson(e, result, lesson, relearned);
    expect_stuck(e, &deeds, lesson, e->settings->java || result->outcome.ending == ENDED_DEADLOCK);
    if (e->settings->java)
        explorer_note_java(e, &deeds, &result->outcome, lesson);
    else
        explorer_compare(e, lesson, &result->outcome);
    *grown = *relearned || e->history.facts != facts;
    whole = !is_held_up(result) && !is_too_large(e, &deeds, lesson);
    if (*path && whole && e->to->behaviours > behaviours)
        explorer_check(e, run, path);
    if (whole)
        file_outcome(e, result, &deeds, e->to->behaviours > behaviours);
    explored_run_free(run);
    if (e->settings->progress)
        e->settings->progress(e->to->runs, e->to->outcomes_count);
}

enum status explorer_take(struct explorer *e, const struct schedule_script *script, struct explored_run *ready,
                          struct lesson *lesson, bool *grown, bool *relearned)
{
    struct explored_run run;
    enum status status = HEDDLE_OK;
    char path[4200];

    if (!ready) {
        explorer_trace_path(e, path, sizeof path);
        status = explorer_execute(e, script, path, &run);
    }
    *grown = *relearned = false;
    if (status == HEDDLE_STOPPED) {
        skip_run(e, true, &run.deeds, lesson);
        return HEDDLE_OK;
    }
    if (status == HEDDLE_OK)
        explorer_absorb(e, ready ? ready : &run, lesson, grown, relearned);
    return status;
}

enum status explorer_run(struct explorer *e, const struct run_plan *plan, struct lesson *lesson, bool *grown,
                         bool *relearned)
{
    struct schedule_script script;
    enum status status;

    explorer_script(e, plan, &script);
    status = explorer_take(e, &script, NULL, lesson, grown, relearned);
    script_free(&script);
    return status;
}
