/* heddle report: a JSON report in another format. */
#include "base/create.h"
#include "cli/checking.h"
#include "report/json/recall.h"
#include "report/reported.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct option options[] = {
    {"format", 0, "NAME", REPORT_FORMATS,
     "The format to write: text (the default), json, html, sarif or gitlab."},
    {"output", 'o', "FILE", NULL, "Writes to FILE instead of standard output."},
    {"trace", 0, "FILE", NULL,
     "The trace that the report belongs to. Default: the file that the report names, next to the report or in "
     "the current folder."},
    NOTES_OPTION,
    {"source-root", 0, "FOLDER", NULL,
     "SARIF and GitLab: paths below FOLDER are written relative to it; HTML: source is read only below it. "
     "Default: the current folder; for HTML also that of the program."},
    LIMITS_OPTION,
    CONFIG_OPTION,
    {0},
};

/* Without the trace: repeats what the report itself says, if the format can do with that. */
static enum status write_alone(const struct report_format *format, const struct reported *r,
                               const struct report_options *how, const char *output, struct error *err)
{
    FILE *to;
    enum status status;

    if (!format->write_recalled)
        return fail(err, HEDDLE_BAD_USAGE,
                    "report: cannot find the trace %.200s, which --format=%s needs; name it with --trace",
                    r->report.trace_file, format->name);
    to = output ? create_stream(output, err) : stdout;
    if (!to)
        return err->status;
    remark("cannot find the trace %s: the report has no code flows", r->report.trace_file);
    status = format->write_recalled(&r->report, how, to, err);
    if (output && fclose(to) != 0 && status == HEDDLE_OK)
        status = fail(err, HEDDLE_IO, "%s: %s", output, strerror(errno));
    return status;
}

static enum status convert(const struct report_format *format, const struct reported *r,
                           struct report_options *how, const char *output, struct error *err)
{
    struct results results;

    struct finding_note *notes = notes_recall(&r->report);
    enum status status;

    how->marks = &r->marks;
    how->notes = notes;
    if (!r->has_trace) {
        status = write_alone(format, r, how, output, err);
    } else {
        results_recall(&results, &r->report);
        if (strcmp(format->name, "text") == 0)
            how->trace_path = r->trace_path;
        status = output ? report_write_file(format, &results, &r->model, how, output, err)
                        : report_write(format, &results, &r->model, how, stdout, err);
    }
    free(notes);
    return status;
}

static int run(const struct command *self, const struct arguments *args)
{
    const char *name = argument_of(self, args, "format"), *root = argument_of(self, args, "source-root");
    struct report_options how = {
        .schedules = true, .most = 20, .full_notes = argument_of(self, args, "notes") != NULL};
    struct reported reported;
    struct trace_limits limits;
    struct error err;
    size_t left_out = 0;
    const struct config *config = configured(self, args);
    char *folder;
    int status = EXIT_SUCCESS;

    if (!config || parse_word(self->name, "format", name, REPORT_FORMATS) < 0 ||
        !argument_limits(self, args, &limits))
        return EXIT_ERROR;
    if (!root && config->source_roots.names_count > 0) {
        root = config->source_roots.names[0];
        how.more_roots = config->source_roots.names;
    }
    folder = root ? realpath(root, NULL) : getcwd(NULL, 0);
    if (root && !folder)
        return complain("report: source folder %s: %s", root, strerror(errno));
    how.source_root = folder;
    how.source_named = root != NULL;
    how.left_out = &left_out;
    if (reported_open(&reported, args->operands[0], argument_of(self, args, "trace"), &limits, &err) !=
        HEDDLE_OK) {
        free(folder);
        return complain("%s", err.text);
    }
    how.trace_path = reported.report.trace_file;
    if (convert(report_format_named(name ? name : "text"), &reported, &how, argument_of(self, args, "output"),
                &err) != HEDDLE_OK)
        status = complain("%s", err.text);
    remark_left_out(left_out);
    reported_close(&reported);
    free(folder);
    return status;
}

const struct command command_report = {
    .name = "report",
    .operands = "REPORT",
    .summary = "writes a report in another format",
    .description =
        "Writes the JSON report REPORT in another format. It checks the findings against the trace that the "
        "report names. Without the trace, formats that do not need it repeat what the report says.",
    .options = options,
    .operands_min = 1,
    .operands_max = 1,
    .run = run,
};
