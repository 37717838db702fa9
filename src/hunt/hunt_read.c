/* Looks problems up in the folder that a hunt left behind. */
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

static void copy_text(const json_t *from, char *to, size_t room)
{
    snprintf(to, room, "%s", json_is_string(from) ? json_string_value(from) : "");
}

static uint32_t number_of(const json_t *from)
{
    json_int_t number = json_integer_value(from);

    return number > 0 && number <= UINT32_MAX ? (uint32_t)number : 0;
}

static void read_problem(const char *folder, const json_t *problem, struct hunt_place *to)
{
    memset(to, 0, sizeof *to);
    copy_text(json_object_get(problem, "id"), to->id, sizeof to->id);
    copy_text(json_object_get(problem, "finding"), to->finding, sizeof to->finding);
    copy_text(json_object_get(problem, "kind"), to->kind, sizeof to->kind);
    copy_text(json_object_get(problem, "property"), to->property, sizeof to->property);
    to->happened = !*to->finding;
    beside(folder, json_object_get(problem, to->happened ? "schedule" : "report"), to->path, sizeof to->path);
    to->run = number_of(json_object_get(problem, "run"));
    to->observed_run = number_of(json_object_get(problem, "observed_run"));
    copy_text(json_object_get(problem, "observed_finding"), to->observed_finding, sizeof to->observed_finding);
}

enum status hunt_list(const char *folder, struct hunt_place **list, size_t *count, struct error *err)
{
    size_t room = strlen(folder) + sizeof "/hunt.json";
    char *path = memory_new(room, 1);
    const char *format;
    json_error_t why;
    json_t *root, *problems;
    enum status status = HEDDLE_OK;

    snprintf(path, room, "%s/hunt.json", folder);
    *list = NULL;
    *count = 0;
    root = json_load_file(path, 0, &why);
    format = json_string_value(json_object_get(root, "format"));
    problems = json_object_get(root, "problems");
    if (!root) {
        status = fail(err, HEDDLE_BAD_REPORT, "%s: %s", path, why.text);
    } else if (!format || strcmp(format, "heddle-hunt") != 0) {
        status = fail(err, HEDDLE_BAD_REPORT, "%s: was not written by heddle hunt", path);
    } else {
        *count = json_array_size(problems);
        *list = memory_new(*count + 1, sizeof **list);
        for (size_t i = 0; i < *count; i++)
            read_problem(folder, json_array_get(problems, i), &(*list)[i]);
    }
    json_decref(root);
    free(path);
    return status;
}

enum status hunt_find(const char *folder, const char *id, struct hunt_place *to, struct error *err)
{
    struct hunt_place *list;
    size_t count, i;
    enum status status = hunt_list(folder, &list, &count, err);

    if (status != HEDDLE_OK)
        return status;
    for (i = 0; i < count && strcmp(list[i].id, id) != 0; i++)
        ;
    if (i < count)
        *to = list[i];
    else
        status = fail(err, HEDDLE_BAD_USAGE, "%s/hunt.json: has no problem %s", folder, id);
    free(list);
    return status;
}
