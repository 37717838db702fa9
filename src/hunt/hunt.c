/* The hunt as a whole: plans runs, has the crew make them, and merges what they show, until there is a reason to stop. */
#include "hunt/hunt.h"
#include "base/clock.h"
#include "base/memory.h"
#include "hunt/hunt_job.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    GRACE = 1,            /* seconds that a job has beyond its time before it is killed */
    SHORTEN_SECONDS = 20, /* at most, for shorter schedules */
    SHORTEN_SHARE = 8,    /* of the hunt's time, one part in so many is kept for them once something happened */
};

struct hunter {
    struct hunt *hunt;
    const struct hunt_settings *settings;
    struct crew *crew;
    hunt_progress *progress;
    struct error *err;
};

/* Whether somebody may ask for the files of the run. */
static bool is_needed(const struct hunt *h, uint32_t run)
{
    bool needed = run == 1;

    for (size_t i = 0; i < h->problems_count && !needed; i++)
        needed =
            h->problems[i].run == run || h->problems[i].better_run == run || h->problems[i].observed_run == run;
    for (size_t i = 0; i < h->candidates_count && !needed; i++)
        needed = h->candidates[i].run == run && h->candidates[i].left > 0;
    for (size_t i = 0; i < h->reads_count && !needed; i++)
        needed = h->reads[i].run == run && !h->reads[i].done;
    return needed;
}

static bool happened(const struct hunt *h)
{
    for (size_t i = 0; i < h->problems_count; i++)
        if (h->problems[i].kind == PROBLEM_HAPPENED)
            return true;
    return false;
}

/* Whether it is time to stop searching, and why. */
static bool is_over(struct hunt *h, const struct hunt_settings *settings)
{
    double kept = happened(h) ? settings->seconds / SHORTEN_SHARE : 0;

    if (*settings->stop)
        h->over = OVER_STOPPED;
    else if (settings->seconds > 0 && seconds_now() - h->started >= settings->seconds - kept)
        h->over = OVER_TIME;
    else if (settings->most_runs > 0 && h->runs_count >= settings->most_runs)
        h->over = OVER_RUNS;
    else if (settings->stop_at_first && happened(h))
        h->over = OVER_FIRST;
    else
        return false;
    return true;
}

/* Gives the job to a worker that is idle. */
static enum status give(struct hunter *t, struct hunt_plan *plan, int worker, double end_time)
{
    struct buffer request = {0};
    enum status status;

    plan->job.seconds = end_time > 0 ? end_time - seconds_now() : 0;
    if (end_time > 0 && plan->job.seconds <= 0)
        plan->job.seconds = 0.001;
    bytes_put(&request, &plan->job, sizeof plan->job);
    if (crew_is_away(t->crew, worker))
        hunt_put_needed(t->settings, &plan->job, &request);
    status = crew_give(t->crew, worker, plan->job.run, request.text, request.text_count,
                       plan->job.seconds > 0 ? plan->job.seconds + GRACE : 0, t->err);
    plan->given = true;
    plan->rank = crew_rank(t->crew, worker);
    buffer_free(&request);
    return status;
}

static struct hunt_plan *plan_of(struct hunt *h, uint64_t run)
{
    for (size_t i = 0; i < h->plans_count; i++)
        if (h->plans[i].job.run == run)
            return &h->plans[i];
    return NULL;
}

/* Takes the answer to a job; files that come with it go into the folder. */
static void take_answer(struct hunter *t, const struct crew_answer *answer)
{
    struct hunt_plan *plan = plan_of(t->hunt, answer->id);
    struct bytes_in in = {answer->bytes, answer->length};
    struct hunt_end *end;

    if (!plan)
        return;
    end = &plan->report.end;
    plan->done = true;
    plan->second = seconds_now() - t->hunt->started;
    if (!hunt_report_read(&plan->report, &in)) {
        hunt_report_free(&plan->report);
        if (plan->rank > 0 && answer->length == 0)
            snprintf(end->words, sizeof end->words, "it was lost with rank %u, or cut short there", plan->rank);
        else
            snprintf(end->words, sizeof end->words, "the run was cut short");
    } else if (!hunt_take_files(t->settings, &in)) {
        hunt_report_free(&plan->report);
        snprintf(end->words, sizeof end->words, "the files of the run could not be written to %.400s",
                 t->settings->folder);
    }
}

/* Merges what a run showed. */
static void merge(struct hunter *t, struct hunt_plan *plan)
{
    struct hunt *h = t->hunt;

    hunt_merge(h, &plan->job, &plan->report);
    hunt_report_free(&plan->report);
    h->runs[h->runs_count - 1].second = plan->second;
    h->runs[h->runs_count - 1].rank = plan->rank;
    if (plan->job.kind != JOB_SHORTEN && plan->job.kind != JOB_CONFIRM && !is_needed(h, plan->job.run))
        hunt_discard(t->settings, plan->job.run);
    if (t->progress)
        t->progress(h, t->settings);
}

/* Drops the first plan of the list. */
static void shift_plans(struct hunt *h)
{
    h->plans_count--;
    memmove(h->plans, h->plans + 1, h->plans_count * sizeof *h->plans);
}

/* Merges all runs whose predecessors are merged, in their order. */
static void merge_done(struct hunter *t)
{
    struct hunt *h = t->hunt;

    while (h->plans_count > 0 && h->plans[0].done && !is_over(h, t->settings)) {
        struct hunt_plan first = h->plans[0];
        shift_plans(h);
        merge(t, &first);
        hunt_plan_ahead(h, t->settings);
    }
}

