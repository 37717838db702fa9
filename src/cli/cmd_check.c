/* heddle check: predict from a trace. */
#include "cli/check_units.h"
#include "property/explained.h"
#include "trace/limits.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

static const struct option options[] = {
    CHECK_OPTIONS,
    CHECK_GROUNDS_OPTION,
    VERDICT_OPTIONS,
    {"method", 0, "NAME", "exact graph ucg csp",
     "How to decide: exact, which decides every candidate in full (the default); graph, the witness order and "
     "choice graphs of FMCAD'12, for nondet; ucg, the universal causality graphs of CAV'10, for race and "
     "atomicity; csp, CSP models and refinement, for race with data ignored; exact then confirms or refutes "
     "each race."},
    {"format", 0, "NAME", REPORT_FORMATS,
     "How to report: text; json, which other commands read; html, a page for a browser; sarif, for "
     "code-scanning sites; gitlab, a code quality report."},
    {"output", 'o', "FILE", NULL, "Writes the report to FILE instead of standard output."},
    {"stats", 0, NULL, NULL, "Adds the counts and times behind the verdicts."},
    CONFIRM_OPTION,
    NOTES_OPTION,
    {"explain", 0, "WHAT:EVENT,…", NULL,
     "Decides one candidate and explains the verdict: nondet:READ,WRITE (0: the initial write), final:WRITE, "
     "race:A,B, deadlock:ACQUIRE,ACQUIRE,…, stuck:EVENT,… (where threads wait), atomicity:FIRST,REMOTE,SECOND "
     "or "
     "stale:READ,REMOTE,WRITE."},
    {"schedules", 0, "WHICH", "full none",
     "Schedules in JSON: full (default) or none; they are certified in either case."},
    LIMITS_OPTION,
    {"window", 0, "N", NULL,
     "Checks only the first N events of a native trace, or a few more: what is too long to be checked as a "
     "whole. The report says "
     "so, and is incomplete."},
    {"threads", 0, "HOW", "keep match",
     "match: a thread that is forked or joined but has no events is taken to be the unforked thread of a "
     "matching name or number (T1 for 1), because some tools write such traces; keep (default): different "
     "names are different threads."},
    {0},
};

enum { EXPLAIN_EVENTS = 64 };

/* "race:3,8" → property and events; false after a complaint. */
static bool parse_candidate(const char *text, enum property *property, uint32_t *events, uint32_t *count)
{
    const char *colon = strchr(text, ':');
    int p = 0;

    while (colon && p < PROPERTIES &&
           (strlen(property_option(p)) != (size_t)(colon - text) ||
            strncmp(property_option(p), text, strlen(property_option(p))) != 0))
        p++;
    *count = 0;
    for (const char *at = colon; at && *at && *count < EXPLAIN_EVENTS;) {
        char *end;
        unsigned long number = strtoul(at + 1, &end, 10);
        if (end == at + 1 || number > UINT32_MAX || (*end && *end != ','))
            break;
        events[(*count)++] = (uint32_t)number;
        at = end;
    }
    *property = (enum property)p;
    if (colon && p<PROPERTIES && * count> 0)
        return true;
    complain("check: --explain=%s is not of the form race:3,8; see heddle check --help", text);
    return false;
}

static void print_schedule(const struct schedule *schedule)
{
    printf("feasible; the schedule:");
    if (schedule->prefix > 0)
        printf(" 1 … %u as observed%s", schedule->prefix, schedule->tail_count > 0 ? ", then" : "");
    for (uint32_t i = 0; i < schedule->tail_count; i++)
        printf(" %u", schedule->tail[i]);
    printf("\n");
}

