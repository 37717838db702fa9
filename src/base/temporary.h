/* Files that are gone when they are closed, or when the process is. */
#pragma once
#include <stdio.h>

/* A new file without a name, in TMPDIR or /tmp, to write and read; NULL when there can be none. */
FILE *temporary_file(void);
