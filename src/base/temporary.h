/* Temporary files: their folder, and files that disappear when they are closed or the process ends. */
#pragma once
#include "base/error.h"

#include <stdint.h>
#include <stdio.h>

/* The folder that TMPDIR names, else /tmp. */
const char *temporary_folder(void);

/* A new unnamed file in that folder, to write and read; NULL on failure. */
FILE *temporary_file(void);

/* A pattern for mkstemp or mkdtemp in that folder, which names this process as the owner. Files of processes
 * that no longer exist are removed first: a killed process cannot clean up itself. */
void temporary_pattern(char *to, size_t room);

/* Has the folder removed, with the files in it, when this process ends in whatever way. Returns a descriptor, to be
 * closed when that is no longer wanted; -1: it will not be. */
int temporary_guard(const char *folder);

/* A memory file of so many zero bytes; `purpose` ("the session") is for the error message. -1 on failure: the
 * error names the limit that was hit, if one was. */
int temporary_memory(const char *purpose, uint64_t bytes, struct error *err);
