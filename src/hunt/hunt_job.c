/* One run of a hunt, in a process of its own: along a schedule or freely; records, checks and reports. */
#include "hunt/hunt_job.h"
#include "base/clock.h"
#include "base/memory.h"
#include "record/patience.h"
#include "replay/confirm.h"
#include "replay/evidence.h"
#include "replay/minimise.h"
#include "report/json/read.h"
#include "runtime/protocol/session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

/* A loop that waits may make millions of records until its time is up. */
enum { LOOKS = 1 << 20 };

char *hunt_path(const struct hunt_settings *settings, uint32_t run, const char *ending)
{
    const char *folder = settings->scratch ? settings->scratch : settings->folder;
    size_t room = strlen(folder) + 64;
    char *path = memory_new(room, 1);

    snprintf(path, room, "%s/run-%u.%s", folder, run, ending);
    return path;
}

void hunt_report_free(struct hunt_report *r)
{
    free(r->findings);
    free(r->pairs);
    free(r->code);
    for (int i = 0; i < COVERAGES; i++)
        free(r->covered[i].marks);
    memset(r, 0, sizeof *r);
}

static uint64_t sum_of(const struct captured_text *t)
{
    return XXH3_64bits(t->bytes ? t->bytes : "", t->length);
}

/* How often the turn changed, and the sum of all threads' positions. */
static void measure(struct hunt_end *end, const struct journal *j)
{
    uint64_t *reached = memory_new(j->threads_count + 1, sizeof *reached);

    for (size_t i = 0; i < j->slices_count; i++) {
        end->switches += i > 0 && j->slices[i].thread != j->slices[i - 1].thread;
        if (j->slices[i].thread < j->threads_count)
            reached[j->slices[i].thread] = j->slices[i].position;
    }
    for (size_t i = 0; i < j->threads_count; i++)
        end->ticks += reached[i];
    free(reached);
}

/* What assert says, "PROGRAM: FILE:LINE: FUNCTION: Assertion …", without the program. */
static void find_assertion(const char *output, char *to, size_t room)
{
    const char *words = strstr(output, ": Assertion `"), *line = words, *start;

    if (!words)
        return;
    while (line > output && line[-1] != '\n')
        line--;
    start = strstr(line, ": ");
    start = start && start < words ? start + 2 : line;
    snprintf(to, room, "%.*s", (int)strcspn(start, "\n"), start);
}

/* Whether the place of a waiter is that of an earlier one. */
static bool is_repeated(const struct trace_end *end, size_t waiter)
{
    for (size_t i = 0; i < waiter; i++)
        if (strcmp(end->waiters[i].place, end->waiters[waiter].place) == 0)
            return true;
    return false;
}

/* Who waited for what when the run ended, and the sum of the places. */
static void keep_waits(struct hunt_end *end, const struct trace_end *from)
{
    size_t used = 0;

    for (size_t i = 0; i < from->waiters_count; i++) {
        const struct run_waiter *w = &from->waiters[i];
        char line[600];
        run_waiter_text(w, line, sizeof line);
        if (!is_repeated(from, i))
            end->where += XXH3_64bits(w->place, strlen(w->place)) | 1; /* in whatever order */
        if (used + strlen(line) + 2 < sizeof end->waits)
            used += (size_t)snprintf(end->waits + used, sizeof end->waits - used, "%s\n", line);
    }
}

static void keep_end(struct hunt_end *end, const struct replay_result *result)
{
    const struct outcome *o = &result->outcome;

    end->ran = true;
    end->diverged = result->divergence.diverged;
    end->ending = (uint32_t)o->ending;
    end->status = o->status;
    for (int i = 0; i < 2; i++)
        end->sums[i] = sum_of(&o->output[i]);
    end->events = result->trace.count;
    end->threads = (uint32_t)trace_names(&result->trace, NAME_THREAD);
    measure(end, &result->journal);
    snprintf(end->place, sizeof end->place, "%s", o->place);
    if (o->ending == ENDED_ASSERTION)
        find_assertion(o->output[1].bytes, end->place, sizeof end->place);
    if (o->ending == ENDED_DEADLOCK || o->ending == ENDED_HANG)
        keep_waits(end, &result->trace.end);
    outcome_ending(o, end->words, sizeof end->words);
}

