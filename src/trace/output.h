/* Output of a trace's bytes: buffered, compressed according to the file name (.gz, .zst); "-" is standard
 * output. */
#pragma once
#include "base/error.h"

#include <stddef.h>

struct output;

enum status output_open(struct output **out, const char *path, struct error *err);

/* Errors are kept and reported by output_close: writers need not check every call. */
void output_write(struct output *out, const void *bytes, size_t length);
void output_text(struct output *out, const char *text);

/* Writes all that is buffered to the system; what was written so far survives a kill. */
void output_flush(struct output *out);

/* Flushes, closes and reports the first error of all writes. */
enum status output_close(struct output *out, struct error *err);
