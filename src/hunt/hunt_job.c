/* One run of a hunt, in a process of its own: along a schedule or freely, recorded, checked, told. */
#include "base/memory.h"
#include "hunt/hunt.h"
#include "replay/confirm.h"
#include "replay/evidence.h"
#include "report/arrange.h"
#include "report/ci/card.h"
#include "report/format.h"
#include "report/group.h"
#include "report/json/read.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

char *hunt_path(const struct hunt_settings *settings, uint32_t run, const char *ending)
{
    size_t room = strlen(settings->folder) + 64;
    char *path = memory_new(room, 1);

    snprintf(path, room, "%s/run-%u.%s", settings->folder, run, ending);
    return path;
}

void hunt_report_free(struct hunt_report *r)
{
    free(r->findings);
    free(r->pairs);
    memset(r, 0, sizeof *r);
}

static uint64_t sum_of(const struct text *t)
{
    return XXH3_64bits(t->bytes ? t->bytes : "", t->length);
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
    snprintf(end->place, sizeof end->place, "%s", o->place);
    outcome_ending(o, end->words, sizeof end->words);
}

/* Pairs of places, of a read and of the write it saw: what a run shows of how threads meet. */
static void find_pairs(const struct model *m, struct hunt_report *report)
{
    struct map seen = {0};

    for (event_id e = 1; e <= m->event_count; e++) {
        event_id source = m->source[e];
        if (source == EVENT_NONE || source == EVENT_INIT || thread_of(m, source) == thread_of(m, e))
            continue;
        const char *a = event_place(m->trace, e), *b = event_place(m->trace, source);
        uint64_t pair = XXH3_64bits_withSeed(a, strlen(a), XXH3_64bits(b, strlen(b)));
        if ((*map_at(&seen, pair))++ == 0)
            ARRAY_PUSH(report, pairs, pair);
    }
    map_free(&seen);
}

static void keep_finding(struct hunt_report *report, const struct deck *deck, const struct results *results,
                         const struct marks *marks, size_t i)
{
    struct hunt_finding f = {.fingerprint = marks->found[i].fingerprint,
                             .property = (uint32_t)results->found.findings[i].property,
                             .has_schedule = finding_has_schedule(&results->found.findings[i])};
    struct card card;

    deck->deal(deck, i, &card);
    f.severity = (uint32_t)card.severity;
    f.problem = severity_is_problem(card.severity);
    snprintf(f.id, sizeof f.id, "%s", card.id);
    snprintf(f.title, sizeof f.title, "%s", card.title);
    snprintf(f.place, sizeof f.place, "%s", card.places_count > 0 ? card.places[0].location : "");
    card_free(&card);
    ARRAY_PUSH(report, findings, f);
}

