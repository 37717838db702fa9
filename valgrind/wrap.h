/* Wrappers of library functions, inside the program: what they share.
 *
 * Valgrind calls a wrapper instead of the function whose name it bears, encoded ("Zu" is "_"); the wrapper
 * calls the function and tells the tool before and after. */
/* This file is part of the Valgrind tool of Heddle, a program of its own.
 * Copyright (C) 2026 The Heddle authors. Free software under the GNU General Public License, version 2 or (at
 * your option) any later version; without any warranty. See COPYING. */
#pragma once
#include "requests.h"

#include <errno.h>
#include <stdint.h>

/* clang-format off */
#define WRAP_IN(type, library, name, parameters)                                                               \
    type I_WRAP_SONAME_FNNAME_ZZ(library, name) parameters __attribute__((alias("heddle_" #name)));            \
    type I_WRAP_SONAME_FNNAME_ZZ(library, name##ZAZa) parameters __attribute__((alias("heddle_" #name)))

/* A function of the C library, whatever its version, in glibc before 2.34 also of libpthread. */
#define WRAP(type, name, parameters)                                                                           \
    type heddle_##name parameters;                                                                             \
    WRAP_IN(type, libcZdsoZa, name, parameters);                                                               \
    WRAP_IN(type, libpthreadZdsoZd0, name, parameters);                                                        \
    type heddle_##name parameters

/* A function of the C++ library. */
#define WRAP_CXX(type, name, parameters)                                                                       \
    type heddle_##name parameters;                                                                             \
    WRAP_IN(type, libstdcZpZpZa, name, parameters);                                                            \
    WRAP_IN(type, libcZpZpZa, name, parameters);                                                               \
    type heddle_##name parameters
/* clang-format on */

#define INLINE static inline __attribute__((always_inline))

/* What is reported when the call is over. */
struct wrapped_call {
    int request;
    int place; /* which of the values is the error */
    unsigned long value[3];
};

static inline void call_end(void *data)
{
    struct wrapped_call *call = data;

    HEDDLE_TELL(call->request, call->value[0], call->value[1], call->value[2]);
}

static inline void call_result(struct wrapped_call *call, unsigned long error)
{
    call->value[call->place] = error;
}