/* Ends what is under way. Of what is done but waits for others, only a hunt that ran out of time makes use: otherwise the result would
 * depend on which runs were faster. */
static void wind_up(struct hunter *t)
{
    struct hunt *h = t->hunt;
    bool late = h->over == OVER_TIME || h->over == OVER_STOPPED;

    crew_stop(t->crew);
    while (h->plans_count > 0) {
        struct hunt_plan first = h->plans[0];
        shift_plans(h);
        if (late && first.done && first.report.end.ran) {
            merge(t, &first);
        } else {
            hunt_report_free(&first.report);
            hunt_discard(t->settings, first.job.run);
        }
    }
}

/* Gives all idle workers a job; false: that failed. */
static bool hand_out(struct hunter *t, double end_time)
{
    struct hunt *h = t->hunt;

    for (size_t i = 0; i < h->plans_count; i++) {
        int worker;
        if (h->plans[i].given)
            continue;
        worker = crew_idle(t->crew);
        if (worker < 0)
            break;
        if (give(t, &h->plans[i], worker, end_time) != HEDDLE_OK)
            return false;
    }
    return true;
}

/* Searches until there is a reason to stop. */
static void search(struct hunter *t)
{
    struct hunt *h = t->hunt;
    double end_time = t->settings->seconds > 0 ? h->started + t->settings->seconds : 0;
    struct crew_answer answer;

    hunt_plan_ahead(h, t->settings);
    while (!is_over(h, t->settings)) {
        if (h->plans_count == 0) {
            h->over = OVER_NOTHING_NEW;
            break;
        }
        if (!hand_out(t, end_time))
            break;
        if (!crew_wait(t->crew, 100, &answer))
            continue;
        take_answer(t, &answer);
        free(answer.bytes);
        merge_done(t);
        if (h->runs_count > 0 && !h->runs[0].end.ran) {
            fail(t->err, HEDDLE_IO, "%s", h->failure);
            break;
        }
    }
    wind_up(t);
}

/* Makes one run and waits for it; false: it is time to stop. */
static bool run_alone(struct hunter *t, struct hunt_job *job, double end_time)
{
    struct hunt *h = t->hunt;
    struct hunt_plan plan = {.job = *job};
    struct crew_answer answer;

    plan.job.run = job->run = (uint32_t)++h->planned;
    plan.job.seed = t->settings->seed;
    ARRAY_PUSH(h, plans, plan);
    if (give(t, &h->plans[0], crew_idle(t->crew), end_time) != HEDDLE_OK)
        return false;
    while (!h->plans[0].done && !*t->settings->stop)
        if (crew_wait(t->crew, 100, &answer)) {
            take_answer(t, &answer);
            free(answer.bytes);
        }
    plan = h->plans[0];
    shift_plans(h);
    if (!plan.done)
        return false;
    merge(t, &plan);
    return true;
}

/* Files that only the search had a use for. */
static void tidy(const struct hunt *h, const struct hunt_settings *settings)
{
    for (size_t i = 0; i < h->runs_count; i++)
        if (!is_needed(h, h->runs[i].job.run))
            hunt_discard(settings, h->runs[i].job.run);
}

/* Runs shorter schedules, one at a time, until they are short or the time is up. */
static void shorten(struct hunter *t, double end_time)
{
    struct hunt *h = t->hunt;
    struct hunt_shortening state = {0};
    struct hunt_job job;

    while (!*t->settings->stop && seconds_now() < end_time && hunt_shorten_next(h, &state, &job)) {
        uint32_t base = h->problems[state.problem].run;
        if (!run_alone(t, &job, end_time))
            break;
        hunt_shorten_take(h, &state, &job, &h->runs[h->runs_count - 1].end);
        if (!is_needed(h, job.run) && state.base != job.run)
            hunt_discard(t->settings, job.run);
        else if (job.kind == JOB_SHORTEN && !is_needed(h, base) && state.base != base)
            hunt_discard(t->settings, base);
    }
    crew_stop(t->crew);
}

enum status hunt_program(const struct hunt_settings *settings, struct hunt *h, hunt_progress *progress,
                         struct error *err)
{
    const struct crew_duty duty = hunt_duty(settings);
    struct hunter t = {.hunt = h, .settings = settings, .progress = progress, .err = err};
    double end_time;

    memset(h, 0, sizeof *h);
    h->started = seconds_now();
    h->ranks = settings->ranks ? (unsigned)settings->ranks->size : 1;
    err->status = HEDDLE_OK;
    t.crew = crew_new(settings->workers, &duty, settings->ranks);
    if (settings->ranks && settings->ranks->rank > 0) {
        crew_serve(t.crew, settings->stop);
        crew_free(t.crew);
        return HEDDLE_OK;
    }
    search(&t);
    end_time = seconds_now() + SHORTEN_SECONDS;
    if (settings->seconds > 0 && end_time > h->started + settings->seconds)
        end_time = h->started + settings->seconds;
    if (err->status == HEDDLE_OK)
        shorten(&t, end_time);
    for (size_t i = 0; i < h->problems_count; i++)
        h->problems[i].better_run = 0;
    for (size_t i = 0; i < h->candidates_count; i++)
        h->candidates[i].left = 0;
    for (size_t i = 0; i < h->reads_count; i++)
        h->reads[i].done = true;
    tidy(h, settings);
    h->load = crew_load(t.crew);
    h->lost = crew_lost(t.crew);
    crew_free(t.crew);
    h->seconds = seconds_now() - h->started;
    return err->status;
}