/* Checks the run's trace and leaves its report beside it. */
static enum status check_run(const struct hunt_settings *settings, const struct hunt_job *job,
                             const struct trace *trace, struct hunt_report *report, struct error *err)
{
    char *trace_path = hunt_path(settings, job->run, "htr"), *path = hunt_path(settings, job->run, "json");
    struct results results = {.method = "exact"};
    struct report_options options = {.schedules = true, .trace_path = trace_path};
    struct model model;
    struct marks marks;
    struct deck deck;
    enum status status = model_build(&model, trace, err);

    if (status == HEDDLE_OK) {
        check_trace(&model, &settings->check, settings->stop, &results);
        group_findings(&results, trace);
        findings_merge_reads(&results, trace);
        marks_init(&marks, &results, trace);
        findings_arrange(&results, trace, &marks, NULL, false);
        options.marks = &marks;
        status = report_write_file(report_format_named("json"), &results, &model, &options, path, err);
        deck_from_results(&deck, &results, &model, &options);
        for (size_t i = 0; i < results.found.findings_count; i++)
            keep_finding(report, &deck, &results, &marks, i);
        deck_free(&deck);
        find_pairs(&model, report);
        report->end.complete = results.complete;
        marks_free(&marks);
        finding_list_free(&results.found);
        finding_list_free(&results.undecided);
        model_free(&model);
    }
    free(trace_path);
    free(path);
    return status;
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

/* Along a finding of an earlier run, or along that run itself. */
static enum status run_along(const struct hunt_settings *settings, const struct hunt_job *job, bool *confirmed,
                             struct replay_result *result, struct error *err)
{
    char *trace = hunt_path(settings, job->parent, "htr"), *path = hunt_path(settings, job->parent, "json");
    char *keep = hunt_path(settings, job->run, "htr");
    const struct certify_options certify = {.atomic_locks = settings->check.atomic_locks};
    struct replay_case c;
    struct report report;
    enum status status = replay_open(&c, trace, &settings->replay, true, &certify, err);

    if (status == HEDDLE_OK && job->kind == JOB_REPEAT) {
        *result = c.reference;
        memset(&c.reference, 0, sizeof c.reference);
        trace_init(&c.reference.trace);
        replay_close(&c);
    } else if (status == HEDDLE_OK) {
        status = report_load(&report, path, err);
        if (status == HEDDLE_OK) {
            size_t at = report_find(&report, job->finding);
            c.settings.keep = keep;
            status = at == SIZE_MAX
                         ? fail(err, HEDDLE_BAD_REPORT, "%s: has no finding %s", path, job->finding)
                         : follow_finding(&c, job, &report.found.findings[at], confirmed, result, err);
            report_free(&report);
        }
        replay_close(&c);
    }
    free(trace);
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
}

static void send(int to, const void *bytes, size_t length)
{
    while (length > 0) {
        ssize_t done = write(to, bytes, length);
        if (done <= 0)
            return;
        bytes = (const char *)bytes + done;
        length -= (size_t)done;
    }
}

void hunt_job_run(const struct hunt_settings *settings, const struct hunt_job *job, int to)
{
    struct hunt_report report = {0};
    struct replay_result result;
    struct error err = {.text = ""};
    uint64_t counts[2];
    enum status status = job->kind == JOB_FREE ? run_free(settings, job, &result, &err)
                                               : run_along(settings, job, &report.end.confirmed, &result, &err);

    if (status == HEDDLE_OK) {
        keep_end(&report.end, &result);
        write_schedule(settings, job, &result);
        if (job->kind != JOB_REPEAT && check_run(settings, job, &result.trace, &report, &err) != HEDDLE_OK)
            report.end.complete = false;
        replay_result_free(&result);
    } else {
        snprintf(report.end.words, sizeof report.end.words, "%.599s", err.text);
    }
    counts[0] = report.findings_count;
    counts[1] = report.pairs_count;
    send(to, &report.end, sizeof report.end);
    send(to, counts, sizeof counts);
    send(to, report.findings, report.findings_count * sizeof *report.findings);
    send(to, report.pairs, report.pairs_count * sizeof *report.pairs);
    hunt_report_free(&report);
}

static bool take(const unsigned char **at, size_t *left, void *to, size_t length)
{
    if (*left < length)
        return false;
    memcpy(to, *at, length);
    *at += length;
    *left -= length;
    return true;
}

bool hunt_report_read(struct hunt_report *r, const unsigned char *bytes, size_t length)
{
    uint64_t counts[2];

    memset(r, 0, sizeof *r);
    if (!take(&bytes, &length, &r->end, sizeof r->end) || !take(&bytes, &length, counts, sizeof counts) ||
        counts[0] > length / sizeof *r->findings || counts[1] > length / sizeof *r->pairs)
        return false;
    r->findings = memory_new(counts[0] + 1, sizeof *r->findings);
    r->pairs = memory_new(counts[1] + 1, sizeof *r->pairs);
    r->findings_count = counts[0];
    r->pairs_count = counts[1];
    return take(&bytes, &length, r->findings, counts[0] * sizeof *r->findings) &&
           take(&bytes, &length, r->pairs, counts[1] * sizeof *r->pairs) && length == 0;
}