static enum status run_free(const struct hunt_settings *settings, const struct hunt_job *job,
                            struct replay_result *result, struct error *err)
{
    struct replay_settings replay = settings->replay;
    char *keep = hunt_path(settings, job->run, "htr");
    enum status status;

    replay.keep = keep;
    status = replay_free_run(&replay, job->seed, job->policy, settings->java, result, err);
    free(keep);
    return status;
}

/* The run along the finding, and whether its trace shows what the finding says. */
static enum status follow_finding(struct replay_case *c, const struct hunt_job *job, const struct finding *f,
                                  bool *confirmed, struct replay_result *result, struct error *err)
{
    struct attempt a = {.c = c, .finding = f};
    struct buffer words = {0};
    enum status status = replay_plan(c, f, job->variant, &a.script, err);

    if (job->policy)
        a.script.policy = job->policy;
    if (job->kind == JOB_READ && a.script.java)
        a.script.seed = job->seed;
    if (status == HEDDLE_OK)
        status = replay_run(&c->settings, &a.script, &a.result, err);
    if (status == HEDDLE_OK) {
        *confirmed = !a.result.divergence.diverged && evidence_shows(&a, &words);
        *result = a.result;
    }
    buffer_free(&words);
    script_free(&a.script);
    return status;
}

/* Along an earlier run itself. */
static enum status run_again(const struct hunt_settings *settings, const struct hunt_job *job,
                             struct replay_result *result, struct error *err)
{
    char *trace = hunt_path(settings, job->parent, "htr");
    const struct certify_options certify = {.atomic_locks = settings->check.atomic_locks};
    struct replay_case c;
    enum status status = replay_open(&c, trace, &settings->replay, true, &certify, err);

    if (status == HEDDLE_OK) {
        *result = c.reference;
        memset(&c.reference, 0, sizeof c.reference);
        trace_init(&c.reference.trace);
        replay_close(&c);
    }
    free(trace);
    return status;
}

/* The same along the shortest schedule that the checker accepts for it. */
static enum status follow_shortest(struct replay_case *c, const struct hunt_settings *settings,
                                   const struct hunt_job *job, const struct finding *f, struct hunt_end *end,
                                   struct replay_result *result, struct error *err)
{
    struct finding shorter = *f;
    enum status status;

    c->index = certify_index_new(&c->trace);
    c->certifier = certifier_new(c->index);
    c->options.atomic_locks = settings->check.atomic_locks;
    minimise_schedule(c, f, &shorter.schedule);
    end->switches = schedule_switches(&c->trace, &shorter.schedule);
    status = follow_finding(c, job, &shorter, &end->confirmed, result, err);
    free(shorter.schedule.tail);
    return status;
}

/* Along a finding of an earlier run. Where its events stand in their threads was kept, so that run need not be repeated. */
static enum status run_along(const struct hunt_settings *settings, const struct hunt_job *job,
                             struct hunt_end *end, struct replay_result *result, struct error *err)
{
    const char *found = job->kind == JOB_CANDIDATE ? "candidates.json"
                        : job->kind == JOB_READ    ? "reads.json"
                                                   : "json";
    char *trace = hunt_path(settings, job->parent, "htr"), *path = hunt_path(settings, job->parent, found),
         *ticks = hunt_path(settings, job->parent, "ticks"), *keep = hunt_path(settings, job->run, "htr");
    struct replay_case c = {.path = trace, .settings = settings->replay};
    struct report report;
    enum status status = replay_journal(trace, &c.trace, &c.journal, err);

