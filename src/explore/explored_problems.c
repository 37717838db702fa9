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

enum { BUDGET = 20000 };

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

/* Keeps the problems among the results; true when one is new. Problems of how the run ended are outcomes already. */
static bool keep_all(struct explorer *e, const struct results *results, const struct model *m,
                     const struct report_options *options)
{
    struct deck deck;
    bool fresh = false;

    deck_from_results(&deck, results, m, options);
    for (size_t i = 0; i < results->found.findings_count; i++) {
        const struct finding *f = &results->found.findings[i];
        if (finding_is_problem(f) && f->property != PROPERTY_OBSERVED)
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

void explorer_check(struct explorer *e, const struct trace *trace, const char *path)
{
    struct check_options check = {.budget = BUDGET, .workers = 1};
    struct report_options options = {.schedules = true, .trace_path = path};
    struct results results = {.method = "exact"};
    struct marks marks;
    struct model model;
    struct error err;

    for (enum property p = 0; p < PROPERTIES; p++)
        check.properties[p] = property_traits(p)->by_default;
    if (model_build(&model, trace, &err) != HEDDLE_OK) {
        e->to->unchecked++;
        return;
    }
    check_trace(&model, &check, e->settings->stop, &results);
    group_findings(&results, trace);
    findings_merge_reads(&results, trace);
    findings_drop_idle(&results, trace);
    marks_init(&marks, &results, trace);
    findings_arrange(&results, trace, &marks, NULL, false);
    options.marks = &marks;
    e->to->unchecked += !results.complete;
    if (keep_all(e, &results, &model, &options))
        keep_files(e, &results, &model, &options, path);
    if (e->settings->stop_at_first && e->to->problems_count > 0)
        explorer_miss(e, INCOMPLETE_STOPPED, "it was to stop at the first problem");
    marks_free(&marks);
    finding_list_free(&results.found);
    finding_list_free(&results.undecided);
    model_free(&model);
}
