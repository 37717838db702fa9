/* Temporary files: where they go, and those that are gone when they are closed, or when the process is. */
#pragma once
#include "base/error.h"

#include <stdint.h>
#include <stdio.h>

/* The folder that TMPDIR names, else /tmp. */
const char *temporary_folder(void);

/* A new file without a name, in that folder, to write and read; NULL when there can be none. */
FILE *temporary_file(void);

/* A pattern for mkstemp or mkdtemp in that folder, which names this process as the owner. What owners that are dead have
 * left there is removed first: a process that is killed cannot do so itself. */
void temporary_pattern(char *to, size_t room);

/* A file of so many zero bytes in memory, for what `purpose` says ("the session"). -1 on failure: the error says
 * which limit stands in the way, if one does. */
int temporary_memory(const char *purpose, uint64_t bytes, struct error *err);