    trace_init(&c.reference.trace);
    if (status == HEDDLE_OK) {
        status = hunt_read_ticks(ticks, c.trace.count, &c.reference, err);
        c.same = (uint32_t)c.trace.count;
        c.settings.keep = keep;
        if (status == HEDDLE_OK)
            status = report_load(&report, path, err);
        if (status == HEDDLE_OK) {
            size_t at = report_find(&report, job->finding);
            if (at == SIZE_MAX)
                status = fail(err, HEDDLE_BAD_REPORT, "%s: has no finding %s", path, job->finding);
            else if (job->kind == JOB_CONFIRM)
                status = follow_shortest(&c, settings, job, &report.found.findings[at], end, result, err);
            else
                status = follow_finding(&c, job, &report.found.findings[at], &end->confirmed, result, err);
            report_free(&report);
        }
        replay_close(&c);
    }
    free(trace);
    free(path);
    free(ticks);
    free(keep);
    return status;
}

/* Along a part of the schedule of an earlier run, then without preemption; a free run follows none of it, turn by turn. */
static enum status run_part(const struct hunt_settings *settings, const struct hunt_job *job,
                            struct replay_result *result, struct error *err)
{
    char *path = hunt_path(settings, job->parent, "schedule"), *keep = hunt_path(settings, job->run, "htr");
    struct replay_settings replay = settings->replay;
    struct schedule_script script;
    enum status status = script_load(&script, path, err);

    if (status == HEDDLE_OK) {
        if (job->keep < script.steps_count)
            script.steps_count = job->keep;
        if (job->drop > 0 && job->drop <= script.steps_count) {
            memmove(&script.steps[job->drop - 1], &script.steps[job->drop],
                    (script.steps_count - job->drop) * sizeof *script.steps);
            script.steps_count--;
        }
        script.policy = job->kind == JOB_FREE ? job->policy : policy_few(0, 0);
        if (job->kind == JOB_FREE)
            script.seed = job->seed;
        replay.keep = keep;
        status = replay_run(&replay, &script, result, err);
        script_free(&script);
    }
    free(path);
    free(keep);
    return status;
}

/* The schedule of the run, to keep: what `heddle replay --script` follows. */
static void write_schedule(const struct hunt_settings *settings, const struct hunt_job *job,
                           const struct replay_result *result)
{
    char *path = hunt_path(settings, job->run, "schedule");
    struct schedule_script script;
    struct error err;

    script_init(&script);
    script_from_journal(&script, &result->journal, &result->trace);
    script_from_slices(&script, &result->journal);
    replay_expect(&script, &result->outcome);
    script_write(&script, path, &err); /* the trace says the same at greater length */
    script_free(&script);
    free(path);
    path = hunt_path(settings, job->run, "ticks");
    hunt_write_ticks(path, result);
    free(path);
}

static void send_report(const struct hunt_report *report, int to)
{
    uint64_t counts[3 + COVERAGES] = {report->findings_count, report->pairs_count, report->code_count};

    for (int i = 0; i < COVERAGES; i++)
        counts[3 + i] = report->covered[i].marks_count;
    crew_write(to, &report->end, sizeof report->end);
    crew_write(to, counts, sizeof counts);
    crew_write(to, report->findings, report->findings_count * sizeof *report->findings);
    crew_write(to, report->pairs, report->pairs_count * sizeof *report->pairs);
    crew_write(to, report->code, report->code_count * sizeof *report->code);
    for (int i = 0; i < COVERAGES; i++)
        crew_write(to, report->covered[i].marks,
                   report->covered[i].marks_count * sizeof *report->covered[i].marks);
}

void hunt_job_fail(const struct error *why, int to)
{
    struct hunt_report report = {0};

    snprintf(report.end.words, sizeof report.end.words, "%.599s", why->text);
    send_report(&report, to);
}

static enum status make_run(const struct hunt_settings *settings, const struct hunt_job *job,
                            struct hunt_end *end, struct replay_result *result, struct error *err)
{
    switch (job->kind) {
    case JOB_FREE:
        return job->parent ? run_part(settings, job, result, err) : run_free(settings, job, result, err);
    case JOB_REPEAT:
        return run_again(settings, job, result, err);
    case JOB_SHORTEN:
        return run_part(settings, job, result, err);
    default:
        return run_along(settings, job, end, result, err);
    }
}

