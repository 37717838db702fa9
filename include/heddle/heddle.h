/* libheddle: reads and writes traces, predicts from them, checks what was predicted.
 *
 * All functions may be called from several threads at once, on different objects; objects that only functions with
 * `const` see may be shared. The library never prints, never exits and never aborts: a function that fails says so and
 * fills in a struct heddle_error. After HEDDLE_ERROR_MEMORY the object that the function was to make does not exist;
 * what it had allocated by then is lost.
 *
 * Link with `pkg-config --cflags --libs heddle`, or with CMake's find_package(Heddle) and Heddle::heddle. */
#ifndef HEDDLE_HEDDLE_H
#define HEDDLE_HEDDLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define HEDDLE_API __attribute__((visibility("default")))
#else
#define HEDDLE_API
#endif

enum heddle_error_status {
    HEDDLE_ERROR_NONE = 0,
    HEDDLE_ERROR_USAGE,       /* an argument or option is wrong */
    HEDDLE_ERROR_TRACE,       /* malformed text, a damaged file or an impossible trace */
    HEDDLE_ERROR_UNSUPPORTED, /* well-formed, but of a version, feature or size that this library does not handle */
    HEDDLE_ERROR_IO,          /* the system refused */
    HEDDLE_ERROR_REJECTED, /* a schedule does not show what it claims */
    HEDDLE_ERROR_REPORT,   /* not a report, a damaged one, or one of another trace */
    HEDDLE_ERROR_MEMORY    /* memory is exhausted */
};

struct heddle_error {
    enum heddle_error_status status;
    char text[1024]; /* a sentence that names the file, line or option */
};

/* "0.1.0". */
HEDDLE_API const char *heddle_version(void);

#ifdef __cplusplus
}
#endif

#include <heddle/check.h>
#include <heddle/trace.h>

#endif
