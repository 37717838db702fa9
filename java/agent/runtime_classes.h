/* The runtime's class files, part of the library: made from java/runtime when it is built. */
#pragma once
#include <stddef.h>

struct runtime_class {
    const char *name; /* NULL ends the list */
    const unsigned char *bytes;
    size_t length;
};

extern const struct runtime_class runtime_classes[];
