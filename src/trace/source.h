/* Locations as recorders write them: "queue.c:41 push", the function being optional. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct source {
    const char *file; /* not ended by NUL */
    size_t file_length;
    uint32_t line;
    const char *function; /* "" where it is not known */
};

/* Takes a location apart; false when it names no line of a file. The parts lie in `text`. */
bool source_parse(const char *text, struct source *to);

/* Whether it is a line of a library that comes with the system: a header of C++, a class of the JDK. */
bool source_is_library(const struct source *s);
