/* heddle check: predict from a trace. */
#include "property/check.h"
#include "cli/command.h"
#include "method/graph.h"
#include "method/ucg.h"
#include "property/candidate.h"
#include "report/group.h"
#include "report/progress.h"
#include "report/report.h"
#include "solve/explain.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static const struct option options[] = {
    {"property", 'p', "NAME,…",
     "nondet final race unordered deadlock atomicity determinism serializability all",
     "What to check: nondet, final, race, unordered, deadlock, atomicity, determinism, serializability, or "
     "all. "
     "Default: nondet, race, unordered, deadlock, atomicity, determinism."},
    {"method", 0, "NAME", "exact graph ucg",
     "How to decide: exact, which decides every candidate in full (the default); graph, the witness order and "
     "choice "
     "graphs of FMCAD'12, for nondet; ucg, the universal causality graphs of CAV'10, for race and atomicity."},
    {"all", 0, NULL, NULL,
     "Lists every finding of events. Otherwise one finding stands for all with the same set of source "
     "locations."},
    {"atomic", 0, "WHAT", "blocks locks",
     "What is meant to be atomic: blocks, from begin to end (the default); locks: also each outermost lock "
     "scope "
     "without a wait in it."},
    {"predict", 0, NULL, NULL,
     "Checks determinism and serializability of blocks in other runs, too, not only in the observed one."},
    {"same-value", 0, NULL, NULL,
     "Lets a read go on when it sees the value it saw, whoever wrote it. Needs a trace with values."},
    {"format", 0, "NAME", "text json", "How to report: text or json."},
    {"output", 'o', "FILE", NULL, "Writes the report to FILE instead of standard output."},
    {"jobs", 'j', "N", NULL,
     "Uses N workers; 0, the default, means one for each core. The report does not depend on it."},
    {"budget", 0, "N[s]", NULL,
     "Gives a candidate up as undecided after N choices (default 100000; with --method=graph, 1000 choice "
     "graphs); "
     "with s, stops the whole check after "
     "N "
     "seconds and reports what is decided."},
    {"stats", 0, NULL, NULL, "Adds the counts and times behind the verdicts."},
    {"explain", 0, "WHAT:EVENT,…", NULL,
     "Decides one candidate and says why: nondet:READ,WRITE (0: the initial write), final:WRITE, race:A,B, "
     "deadlock:ACQUIRE,ACQUIRE,… or atomicity:FIRST,REMOTE,SECOND."},
    {"schedules", 0, "WHICH", "full none",
     "Schedules in JSON: full (default) or none; they are certified in either case."},
    {0},
};

static volatile bool stop_asked;

static void ask_to_stop(int signal)
{
    (void)signal;
    stop_asked = true;
}

static double seconds_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

enum method { METHOD_EXACT, METHOD_GRAPH, METHOD_UCG, METHODS };

static const struct {
    const char *name;
    const char *properties; /* unless others are asked for */
    const char *limit;      /* NULL, or the only ones it knows */
} methods[METHODS] = {
    [METHOD_EXACT] = {"exact", "nondet,race,unordered,deadlock,atomicity,determinism", NULL},
    [METHOD_GRAPH] = {"graph", "nondet", "nondet"},
    [METHOD_UCG] = {"ucg", "race,atomicity", "race and atomicity"},
};

static bool parse_method(const char *name, enum method *method)
{
    for (*method = METHOD_EXACT; name && *method < METHODS; (*method)++)
        if (strcmp(methods[*method].name, name) == 0)
            return true;
    if (name)
        complain("check: --method=%s: expected exact, graph or ucg", name);
    return !name;
}

/* The graph method is about reads, causality graphs about races and atomicity. */
static bool method_knows(enum method method, enum property property)
{
    if (method == METHOD_GRAPH)
        return property == PROPERTY_NONDET;
    return method == METHOD_EXACT || property == PROPERTY_RACE || property == PROPERTY_ATOMICITY;
}

/* "race,nondet" → flags; false after a complaint. */
static bool parse_properties(const char *list, enum method method, bool *wanted)
{
    if (!list)
        list = methods[method].properties;
    for (;;) {
        size_t length = strcspn(list, ",");
        int p = 0;

        if (length == 3 && strncmp(list, "all", 3) == 0) {
            for (p = 0; p < PROPERTIES; p++)
                wanted[p] = true;
        } else {
            while (p < PROPERTIES &&
                   (strlen(property_option(p)) != length || strncmp(property_option(p), list, length) != 0))
                p++;
            if (p == PROPERTIES) {
                complain(length ? "check: --property does not know %.*s; see heddle check --help"
                                : "check: --property has an empty name; see heddle check --help",
                         (int)length, list);
                return false;
            }
            wanted[p] = true;
        }
        if (!list[length])
            break;
        list += length + 1;
    }
    for (enum property p = 0; p < PROPERTIES; p++) {
        if (wanted[p] && !method_knows(method, p)) {
            complain("check: --method=%s is for %s only, not for %s", methods[method].name,
                     methods[method].limit, property_option(p));
            return false;
        }
    }
    return true;
}

