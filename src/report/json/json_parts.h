/* The parts of the JSON report's writer. */
#pragma once
#include "base/json_out.h"
#include "report/decided.h"
#include "report/report.h"
#include "report/value.h"

/* Of the reports that are written; read.h says which are read. */
enum { REPORT_VERSION = 2 };

struct json_writer {
    struct json_out out;
    const struct results *results;
    const struct trace *trace;
    const struct report_options *options;
    struct values values;
    const struct decided *decided;
};

/* Writes an object with what a report says of a finding beside its numbers: names, places and values. */
void json_context(FILE *to, const struct trace *trace, const struct values *values,
                  const struct decided *decided, const struct finding *f);

/* Why the trace is not the whole run, as the report says it, as an object of its own. */
void json_incomplete(FILE *to, const struct trace *trace);

/* The numbers behind the findings: by property, and the tables of the published methods. */
void put_statistics(struct json_writer *w);