/* Decides one candidate and says why; the exit status is that of a check which looks for nothing else. */
static int explain(const struct model *m, const struct check_request *r, const char *what)
{
    uint32_t events[EXPLAIN_EVENTS], count;
    enum property property;
    struct buffer why = {0};
    struct verdict v;
    struct error err;
    int status = EXIT_NOTHING_FOUND;

    if (!parse_candidate(what, &property, events, &count))
        return EXIT_ERROR;
    if (candidate_explain(m, property, events, count, &r->check, &check_stop_asked, &v, &why, &err) !=
        HEDDLE_OK) {
        status = complain("check: --explain=%s: %s", what, err.text);
    } else if (v.answer == ANSWER_FEASIBLE) {
        print_schedule(&v.schedule);
        free(v.schedule.tail);
        status = EXIT_FINDINGS;
    } else if (v.answer == ANSWER_UNDECIDED) {
        if (check_stop_asked)
            puts("undecided: stopped before there was an answer");
        else
            printf("undecided: the budget of %llu choices ran out\n", (unsigned long long)r->check.budget);
        status = EXIT_INCOMPLETE;
    } else {
        printf("infeasible: ");
        buffer_flush(&why, stdout);
    }
    buffer_free(&why);
    return status;
}

static int run_explain(const struct check_request *r, const char *path, const char *what)
{
    struct trace trace;
    struct model model;
    struct error err;
    int status;

    if (trace_load_limited(&trace, path, &r->limits, &err) != HEDDLE_OK ||
        model_build_with(&model, &trace,
                         (struct model_options){.values_ignore = r->check.values_ignore,
                                                .grounds_ignore = r->check.grounds_ignore},
                         &err) != HEDDLE_OK) {
        trace_free(&trace);
        return complain("%s", err.text);
    }
    checking_catch_interrupt();
    checking_limit_time(r->seconds);
    status = explain(&model, r, what);
    model_free(&model);
    trace_free(&trace);
    return status;
}

static int report(struct checking *c, const struct check_request *r, const struct report_format *format,
                  struct report_options *how, const char *output)
{
    enum status status;
    struct error err;

    how->marks = &c->marks;
    how->notes = c->notes;
    status = output ? report_write_file(format, &c->results, &c->model, how, output, &err)
                    : report_write(format, &c->results, &c->model, how, stdout, &err);
    if (status != HEDDLE_OK)
        return complain("%s", err.text);
    checking_tell_stale(c);
    return checking_status(c, r);
}

/* Reads the options that say how to report; false after a complaint. */
static bool parse_report(const struct command *self, const struct arguments *args,
                         const struct check_request *r, struct report_options *how,
                         const struct report_format **format)
{
    const char *name = argument_of(self, args, "format");
    int known = parse_word(self->name, "format", name, REPORT_FORMATS);
    int schedules = parse_word(self->name, "schedules", argument_of(self, args, "schedules"), "full none");

    *how = (struct report_options){.stats = argument_of(self, args, "stats") != NULL,
                                   .schedules = schedules == 0,
                                   .source_root = r->source_root,
                                   .source_named = r->source_named,
                                   .more_roots = r->source_roots ? r->source_roots->names : NULL,
                                   .full_notes = argument_of(self, args, "notes") != NULL,
                                   .most = 20};
    *format = report_format_named(name ? name : "text");
    return known >= 0 && schedules >= 0;
}

static int check(const struct command *self, const struct arguments *args, struct check_request *r)
{
    const struct report_format *format;
    struct report_options how;
    struct checking c;
    struct error err;
    size_t left_out = 0;
    int status;

    if (!parse_report(self, args, r, &how, &format))
        return EXIT_ERROR;
    how.trace_path = args->operands[0];
    if (checking_run(&c, r, how.trace_path, &err) != HEDDLE_OK)
        return complain("%s", err.text);
    how.left_out = &left_out;
    status = report(&c, r, format, &how, argument_of(self, args, "output"));
    remark_left_out(left_out);
    checking_end(&c);
    return status;
}

/* One trace, with the hands of other ranks. */
static int check_with(const struct command *self, const struct arguments *args, struct several *several,
                      struct hands *hands, int ranks)
{
    struct units_lead lead;
    int status;

