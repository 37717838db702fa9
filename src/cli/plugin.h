/* The gcc plugin that gives hooks to what gcc's own -fsanitize=thread leaves without. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

enum plugin {
    PLUGIN_FITS,
    PLUGIN_OTHER, /* built for another gcc: that one would not load it */
    PLUGIN_ABSENT
};

/* Whether the runtime's folder has the plugin for `compiler`, a command; its path goes to `path` then. Starts
 * no program: the compiler is known by the path, size and time of its file. */
enum plugin plugin_find(const char *folder, const char *compiler, char *path, size_t room);
