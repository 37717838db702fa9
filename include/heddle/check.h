/* Predicting from a trace: the same check as `heddle check`, and the same checker as `heddle verify`. */
#ifndef HEDDLE_CHECK_H
#define HEDDLE_CHECK_H

#include <heddle/heddle.h>

#ifdef __cplusplus
extern "C" {
#endif

struct heddle_trace;

/* Fill with heddle_check_options_init, then change what differs. */
struct heddle_check_options {
    size_t size;            /* of this structure, as the caller knows it */
    const char *properties; /* "race,deadlock"; NULL: those that `heddle check` looks for by default */
    const char *method;     /* "exact", "graph", "ucg", "csp"; NULL: exact */
    bool all;               /* every finding of events; otherwise one for each set of source locations */
    bool atomic_locks;      /* outermost lock scopes are atomic blocks, too */
    bool predict;           /* declared blocks are checked in other runs, too */
    bool ignore_values;     /* a read is as observed only if it sees the same write */
    bool ignore_grounds;    /* every read binds the rest of its thread */
    uint64_t budget;  /* choices tried for a candidate before it is left undecided; 0: the method's default */
    unsigned workers; /* threads to use; 0: one for each processor */
};

HEDDLE_API void heddle_check_options_init(struct heddle_check_options *options);

typedef struct heddle_result heddle_result;

/* Checks the trace, which must outlive the result; NULL on failure. `options` may be NULL: the default. */
HEDDLE_API heddle_result *heddle_check(const struct heddle_trace *trace,
                                       const struct heddle_check_options *options, struct heddle_error *err);
HEDDLE_API void heddle_result_free(heddle_result *result);

/* Whether everything that was asked for was decided, on a whole trace. If not, "no findings" means little. */
HEDDLE_API bool heddle_result_complete(const heddle_result *result);

struct heddle_finding {
    const char *property;   /* "race", "nondeterminism" … */
    const uint32_t *events; /* in the order of docs/semantics.md §3; 0 is the initial write */
    size_t event_count;
    uint64_t count;       /* findings of events that this one stands for */
    bool has_schedule;    /* the run that shows it: … */
    uint32_t prefix;      /* … the first so many events of the trace as observed, … */
    const uint32_t *then; /* … then these */
    size_t then_count;
};

/* Findings come in the order of reports, the most serious first, numbered from 0. */
HEDDLE_API size_t heddle_result_findings(const heddle_result *result);
HEDDLE_API bool heddle_result_finding(const heddle_result *result, size_t index,
                                      struct heddle_finding *finding);

/* Candidates that were left undecided. */
HEDDLE_API size_t heddle_result_undecided(const heddle_result *result);

/* Writes a report: "text", "json", "html", "sarif" or "gitlab". `trace_path` is the trace's file as the report names
 * it. */
HEDDLE_API bool heddle_result_write(const heddle_result *result, const char *format, const char *trace_path,
                                    const char *path, struct heddle_error *err);

/* Fill with heddle_verify_options_init, then change what differs. */
struct heddle_verify_options {
    size_t size;         /* of this structure, as the caller knows it */
    bool ignore_values;  /* verify as a check that ignored values, even if the report does not say so */
    bool ignore_grounds; /* the same for grounds */
    const char *atomic;  /* what was atomic: "blocks" or "locks"; NULL: what the report says */
    const char *only;    /* the id of the one finding to verify; NULL: all */
    void (*rejected)(void *context, const char *id,
                     const char *why); /* called for each rejected finding; or NULL */
    void *context;
};

HEDDLE_API void heddle_verify_options_init(struct heddle_verify_options *options);

struct heddle_verification {
    size_t findings; /* of the report */
    size_t accepted, rejected;
    size_t without_data; /* accepted by their synchronization alone (--method=csp) */
    bool ignored_values, ignored_grounds;
    char unchecked[80]; /* fields that the trace cannot confirm: "confirmed, outcome"; may be empty */
};

/* Verifies a JSON report against its trace, by the checker alone; `options` may be NULL. False: the report is damaged,
 * or of another trace. Otherwise `verification` counts what was accepted and rejected. */
HEDDLE_API bool heddle_report_verify_with(const struct heddle_trace *trace, const char *report_path,
                                          const struct heddle_verify_options *options,
                                          struct heddle_verification *verification, struct heddle_error *err);

/* The same in one answer: false, too, when a finding does not hold; the error names the first. */
HEDDLE_API bool heddle_report_verify(const struct heddle_trace *trace, const char *report_path,
                                     struct heddle_error *err);

#ifdef __cplusplus
}
#endif

#endif
