/* The project's configuration, as far as a command heeds it. */
#pragma once
#include "cli/command.h"
#include "config/config.h"

/* For commands that heed it. */
#define CONFIG_OPTION                                                                                          \
    {                                                                                                          \
        "config", 0, "FILE", NULL,                                                                             \
            "Takes the project's decisions from FILE instead of .heddle.yaml in the current folder or the "    \
            "nearest one above it; none: from no file. Options override them. See docs/configuration.md."      \
    }

/* What the file says that --config names, or that is found; nothing if there is none. Read once; NULL after a
 * complaint. */
const struct config *configured(const struct command *self, const struct arguments *args);

/* The same for files in a folder, which may be relative. */
const struct config *configured_for(const char *folder);
