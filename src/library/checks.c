/* Checks, as the library shows them. */
#include "finding/observed.h"
#include "library/boundary.h"
#include "method/csp/csp_method.h"
#include "method/graph/graph.h"
#include "method/ucg/ucg.h"
#include "property/check.h"
#include "report/arrange.h"
#include "report/format.h"
#include "report/group.h"
#include "report/reported.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BUDGET = 100000 };

struct heddle_result {
    const struct trace *trace;
    struct model model;
    struct results results;
    struct marks marks;
};

void heddle_check_options_init(struct heddle_check_options *options)
{
    memset(options, 0, sizeof *options);
    options->size = sizeof *options;
    options->budget = BUDGET;
}

static enum status choose_properties(const char *list, bool *wanted, struct error *err)
{
    for (enum property p = 0; !list && p < PROPERTIES; p++)
        wanted[p] = property_traits(p)->by_default;
    while (list) {
        size_t length = strcspn(list, ",");
        bool known = false;
        for (enum property p = 0; p < PROPERTIES; p++)
            if ((length == 3 && strncmp(list, "all", 3) == 0) ||
                (strlen(property_option(p)) == length && strncmp(property_option(p), list, length) == 0))
                wanted[p] = known = true;
        if (!known)
            return fail(err, HEDDLE_BAD_USAGE, "unknown property %.*s", (int)length, list);
        list = list[length] ? list + length + 1 : NULL;
    }
    return HEDDLE_OK;
}

struct library_job {
    const struct heddle_trace *trace;
    struct heddle_check_options options;
    struct heddle_result *result;
};

static enum status decide(const struct library_job *job, struct check_options *how, struct heddle_result *r,
                          struct error *err)
{
    static const stop_flag never;
    const char *method = job->options.method ? job->options.method : "exact";
    struct graph_options graph = {.all = how->all, .budget = how->budget};

    r->results.method = "exact";
    if (strcmp(method, "exact") == 0)
        check_trace(&r->model, how, &never, &r->results);
    else if (strcmp(method, "graph") == 0)
        graph_check(&r->model, &graph, &never, &r->results);
    else if (strcmp(method, "ucg") == 0)
        ucg_check(&r->model, how, &never, &r->results);
    else if (strcmp(method, "csp") == 0)
        csp_check(&r->model, how, &never, &r->results);
    else
        return fail(err, HEDDLE_BAD_USAGE, "unknown method %s: expected exact, graph, ucg or csp", method);
    return HEDDLE_OK;
}

static void result_free(struct heddle_result *r)
{
    marks_free(&r->marks);
    finding_list_free(&r->results.found);
    finding_list_free(&r->results.undecided);
    model_free(&r->model);
    free(r);
}

static enum status check(void *context, struct error *err)
{
    struct library_job *job = context;
    const struct heddle_check_options *o = &job->options;
    struct check_options how = {.all = o->all,
                                .atomic_locks = o->atomic_locks,
                                .predict = o->predict,
                                .budget = o->budget,
                                .workers = o->workers};
    struct heddle_result *r = memory_new(1, sizeof *r);
    long processors = sysconf(_SC_NPROCESSORS_ONLN);

    if (how.workers == 0)
        how.workers = processors > 0 ? (unsigned)processors : 1;
    r->trace = &job->trace->trace;
    if (choose_properties(o->properties, how.properties, err) != HEDDLE_OK ||
        model_build(&r->model, r->trace, err) != HEDDLE_OK) {
        free(r);
        return err->status;
    }
    if (decide(job, &how, r, err) != HEDDLE_OK) {
        result_free(r);
        return err->status;
    }
    group_findings(&r->results, r->trace);
    r->results.complete &= trace_incomplete(r->trace, 0) == NULL;
    findings_merge_reads(&r->results, r->trace);
    findings_drop_idle(&r->results, r->trace);
    marks_init(&r->marks, &r->results, r->trace);
    findings_arrange(&r->results, r->trace, &r->marks, NULL, false);
    job->result = r;
    return HEDDLE_OK;
}

heddle_result *heddle_check(const heddle_trace *trace, const struct heddle_check_options *options,
                            struct heddle_error *err)
{
    struct library_job job = {.trace = trace};

    heddle_check_options_init(&job.options);
    if (options && (options->size == 0 || options->size > sizeof job.options)) {
        boundary_fail(err, HEDDLE_ERROR_USAGE, "the options were not initialised by heddle_check_options_init");
        return NULL;
    }
    if (options)
        memcpy(&job.options, options, options->size);
    return boundary_run(check, &job, err) ? job.result : NULL;
}

void heddle_result_free(heddle_result *result)
{
    if (result)
        result_free(result);
}

bool heddle_result_complete(const heddle_result *result)
{
    return result->results.complete;
}

size_t heddle_result_findings(const heddle_result *result)
{
    return result->results.found.findings_count;
}

size_t heddle_result_undecided(const heddle_result *result)
{
    return result->results.undecided.findings_count;
}

bool heddle_result_finding(const heddle_result *result, size_t index, struct heddle_finding *to)
{
    const struct finding *f;

    if (index >= result->results.found.findings_count)
        return false;
    f = &result->results.found.findings[index];
    *to = (struct heddle_finding){.property = property_title(f->property),
                                  .events = f->events,
                                  .event_count = f->event_count,
                                  .count = f->count,
                                  .has_schedule = finding_has_schedule(f),
                                  .prefix = f->schedule.prefix,
                                  .then = f->schedule.tail,
                                  .then_count = f->schedule.tail_count};
    return true;
}

struct writing {
    const struct heddle_result *result;
    const char *format, *trace_path, *path;
};

static enum status write_report(void *context, struct error *err)
{
    struct writing *w = context;
    const struct report_format *format = report_format_named(w->format);
    struct report_options options = {
        .schedules = true, .trace_path = w->trace_path, .marks = &w->result->marks};

    if (!format)
        return fail(err, HEDDLE_BAD_USAGE, "unknown format %s; expected one of " REPORT_FORMATS, w->format);
    return report_write_file(format, &w->result->results, &w->result->model, &options, w->path, err);
}

bool heddle_result_write(const heddle_result *result, const char *format, const char *trace_path,
                         const char *path, struct heddle_error *err)
{
    struct writing w = {result, format, trace_path, path};

    return boundary_run(write_report, &w, err);
}

struct verifying {
    const struct trace *trace;
    const char *path;
};

static enum status verify(void *context, struct error *err)
{
    struct verifying *v = context;
    struct report report;
    struct model model;
    enum status status = report_load_whole(&report, v->path, err);

    if (status != HEDDLE_OK)
        return status;
    status = model_build(&model, v->trace, err);
    if (status == HEDDLE_OK) {
        status = report.events == v->trace->count
                     ? report_holds(&report, &model, err)
                     : fail(err, HEDDLE_BAD_REPORT, "%s: belongs to another trace", v->path);
        model_free(&model);
    }
    report_free(&report);
    return status;
}

bool heddle_report_verify(const heddle_trace *trace, const char *report_path, struct heddle_error *err)
{
    struct verifying v = {&trace->trace, report_path};

    return boundary_run(verify, &v, err);
}
