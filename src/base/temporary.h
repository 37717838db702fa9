/* Temporary files: where they go, and those that are gone when they are closed, or when the process is. */
#pragma once
#include <stdio.h>

/* The folder that TMPDIR names, else /tmp. */
const char *temporary_folder(void);

/* A new file without a name, in that folder, to write and read; NULL when there can be none. */
FILE *temporary_file(void);
