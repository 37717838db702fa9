/* Creates or overwrites files that the user asked for. */
#pragma once
#include "base/error.h"

#include <stdint.h>
#include <stdio.h>

/* Opens the file for writing, empty. In a folder with the sticky bit, where others may put links, no link is
 * followed. Returns -1 on failure. */
int create_descriptor(const char *path, struct error *err);

/* The same, but a regular file of at most `most` bytes keeps them, `*kept` in number, to be overwritten. */
int create_over(const char *path, uint64_t most, uint64_t *kept, struct error *err);

/* As create_descriptor, as a stream; NULL on failure. */
FILE *create_stream(const char *path, struct error *err);
