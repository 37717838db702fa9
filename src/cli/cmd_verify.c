/* heddle verify: re-checks every finding of a report against its trace. */
#include "cli/command.h"
#include "cli/verifying.h"
#include "report/json/recall.h"
#include "trace/limits.h"

#include <string.h>
#include <sys/stat.h>

static const struct option options[] = {
    {"values", 0, "HOW", "ignore",
     "Verifies the report as one of a check with --values=ignore, even if the report does not say so."},
    {"grounds", 0, "HOW", "ignore",
     "Verifies the report as one of a check with --grounds=ignore, even if the report does not say so."},
    {"atomic", 0, "WHAT", "blocks locks", "What the check took as atomic, if the report does not say so."},
    {"quiet", 'q', NULL, NULL, "Prints nothing but errors; see the exit status for the result."},
    LIMITS_OPTION,
    {0},
};

static bool is_folder(const char *path)
{
    struct stat about;

    return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

static int run(const struct command *self, const struct arguments *args)
{
    const char *path = args->operands[0], *atomic = argument_of(self, args, "atomic");
    struct trace_limits limits;
    struct trace trace;
    struct report report;
    struct error err;
    int result = EXIT_ERROR;

    if (atomic && strcmp(atomic, "locks") != 0 && strcmp(atomic, "blocks") != 0)
        return complain("verify: --atomic=%s: expected blocks or locks", atomic);
    if (!argument_limits(self, args, &limits))
        return EXIT_ERROR;
    if (is_folder(path))
        return verify_hunt(path, args->operand_count > 1 ? args->operands[1] : NULL,
                           argument_of(self, args, "quiet") != NULL);
    if (args->operand_count < 2)
        return complain("verify: which report? heddle verify TRACE REPORT, or heddle verify DIR of a hunt");
    if (trace_load_limited(&trace, path, &limits, &err) != HEDDLE_OK)
        return complain("%s", err.text);
    if (report_load_whole(&report, args->operands[1], &err) == HEDDLE_OK) {
        if (report_belongs(&report, &trace, path, &err) != HEDDLE_OK) {
            result = complain("%s: %s", args->operands[1], err.text);
        } else {
            struct verification v = {
                .trace = &trace,
                .report = &report,
                .options = {.values_ignore = report.values_ignore || argument_of(self, args, "values"),
                            .grounds_ignore = report.grounds_ignore || argument_of(self, args, "grounds"),
                            .atomic_locks = atomic ? strcmp(atomic, "locks") == 0 : report.atomic_locks},
                .quiet = argument_of(self, args, "quiet") != NULL};
            result = verify_report(&v);
        }
    } else {
        complain("%s", err.text);
    }
    report_free(&report);
    trace_free(&trace);
    return result;
}

const struct command command_verify = {
    .name = "verify",
    .operands = "TRACE REPORT | DIR [ID]",
    .summary = "checks every finding of a report again",
    .description =
        "Checks that each schedule in the JSON report REPORT is a feasible run of TRACE and shows what its "
        "finding claims, that the report's claims about the observed run are true, and that names, places and "
        "values are those of the trace. The checker shares no code with the solver. It does not check the "
        "results of replays, nor counts, groups, severities, fingerprints, statistics, the method and what is "
        "undecided. With the folder DIR of a hunt: checks its problems, or the problem ID alone, each against "
        "the trace of the run that shows it, and says which were observed in a run.",
    .options = options,
    .operands_min = 1,
    .operands_max = 2,
    .run = run,
};
