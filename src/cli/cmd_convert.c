/* heddle convert: converts a trace from one format to another. */
#include "base/memory.h"
#include "cli/command.h"
#include "trace/limits.h"
#include "trace/save.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct option options[] = {
    {"without", 0, "PART,…", "names locations values",
     "Omits parts of a native trace: names, locations, values. Objects without a name are numbered."},
    {"grounds", 0, "keep|drop", "keep drop",
     "drop: omits which reads events depend on, for tools that know only three fields (default: keep)."},
    LIMITS_OPTION,
    {0},
};

static bool ends_with(const char *text, const char *ending)
{
    size_t length = strlen(text), tail = strlen(ending);

    return length >= tail && strcmp(text + length - tail, ending) == 0;
}

static bool is_text_name(const char *path)
{
    return strcmp(path, "-") == 0 || ends_with(path, ".std") || ends_with(path, ".std.gz") ||
           ends_with(path, ".std.zst");
}

static enum status write_trace(const struct trace *trace, const char *path, unsigned features,
                               struct error *err)
{
    return ends_with(path, ".htr") ? trace_save_native(trace, path, features, err)
                                   : trace_save_text(trace, path, err);
}

/* Puts the file called `beside`, complete or not, in the place of `path`. */
static enum status move_over(enum status status, const char *beside, const char *path, struct error *err)
{
    char why[sizeof err->text];

    if (status == HEDDLE_OK && rename(beside, path) == 0)
        return HEDDLE_OK;
    if (status == HEDDLE_OK)
        status = fail(err, HEDDLE_IO, "%s: %s", path, strerror(errno));
    else if (strncmp(err->text, beside, strlen(beside)) == 0) { /* nobody knows that name */
        snprintf(why, sizeof why, "%s", err->text + strlen(beside));
        fail(err, status, "%s%s", path, why);
    }
    unlink(beside);
    return status;
}

/* Writes beside the target and renames at the end, so that a failure leaves what was there before. */
static enum status replace(const struct trace *trace, const char *path, unsigned features, struct error *err)
{
    struct stat about;
    bool exists = strcmp(path, "-") != 0 && stat(path, &about) == 0;

    if (strcmp(path, "-") == 0 || (exists && !S_ISREG(about.st_mode)))
        return write_trace(trace, path, features, err);

    char *target = exists ? realpath(path, NULL) : NULL; /* a link stays a link */
    const char *final = target ? target : path;
    const char *slash = strrchr(final, '/');
    int folder = slash ? (int)(slash - final) + 1 : 0;
    size_t room = strlen(final) + 32;
    char *beside = memory_new(room, 1);

    snprintf(beside, room, "%.*s.%ld.%s", folder, final, (long)getpid(), final + folder);
    unlink(beside);
    enum status status = write_trace(trace, beside, features, err);
    if (status == HEDDLE_OK && exists && chmod(beside, about.st_mode & 0777) != 0)
        status = fail(err, HEDDLE_IO, "%s: %s", beside, strerror(errno));
    status = move_over(status, beside, final, err);
    free(beside);
    free(target);
    return status;
}

/* Takes the parts named in `list` out of the features; false after a complaint. */
static bool drop_features(const char *list, unsigned *features)
{
    static const struct {
        const char *word;
        unsigned feature;
    } parts[] = {{"names", HTR_NAMES}, {"locations", HTR_LOCATIONS}, {"values", HTR_VALUES}};

    while (*list) {
        size_t length = strcspn(list, ","), i = 0;
        while (i < 3 && (strlen(parts[i].word) != length || strncmp(parts[i].word, list, length) != 0))
            i++;
        if (i == 3) {
            complain("convert: --without: expected names, locations or values, not %.*s", (int)length, list);
            return false;
        }
        *features &= ~parts[i].feature;
        list += length + (list[length] == ',');
    }
    return true;
}

/* Takes the values of accesses away; how a semaphore begins is no value of a run. */
static void drop_values(struct trace *trace, unsigned *features)
{
    for (size_t e = 1; e <= trace->count && trace->value_tag; e++) {
        if (trace_kind(trace, e) == EVENT_SEM_INIT)
            *features |= HTR_VALUES;
        else
            trace->value_tag[e] = VALUE_NONE;
    }
}

static int run(const struct command *self, const struct arguments *args)
{
    const char *from = args->operands[0], *to = args->operands[1];
    const char *without = argument_of(self, args, "without"), *grounds = argument_of(self, args, "grounds");
    unsigned features = HTR_FEATURES;
    struct trace_limits limits;
    struct trace trace;
    struct error err;
    enum status status;

    if (!is_text_name(to) && !ends_with(to, ".htr"))
        return complain("convert: %s: the name must end in .std, .std.gz, .std.zst or .htr", to);
    if (without && is_text_name(to))
        return complain("convert: --without needs a native trace (.htr) as output");
    if (grounds && strcmp(grounds, "keep") != 0 && strcmp(grounds, "drop") != 0)
        return complain("convert: --grounds=%s: expected keep or drop", grounds);
    if (without && !drop_features(without, &features))
        return EXIT_ERROR;

    if (!argument_limits(self, args, &limits))
        return EXIT_ERROR;
    status = trace_load_limited(&trace, from, &limits, &err);
    if (status == HEDDLE_OK && grounds && strcmp(grounds, "drop") == 0)
        trace_drop_grounds(&trace);
    if (status == HEDDLE_OK && !(features & HTR_VALUES))
        drop_values(&trace, &features);
    if (status == HEDDLE_OK && !trace.value)
        features &= ~(unsigned)HTR_VALUES;
    if (status == HEDDLE_OK && !trace_has_grounds(&trace))
        features &= ~(unsigned)HTR_GROUNDS;
    if (status == HEDDLE_OK && trace.note)
        remark("%s: %s", from, trace.note);
    if (status == HEDDLE_OK)
        status = replace(&trace, to, features, &err);
    trace_free(&trace);
    return status == HEDDLE_OK ? 0 : complain("%s", err.text);
}

const struct command command_convert = {
    .name = "convert",
    .operands = "IN OUT",
    .summary = "converts a trace from one format to another",
    .description = "Reads the trace IN (any format; - is standard input) and writes it as OUT, in the format "
                   "that OUT's name ends in: .htr, .std, .std.gz or .std.zst; - is text on standard output.",
    .options = options,
    .operands_min = 2,
    .operands_max = 2,
    .run = run,
};
