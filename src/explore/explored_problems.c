/* What the traces of explored runs show beside how they ended: races and other problems, each once. */
#include "base/memory.h"
#include "explore/explorer.h"
#include "property/check.h"
#include "report/arrange.h"
#include "report/ci/card.h"
#include "report/format.h"
#include "report/group.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    BUDGET = 20000,
    THRIFT = 8, /* many runs show more than one that is checked in full */
};

/* Keeps a problem; whether it is new. */
static bool keep(struct explorer *e, const struct deck *deck, uint64_t fingerprint, size_t i)
{
    uint32_t *at = map_at(&e->problems, fingerprint);
    struct exploration *x = e->to;
    bool fresh = *at == 0;
    struct card card;

    if (fresh) {
        struct explored_problem new = {.fingerprint = fingerprint, .run = x->runs};
        deck->deal(deck, i, &card);
        new.severity = card.severity;
        snprintf(new.id, sizeof new.id, "%s", card.id);
        snprintf(new.title, sizeof new.title, "%s", card.title);
        snprintf(new.place, sizeof new.place, "%s", card.places_count > 0 ? card.places[0].location : "");
        card_free(&card);
        ARRAY_PUSH(x, problems, new);
        *at = (uint32_t)x->problems_count;
    }
    x->problems[*at - 1].times++;
    return fresh;
}

/* Problems of how the run ended are outcomes already. */
static bool counts(const struct finding *f)
{
    return finding_is_problem(f) && f->property != PROPERTY_OBSERVED;
}

/* Keeps the problems among the results; true when one is new. */
static bool keep_all(struct explorer *e, const struct results *results, const struct model *m,
                     const struct report_options *options)
{
    struct deck deck;
    bool fresh = false;

    deck_from_results(&deck, results, m, options);
    for (size_t i = 0; i < results->found.findings_count; i++) {
        const struct finding *f = &results->found.findings[i];
        if (counts(f))
            fresh |= keep(e, &deck, options->marks->found[i].fingerprint, i);
    }
    deck_free(&deck);
    return fresh;
}

/* The trace and its report get names of their own. */
static void keep_files(const struct explorer *e, const struct results *results, const struct model *m,
                       struct report_options *options, const char *path)
{
    char trace[4200], report[4200];
    struct error err;

    snprintf(trace, sizeof trace, "%s/run-%llu.htr", e->settings->folder, (unsigned long long)e->to->runs);
    snprintf(report, sizeof report, "%s/run-%llu.json", e->settings->folder, (unsigned long long)e->to->runs);
    options->trace_path = trace;
    rename(path, trace);
    report_write_file(report_format_named("json"), results, m, options, report, &err);
}

/* A check of a trace, as long as its results are wanted. */
struct trace_look {
    struct model model;
    struct results results;
    struct marks marks;
};

/* False: the trace makes no sense. */
static bool look_at(const struct explorer *e, const struct trace *trace, struct trace_look *l)
{
    struct check_options check = {.budget = BUDGET, .workers = 1, .thrift = THRIFT};
    struct error err;

    for (enum property p = 0; p < PROPERTIES; p++)
        check.properties[p] =
            property_traits(p)->by_default && p != PROPERTY_NONDET; /* what notes say is run */
    l->results = (struct results){.method = "exact"};
    if (model_build(&l->model, trace, &err) != HEDDLE_OK)
        return false;
    check_trace(&l->model, &check, e->settings->stop, &l->results);
    group_findings(&l->results, trace);
    findings_merge_reads(&l->results, trace);
    findings_drop_idle(&l->results, trace);
    findings_drop_owner_counts(&l->results, trace);
    marks_init(&l->marks, &l->results, trace);
    findings_arrange(&l->results, trace, &l->marks, NULL, false);
    return true;
}

static void look_free(struct trace_look *l)
{
    marks_free(&l->marks);
    finding_list_free(&l->results.found);
    finding_list_free(&l->results.undecided);
    model_free(&l->model);
}

void explorer_look(struct explorer *e, struct explored_run *run)
{
    struct trace_look l;

    run->looked = true;
    if (!look_at(e, &run->result.trace, &l))
        return;
    run->complete = l.results.complete;
    for (size_t i = 0; i < l.results.found.findings_count; i++)
        if (counts(&l.results.found.findings[i]))
            ARRAY_PUSH(run, marks, l.marks.found[i].fingerprint);
    look_free(&l);
}

/* Whether all problems that somebody else saw in the run are known. */
static bool is_known(const struct explorer *e, const struct explored_run *run)
{
    for (size_t i = 0; i < run->marks_count; i++)
        if (map_get(&e->problems, run->marks[i]) == 0)
            return false;
    return run->looked;
}

void explorer_check(struct explorer *e, const struct explored_run *run, const char *path)
{
    const struct trace *trace = &run->result.trace;
    struct report_options options = {.schedules = true, .trace_path = path};
    struct trace_look l;

    if (is_known(e, run)) {
        e->to->unchecked += !run->complete;
        for (size_t i = 0; i < run->marks_count; i++)
            e->to->problems[map_get(&e->problems, run->marks[i]) - 1].times++;
        return;
    }
    if (!look_at(e, trace, &l)) {
        e->to->unchecked++;
        return;
    }
    options.marks = &l.marks;
    e->to->unchecked += !l.results.complete;
    if (keep_all(e, &l.results, &l.model, &options))
        keep_files(e, &l.results, &l.model, &options, path);
    if (e->settings->stop_at_first && e->to->problems_count > 0)
        explorer_miss(e, INCOMPLETE_STOPPED, "it was to stop at the first problem");
    look_free(&l);
}
