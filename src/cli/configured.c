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

/* `way`: how the user can have a file of somebody else's all the same. */
static const struct config *look_from(const char *folder, const char *way)
{
    const struct config *result;
    char *from, *path = NULL, *foreign = NULL;

    if (is_read)
        return &config;
    from = realpath(folder, NULL);
    if (from)
        path = config_find(from, &foreign);
    if (foreign)
        remark("%s belongs to another user and is ignored; %s to take it", foreign, way);
    result = take(path);
    free(from);
    free(path);
    free(foreign);
    return result;
}

const struct config *configured_for(const char *folder)
{
    return look_from(folder, "change its owner");
}

const struct config *configured(const struct command *self, const struct arguments *args)
{
    const char *chosen = argument_if_any(self, args, "config");

    if (is_read || !chosen)
        return look_from(".", "use --config");
    return take(strcmp(chosen, "none") == 0 ? NULL : chosen);
}
