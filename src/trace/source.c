/* Takes locations apart. */
#include "trace/source.h"

#include <string.h>

/* The number that stands at `at` and ends in a blank or the end; 0 when there is none. */
static uint32_t line_at(const char *at, const char **rest)
{
    uint64_t line = 0;

    while (*at >= '0' && *at <= '9' && line <= UINT32_MAX)
        line = 10 * line + (uint64_t)(*at++ - '0');
    *rest = at;
    return (*at == '\0' || *at == ' ') && line <= UINT32_MAX ? (uint32_t)line : 0;
}

bool source_parse(const char *text, struct source *to)
{
    for (const char *colon = strchr(text, ':'); colon; colon = strchr(colon + 1, ':')) {
        const char *rest;
        uint32_t line = line_at(colon + 1, &rest);
        if (line == 0 || colon == text)
            continue;
        *to = (struct source){text, (size_t)(colon - text), line, *rest == ' ' ? rest + 1 : rest};
        return true;
    }
    return false;
}

static bool begins(const char *text, size_t length, const char *with)
{
    size_t needed = strlen(with);

    return length >= needed && memcmp(text, with, needed) == 0;
}

bool source_is_library(const struct source *s)
{
    static const char *const folders[] = {"/usr/include/", "/usr/lib/", "/usr/src/",   "/usr/local/include/",
                                          "/build/",       "./nptl/",   "../sysdeps/", NULL};
    static const char *const packages[] = {"java.", "javax.", "jdk.", "sun.", NULL};

    for (const char *const *folder = folders; *folder; folder++)
        if (begins(s->file, s->file_length, *folder))
            return true;
    for (const char *const *package = packages; *package; package++)
        if (begins(s->function, strlen(s->function), *package))
            return true;
    return false;
}
