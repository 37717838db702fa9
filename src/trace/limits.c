/* Limits of traces, as options give them. */
#include "trace/limits.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* "64K" → 65536 */
static bool read_number(const char *text, size_t length, uint64_t *to)
{
    static const char units[] = "KMGT";
    char copy[32], *end;
    const char *unit;

    if (length == 0 || length >= sizeof copy || *text < '0' || *text > '9')
        return false;
    memcpy(copy, text, length);
    copy[length] = '\0';
    errno = 0;
    *to = strtoull(copy, &end, 10);
    unit = *end ? strchr(units, *end) : NULL;
    if (errno || (*end && (!unit || end[1])))
        return false;
    for (ptrdiff_t i = unit ? unit - units + 1 : 0; i > 0; i--)
        if (__builtin_mul_overflow(*to, 1024, to))
            return false;
    return *to > 0;
}

static uint64_t *part_named(struct trace_limits *l, const char *text, size_t length)
{
    const struct {
        const char *name;
        uint64_t *part;
    } parts[] = {{"size", &l->size},     {"line", &l->line},   {"name", &l->name},
                 {"events", &l->events}, {"block", &l->block}, {"window", &l->window}};

    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (strlen(parts[i].name) == length && memcmp(parts[i].name, text, length) == 0)
            return parts[i].part;
    return NULL;
}

enum status trace_limits_parse(struct trace_limits *limits, const char *text, struct error *err)
{
    while (*text) {
        size_t length = strcspn(text, ","), name = strcspn(text, "=");
        uint64_t *part = name < length ? part_named(limits, text, name) : NULL;
        if (!part || !read_number(text + name + 1, length - name - 1, part))
            return fail(
                err, HEDDLE_BAD_USAGE,
                "--limits: %.*s: a limit is size=N, line=N, name=N, events=N, block=N or window=N, where N may "
                "end in K, M, G or T",
                length < 80 ? (int)length : 80, text);
        text += length + (text[length] == ',');
    }
    return HEDDLE_OK;
}

enum status trace_limits_exceeded(const char *place, const char *what, const char *option, uint64_t limit,
                                  struct error *err)
{
    return fail(err, HEDDLE_UNSUPPORTED, "%s: more than %" PRIu64 " %s; --limits=%s=N allows more", place,
                limit, what, option);
}
