/* Which compiler the gcc plugin was built for, and whether that is the one at hand. */
#include "cli/plugin.h"
#include "record/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Programs that go by a compiler's name and start the next one of that name in PATH. */
static bool is_wrapper(const char *file)
{
    static const char *const wrappers[] = {"ccache", "distcc", "icecc", "sccache"};
    const char *slash = strrchr(file, '/'), *name = slash ? slash + 1 : file;

    for (size_t i = 0; i < sizeof wrappers / sizeof *wrappers; i++)
        if (strcmp(name, wrappers[i]) == 0)
            return true;
    return false;
}

/* The file that `command` runs in the end, or NULL; the caller frees it. */
static char *compiler_file(const char *command)
{
    char path[4096];

    for (size_t before = 0; program_find_nth(command, before, path, sizeof path); before++) {
        char *file = realpath(path, NULL);
        if (file && !is_wrapper(file))
            return file;
        free(file);
    }
    return NULL;
}

/* A line of the list: size, time and path of a compiler that the plugin is for. */
static bool says(const char *line, const char *file, const struct stat *now)
{
    char *end;
    unsigned long long size = strtoull(line, &end, 10), time = strtoull(end, &end, 10);
    size_t length;

    if (*end++ != ' ')
        return false;
    length = strcspn(end, "\n");
    return size == (unsigned long long)now->st_size && time == (unsigned long long)now->st_mtim.tv_sec &&
           strlen(file) == length && memcmp(file, end, length) == 0;
}

enum plugin plugin_find(const char *folder, const char *compiler, char *path, size_t room)
{
    char line[4200];
    enum plugin found = PLUGIN_OTHER;
    struct stat now;
    FILE *list;
    char *file;

    snprintf(line, sizeof line, "%s/heddle_gcc.txt", folder);
    snprintf(path, room, "%s/heddle_gcc.so", folder);
    if (access(path, R_OK) != 0 || !(list = fopen(line, "re")))
        return PLUGIN_ABSENT;
    file = compiler_file(compiler);
    if (file && stat(file, &now) == 0)
        while (found != PLUGIN_FITS && fgets(line, sizeof line, list))
            found = says(line, file, &now) ? PLUGIN_FITS : PLUGIN_OTHER;
    free(file);
    fclose(list);
    return found;
}
