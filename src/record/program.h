/* What kind of program is to be recorded: tells which recorder can. */
#pragma once
#include <stdbool.h>

enum program_kind {
    PROGRAM_UNKNOWN,      /* a script, or no such file */
    PROGRAM_INSTRUMENTED, /* built with hooks: the compiler-based recorder's */
    PROGRAM_THREADED,     /* without hooks, and makes threads itself */
    PROGRAM_PLAIN,        /* without hooks or threads of its own: it may start the program that is meant */
    PROGRAM_STATIC,       /* linked statically: nothing can be put between it and its libraries */
};

/* Looks at the program as the shell would find it. */
enum program_kind record_program_kind(const char *program);

/* Whether the program is built with hooks. */
bool record_program_is_instrumented(const char *program);
