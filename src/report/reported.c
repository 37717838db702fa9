/* Opens a report with its trace, and checks that one belongs to the other. */
#include "report/reported.h"
#include "base/memory.h"
#include "property/candidate.h"
#include "report/json/recall.h"
#include "report/verify.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The trace that a report names: beside it, else as it is named; NULL when there is none. To be freed. */
static char *find_trace(const char *report, const char *name)
{
    const char *slash = strrchr(report, '/');
    size_t folder = slash ? (size_t)(slash - report) + 1 : 0, length = strlen(name);
    char *beside;

    if (length == 0 || strcmp(name, "-") == 0)
        return NULL;
    beside = memory_new(folder + length + 1, 1);
    memcpy(beside, report, folder);
    memcpy(beside + folder, name, length);
    if (name[0] != '/' && access(beside, R_OK) == 0)
        return beside;
    free(beside);
    return access(name, R_OK) == 0 ? memory_text(name, length) : NULL;
}

/* Whether the trace has all events that the finding names, those of its schedule included. */
static bool in_trace(const struct trace *trace, const struct finding *f)
{
    for (uint32_t i = 0; i < f->event_count; i++) {
        bool may_be_initial = i < PROPERTY_FIELDS && property_traits(f->property)->initial >> i & 1;
        if (f->events[i] > trace->count || (f->events[i] == EVENT_INIT && !may_be_initial))
            return false;
    }
    for (uint32_t i = 0; i < f->schedule.tail_count; i++)
        if (f->schedule.tail[i] == EVENT_INIT || f->schedule.tail[i] > trace->count)
            return false;
    return f->schedule.prefix <= trace->count && (f->event_count > 0 || f->property == PROPERTY_OBSERVED);
}

/* What has no schedule: at least its events are there, and of the sort that the property is about. */
static bool is_sensible(const struct model *m, const struct finding *f)
{
    uint32_t pair[2] = {0};
    struct error err;

    if (f->event_count == 0)
        return false;
    pair[0] = f->events[0];
    pair[1] = f->events[f->event_count - 1];

    if (f->property == PROPERTY_NONDET)
        return f->event_count == 3 && candidate_check(m, f->property, pair, 2, &err) == HEDDLE_OK &&
               m->source[f->events[0]] == f->events[1];
    if (f->property == PROPERTY_FINAL)
        return f->event_count == 2 && candidate_check(m, f->property, pair + 1, 1, &err) == HEDDLE_OK &&
               f->events[0] != EVENT_INIT && kind_writes(kind_of(m, f->events[0])) &&
               arg_of(m, f->events[0]) == arg_of(m, f->events[1]);
    return true;
}

static bool holds(struct certifier *certifier, const struct report *report, const struct model *model, size_t i,
                  struct error *why)
{
    const struct certify_options options = {report->values_ignore, report->grounds_ignore,
                                            report->atomic_locks};

    const struct finding *f = &report->found.findings[i];

    if (f->property != PROPERTY_NONDET || f->kind == 0)
        return claim_holds(certifier, report, i, &options, why);
    fail(why, HEDDLE_REJECTED, "these are not a read and two writes to its variable");
    return is_sensible(model, f);
}

enum status report_holds(const struct report *report, const struct model *model, struct error *err)
{
    const struct trace *trace = model->trace;
    struct certify_index *index = certify_index_new(trace);
    struct certifier *certifier = certifier_new(index);
    enum status status = HEDDLE_OK;
    struct error why;

    for (size_t i = 0; i < report->found.findings_count && status == HEDDLE_OK; i++) {
        bool there = in_trace(trace, &report->found.findings[i]);
        if (!there || !holds(certifier, report, model, i, &why))
            status =
                fail(err, HEDDLE_BAD_REPORT, "%.40s does not hold in the trace: %.400s", report->entries[i].id,
                     there ? why.text : "it names events that the trace does not have");
    }
    for (size_t i = 0; i < report->undecided.findings_count && status == HEDDLE_OK; i++) {
        const struct finding *f = &report->undecided.findings[i];
        if (!in_trace(trace, f) || !is_sensible(model, f))
            status = fail(err, HEDDLE_BAD_REPORT, "undecided[%zu] does not fit the trace", i);
    }
    certifier_free(certifier);
    certify_index_free(index);
    return status;
}

/* A model that is not built has nothing to free. */
static enum status open_trace(struct reported *r, const struct trace_limits *limits, struct error *err)
{
    enum status status = trace_load_limited(&r->trace, r->trace_path, limits, err);

    if (status == HEDDLE_OK)
        status = report_belongs(&r->report, &r->trace, r->trace_path, err);
    if (status == HEDDLE_OK)
        status = model_build(&r->model, &r->trace, err);
    r->has_trace = status == HEDDLE_OK;
    if (status != HEDDLE_OK)
        trace_free(&r->trace);
    return r->has_trace ? report_holds(&r->report, &r->model, err) : status;
}

enum status reported_open(struct reported *r, const struct report_file *file, size_t part,
                          const char *trace_path, const struct trace_limits *limits, struct error *err)
{
    enum status status;

    memset(r, 0, sizeof *r);
    status = report_file_read(file, part, true, &r->report, err);
    if (status != HEDDLE_OK)
        return status;
    marks_recall(&r->marks, &r->report);
    r->trace_path =
        trace_path ? memory_text(trace_path, strlen(trace_path)) : find_trace(file->name, r->report.trace_file);
    if (r->trace_path)
        status = open_trace(r, limits, err);
    if (status == HEDDLE_BAD_REPORT)
        error_prefix(err, "%s: ", file->name);
    if (status != HEDDLE_OK)
        reported_close(r);
    return status;
}

void reported_close(struct reported *r)
{
    if (r->has_trace) {
        model_free(&r->model);
        trace_free(&r->trace);
    }
    marks_free(&r->marks);
    report_free(&r->report);
    free(r->trace_path);
    memset(r, 0, sizeof *r);
}
