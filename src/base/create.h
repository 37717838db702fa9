/* Creates or overwrites files that the user asked for. */
#pragma once
#include "base/error.h"

#include <stdio.h>

/* Opens the file for writing, empty. In a folder with the sticky bit, where others may put links, no link is
 * followed. Returns -1 on failure. */
int create_descriptor(const char *path, struct error *err);

/* The same as a stream; NULL on failure. */
FILE *create_stream(const char *path, struct error *err);
