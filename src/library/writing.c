/* Traces as the library's users see them: removing parts of one, and writing it to a file. */
#include "library/boundary.h"
#include "trace/save.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct dropping {
    struct heddle_trace *trace;
    const char *parts;
};

static bool is_word(const char *list, size_t length, const char *word)
{
    return strlen(word) == length && strncmp(list, word, length) == 0;
}

/* Removes the values of accesses; the initial count of a semaphore is no value of a run and stays. */
static void drop_values(struct heddle_trace *of)
{
    struct trace *trace = &of->trace;

    of->features &= ~(unsigned)HTR_VALUES;
    for (size_t e = 1; e <= trace->count && trace->value_tag; e++) {
        if (trace_kind(trace, e) == EVENT_SEM_INIT)
            of->features |= HTR_VALUES;
        else
            trace->value_tag[e] = VALUE_NONE;
    }
}

static enum status drop(void *context, struct error *err)
{
    struct dropping *d = context;

    for (const char *part = d->parts; *part;) {
        size_t length = strcspn(part, ",");
        if (is_word(part, length, "values"))
            drop_values(d->trace);
        else if (is_word(part, length, "grounds"))
            trace_drop_grounds(&d->trace->trace);
        else if (is_word(part, length, "names"))
            d->trace->features &= ~(unsigned)HTR_NAMES;
        else if (is_word(part, length, "locations"))
            d->trace->features &= ~(unsigned)HTR_LOCATIONS;
        else
            return fail(err, HEDDLE_BAD_USAGE, "expected names, locations, values or grounds, not %.*s",
                        length < 80 ? (int)length : 80, part);
        part += length + (part[length] == ',');
    }
    return HEDDLE_OK;
}

bool heddle_trace_drop(heddle_trace *trace, const char *parts, struct heddle_error *err)
{
    struct dropping d = {trace, parts};

    return boundary_run(drop, &d, err);
}

struct saving {
    const struct heddle_trace *trace;
    const char *path;
    enum heddle_format format;
};

static enum status write_trace(const struct saving *s, const char *path, struct error *err)
{
    const struct trace *trace = &s->trace->trace;
    unsigned features = s->trace->features;

    if (s->format == HEDDLE_FORMAT_TEXT)
        return trace_save_text(trace, path, err);
    if (!trace->value)
        features &= ~(unsigned)HTR_VALUES;
    if (!trace_has_grounds(trace))
        features &= ~(unsigned)HTR_GROUNDS;
    return trace_save_native(trace, path, features, err);
}

/* Renames the file called `beside` to `path` if it is complete, and removes it otherwise. */
static enum status move_over(enum status status, const char *beside, const char *path, struct error *err)
{
    char why[sizeof err->text];

    if (status == HEDDLE_OK && rename(beside, path) == 0)
        return HEDDLE_OK;
    if (status == HEDDLE_OK)
        status = fail(err, HEDDLE_IO, "%s: %s", path, strerror(errno));
    else if (strncmp(err->text, beside, strlen(beside)) == 0) { /* a name that the caller does not know */
        snprintf(why, sizeof why, "%s", err->text + strlen(beside));
        fail(err, status, "%s%s", path, why);
    }
    unlink(beside);
    return status;
}

/* Writes beside the target and renames at the end, so that a failure leaves what was there before. */
static enum status save(void *context, struct error *err)
{
    const struct saving *s = context;
    const char *path = s->path;
    struct stat about;
    bool exists = strcmp(path, "-") != 0 && stat(path, &about) == 0;

    if (strcmp(path, "-") == 0 || (exists && !S_ISREG(about.st_mode)))
        return write_trace(s, path, err);

    char *target = exists ? realpath(path, NULL) : NULL; /* a link stays a link */
    const char *final = target ? target : path;
    const char *slash = strrchr(final, '/');
    int folder = slash ? (int)(slash - final) + 1 : 0;
    size_t room = strlen(final) + 32;
    char *beside = memory_new(room, 1);

    snprintf(beside, room, "%.*s.%ld.%s", folder, final, (long)getpid(), final + folder);
    unlink(beside);
    enum status status = write_trace(s, beside, err);
    if (status == HEDDLE_OK && exists && chmod(beside, about.st_mode & 0777) != 0)
        status = fail(err, HEDDLE_IO, "%s: %s", beside, strerror(errno));
    status = move_over(status, beside, final, err);
    free(beside);
    free(target);
    return status;
}

bool heddle_trace_write(const heddle_trace *trace, const char *path, enum heddle_format format,
                        struct heddle_error *err)
{
    struct saving s = {trace, path, format};

    return boundary_run(save, &s, err);
}
