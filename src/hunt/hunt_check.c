/* What the trace of a run shows: findings, candidates that only reads rule out, and what the run covered. */
#include "base/clock.h"
#include "base/memory.h"
#include "finding/observed.h"
#include "hunt/hunt.h"
#include "hunt/hunt_job.h"
#include "replay/plan.h"
#include "report/arrange.h"
#include "report/ci/card.h"
#include "report/format.h"
#include "report/group.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

enum {
    CANDIDATE_BUDGET = 500,    /* choices for a candidate: one that costs more is not worth it */
    CANDIDATE_EVENTS = 100000, /* longer traces are not searched for candidates */
    READ_EVENTS = 2000,        /* nor for all reads that could see something else */
    THRIFT = 8,                /* many runs show more than one that is checked in full */
};

/* Of the checks of a trace: the one that is reported; each read for itself; all that reads alone rule out. */
enum pass { PASS_REPORT, PASS_READS, PASS_CANDIDATES };

/* Ends a check when its time is over. */
struct check_clock {
    double deadline; /* 0: none */
    stop_flag over;
};

static void watch_clock(void *context, uint64_t accesses)
{
    struct check_clock *clock = context;

    (void)accesses;
    if (clock->deadline > 0 && seconds_now() > clock->deadline)
        clock->over = true;
}

static uint64_t text_sum(const char *text, uint64_t seed)
{
    return XXH3_64bits_withSeed(text, strlen(text), seed);
}

uint64_t hunt_pair_mark(const struct trace *t, event_id first, event_id second)
{
    return text_sum(event_place(t, second), text_sum(first == EVENT_INIT ? "" : event_place(t, first), 1));
}

static void cover(struct hunt_report *report, enum coverage what, struct map *seen, uint64_t mark)
{
    if ((*map_at(seen, mark))++ == 0)
        ARRAY_PUSH(&report->covered[what], marks, mark);
}

/* Places that were reached; places of accesses of two threads to one variable, one right after the other, one of them a
 * write; places of reads and of the writes of other threads that they saw. */
static void find_coverage(const struct model *m, struct hunt_report *report)
{
    const struct trace *t = m->trace;
    event_id *last = memory_new(trace_names(t, NAME_VARIABLE) + 1, sizeof *last);
    struct map seen[COVERAGES] = {0};

    for (event_id e = 1; e <= m->event_count; e++) {
        event_id source = m->source[e];
        enum event_kind kind = trace_kind(t, e);
        cover(report, COVER_PLACES, &seen[COVER_PLACES], text_sum(event_place(t, e), 0));
        if (source != EVENT_NONE && (source == EVENT_INIT || thread_of(m, source) != thread_of(m, e)))
            cover(report, COVER_SOURCES, &seen[COVER_SOURCES], hunt_pair_mark(t, source, e));
        if (!kind_accesses(kind))
            continue;
        event_id before = last[t->arg[e]];
        if (before && thread_of(m, before) != thread_of(m, e) &&
            (kind_writes(kind) || kind_writes(trace_kind(t, before))))
            cover(report, COVER_PAIRS, &seen[COVER_PAIRS], hunt_pair_mark(t, before, e));
        last[t->arg[e]] = e;
    }
    hunt_find_pairs(m, &seen[COVER_PAIRS], report);
    for (int i = 0; i < COVERAGES; i++)
        map_free(&seen[i]);
    free(last);
}

static void keep_finding(struct hunt_report *report, const struct trace *t, const struct deck *deck,
                         const struct finding *f, size_t i, enum pass pass, const struct read_states *states)
{
    struct hunt_finding kept = {.fingerprint = deck->marks->found[i].fingerprint,
                                .property = (uint32_t)f->property,
                                .candidate = pass == PASS_CANDIDATES,
                                .one_read = pass == PASS_READS,
                                .observed = pass == PASS_REPORT && finding_was_observed(f),
                                .suppressed = mark_is_suppressed(deck->marks, i),
                                .has_schedule = finding_has_schedule(f)};
    struct card card;

    if (kept.has_schedule)
        kept.switches = schedule_switches(t, &f->schedule);
    deck->deal(deck, i, &card);
    kept.severity = (uint32_t)card.severity;
    kept.problem = severity_is_problem(card.severity);
    if (f->property == PROPERTY_NONDET)
        kept.source = hunt_pair_mark(t, f->events[2], f->events[0]);
    if (kept.one_read) {
        kept.read = read_mark(states, f->events[0], f->events[2]);
        kept.state = read_state_mark(states, f);
    }
    snprintf(kept.id, sizeof kept.id, "%s", card.id);
    snprintf(kept.title, sizeof kept.title, "%s", card.title);
    snprintf(kept.place, sizeof kept.place, "%s", card.places_count > 0 ? card.places[0].location : "");
    card_free(&card);
    ARRAY_PUSH(report, findings, kept);
}

