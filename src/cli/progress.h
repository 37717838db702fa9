/* The progress line: on standard error, on a terminal only, for what takes longer than a second. */
#pragma once
#include <stdint.h>

struct progress;

/* Starts to count towards `total` (0: not known) of `what`, a word such as "reads". NULL when nobody would see
 * it, which the others accept. */
struct progress *progress_start(const char *what, uint64_t total);

/* `n` more are done. Any thread may say so at any time; one of them prints, at most five times a second. */
void progress_add(struct progress *p, uint64_t n);

/* Erases the line, if there is one. */
void progress_end(struct progress *p);
