/* A report and its trace, opened together for commands that convert the report. */
#pragma once
#include "model/model.h"
#include "report/json/report_file.h"
#include "report/marks.h"
#include "trace/limits.h"

struct reported {
    struct report report; /* as a whole */
    struct marks marks;
    bool has_trace;
    char *trace_path;
    struct trace trace;
    struct model model;
};

/* Opens a report of the file, and its trace: the one given, else the one it names, beside the report or as it is named.
 * Where that is not there, has_trace is false. Nothing in a report is trusted: each finding is checked against
 * the trace, and the report refused when one does not hold. On success ended by reported_close. */
enum status reported_open(struct reported *r, const struct report_file *file, size_t part,
                          const char *trace_path, const struct trace_limits *limits, struct error *err);
void reported_close(struct reported *r);

/* Whether every finding of a whole report holds in the trace, so that others may rely on its numbers; if not,
 * the error says which does not, and why. */
enum status report_holds(const struct report *report, const struct model *model, struct error *err);
