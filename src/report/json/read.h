/* Reads a JSON report (semantics §8) back: what `heddle verify` and others check or replay.
 *
 * Every field that semantics §8 names must be there and have its type, except "undecided" and "statistics";
 * other fields are skipped. Numbers are taken as they are: whether they make sense for a trace is for the
 * certifier to say. */
#pragma once
#include "base/error.h"
#include "finding/finding.h"

#include <jansson.h>

struct report_entry {
    char *id;          /* "R1" */
    bool has_schedule; /* it was printed */
    bool has_fingerprint;
    uint64_t fingerprint;
    json_t *rest; /* of a report that was read as a whole: all fields but the schedule; else NULL */
};

struct report {
    char *trace_file;
    uint64_t events, threads, variables, locks; /* of the trace */
    bool binary;                                /* the trace is of a program that was not instrumented */
    char *method;
    bool complete;
    bool values_ignore, grounds_ignore, atomic_locks; /* "options" */

    struct finding_list found;
    struct report_entry *entries; /* one a finding */
    size_t entries_count, entries_capacity;

    /* Of a report that was read as a whole. */
    struct finding_list undecided;
    json_t *rest; /* all fields but the findings */
};

/* On failure the report is empty and the error names file and field. */
enum status report_load(struct report *report, const char *path, struct error *err);

/* The same for text in memory; `name` stands for the file in errors. */
enum status report_parse(struct report *report, const char *name, const char *text, size_t length,
                         struct error *err);
void report_free(struct report *report);

/* The same, with everything in it: what a report is converted from. */
enum status report_load_whole(struct report *report, const char *path, struct error *err);
enum status report_parse_whole(struct report *report, const char *name, const char *text, size_t length,
                               struct error *err);

/* The position of the finding called `id`, or SIZE_MAX. */
size_t report_find(const struct report *report, const char *id);
