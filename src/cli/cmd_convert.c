/* heddle convert: converts a trace from one format to another. */
#include "cli/command.h"

#include <stdlib.h>
#include <string.h>

static const struct option options[] = {
    {"without", 0, "PART,…", "names locations values grounds",
     "Omits parts of a native trace: names, locations, values, grounds. Objects without a name are numbered."},
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

static int convert(const struct command *self, const struct arguments *args, heddle_trace *trace)
{
    const char *to = args->operands[1], *grounds = argument_of(self, args, "grounds");
    const char *without = argument_of(self, args, "without");
    enum heddle_format format = is_text_name(to) ? HEDDLE_FORMAT_TEXT : HEDDLE_FORMAT_NATIVE;
    struct heddle_error err;

    if (without && !heddle_trace_drop(trace, without, &err))
        return complain("convert: --without: %s", err.text);
    if (grounds && strcmp(grounds, "drop") == 0 && !heddle_trace_drop(trace, "grounds", &err))
        return complain("%s", err.text);
    if (heddle_trace_note(trace))
        remark("%s: %s", args->operands[0], heddle_trace_note(trace));
    return heddle_trace_write(trace, to, format, &err) ? EXIT_SUCCESS : complain("%s", err.text);
}

static int run(const struct command *self, const struct arguments *args)
{
    const char *to = args->operands[1], *grounds = argument_of(self, args, "grounds");
    heddle_trace *trace;
    int status;

    if (!is_text_name(to) && !ends_with(to, ".htr"))
        return complain("convert: %s: the name must end in .std, .std.gz, .std.zst or .htr", to);
    if (argument_of(self, args, "without") && is_text_name(to))
        return complain("convert: --without needs a native trace (.htr) as output");
    if (grounds && strcmp(grounds, "keep") != 0 && strcmp(grounds, "drop") != 0)
        return complain("convert: --grounds=%s: expected keep or drop", grounds);
    trace = argument_trace(self, args);
    if (!trace)
        return EXIT_ERROR;
    status = convert(self, args, trace);
    heddle_trace_free(trace);
    return status;
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
