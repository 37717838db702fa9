/* Results as they were when a report was written: what other formats of it are made from. */
#pragma once
#include "finding/results.h"
#include "report/json/read.h"
#include "report/marks.h"
#include "report/report.h"

/* Fills results from a report that was read as a whole; its findings stay the report's. Numbers that are not
 * there are 0. */
void results_recall(struct results *results, const struct report *report);

/* The marks on its findings; fingerprints that are missing are 0. Ended by marks_free; reasons stay the
 * report's. */
void marks_recall(struct marks *marks, const struct report *report);

/* What replays have left in it, one for each finding, to be freed; the words stay the report's. */
struct finding_note *notes_recall(const struct report *report);

/* How many findings of each property it leaves out because an earlier report of the same file has them. */
void repeated_recall(const struct report *report, size_t repeated[PROPERTIES]);

/* Whether the report was made from this trace, by the counts in it: what they do not tell apart, the schedules
 * will. */
enum status report_belongs(const struct report *report, const struct trace *trace, const char *path,
                           struct error *err);
