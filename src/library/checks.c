/* Checks as the library's users see them. */
#include "library/boundary.h"
#include "method/method.h"
#include "report/arrange.h"
#include "report/format.h"
#include "report/group.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
}

static enum status choose_properties(const char *list, enum method method, bool *wanted, struct error *err)
{
    if (!list)
        method_default_properties(method, wanted);
    while (list) {
        size_t length = strcspn(list, ",");
        if (!property_choose(list, length, wanted))
            return fail(err, HEDDLE_BAD_USAGE, "unknown property %.*s", (int)length, list);
        list = list[length] ? list + length + 1 : NULL;
    }
    return method_check_properties(method, wanted, err);
}

struct library_job {
    const struct heddle_trace *trace;
    struct heddle_check_options options;
    struct heddle_result *result;
};

static void result_free(struct heddle_result *r)
{
    marks_free(&r->marks);
    finding_list_free(&r->results.found);
    finding_list_free(&r->results.undecided);
    model_free(&r->model);
    free(r);
}

/* The method that the options name; its own default budget where they name none. */
static enum status read_options(const struct heddle_check_options *o, enum method *method,
                                struct check_options *how, struct error *err)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);

    *method = o->method ? method_named(o->method) : METHOD_EXACT;
    if (*method == METHODS)
        return fail(err, HEDDLE_BAD_USAGE, "unknown method %s: expected exact, graph, ucg or csp", o->method);
    if (*method != METHOD_EXACT && (o->ignore_values || o->ignore_grounds))
        return fail(err, HEDDLE_BAD_USAGE, "method %s uses neither values nor grounds", o->method);
    *how = (struct check_options){.all = o->all,
                                  .atomic_locks = o->atomic_locks,
                                  .predict = o->predict,
                                  .values_ignore = o->ignore_values,
                                  .grounds_ignore = o->ignore_grounds,
                                  .budget = o->budget ? o->budget : method_default_budget(*method),
                                  .workers = o->workers       ? o->workers
                                             : processors > 0 ? (unsigned)processors
                                                              : 1};
    return choose_properties(o->properties, *method, how->properties, err);
}

static enum status check(void *context, struct error *err)
{
    static const stop_flag never;
    struct library_job *job = context;
    struct heddle_result *r;
    struct check_options how;
    enum method method;

    if (read_options(&job->options, &method, &how, err) != HEDDLE_OK)
        return err->status;
    r = memory_new(1, sizeof *r);
    r->trace = &job->trace->trace;
    if (model_build_with(&r->model, r->trace, method_model(method, &how), err) != HEDDLE_OK) {
        free(r);
        return err->status;
    }
    method_run(method, &r->model, &how, &never, &r->results);
    group_findings(&r->results, r->trace);
    findings_merge_reads(&r->results, r->trace);
    findings_drop_idle(&r->results, r->trace);
    findings_drop_owner_counts(&r->results, r->trace);
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
    if (!boundary_options(&job.options, sizeof job.options, options, "heddle_check_options_init", err))
        return NULL;
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
