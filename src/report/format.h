/* The formats of a report: what --format knows, and what a run leaves behind. */
#pragma once
#include "report/json/read.h"
#include "report/report.h"

struct report_format {
    const char *name;
    const char *file; /* what a run calls it; NULL: a run does not write it */

    enum status (*write)(const struct results *results, const struct model *model,
                         const struct report_options *options, FILE *to, struct error *err);

    /* The same from a report alone, where its trace is not at hand; NULL: the format needs the trace. */
    enum status (*write_recalled)(const struct report *report, const struct report_options *options, FILE *to,
                                  struct error *err);
};

/* Every format, ended by a NULL name. */
extern const struct report_format report_formats[];

/* The words of all formats, for options. */
#define REPORT_FORMATS "text json html sarif gitlab"

/* The format of that name, or NULL. */
const struct report_format *report_format_named(const char *name);

/* Writes to a stream, in colour and as wide as it is if that is a terminal. */
enum status report_write(const struct report_format *format, const struct results *results,
                         const struct model *model, struct report_options *options, FILE *to,
                         struct error *err);

/* Writes a file. */
enum status report_write_file(const struct report_format *format, const struct results *results,
                              const struct model *model, struct report_options *options, const char *path,
                              struct error *err);

enum status recalled_sarif(const struct report *report, const struct report_options *options, FILE *to,
                           struct error *err);
enum status recalled_gitlab(const struct report *report, const struct report_options *options, FILE *to,
                            struct error *err);
