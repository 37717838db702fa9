/* Finds the configuration of a project, and keeps it. */
#include "config/config.h"
#include "base/memory.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char *in_folder(const char *folder, size_t length)
{
    size_t room = length + sizeof "/.heddle.yaml";
    char *path = memory_new(room, 1);

    snprintf(path, room, "%.*s/.heddle.yaml", (int)length, folder);
    return path;
}

char *config_find(const char *folder, char **foreign)
{
    struct stat about;

    *foreign = NULL;
    for (size_t length = strlen(folder);; length--) {
        while (length > 0 && folder[length - 1] == '/')
            length--;
        char *path = in_folder(folder, length);
        bool there = stat(path, &about) == 0 && S_ISREG(about.st_mode);
        if (there && (about.st_uid == geteuid() || about.st_uid == 0))
            return path;
        if (there && !*foreign)
            *foreign = path;
        else
            free(path);
        while (length > 0 && folder[length - 1] != '/')
            length--;
        if (length == 0)
            return NULL;
    }
}

enum status config_load(struct config *c, const char *path, struct error *err)
{
    char *text = memory_new(CONFIG_BYTES_MOST + 1, 1);
    FILE *file = fopen(path, "re");
    enum status status;

    memset(c, 0, sizeof *c);
    size_t length = file ? fread(text, 1, CONFIG_BYTES_MOST + 1, file) : 0;
    if (!file || ferror(file))
        status = fail(err, HEDDLE_IO, "%.200s: %s", path, strerror(errno));
    else
        status = config_parse(c, path, text, length, err);
    if (file)
        fclose(file);
    free(text);
    return status;
}

static void names_drop(struct config_names *n)
{
    for (size_t i = 0; i < n->names_count; i++)
        free(n->names[i]);
    free(n->names);
}

void config_free(struct config *c)
{
    free(c->path);
    free(c->fail_on);
    free(c->java_include);
    free(c->java_exclude);
    names_drop(&c->source_roots);
    names_drop(&c->ignore);
    names_drop(&c->include);
    names_drop(&c->atomic);
    names_drop(&c->deterministic);
    suppressions_free(&c->suppressions);
    suppressions_free(&c->files);
    memset(c, 0, sizeof *c);
}
