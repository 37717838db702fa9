/* The reports of several traces as one document of the same format.
 *
 * Text: one after the other. JSON: a list of reports ("heddle-reports"). HTML: one page that shows one trace at a
 * time. SARIF: one run with the results of all. GitLab: one list. */
#pragma once
#include "report/format.h"
#include "report/json/report_file.h"

#include <jansson.h>

struct bundle {
    const struct report_format *format;
    FILE *direct; /* text: where each report goes at once; or NULL */
    FILE *to;     /* memory: nothing is written until all is there */
    char *text;   /* of `to` */
    size_t length;
    json_t *merged;  /* SARIF and GitLab: what there is so far */
    size_t count;    /* reports so far */
    size_t left_out; /* SARIF: results beyond what sites accept */
};

/* What a document says of all traces together. */
struct bundle_totals {
    size_t problems, notes,
        repeated;     /* findings, each counted once; those that repeat one of an earlier trace */
    size_t unchecked; /* traces left out because the check was interrupted */
};

/* The totals of a document that was read; zeros where it has none. */
void totals_recall(const struct report_file *file, struct bundle_totals *totals);

/* `direct`: where text goes report by report, or NULL. Ended by bundle_free. */
void bundle_begin(struct bundle *bundle, const struct report_format *format, FILE *direct);

/* Adds a report as the format writes it. Fails only when its bytes are not of that format. */
enum status bundle_add(struct bundle *bundle, const char *report, size_t length, struct error *err);

/* The whole document, to the stream; fails when that cannot be written. */
enum status bundle_end(struct bundle *bundle, const struct bundle_totals *totals, FILE *to, struct error *err);
void bundle_free(struct bundle *bundle);