/* Hands over which places of the code the run reached. */
static void keep_reach(struct hunt_report *report, struct code_reach *reach)
{
    report->covered[COVER_CODE] = (struct hunt_marks){reach->marks, reach->marks_count, reach->marks_capacity};
    report->code = reach->places;
    report->code_count = reach->places_count;
    report->code_capacity = reach->places_capacity;
    reach->marks = NULL;
    reach->places = NULL;
    code_reach_free(reach);
}

/* It was ended before it could show how it ends: the hunt's time was up, or it got too little processor time. */
static void set_cut(struct hunt_end *end, bool hurried)
{
    end->cut = true;
    end->starved = !hurried;
    snprintf(end->words, sizeof end->words,
             hurried ? "cut off when the hunt's time was up"
                     : "cut off: the machine is too busy to tell whether it hangs");
}

/* A run of which nothing can be told; a virtual machine that had no time to begin leaves nothing either. */
static void tell_failure(bool late, const struct error *why, int to)
{
    struct hunt_report report = {0};

    if (!late) {
        hunt_job_fail(why, to);
        return;
    }
    set_cut(&report.end, true);
    send_report(&report, to);
}

void hunt_job_run(const struct hunt_settings *settings, const struct hunt_job *job, int to)
{
    struct hunt_report report = {0};
    struct code_reach reach = {.list = job->run == 1};
    struct hunt_settings own = *settings;
    struct replay_result result;
    struct error err = {.text = ""};
    double begun = seconds_now();
    uint32_t planned;
    enum status status;

    own.replay.reach = &reach;
    own.replay.looks = LOOKS;
    status = make_run(&own, job, &report.end, &result, &err);
    if (status != HEDDLE_OK) {
        code_reach_free(&reach);
        tell_failure(settings->hurried && seconds_now() - begun > 0.9 * settings->replay.timeout, &err, to);
        return;
    }
    keep_reach(&report, &reach);
    planned = report.end.switches;
    report.end.switches = 0;
    keep_end(&report.end, &result);
    if (report.end.ending == ENDED_HANG && (settings->hurried || result.starved))
        set_cut(&report.end,
                settings->hurried || settings->replay.longest < patience_longest(settings->replay.timeout));
    if (job->kind == JOB_CONFIRM)
        report.end.switches = planned;
    write_schedule(settings, job, &result);
    if (job->kind != JOB_REPEAT && job->kind != JOB_SHORTEN && job->kind != JOB_CONFIRM &&
        hunt_check(settings, job, &result.trace, &report, &err) != HEDDLE_OK)
        report.end.complete = false;
    if (result.shortened && report.end.ending != ENDED_HANG)
        report.end.complete = false;
    replay_result_free(&result);
    send_report(&report, to);
    hunt_report_free(&report);
}

bool hunt_report_read(struct hunt_report *r, struct bytes_in *from)
{
    uint64_t counts[3 + COVERAGES];

    memset(r, 0, sizeof *r);
    if (!bytes_take(from, &r->end, sizeof r->end) || !bytes_take(from, counts, sizeof counts) ||
        counts[0] > from->left / sizeof *r->findings)
        return false;
    r->findings = memory_new(counts[0] + 1, sizeof *r->findings);
    r->findings_count = counts[0];
    if (!bytes_take(from, r->findings, counts[0] * sizeof *r->findings) ||
        counts[1] > from->left / sizeof *r->pairs)
        return false;
    r->pairs = memory_new(counts[1] + 1, sizeof *r->pairs);
    r->pairs_count = counts[1];
    if (!bytes_take(from, r->pairs, counts[1] * sizeof *r->pairs) || counts[2] > from->left / sizeof *r->code)
        return false;
    r->code = memory_new(counts[2] + 1, sizeof *r->code);
    r->code_count = counts[2];
    if (!bytes_take(from, r->code, counts[2] * sizeof *r->code))
        return false;
    for (int i = 0; i < COVERAGES; i++) {
        struct hunt_marks *c = &r->covered[i];
        if (counts[3 + i] > from->left / sizeof *c->marks)
            return false;
        c->marks = memory_new(counts[3 + i] + 1, sizeof *c->marks);
        c->marks_count = counts[3 + i];
        if (!bytes_take(from, c->marks, counts[3 + i] * sizeof *c->marks))
            return false;
    }
    return true;
}
