/* Looks a problem up in the folder that a hunt left behind. */
#include "hunt/hunt_read.h"
#include "base/memory.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The file is in the folder, wherever the hunt was started from. */
static void beside(const char *folder, const json_t *path, char *to, size_t room)
{
    const char *text = json_string_value(path), *slash = text ? strrchr(text, '/') : NULL;

    snprintf(to, room, "%s/%s", folder, slash ? slash + 1 : text ? text : "");
}

static enum status find(const char *path, const char *folder, const char *id, const json_t *root,
                        struct hunt_place *to, struct error *err)
{
    const char *format = json_string_value(json_object_get(root, "format"));
    const json_t *problem;
    size_t i;

    if (!format || strcmp(format, "heddle-hunt") != 0)
        return fail(err, HEDDLE_BAD_REPORT, "%s: was not written by heddle hunt", path);
    json_array_foreach(json_object_get(root, "problems"), i, problem)
    {
        const char *name = json_string_value(json_object_get(problem, "id"));
        const char *finding = json_string_value(json_object_get(problem, "finding"));
        if (!name || strcmp(name, id) != 0)
            continue;
        to->happened = finding == NULL;
        beside(folder, json_object_get(problem, to->happened ? "schedule" : "report"), to->path,
               sizeof to->path);
        snprintf(to->finding, sizeof to->finding, "%s", finding ? finding : "");
        return HEDDLE_OK;
    }
    return fail(err, HEDDLE_BAD_USAGE, "%s: has no problem %s", path, id);
}

enum status hunt_find(const char *folder, const char *id, struct hunt_place *to, struct error *err)
{
    size_t room = strlen(folder) + sizeof "/hunt.json";
    char *path = memory_new(room, 1);
    json_error_t why;
    json_t *root;
    enum status status;

    snprintf(path, room, "%s/hunt.json", folder);
    root = json_load_file(path, 0, &why);
    status =
        root ? find(path, folder, id, root, to, err) : fail(err, HEDDLE_BAD_REPORT, "%s: %s", path, why.text);
    json_decref(root);
    free(path);
    return status;
}
