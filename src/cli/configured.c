/* Finds and reads the project's configuration for a command. */
#include "cli/configured.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct config config; /* for as long as the command runs */
static bool is_read;

static const struct config *take(const char *path)
{
    struct error err;

    if (path && config_load(&config, path, &err) != HEDDLE_OK) {
        complain("%s", err.text);
        return NULL;
    }
    is_read = true;
    return &config;
}

const struct config *configured_for(const char *folder)
{
    const struct config *result;
    char *from, *path = NULL, *foreign = NULL;

    if (is_read)
        return &config;
    from = realpath(folder, NULL);
    if (from)
        path = config_find(from, &foreign);
    if (foreign)
        remark("%s belongs to another user and is ignored; use --config to take it", foreign);
    result = take(path);
    free(from);
    free(path);
    free(foreign);
    return result;
}

const struct config *configured(const struct command *self, const struct arguments *args)
{
    const char *chosen = argument_if_any(self, args, "config");

    if (is_read || !chosen)
        return configured_for(".");
    return take(strcmp(chosen, "none") == 0 ? NULL : chosen);
}
