/* Writes a whole trace to a file, in either format. */
#pragma once
#include "trace/htr.h"

/* `features`: which parts of it (enum htr_feature). */
enum status trace_save_native(const struct trace *trace, const char *path, unsigned features,
                              struct error *err);

/* Compressed by the name's ending: .gz, .zst; "-" is standard output. */
enum status trace_save_text(const struct trace *trace, const char *path, struct error *err);
