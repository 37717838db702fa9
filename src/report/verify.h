/* Verifies a report: every finding against the trace, by the checker alone. */
#pragma once
#include "certify/certify.h"
#include "report/json/read.h"

struct verify_request {
    struct certify_options options;
    const char *only; /* the id of the one finding to check; NULL: all */
    void (*rejected)(void *context, const char *id,
                     const char *why); /* for each finding that does not hold; or NULL */
    void *context;
};

struct verified {
    size_t accepted, rejected;
    size_t without_data; /* accepted by their synchronization alone */
};

/* Verifies a report that was read as a whole: claims, schedules, and the names, places and values beside them. */
void report_verify(const struct report *report, const struct trace *trace, const struct verify_request *request,
                   struct verified *verified);

/* Whether the checker accepts what a finding claims; if not, `why` says what is wrong. Whether happens-before leaves the
 * events of an unordered pair, or of a conflict in a block, unordered is not part of this. */
bool claim_holds(struct certifier *certifier, const struct report *report, size_t finding,
                 const struct certify_options *options, struct error *why);
