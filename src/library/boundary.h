/* Where the library begins: memory that is exhausted inside becomes an error outside. Private to this room. */
#pragma once
#include "base/error.h"
#include "base/memory.h"
#include "model/model.h"

#include <heddle/heddle.h>

struct heddle_trace {
    struct trace trace;
    char *name;        /* of the file, for messages */
    unsigned features; /* parts that native files get (enum htr_feature) */
};

/* Fills in the caller's error, if there is one. */
void boundary_fail(struct heddle_error *to, enum heddle_error_status status, const char *text);

/* Runs `step` on `context`, which has room for its error; false, with the caller's error filled in, when it fails or
 * memory is exhausted. */
bool boundary_run(enum status (*step)(void *context, struct error *err), void *context,
                  struct heddle_error *to);

/* Copies the caller's options over the defaults in `to`; both begin with their size. NULL: the defaults. False, with the
 * error filled in, when they were not initialised by the function of that name. */
bool boundary_options(void *to, size_t size, const void *from, const char *init, struct heddle_error *err);
