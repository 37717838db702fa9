/* Whether the words of a report are those of its trace: names, places and values beside the numbers. */
#pragma once
#include "report/decided.h"
#include "report/json/read.h"
#include "report/value.h"

/* For a finding, of a report that was read as a whole, whose events and schedule were accepted. If not, the
 * error names the field. Fields that are missing say nothing wrong. */
bool context_holds(const struct report *report, size_t finding, const struct trace *trace,
                   const struct values *values, const struct decided *decided, struct error *why);

/* Whether what the report says of the whole check can be true of the trace: "complete", "incomplete" and "method". */
bool header_holds(const struct report *report, const struct trace *trace, struct error *why);

/* The fields of this report's findings that the trace cannot confirm, for messages: "confirmed, outcome"; ""
 * if it has none. */
const char *context_unchecked(const struct report *report, char *room, size_t size);
