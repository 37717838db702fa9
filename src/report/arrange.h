/* The order of a report: the most serious findings first, problems before notes, ids numbered in that order. */
#pragma once
#include "finding/results.h"
#include "report/marks.h"
#include "report/report.h"

/* Decides how serious each finding is, by its property, by the values of its accesses and by what replaying it
 * has shown (`notes`, or NULL), and sorts findings, their marks and their notes accordingly: what is suppressed or
 * in the baseline comes last. With `deterministic` every read that depends on the schedule is a problem. */
void findings_arrange(struct results *results, const struct trace *trace, struct marks *marks,
                      struct finding_note *notes, bool deterministic);

/* In a grouped check: reads that could see another value, but on which nothing depends, are counted and no findings. Call it
 * where findings_merge_reads is called. */
void findings_drop_idle(struct results *results, const struct trace *trace);

/* In a grouped check: that the count of a shared pointer changes between the library's look at it and its atomic change is no
 * finding: the change looks again. Call it where findings_merge_reads is called. */
void findings_drop_owner_counts(struct results *results, const struct trace *trace);

/* In a grouped check: nondeterministic reads of accesses that race are part of the race, and no findings of
 * their own. Call it after group_findings, before marks and notes are made. */
void findings_merge_reads(struct results *results, const struct trace *trace);
