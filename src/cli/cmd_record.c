/* heddle record: runs a program and writes what its threads did. */
#include "cli/configured.h"
#include "cli/recording.h"
#include "record/feed.h"
#include "replay/plan.h"
#include "replay/same_trace.h"

#include <errno.h>
#include <libgen.h>
#include <string.h>
#include <unistd.h>

static const struct option options[] = {
    {"output", 'o', "FILE", NULL, "Writes the trace to FILE instead of heddle.htr."},
    RECORD_OPTIONS,
    RECORD_GROUNDS_OPTION,
    {"replay", 0, "TRACE", NULL,
     "Runs the program as it ran when TRACE was recorded, slice by slice, with the same clocks and inputs: the "
     "same program on the same input gives the same trace; if it does not, the first event that differs is "
     "named and the "
     "exit status is 3. Seed, policy and passes are those of TRACE."},
    {"quiet", 'q', NULL, NULL, "Prints nothing but errors."},
    CONFIG_OPTION,
    {0},
};

/* Settings and script of the run that `path` holds. `trace`: to be freed whether it fails or not. */
static enum status prepare_again(const char *path, struct recording *r, struct trace *trace,
                                 struct journal *journal, struct error *err)
{
    struct schedule_script script;

    if (replay_journal(path, trace, journal, err) != HEDDLE_OK)
        return err->status;
    if (r->java.wanted != (journal->java != NULL))
        return fail(err, HEDDLE_BAD_USAGE, "%.300s was recorded from %s Java program", path,
                    journal->java ? "a" : "no");
    r->java.words = journal->java;
    script_init(&script);
    script_from_journal(&script, journal, trace);
    script_from_slices(&script, journal);
    r->seed = journal->seed;
    r->policy = (enum session_policy)journal->policy;
    r->passes = journal->two_pass ? PASSES_TWO : PASSES_ONE;
    r->real_time = journal->real_time;
    r->stacks = trace->stacks != NULL;
    r->again = journal;
    if (journal->has_standard_input)
        r->input_fd = feed_file(journal);
    r->script_fd = script_compile(&script);
    script_free(&script);
    return r->script_fd < 0 || r->input_fd < 0
               ? fail(err, HEDDLE_IO, "not enough memory for the schedule and the input")
               : HEDDLE_OK;
}

/* Says why the run is not the one it was to repeat. */
static int complain_again(const struct recording *r, const char *difference)
{
    char why[512] = "";

    replay_explain_inputs(r, why, sizeof why);
    complain("the program did not repeat the recorded run: %s%s%s",
             *why ? why : "its input or its build differs, or it depends on something that is not recorded",
             *difference ? "; " : "", difference);
    return EXIT_INCOMPLETE;
}

/* Whether the run went as the one it repeats, whose trace is `was`; says so if not. */
static int judge_again(const struct recording *r, const struct trace *was)
{
    char difference[1024] = "";
    struct trace is;
    struct error err;
    bool same;

    if (r->script_state == SCRIPT_DIVERGED)
        return complain_again(r, difference);
    if (trace_load(&is, r->output, &err) != HEDDLE_OK)
        return complain("%s", err.text);
    same = same_trace(was, &is, difference, sizeof difference);
    trace_free(&is);
    if (!same)
        return complain_again(r, difference);
    return r->deadlocked ? EXIT_FINDINGS : r->status;
}

static int record_again(struct recording *r, const char *path)
{
    struct journal journal = {0};
    struct trace was = {0};
    struct error err;
    int result;

    if (prepare_again(path, r, &was, &journal, &err) != HEDDLE_OK || record_program(r, &err) != HEDDLE_OK)
        result = complain("%s", err.text);
    else
        result = judge_again(r, &was);
    if (r->script_fd > 0)
        close(r->script_fd);
    if (r->input_fd > 0)
        close(r->input_fd);
    recording_free(r);
    journal_free(&journal);
    trace_free(&was);
    return result;
}

/* Whether a file of that name can be there, as far as one can tell before there is something to write. */
static bool can_create(const char *path)
{
    char folder[4096];

    snprintf(folder, sizeof folder, "%s", path);
    return access(path, F_OK) == 0 ? access(path, W_OK) == 0 : access(dirname(folder), W_OK | X_OK) == 0;
}

static int run(const struct command *self, const struct arguments *args)
{
    const char *output = argument_of(self, args, "output");
    struct recording r = {.output = output ? output : "heddle.htr",
                          .notes = argument_of(self, args, "quiet") ? NULL : print_note};
    const char *again = argument_of(self, args, "replay");
    char folder[4096];
    struct error err;
    int result;

    if (!recording_parse(self, args, &r) || !runtime_folder(folder, sizeof folder))
        return EXIT_ERROR;
    r.libraries = folder;
    if (!can_create(r.output))
        return complain("%s: the trace cannot be written: %s", r.output, strerror(errno));
    if (again)
        return record_again(&r, again);
    if (!recording_choose_tool(self, args, &r))
        return EXIT_ERROR;
    if (record_program(&r, &err) == HEDDLE_OK)
        result = r.deadlocked ? EXIT_FINDINGS : r.status;
    else
        result = complain("%s", err.text);
    recording_free(&r);
    return result;
}

const struct command command_record = {
    .name = "record",
    .operands = "",
    .summary = "runs a program and writes what its threads did",
    .description = "Runs PROGRAM, which was built with `heddle cc`, `heddle c++` or plain `gcc "
                   "-fsanitize=thread`, one thread at a time, and writes every access to shared variables and "
                   "every synchronization as a trace. Its input, output, exit status and signals pass through. "
                   "Java programs need no preparation: `heddle record -- java …` records them as they are. "
                   "Exits with 128+n when it died of signal n, with 2 when it deadlocked.",
    .options = options,
    .takes_program = true,
    .run = run,
};
