/* For functions of the C library that read and write the caller's memory. */
#pragma once
#include "runtime/runtime.h"
#include "runtime/shared/real.h"

#include <stdarg.h>

/* mem_functions.c: whether the call is to be recorded; ends the slice first if it is used up. */
bool touch_seen(uintptr_t pc, size_t length);

/* A string that is read up to its end. */
void touch_text(const char *text, uintptr_t pc);

/* Two strings of at most so many bytes, up to where they differ; `fold`: small and capital letters do not. */
void touch_compared(const char *a, const char *b, size_t most, bool fold, uintptr_t pc);

/* The same for bytes. */
void touch_matched(const void *a, const void *b, size_t length, uintptr_t pc);

/* Where scanf got its characters: from a text; from a stream, which is input, and may have come to its end. */
struct scanned {
    const char *text; /* NULL: a stream */
    int fd;           /* -1: a text */
    bool at_end;
    int done; /* items it converted */
};

/* print_format.c: what printf reads for a format; what scanf wrote for one. */
void touch_printed(const char *format, va_list arguments, uintptr_t pc);
void touch_scanned(const char *format, va_list arguments, const struct scanned *from, uintptr_t pc);

/* Before the functions behind are known (the loader's own relocations). */
#define FIND_REAL(name)                                                                                        \
    if (UNLIKELY(!real.name))                                                                                  \
    real_find()

/* checked.c: strcat of at most `most` bytes, which ends the program if they do not fit into the `known` ones. */
char *touch_append(char *to, const char *from, size_t most, size_t known, uintptr_t pc);