    units_begin(&lead, several, hands, ranks, 0);
    status = check(self, args, several->request);
    units_end(&lead, several);
    return status;
}

/* One of several ranks: rank 0 leads, the others pass on what their hands do. */
static int check_by_ranks(const struct command *self, const struct arguments *args, struct several *several,
                          const struct crew_ranks *ranks, unsigned *lost)
{
    int status = EXIT_SUCCESS;
    struct hands *hands;
    struct error err;

    if (hands_start(&hands, ranks, check_hand, several, &err) != HEDDLE_OK)
        return complain("check: %s", err.text);
    if (ranks->rank == 0)
        status = several->count > 1 ? check_shared(several, hands, ranks->size)
                                    : check_with(self, args, several, hands, ranks->size);
    else
        hands_serve(hands);
    *lost = hands_lost(hands);
    hands_free(hands);
    return status;
}

static int check_ranked(const struct command *self, const struct arguments *args, struct check_request *r)
{
    struct report_options how;
    struct several several = {.request = r, .how = &how, .paths = args->operands, .count = args->operand_count};
    struct crew_ranks ranks;
    struct error err;
    char folder[4096];
    size_t left_out = 0;
    unsigned lost = 0;
    int status;

    if (!parse_report(self, args, r, &how, &several.format))
        return EXIT_ERROR;
    if (r->confirm && several.count > 1)
        return complain("check: --confirm takes one trace");
    if (ranks_expected() && !runtime_folder(folder, sizeof folder))
        return EXIT_ERROR;
    ranks_guard(print_note);
    if (ranks_join(&ranks, folder, &err) != HEDDLE_OK)
        return complain("check: %s", err.text);
    if (ranks.size > 1) /* mpirun gives ranks a terminal of its own, wherever their output goes */
        setenv("NO_COLOR", "1", 1);
    how.next = "\n";
    several.output = argument_of(self, args, "output");
    how.color = several_direct(&several) && report_wants_color(stdout);
    how.width = several_direct(&several) ? report_columns(stdout) : 0;
    how.left_out = &left_out;
    if (ranks.size > 1)
        status = check_by_ranks(self, args, &several, &ranks, &lost);
    else
        status = several.count > 1 ? check_several(&several) : check(self, args, r);
    remark_left_out(left_out);
    fflush(stdout);
    ranks_leave(&ranks, lost, status);
    return status;
}

static int run(const struct command *self, const struct arguments *args)
{
    const char *what = argument_of(self, args, "explain");
    struct check_request request;
    char libraries[4096];
    int status;

    if (argument_of(self, args, "confirm") && (!args->program || !args->program[0]))
        return complain("check: --confirm needs the program: heddle check --confirm FILE -- PROGRAM ARGUMENTS");
    if (args->program && !argument_of(self, args, "confirm"))
        return complain("check: a program after -- needs --confirm");
    if ((args->program && !runtime_folder(libraries, sizeof libraries)) || !request_parse(self, args, &request))
        return EXIT_ERROR;
    request.confirm = args->program;
    request.libraries = libraries;
    if (what && args->operand_count > 1)
        status = complain("check: --explain takes one trace");
    else if (what)
        status = run_explain(&request, args->operands[0], what);
    else
        status = check_ranked(self, args, &request);
    request_free(&request);
    return status;
}

const struct command command_check = {
    .name = "check",
    .operands = "FILE…",
    .summary = "predicts from a trace what other schedules could do",
    .description = "Predicts what other schedules of the same events could do: which reads could see another "
                   "value, which accesses race, which locks deadlock, which blocks are not atomic. Each "
                   "finding carries a schedule that a separate checker has accepted. FILE is a trace in any "
                   "format; - is standard input. Given several traces, it reports for each one the findings "
                   "that no earlier trace has shown, compared by fingerprint, in one document.",
    .options = options,
    .operands_min = 1,
    .operands_max = INT_MAX,
    .takes_program = true,
    .program_optional = true,
    .run = run,
};