/* Leaves the report of a check beside the trace and keeps its findings. */
static enum status keep_results(const struct hunt_settings *settings, struct results *results,
                                const struct model *m, const char *trace_path, const char *path, enum pass pass,
                                const struct read_states *states, struct hunt_report *report, struct error *err)
{
    struct report_options options = {.schedules = true, .trace_path = trace_path};
    struct marks marks;
    struct deck deck;
    enum status status;

    marks_init(&marks, results, m->trace);
    for (int i = 0; i < 2; i++)
        if (settings->suppressions[i])
            marks_suppress(&marks, settings->suppressions[i], results, m->trace);
    findings_arrange(results, m->trace, &marks, NULL, false);
    options.marks = &marks;
    status = report_write_file(report_format_named("json"), results, m, &options, path, err);
    deck_from_results(&deck, results, m, &options);
    for (size_t i = 0; i < results->found.findings_count; i++)
        keep_finding(report, m->trace, &deck, &results->found.findings[i], i, pass, states);
    deck_free(&deck);
    marks_free(&marks);
    return status;
}

/* What only the check that is reported says. */
static void keep_rest(const struct model *m, const struct check_options *options,
                      const struct read_states *states, struct results *results, struct hunt_report *report)
{
    const char *missing = trace_incomplete(m->trace, 0);

    hunt_find_observed(m->trace, options, results);
    find_coverage(m, report);
    if (m->event_count <= READ_EVENTS) {
        hunt_cover_reads(states, report);
        report->end.behaviour = read_behaviour(states);
    }
    report->end.complete = results->complete;
    snprintf(report->end.missing, sizeof report->end.missing, "%s", missing ? missing : "");
}

/* One check of the trace as it stands. */
static enum status check_once(const struct hunt_settings *settings, struct check_options options,
                              enum pass pass, const struct hunt_job *job, const struct trace *trace,
                              struct hunt_report *report, struct error *err)
{
    static const char *const endings[] = {"json", "reads.json", "candidates.json"};
    double seconds = pass == PASS_REPORT ? job->seconds : pass == PASS_READS ? 0.25 : 1;
    struct hunt_settings told = *settings; /* the report names the trace where it will be in the end */
    char *trace_path, *path = hunt_path(settings, job->run, endings[pass]);
    struct check_clock clock = {.deadline = seconds > 0 ? seconds_now() + seconds : 0};
    struct results results = {.method = "exact"};
    struct model model;
    enum status status = model_build(&model, trace, err);

    told.scratch = NULL;
    trace_path = hunt_path(&told, job->run, "htr");
    if (status == HEDDLE_OK) {
        struct read_states *states = read_states_new(&model);
        options.progress = watch_clock;
        options.progress_context = &clock;
        check_trace(&model, &options, &clock.over, &results);
        if (pass == PASS_READS)
            hunt_choose_reads(states, &results);
        group_findings(&results, trace);
        findings_merge_reads(&results, trace);
        findings_drop_owner_counts(&results, trace);
        if (pass == PASS_REPORT)
            keep_rest(&model, &options, states, &results, report);
        status = keep_results(settings, &results, &model, trace_path, path, pass, states, report, err);
        read_states_free(states);
        finding_list_free(&results.found);
        finding_list_free(&results.undecided);
        model_free(&model);
    }
    free(trace_path);
    free(path);
    return status;
}

/* Frees all reads: no event stands on one any more, so only synchronization is in the way of a run. What values are made
 * of stays, since it says what a stale update is. */
static void free_reads(struct trace *t)
{
    struct ground *items = NULL;
    size_t room = 0;

    for (uint32_t e = 1; e <= t->count; e++) {
        struct ground_list from = trace_from(t, e);
        struct grounds_given given = {.by_given = true, .from_given = from.given, .from_count = from.count};
        items = memory_grow(items, &room, from.count + 1, sizeof *items);
        for (uint32_t i = 0; i < from.count; i++)
            items[i] = ground_at(&from, i);
        given.from = items;
        trace_set_grounds(t, e, &given);
    }
    free(items);
}

/* Asks for these properties alone, of those that the hunt is about. */
static void restrict_to(struct check_options *options, const struct hunt_settings *settings,
                        const enum property *properties, size_t count)
{
    memset(options->properties, 0, sizeof options->properties);
    for (size_t i = 0; i < count; i++)
        options->properties[properties[i]] = settings->check.properties[properties[i]];
}

enum status hunt_check(const struct hunt_settings *settings, const struct hunt_job *job, struct trace *trace,
                       struct hunt_report *report, struct error *err)
{
    static const enum property reads[] = {PROPERTY_NONDET},
                               blocked[] = {PROPERTY_DEADLOCK, PROPERTY_STUCK, PROPERTY_RACE, PROPERTY_STALE};
    struct check_options options = settings->check;
    enum status status;

    options.thrift = THRIFT;
    status = check_once(settings, options, PASS_REPORT, job, trace, report, err);

    if (options.budget > CANDIDATE_BUDGET)
        options.budget = CANDIDATE_BUDGET;
    if (status == HEDDLE_OK && job->reads && trace->count <= READ_EVENTS) {
        restrict_to(&options, settings, reads, 1);
        options.all = true;
        status = check_once(settings, options, PASS_READS, job, trace, report, err);
        options.all = settings->check.all;
    }
    if (status != HEDDLE_OK || trace->count > CANDIDATE_EVENTS)
        return status;
    restrict_to(&options, settings, blocked, sizeof blocked / sizeof *blocked);
    free_reads(trace);
    return check_once(settings, options, PASS_CANDIDATES, job, trace, report, err);
}
