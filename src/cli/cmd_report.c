/* heddle report: a JSON report in another format. */
#include "base/create.h"
#include "cli/checking.h"
#include "report/bundle.h"
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

struct converting {
    const struct report_format *format;
    struct report_options how;
    const char *output, *trace; /* or NULL */
    struct trace_limits limits;
    size_t left_out;
};

/* Without the trace: repeats what the report itself says, if the format can do with that. */
static enum status write_alone(const struct converting *c, const struct reported *r, FILE *to,
                               struct error *err)
{
    if (!c->format->write_recalled)
        return fail(err, HEDDLE_BAD_USAGE,
                    "report: cannot find the trace %.200s, which --format=%s needs; name it with --trace",
                    r->report.trace_file, c->format->name);
    remark("cannot find the trace %s: the report has no code flows", r->report.trace_file);
    return c->format->write_recalled(&r->report, &c->how, to, err);
}

static enum status write_one(struct converting *c, const struct reported *r, FILE *to, struct error *err)
{
    struct results results;
    struct finding_note *notes = notes_recall(&r->report);
    enum status status;

    c->how.marks = &r->marks;
    c->how.notes = notes;
    c->how.trace_path = r->report.trace_file;
    repeated_recall(&r->report, c->how.repeated);
    if (!r->has_trace) {
        status = write_alone(c, r, to, err);
    } else {
        results_recall(&results, &r->report);
        if (strcmp(c->format->name, "text") == 0)
            c->how.trace_path = r->trace_path;
        status = c->format->write(&results, &r->model, &c->how, to, err);
    }
    free(notes);
    return status;
}

/* Adds one of several reports to the document. */
static enum status add_part(struct converting *c, const struct report_file *file, size_t part,
                            struct bundle *bundle, struct error *err)
{
    struct reported r;
    size_t length = 0;
    char *text = NULL;
    FILE *to;
    enum status status = reported_open(&r, file, part, c->trace, &c->limits, err);

    if (status != HEDDLE_OK)
        return status;
    to = open_memstream(&text, &length);
    status = to ? write_one(c, &r, to, err) : fail(err, HEDDLE_IO, "the report does not fit into memory");
    if (to)
        fclose(to);
    if (status == HEDDLE_OK)
        status = bundle_add(bundle, text, length, err);
    free(text);
    reported_close(&r);
    return status;
}

static enum status write_several(struct converting *c, const struct report_file *file, FILE *to,
                                 struct error *err)
{
    struct bundle_totals totals;
    struct bundle bundle;
    enum status status = HEDDLE_OK;

    if (c->trace)
        return fail(err, HEDDLE_BAD_USAGE, "report: --trace applies to a report of one trace");
    bundle_begin(&bundle, c->format, NULL);
    c->how.next = "\n";
    for (size_t i = 0; i < file->parts_count && status == HEDDLE_OK; i++)
        status = add_part(c, file, i, &bundle, err);
    totals_recall(file, &totals);
    if (status == HEDDLE_OK)
        status = bundle_end(&bundle, &totals, to, err);
    bundle_free(&bundle);
    return status;
}

static enum status convert(struct converting *c, const struct report_file *file, struct error *err)
{
    struct reported r = {0};
    FILE *to;
    enum status status = HEDDLE_OK;

    if (!file->several)
        status = reported_open(&r, file, 0, c->trace, &c->limits, err);
    if (status != HEDDLE_OK)
        return status;
    to = c->output ? create_stream(c->output, err) : stdout;
    c->how.color = to && report_wants_color(to);
    c->how.width = to ? report_columns(to) : 0;
    if (!to)
        status = err->status;
    else
        status = file->several ? write_several(c, file, to, err) : write_one(c, &r, to, err);
    if (to && c->output && fclose(to) != 0 && status == HEDDLE_OK)
        status = fail(err, HEDDLE_IO, "%s: %s", c->output, strerror(errno));
    reported_close(&r);
    return status;
}

static int run(const struct command *self, const struct arguments *args)
{
    const char *name = argument_of(self, args, "format"), *root = argument_of(self, args, "source-root");
    struct converting c = {
        .how = {.schedules = true, .most = 20, .full_notes = argument_of(self, args, "notes") != NULL},
        .output = argument_of(self, args, "output"),
        .trace = argument_of(self, args, "trace")};
    struct report_file file;
    struct error err;
    const struct config *config = configured(self, args);
    char *folder;
    int status = EXIT_SUCCESS;

    if (!config || parse_word(self->name, "format", name, REPORT_FORMATS) < 0 ||
        !argument_limits(self, args, &c.limits))
        return EXIT_ERROR;
    c.format = report_format_named(name ? name : "text");
    if (!root && config->source_roots.names_count > 0) {
        root = config->source_roots.names[0];
        c.how.more_roots = config->source_roots.names;
    }
    folder = root ? realpath(root, NULL) : getcwd(NULL, 0);
    if (root && !folder)
        return complain("report: source folder %s: %s", root, strerror(errno));
    c.how.source_root = folder;
    c.how.source_named = root != NULL;
    c.how.left_out = &c.left_out;
    if (report_file_open(&file, args->operands[0], &err) != HEDDLE_OK || convert(&c, &file, &err) != HEDDLE_OK)
        status = complain("%s", err.text);
    remark_left_out(c.left_out);
    report_file_close(&file);
    free(folder);
    return status;
}

const struct command command_report = {
    .name = "report",
    .operands = "REPORT",
    .summary = "writes a report in another format",
    .description =
        "Writes the JSON report REPORT in another format. It checks the findings against the trace that the "
        "report names. Without the trace, formats that do not need it repeat what the report says. A report of "
        "several traces (heddle check FILE…) stays one document.",
    .options = options,
    .operands_min = 1,
    .operands_max = 1,
    .run = run,
};
