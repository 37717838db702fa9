/* heddle verify: what its files share. */
#pragma once
#include "certify/certify.h"
#include "report/json/context.h"
#include "report/json/read.h"

struct verification {
    const struct trace *trace;
    const struct report *report;
    struct certify_index *index;
    struct certifier *certifier;
    struct certify_options options;
    struct values values; /* of the trace */
    bool quiet;
    const char *only; /* the id of the one finding to check; NULL: all */
    size_t accepted, rejected;
    size_t without_data; /* accepted by their synchronization alone */
};

/* Checks the findings of the report and tells of it; the exit status of the command. */
int verify_report(struct verification *v);

/* The same for the problems of a hunt, or for the one of that id. */
int verify_hunt(const char *folder, const char *id, bool quiet);
