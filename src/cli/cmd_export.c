/* heddle export: a trace, or the run that shows a finding, for other viewers. */
#include "base/memory.h"
#include "cli/checking.h"
#include "export/export.h"
#include "report/reported.h"
#include "trace/limits.h"

#include <stdlib.h>
#include <string.h>

static const struct option options[] = {
    {"to", 0, "FORMAT", EXPORT_FORMATS,
     "The format: perfetto, a timeline for ui.perfetto.dev; shiviz, a log with vector clocks for ShiViz; dot, "
     "the graph of the order between events, for Graphviz; std, a trace as text; cspm, a CSP model of the "
     "trace with an assertion for each possible race, for FDR."},
    {"finding", 0, "REPORT:ID", NULL,
     "Exports the run that shows this finding of the JSON report REPORT, which is about FILE, instead of the "
     "observed run. shiviz and dot then show only the relevant events."},
    {"variable", 0, "NAME", NULL, "With --to=cspm: models this variable alone."},
    {"output", 'o', "FILE", NULL,
     "Writes to FILE instead of standard output; compressed if its name ends in .gz or .zst."},
    LIMITS_OPTION,
    {0},
};

static enum status write_run(const struct export_format *format, const struct model *model,
                             const struct finding *finding, const char *variable, const char *path,
                             struct error *err)
{
    struct exported x;
    struct output *out;
    struct error close_error;
    enum status status = output_open(&out, path, err);

    if (status != HEDDLE_OK)
        return status;
    exported_init(&x, model, finding);
    x.variable = variable;
    status = format->write(&x, out, err);
    exported_free(&x);
    if (output_close(out, &close_error) != HEDDLE_OK && status == HEDDLE_OK)
        status = fail(err, close_error.status, "%s", close_error.text);
    return status;
}

static enum status export_trace(const struct export_format *format, const char *path, const char *variable,
                                const char *output, const struct trace_limits *limits, struct error *err)
{
    struct trace trace;
    struct model model;
    enum status status = trace_load_limited(&trace, path, limits, err);

    if (status == HEDDLE_OK && trace.note)
        remark("%s: %s", path, trace.note);
    if (status == HEDDLE_OK)
        status = model_build(&model, &trace, err);
    if (status == HEDDLE_OK) {
        status = write_run(format, &model, NULL, variable, output, err);
        if (status == HEDDLE_BAD_USAGE)
            error_prefix(err, "%s: ", path);
        model_free(&model);
    }
    trace_free(&trace);
    return status;
}

/* `which` is REPORT:ID. */
static enum status export_finding(const struct export_format *format, const char *path, const char *which,
                                  const char *output, const struct trace_limits *limits, struct error *err)
{
    const char *colon = strrchr(which, ':');
    struct report_file file;
    struct report chosen;
    struct reported r;
    enum status status;
    size_t i, part = 0;

    if (!colon || colon == which || !colon[1])
        return fail(err, HEDDLE_BAD_USAGE, "export: --finding=%s is not of the form report.json:R1", which);
    char *report = memory_text(which, (size_t)(colon - which));
    status = report_file_open(&file, report, err);
    if (status == HEDDLE_OK && file.several) {
        status = report_file_read_with(&file, colon + 1, false, &chosen, &part, err);
        report_free(&chosen);
    }
    if (status == HEDDLE_OK)
        status = reported_open(&r, &file, part, path, limits, err);
    report_file_close(&file);
    if (status == HEDDLE_OK) {
        i = report_find(&r.report, colon + 1);
        if (i == SIZE_MAX)
            status = fail(err, HEDDLE_BAD_USAGE, "%s: has no finding %s", report, colon + 1);
        else if (r.report.found.findings[i].synchronization)
            status = fail(err, HEDDLE_BAD_USAGE,
                          "%s: the schedule of %s holds synchronization events only, so there is no complete "
                          "run to export",
                          report, colon + 1);
        else
            status = write_run(format, &r.model, &r.report.found.findings[i], NULL, output, err);
        reported_close(&r);
    }
    free(report);
    return status;
}

static int run(const struct command *self, const struct arguments *args)
{
    const char *name = argument_of(self, args, "to"), *finding = argument_of(self, args, "finding");
    const char *output = argument_of(self, args, "output") ? argument_of(self, args, "output") : "-";
    const char *path = args->operands[0], *variable = argument_of(self, args, "variable");
    const struct export_format *format;
    struct trace_limits limits;
    struct error err;

    if (!name)
        return complain("export: --to=FORMAT is missing; formats: " EXPORT_FORMATS);
    if (parse_word(self->name, "to", name, EXPORT_FORMATS) < 0)
        return EXIT_ERROR;
    format = export_format_named(name);
    if (!argument_limits(self, args, &limits))
        return EXIT_ERROR;
    if (strcmp(name, "cspm") == 0 ? finding != NULL : variable != NULL)
        return complain("export: --%s cannot be used with --to=%s", finding ? "finding" : "variable", name);
    if ((finding ? export_finding(format, path, finding, output, &limits, &err)
                 : export_trace(format, path, variable, output, &limits, &err)) != HEDDLE_OK)
        return complain("%s", err.text);
    return EXIT_SUCCESS;
}

const struct command command_export = {
    .name = "export",
    .operands = "FILE",
    .summary = "writes a trace, or the run of a finding, for other viewers",
    .description = "Writes the trace FILE, in any format, for another viewer; or, with --finding, the run that "
                   "shows a finding.",
    .options = options,
    .operands_min = 1,
    .operands_max = 1,
    .run = run,
};
