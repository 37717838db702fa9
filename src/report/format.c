/* The table of formats. */
#include "report/format.h"
#include "base/create.h"

#include <errno.h>
#include <string.h>

static enum status write_json(const struct results *results, const struct model *model,
                              const struct report_options *options, FILE *to, struct error *err)
{
    return report_json(results, model->trace, options->trace_path, options, to, err);
}

const struct report_format report_formats[] = {
    {"text", NULL, report_text, NULL},
    {"json", "report.json", write_json, NULL},
    {"html", "report.html", report_html, NULL},
    {"sarif", "report.sarif", report_sarif, recalled_sarif},
    {"gitlab", NULL, report_gitlab, recalled_gitlab},
    {0},
};

const struct report_format *report_format_named(const char *name)
{
    const struct report_format *format = report_formats;

    while (format->name && strcmp(format->name, name) != 0)
        format++;
    return format->name ? format : NULL;
}

enum status report_write(const struct report_format *format, const struct results *results,
                         const struct model *model, struct report_options *options, FILE *to, struct error *err)
{
    options->color = report_wants_color(to);
    options->width = report_columns(to);
    return format->write(results, model, options, to, err);
}

enum status report_write_file(const struct report_format *format, const struct results *results,
                              const struct model *model, struct report_options *options, const char *path,
                              struct error *err)
{
    FILE *to = create_stream(path, err);
    enum status status;

    if (!to)
        return err->status;
    status = report_write(format, results, model, options, to, err);
    if (status == HEDDLE_IO)
        error_prefix(err, "%s: ", path);
    if (fclose(to) != 0 && status == HEDDLE_OK)
        status = fail(err, HEDDLE_IO, "%s: the report could not be written: %s", path, strerror(errno));
    return status;
}
