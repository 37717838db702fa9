/* The environment: who looks at a variable comes after who changed it. */
/* This file is part of the Valgrind tool of Heddle, a program of its own.
 * Copyright (C) 2026 The Heddle authors. Free software under the GNU General Public License, version 2 or (at
 * your option) any later version; without any warranty. See COPYING. */
#include "wrap.h"

#define LOOK(name)                                                                                             \
    WRAP(char *, name, (const char *variable))                                                                 \
    {                                                                                                          \
        OrigFn real;                                                                                           \
        char *value;                                                                                           \
        VALGRIND_GET_ORIG_FN(real);                                                                            \
        CALL_FN_W_W(value, real, variable);                                                                    \
        HEDDLE_TELL(HEDDLE_VARIABLE, variable, 0, 0);                                                          \
        return value;                                                                                          \
    }

LOOK(getenv)
LOOK(secureZugetenv)

/* A change is told before and after it: another thread may see it in between. */
#define CHANGE(name)                                                                                           \
    WRAP(int, name, (const char *variable))                                                                    \
    {                                                                                                          \
        OrigFn real;                                                                                           \
        int error;                                                                                             \
        VALGRIND_GET_ORIG_FN(real);                                                                            \
        HEDDLE_TELL(HEDDLE_VARIABLE, variable, 1, 0);                                                          \
        CALL_FN_W_W(error, real, variable);                                                                    \
        HEDDLE_TELL(HEDDLE_VARIABLE, variable, 1, 0);                                                          \
        return error;                                                                                          \
    }

CHANGE(unsetenv)
CHANGE(putenv)

WRAP(int, setenv, (const char *variable, const char *value, long over))
{
    OrigFn real;
    int error;

    VALGRIND_GET_ORIG_FN(real);
    HEDDLE_TELL(HEDDLE_VARIABLE, variable, 1, 0);
    CALL_FN_W_WWW(error, real, variable, value, over);
    HEDDLE_TELL(HEDDLE_VARIABLE, variable, 1, 0);
    return error;
}

WRAP(int, clearenv, (void))
{
    OrigFn real;
    int error;

    VALGRIND_GET_ORIG_FN(real);
    HEDDLE_TELL(HEDDLE_VARIABLE, 0, 1, 0);
    CALL_FN_W_v(error, real);
    HEDDLE_TELL(HEDDLE_VARIABLE, 0, 1, 0);
    return error;
}