/* One of the words a value may be; -1 after a complaint. */
static int parse_word(const char *name, const char *value, const char *first, const char *second)
{
    if (!value || strcmp(value, first) == 0)
        return 0;
    if (second && strcmp(value, second) == 0)
        return 1;
    complain("check: --%s=%s: expected %s%s%s", name, value, first, second ? " or " : "", second ? second : "");
    return -1;
}

static bool parse_number(const char *name, const char *text, uint64_t *number, const char **rest)
{
    char *end;

    errno = 0;
    *number = strtoull(text, &end, 10);
    if (end == text || errno != 0 || *text == '-' || (rest ? strcmp(end, "s") != 0 && *end : *end)) {
        complain("check: --%s=%s is not a number", name, text);
        return false;
    }
    if (rest)
        *rest = end;
    return true;
}

struct request {
    enum method method;
    struct check_options check;
    bool json;
    bool schedules;
    bool stats;
    const char *output;
    uint64_t seconds; /* 0: no limit */
};

static bool parse_budget(const char *text, struct request *r)
{
    const char *unit = "";
    uint64_t number;

    r->check.budget = r->method == METHOD_GRAPH ? 1000 : 100000;
    if (!text)
        return true;
    if (!parse_number("budget", text, &number, &unit))
        return false;
    if (*unit == 's')
        r->seconds = number ? number : 1;
    else
        r->check.budget = number;
    return true;
}

static bool parse_request(const struct command *self, const struct arguments *args, struct request *r)
{
    const char *jobs = argument_of(self, args, "jobs");
    uint64_t workers = 0;
    int atomic = parse_word("atomic", argument_of(self, args, "atomic"), "blocks", "locks");
    int format = parse_word("format", argument_of(self, args, "format"), "text", "json");
    int schedules = parse_word("schedules", argument_of(self, args, "schedules"), "full", "none");

    memset(r, 0, sizeof *r);
    if (atomic < 0 || format < 0 || schedules < 0 ||
        !parse_method(argument_of(self, args, "method"), &r->method) ||
        !parse_properties(argument_of(self, args, "property"), r->method, r->check.properties) ||
        !parse_budget(argument_of(self, args, "budget"), r) ||
        (jobs && !parse_number("jobs", jobs, &workers, NULL)))
        return false;
    if (workers == 0)
        workers = (uint64_t)sysconf(_SC_NPROCESSORS_ONLN);
    r->check.workers = workers > 256 ? 256 : (unsigned)workers;
    r->check.all = argument_of(self, args, "all") != NULL;
    r->check.predict = argument_of(self, args, "predict") != NULL;
    r->check.same_value = argument_of(self, args, "same-value") != NULL;
    if (r->check.same_value && r->method != METHOD_EXACT) {
        complain("check: --same-value is for --method=exact only");
        return false;
    }
    r->check.atomic_locks = atomic == 1;
    r->json = format == 1;
    r->schedules = schedules == 0;
    r->stats = argument_of(self, args, "stats") != NULL;
    r->output = argument_of(self, args, "output");
    return true;
}

static void tell_progress(void *context, uint64_t accesses)
{
    progress_add(context, accesses);
}

static void decide(const struct model *m, const struct request *r, struct results *results)
{
    struct graph_options graph = {.all = r->check.all,
                                  .budget = r->check.budget,
                                  .progress = r->check.progress,
                                  .progress_context = r->check.progress_context};

    if (r->method == METHOD_GRAPH)
        graph_check(m, &graph, &stop_asked, results);
    else if (r->method == METHOD_UCG)
        ucg_check(m, &r->check, &stop_asked, results);
    else
        check_trace(m, &r->check, &stop_asked, results);
}

static void run_check(const struct model *m, struct request *r, struct results *results)
{
    struct sigaction interrupt = {.sa_handler = ask_to_stop}, old;
    struct progress *progress = progress_start("accesses", m->access_start[m->variable_count]);

    r->check.progress = tell_progress;
    r->check.progress_context = progress;
    sigaction(SIGINT, &interrupt, &old);
    if (r->seconds) {
        struct itimerval limit = {.it_value = {.tv_sec = (time_t)r->seconds}};
        struct sigaction alarm = {.sa_handler = ask_to_stop};
        sigaction(SIGALRM, &alarm, NULL);
        setitimer(ITIMER_REAL, &limit, NULL);
    }
    decide(m, r, results);
    sigaction(SIGINT, &old, NULL);
    progress_end(progress);
    group_findings(results, m->trace);
}

