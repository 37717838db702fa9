/* heddle compare: where the graph method of FMCAD'12 and the exact one differ. */
#include "cli/checking.h"
#include "method/graph/compare.h"
#include "method/graph/reduce.h"
#include "method/graph/witness.h"
#include "trace/limits.h"

#include <inttypes.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static const struct option options[] = {
    {"budget", 0, "N", NULL,
     "Gives up on a candidate, as undecided, after N choices of the exact method or N choice graphs (default "
     "1000)."},
    {"jobs", 'j', "N", NULL, "Uses N workers for the exact method; 0, the default, means one for each core."},
    {"no-examples", 0, NULL, NULL,
     "Only counts differences; does not search for the smallest example of each kind."},
    LIMITS_OPTION,
    {0},
};

static stop_flag stop_asked;

static void ask_to_stop(int signal)
{
    (void)signal;
    stop_asked = true;
}

static void print_counts(const char *path, const struct compared *c)
{
    printf("%s: %" PRIu64 " pairs of a read and another write to its variable\n", path, c->pairs);
    printf("  %-44s %12" PRIu64 "\n", "feasible by both", c->both);
    printf("  %-44s %12" PRIu64 "\n", "infeasible by both", c->neither);
    for (enum difference d = DIFFERENCE_NONE + 1; d < DIFFERENCES; d++)
        printf("  %-44s %12" PRIu64 "  %s\n",
               d == DIFFERENCE_EARLY ? "feasible by exact only" : "feasible by graph only", c->differences[d],
               difference_title(d));
    if (c->undecided > 0)
        printf("  %-44s %12" PRIu64 "\n", "undecided by one of them", c->undecided);
}

/* A sentence, broken at 100 columns. */
static void print_wrapped(const char *text)
{
    size_t column = 0;

    while (*text) {
        size_t length = strcspn(text, " ");
        if (column > 0 && column + 1 + length > 100) {
            printf("\n");
            column = 0;
        }
        column += (size_t)printf("%s%.*s", column > 0 ? " " : "  ", (int)length, text);
        text += length + (text[length] == ' ');
    }
    printf("\n");
}

static void print_event(const struct trace *t, event_id e)
{
    enum event_kind kind = trace_kind(t, e);
    enum name_class class = kind_argument(kind);

    printf("  %4u  %s|%s%s", e, trace_name(t, NAME_THREAD, t->thread[e]), kind_word(kind),
           order_suffix(op_order(t->op[e])));
    if (class != NAME_CLASSES && t->arg[e] != ARG_NONE)
        printf("(%s)", trace_name(t, class, t->arg[e]));
    printf("|%s", t->location[e] == NAME_NONE ? "" : trace_name(t, NAME_LOCATION, t->location[e]));
}

static void print_small(const struct trace *t, event_id read, event_id challenger)
{
    struct model m;
    struct error err;

    if (model_build_plain(&m, t, &err) != HEDDLE_OK)
        return;
    for (event_id e = 1; e <= t->count; e++) {
        print_event(t, e);
        if (e == read)
            printf("   <- read%s", challenger == EVENT_INIT ? "; challenger: the initial write" : "");
        if (e == challenger)
            printf("   <- challenger");
        if (e == m.source[read])
            printf("   <- write it saw");
        printf("\n");
    }
    if (m.source[read] == EVENT_INIT)
        printf("  the read saw the initial write\n");
    model_free(&m);
}

/* One difference: what it is, where, and a trace of it as small as can be. */
static void print_example(const struct trace *trace, const struct compare_options *how,
                          const struct compared *c, enum difference d)
{
    event_id read = c->example[d].read, challenger = c->example[d].challenger;
    struct trace small;

    printf("\n%s: event %u reads, event %u challenges", difference_title(d), read, challenger);
    if (c->example[d].kind > 0)
        printf(", witness %s", witness_word((enum witness_kind)(c->example[d].kind - 1)));
    printf("\n");
    print_wrapped(difference_reason(d));
    trace_copy_events(&small, trace);
    compare_reduce(&small, how, &stop_asked, d, &read, &challenger);
    printf("  %zu of the %zu events are enough:\n", small.count, trace->count);
    print_small(&small, read, challenger);
    trace_free(&small);
}

static int run(const struct command *self, const struct arguments *args)
{
    const char *path = args->operands[0], *budget = argument_of(self, args, "budget"),
               *jobs = argument_of(self, args, "jobs");
    uint64_t workers = 0, differences = 0;
    struct compare_options how = {.budget = 1000};
    struct sigaction interrupt = {.sa_handler = ask_to_stop};
    struct trace_limits limits;
    struct trace trace;
    struct model model;
    struct compared c;
    struct error err;

    if ((budget && !parse_number(self->name, "budget", budget, &how.budget, NULL)) ||
        (jobs && !parse_number(self->name, "jobs", jobs, &workers, NULL)))
        return EXIT_ERROR;
    if (workers == 0)
        workers = (uint64_t)sysconf(_SC_NPROCESSORS_ONLN);
    how.workers = workers > 256 ? 256 : (unsigned)workers;
    if (!argument_limits(self, args, &limits))
        return EXIT_ERROR;
    if (trace_load_limited(&trace, path, &limits, &err) != HEDDLE_OK ||
        model_build_plain(&model, &trace, &err) != HEDDLE_OK) {
        trace_free(&trace);
        return complain("%s", err.text);
    }
    sigaction(SIGINT, &interrupt, NULL);
    compare_trace(&model, &how, &stop_asked, &c);
    model_free(&model);
    print_counts(path, &c);
    for (enum difference d = DIFFERENCE_NONE + 1; d < DIFFERENCES; d++) {
        differences += c.differences[d];
        if (c.differences[d] > 0 && !argument_of(self, args, "no-examples") && !stop_asked)
            print_example(&trace, &how, &c, d);
    }
    trace_free(&trace);
    if (differences > 0)
        return EXIT_FINDINGS;
    return c.undecided > 0 || stop_asked ? EXIT_INCOMPLETE : EXIT_NOTHING_FOUND;
}

const struct command command_compare = {
    .name = "compare",
    .operands = "FILE",
    .summary = "shows where the published graph method and the exact method differ",
    .description = "Decides for every read and every other write to its variable whether the read could see "
                   "that write, once by the witness order and choice graphs of FMCAD'12 and once exactly, and "
                   "shows where the two differ and why, each with the smallest trace that could be found. FILE "
                   "is a trace in any format; - is standard input.",
    .options = options,
    .operands_min = 1,
    .operands_max = 1,
    .run = run,
};
