/* heddle record: runs a program and writes what its threads did. */
#include "cli/recording.h"

static const struct option options[] = {
    {"output", 'o', "FILE", NULL, "Writes the trace to FILE instead of heddle.htr."},
    RECORD_OPTIONS,
    {"quiet", 'q', NULL, NULL, "Says nothing but errors."},
    {0},
};

static int run(const struct command *self, const struct arguments *args)
{
    const char *output = argument_of(self, args, "output");
    struct recording r = {.output = output ? output : "heddle.htr",
                          .notes = argument_of(self, args, "quiet") ? NULL : stderr};
    char folder[4096];
    struct error err;

    if (!recording_parse(self, args, &r) || !runtime_folder(folder, sizeof folder))
        return EXIT_ERROR;
    r.libraries = folder;
    if (!recording_choose_tool(self, args, &r))
        return EXIT_ERROR;
    if (record_program(&r, &err) != HEDDLE_OK)
        return complain("%s", err.text);
    return r.deadlocked ? EXIT_FINDINGS : r.status;
}

const struct command command_record = {
    .name = "record",
    .operands = "",
    .summary = "runs a program and writes what its threads did",
    .description = "Runs PROGRAM, which was built with `heddle cc`, `heddle c++` or plain `gcc "
                   "-fsanitize=thread`, one thread at "
                   "a time, and writes every access to shared variables and every synchronization as a trace. "
                   "Its input, output, "
                   "exit status and signals pass through. Exits with 128+n when it died of signal n, with 2 "
                   "when it deadlocked.",
    .options = options,
    .takes_program = true,
    .run = run,
};
