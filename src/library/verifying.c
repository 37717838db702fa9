/* Verification of reports as the library's users see it. */
#include "library/boundary.h"
#include "report/json/context.h"
#include "report/json/recall.h"
#include "report/json/report_file.h"
#include "report/verify.h"

#include <stdio.h>
#include <string.h>

struct verifying {
    const struct heddle_trace *trace;
    const char *path;
    struct heddle_verify_options options;
    struct heddle_verification *verification;
};

void heddle_verify_options_init(struct heddle_verify_options *options)
{
    memset(options, 0, sizeof *options);
    options->size = sizeof *options;
}

static void verify(const struct verifying *v, const struct report *report)
{
    const struct heddle_verify_options *o = &v->options;
    struct verify_request request = {
        .options = {.values_ignore = report->values_ignore || o->ignore_values,
                    .grounds_ignore = report->grounds_ignore || o->ignore_grounds,
                    .atomic_locks = o->atomic ? strcmp(o->atomic, "locks") == 0 : report->atomic_locks},
        .only = o->only,
        .rejected = o->rejected,
        .context = o->context};
    struct verified verified;

    report_verify(report, &v->trace->trace, &request, &verified);
    *v->verification = (struct heddle_verification){.findings = report->found.findings_count,
                                                    .accepted = verified.accepted,
                                                    .rejected = verified.rejected,
                                                    .without_data = verified.without_data,
                                                    .ignored_values = request.options.values_ignore,
                                                    .ignored_grounds = request.options.grounds_ignore};
    context_unchecked(report, v->verification->unchecked, sizeof v->verification->unchecked);
}

static enum status open_and_verify(void *context, struct error *err)
{
    struct verifying *v = context;
    const char *atomic = v->options.atomic;
    struct report_file file;
    struct report report = {0};
    enum status status;

    if (atomic && strcmp(atomic, "locks") != 0 && strcmp(atomic, "blocks") != 0)
        return fail(err, HEDDLE_BAD_USAGE, "--atomic=%s: expected blocks or locks", atomic);
    status = report_file_open(&file, v->path, err);
    if (status == HEDDLE_OK)
        status = report_file_read_of(&file, v->trace->name, &report, err);
    if (status == HEDDLE_OK) {
        status = report_belongs(&report, &v->trace->trace, v->trace->name, err);
        if (status == HEDDLE_OK)
            verify(v, &report);
        if (status == HEDDLE_OK && v->verification->rejected == 0 &&
            !header_holds(&report, &v->trace->trace, err))
            status = err->status;
        if (status != HEDDLE_OK)
            error_prefix(err, "%s: ", v->path);
    }
    report_free(&report);
    report_file_close(&file);
    return status;
}

bool heddle_report_verify_with(const heddle_trace *trace, const char *report_path,
                               const struct heddle_verify_options *options,
                               struct heddle_verification *verification, struct heddle_error *err)
{
    struct verifying v = {.trace = trace, .path = report_path, .verification = verification};

    heddle_verify_options_init(&v.options);
    if (!boundary_options(&v.options, sizeof v.options, options, "heddle_verify_options_init", err))
        return false;
    return boundary_run(open_and_verify, &v, err);
}

struct first_rejected {
    char text[512];
};

static void keep_first(void *context, const char *id, const char *why)
{
    struct first_rejected *first = context;

    if (!*first->text)
        snprintf(first->text, sizeof first->text, "%.40s does not hold in the trace: %.400s", id, why);
}

bool heddle_report_verify(const heddle_trace *trace, const char *report_path, struct heddle_error *err)
{
    struct heddle_verify_options options;
    struct heddle_verification verification;
    struct first_rejected first = {""};

    heddle_verify_options_init(&options);
    options.rejected = keep_first;
    options.context = &first;
    if (!heddle_report_verify_with(trace, report_path, &options, &verification, err))
        return false;
    if (verification.rejected > 0)
        boundary_fail(err, HEDDLE_ERROR_REJECTED, first.text);
    return verification.rejected == 0;
}