static enum status write_report(const struct request *r, const char *path, const struct results *results,
                                const struct model *m, struct error *err)
{
    FILE *to = r->output ? fopen(r->output, "we") : stdout;
    struct report_options how = {.stats = r->stats, .schedules = r->schedules, .trace_path = path, .most = 20};
    enum status status;

    if (!to)
        return fail(err, HEDDLE_IO, "%s: %s", r->output, strerror(errno));
    how.color = report_wants_color(to);
    status =
        r->json ? report_json(results, m->trace, path, &how, to, err) : report_text(results, m, &how, to, err);
    if (r->output && fclose(to) != 0 && status == HEDDLE_OK)
        status = fail(err, HEDDLE_IO, "%s: %s", r->output, strerror(errno));
    return status;
}

static enum status check(struct request *r, const char *path, struct results *results, struct error *err)
{
    struct trace trace;
    struct model model;
    double start = seconds_now();
    enum status status = trace_load(&trace, path, err);

    results->load_seconds = seconds_now() - start;
    if (status == HEDDLE_OK && r->check.same_value && !trace.value)
        status = fail(err, HEDDLE_BAD_USAGE, "check: --same-value: %s records no values", path);
    if (status == HEDDLE_OK) {
        start = seconds_now();
        status = r->check.same_value ? model_build_same_value(&model, &trace, err)
                                     : model_build(&model, &trace, err);
        results->model_seconds = seconds_now() - start;
    }
    if (status == HEDDLE_OK) {
        if (trace.note)
            fprintf(stderr, "heddle: note: %s: %s\n", path, trace.note);
        run_check(&model, r, results);
        status = write_report(r, path, results, &model, err);
        model_free(&model);
    }
    trace_free(&trace);
    return status;
}

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
static int explain(const struct model *m, const struct request *r, enum property property,
                   const uint32_t *events, uint32_t count)
{
    struct solver *solver = solver_new(m, r->check.budget, true, &stop_asked);
    int status = EXIT_NOTHING_FOUND;
    struct verdict v;

    candidate_fill(m, solver_query(solver), property, events, count);
    v = solver_ask(solver);
    if (v.answer == ANSWER_FEASIBLE) {
        print_schedule(&v.schedule);
        free(v.schedule.tail);
        status = EXIT_FINDINGS;
    } else if (v.answer == ANSWER_UNDECIDED) {
        printf("undecided: the budget of %llu choices ran out\n", (unsigned long long)r->check.budget);
        status = EXIT_INCOMPLETE;
    } else {
        printf("infeasible: ");
        solver_explain(solver, stdout);
    }
    solver_free(solver);
    return status;
}

static int run_explain(const struct request *r, const char *path, const char *what)
{
    uint32_t events[EXPLAIN_EVENTS], count;
    enum property property;
    struct trace trace;
    struct model model;
    struct error err;
    int status;

    if (!parse_candidate(what, &property, events, &count))
        return EXIT_ERROR;
    if (trace_load(&trace, path, &err) != HEDDLE_OK || model_build(&model, &trace, &err) != HEDDLE_OK) {
        trace_free(&trace);
        return complain("%s", err.text);
    }
    if (candidate_check(&model, property, events, count, &err) == HEDDLE_OK)
        status = explain(&model, r, property, events, count);
    else
        status = complain("check: --explain=%s: %s", what, err.text);
    model_free(&model);
    trace_free(&trace);
    return status;
}

static int run(const struct command *self, const struct arguments *args)
{
    struct results results = {.method = "exact"};
    struct request request;
    struct error err;
    int status;

    if (!parse_request(self, args, &request))
        return EXIT_ERROR;
    if (argument_of(self, args, "explain"))
        return run_explain(&request, args->operands[0], argument_of(self, args, "explain"));
    if (check(&request, args->operands[0], &results, &err) == HEDDLE_OK)
        status = results_exit_status(&results);
    else
        status = complain("%s", err.text);
    finding_list_free(&results.found);
    finding_list_free(&results.undecided);
    return status;
}

const struct command command_check = {
    .name = "check",
    .operands = "FILE",
    .summary = "predict from a trace what other schedules could do",
    .description =
        "Works out what every other schedule of the same events could do: which reads could see another "
        "value, which accesses race, which locks deadlock, which blocks are not atomic. Each finding carries a "
        "schedule that a separate checker has accepted. FILE is a trace in any format; - is standard input.",
    .options = options,
    .operands_min = 1,
    .operands_max = 1,
    .run = run,
};
