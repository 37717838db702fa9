/* Errors with context: a status for the caller to act on, a sentence for the user to read.
 *
 * Functions that can fail take a `struct error *` and return its status; HEDDLE_OK is 0. */
#pragma once
#include <stddef.h>

enum status {
    HEDDLE_OK = 0,
    HEDDLE_BAD_USAGE,   /* the command line is wrong */
    HEDDLE_BAD_TRACE,   /* malformed text, damaged file or an impossible trace */
    HEDDLE_UNSUPPORTED, /* well-formed, but of a version, feature or size this build does not handle */
    HEDDLE_IO,          /* the system said no */
    HEDDLE_REJECTED,    /* a schedule does not show what it claims */
    HEDDLE_BAD_REPORT,  /* not a report, a damaged one or one of another trace */
    HEDDLE_STOPPED,     /* the user asked to stop */
};

struct error {
    enum status status;
    char text[1024];
};

/* Sets status and text; returns `status`, so that `return fail(…)` reads well. */
enum status fail(struct error *err, enum status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Puts a place ("file:line: ") in front of an error that is already set; returns its status. */
enum status error_prefix(struct error *err, const char *format, ...) __attribute__((format(printf, 2, 3)));
