/* heddle verify: re-checks every finding of a report against its trace. */
#include "cli/command.h"
#include "cli/verifying.h"

#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
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

/* The report's text may hold any bytes. */
static void print_safe(const char *text)
{
    for (; *text; text++)
        putchar(iscntrl((unsigned char)*text) ? '?' : *text);
}

static void print_rejected(void *context, const char *id, const char *why)
{
    (void)context;
    print_safe(id);
    printf(": rejected: ");
    print_safe(why);
    putchar('\n');
}

static void print_summary(const struct heddle_verification *v)
{
    printf("%zu finding%s, ", v->findings, v->findings == 1 ? "" : "s");
    if (v->rejected > 0)
        printf("%zu accepted, %zu rejected", v->accepted, v->rejected);
    else
        printf("all accepted");
    if (v->without_data > 0)
        printf(" (%zu by synchronization alone, data ignored)", v->without_data);
    if (v->ignored_values || v->ignored_grounds)
        printf(" (%s ignored)", !v->ignored_grounds ? "values"
                                : v->ignored_values ? "values and grounds"
                                                    : "grounds");
    putchar('\n');
    if (*v->unchecked)
        printf("not checked, because the trace cannot show it: %s\n", v->unchecked);
}

/* Verifies the report of the trace in the file that the last argument names. */
static int verify(const struct command *self, const struct arguments *args, const heddle_trace *trace)
{
    bool quiet = argument_of(self, args, "quiet") != NULL;
    struct heddle_verify_options how;
    struct heddle_verification verification;
    struct heddle_error err;

    heddle_verify_options_init(&how);
    how.ignore_values = argument_of(self, args, "values") != NULL;
    how.ignore_grounds = argument_of(self, args, "grounds") != NULL;
    how.atomic = argument_of(self, args, "atomic");
    how.rejected = quiet ? NULL : print_rejected;
    if (!heddle_report_verify_with(trace, args->operands[args->operand_count - 1], &how, &verification, &err))
        return complain("%s", err.text);
    if (!quiet)
        print_summary(&verification);
    return verification.rejected > 0 ? EXIT_ERROR : EXIT_SUCCESS;
}

static int run(const struct command *self, const struct arguments *args)
{
    const char *path = args->operands[0], *atomic = argument_of(self, args, "atomic");
    heddle_trace *trace;
    int status = EXIT_SUCCESS;

    if (atomic && strcmp(atomic, "locks") != 0 && strcmp(atomic, "blocks") != 0)
        return complain("verify: --atomic=%s: expected blocks or locks", atomic);
    if (is_folder(path))
        return verify_hunt(path, args->operand_count > 1 ? args->operands[1] : NULL,
                           argument_of(self, args, "quiet") != NULL);
    if (args->operand_count < 2)
        return complain("verify: which report? heddle verify TRACE REPORT, or heddle verify DIR of a hunt");
    for (int i = 0; i + 1 < args->operand_count; i++) {
        trace = argument_trace_at(self, args, i);
        if (!trace)
            return EXIT_ERROR;
        if (args->operand_count > 2 && !argument_of(self, args, "quiet")) {
            print_safe(args->operands[i]);
            printf(": ");
        }
        if (verify(self, args, trace) != EXIT_SUCCESS)
            status = EXIT_ERROR;
        heddle_trace_free(trace);
    }
    return status;
}

const struct command command_verify = {
    .name = "verify",
    .operands = "TRACE… REPORT | DIR [ID]",
    .summary = "checks every finding of a report again",
    .description =
        "Checks that each schedule in the JSON report REPORT is a feasible run of TRACE and shows what its "
        "finding claims, that the report's claims about the observed run are true, and that names, places and "
        "values are those of the trace. The checker shares no code with the solver. It does not check the "
        "results of replays and what they make of notes, nor counts, groups, fingerprints, statistics and what "
        "is undecided. Of a report of several traces (heddle check FILE…), it checks the part on each TRACE. "
        "With "
        "the folder DIR of a hunt: checks its problems, or the problem ID alone, each against "
        "the trace of the run that shows it, and says which were observed in a run; not their titles, "
        "places, counts and confirmations in hunt.json.",
    .options = options,
    .operands_min = 1,
    .operands_max = INT_MAX,
    .run = run,
};
