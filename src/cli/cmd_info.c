/* heddle info: counts what is in a trace. */
#include "cli/command.h"
#include "trace/counts.h"
#include "trace/limits.h"

#include <jansson.h>

static const struct option options[] = {
    {"json", 0, NULL, NULL, "Prints the counts as one JSON object."},
    LIMITS_OPTION,
    {0},
};

static void print_line(const char *label, const char *text)
{
    printf("%-13s", label);
    print_visible(text);
    putchar('\n');
}

static void print_end(const struct trace_end *end)
{
    char line[512];

    if (end->outcome != RUN_UNKNOWN) {
        trace_end_text(end, line, sizeof line);
        print_line("run ended", line);
    }
    for (size_t i = 0; i < end->waiters_count; i++) {
        run_waiter_text(&end->waiters[i], line, sizeof line);
        print_line("", line);
    }
    for (size_t i = 0; i < end->incomplete_count; i++)
        print_line("incomplete", end->incomplete[i]);
}

static void print_text(const char *path, const struct trace *trace, const struct trace_counts *c)
{
    print_line("trace", path);
    if (trace->origin.program)
        print_line("program", trace->origin.program);
    if (trace->origin.binary)
        print_line("recorded by", "Valgrind; the program was not instrumented");
    printf("events       %zu\n", trace->count);
    printf("  accesses   %zu (%zu reads, %zu writes, %zu atomic)\n", c->accesses, c->kinds[EVENT_READ],
           c->kinds[EVENT_WRITE], c->accesses - c->kinds[EVENT_READ] - c->kinds[EVENT_WRITE]);
    printf("  locks      %zu\n", c->lock_events);
    printf("  wait       %zu (wait and notify)\n", c->wait_notify_events);
    printf("  threads    %zu (fork and join)\n", c->kinds[EVENT_FORK] + c->kinds[EVENT_JOIN]);
    printf("  other      %zu\n", trace->count - c->accesses - c->lock_events - c->wait_notify_events -
                                     c->kinds[EVENT_FORK] - c->kinds[EVENT_JOIN]);
    printf("threads      %zu\n", c->threads);
    printf("variables    %zu (%zu shared, %zu thread-local or never written)\n",
           trace_names(trace, NAME_VARIABLE), c->shared_variables, c->local_variables);
    printf("locks        %zu\n", trace_names(trace, NAME_LOCK));
    printf("locations    %zu\n", trace_names(trace, NAME_LOCATION));
    printf("values       %s\n", trace->value ? "recorded" : "not recorded");
    if (trace_has_grounds(trace))
        printf("grounds      of %zu events\n", c->grounded);
    if (trace->stacks)
        printf("stacks       recorded\n");
    printf("dropped      %llu thread-local variables, %llu events, by the recorder\n",
           (unsigned long long)trace->origin.dropped_variables,
           (unsigned long long)trace->origin.dropped_events);
    print_end(&trace->end);
    if (trace->note)
        printf("incomplete   %s\n", trace->note);
}

/* How the run ended; nothing when that is not known. */
static void add_end(json_t *root, const struct trace_end *end)
{
    if (end->outcome != RUN_UNKNOWN) {
        json_t *ended =
            json_pack("{s:s,s:I}", "outcome", outcome_word(end->outcome), "number", (json_int_t)end->number);
        if (end->text)
            json_object_set_new(ended, "text", json_string(end->text));
        json_object_set_new(root, "end", ended);
    }
    if (end->incomplete_count > 0) {
        json_t *reasons = json_array();
        for (size_t i = 0; i < end->incomplete_count; i++)
            json_array_append_new(reasons, json_string(end->incomplete[i]));
        json_object_set_new(root, "incomplete", reasons);
    }
}

static int print_json(const char *path, const struct trace *trace, const struct trace_counts *c)
{
    json_t *kinds = json_object();
    json_t *root = json_pack(
        "{s:o?,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:b,s:I,s:I,s:b,s:s?,s:o?}", "file",
        json_string(path), "events", (json_int_t)trace->count, "threads", (json_int_t)c->threads, "variables",
        (json_int_t)trace_names(trace, NAME_VARIABLE), "shared_variables", (json_int_t)c->shared_variables,
        "local_variables", (json_int_t)c->local_variables, "locks", (json_int_t)trace_names(trace, NAME_LOCK),
        "locations", (json_int_t)trace_names(trace, NAME_LOCATION), "access_events", (json_int_t)c->accesses,
        "lock_events", (json_int_t)c->lock_events, "wait_notify_events", (json_int_t)c->wait_notify_events,
        "fork_events", (json_int_t)c->kinds[EVENT_FORK], "join_events", (json_int_t)c->kinds[EVENT_JOIN],
        "values", trace->value != NULL, "dropped_variables", (json_int_t)trace->origin.dropped_variables,
        "dropped_events", (json_int_t)trace->origin.dropped_events, "complete",
        trace->note == NULL && trace->end.incomplete_count == 0, "note", trace->note, "program",
        trace->origin.program ? json_string(trace->origin.program) : NULL);

    for (enum event_kind kind = 0; kind < EVENT_KINDS; kind++)
        json_object_set_new(kinds, kind_word(kind), json_integer((json_int_t)c->kinds[kind]));
    if (root && trace_has_grounds(trace))
        json_object_set_new(root, "grounds", json_integer((json_int_t)c->grounded));
    if (root)
        add_end(root, &trace->end);
    if (root && trace->stacks)
        json_object_set_new(root, "stacks", json_true());
    bool failed = !root || json_object_set(root, "kinds", kinds) != 0 ||
                  json_dumpf(root, stdout, JSON_INDENT(2) | JSON_PRESERVE_ORDER) != 0;
    json_decref(kinds);
    json_decref(root);
    printf("\n");
    return failed ? complain("cannot write the counts as JSON") : 0;
}

static int run(const struct command *self, const struct arguments *args)
{
    const char *path = args->operands[0];
    struct trace_limits limits;
    struct trace trace;
    struct trace_counts counts;
    struct error err;
    int status = 0;

    if (!argument_limits(self, args, &limits))
        return EXIT_ERROR;
    if (trace_load_limited(&trace, path, &limits, &err) != HEDDLE_OK) {
        trace_free(&trace);
        return complain("%s", err.text);
    }
    trace_count(&trace, &counts);
    if (argument_of(self, args, "json"))
        status = print_json(path, &trace, &counts);
    else
        print_text(path, &trace, &counts);
    trace_free(&trace);
    return status;
}

const struct command command_info = {
    .name = "info",
    .operands = "FILE",
    .summary = "counts what is in a trace",
    .description = "Counts the events, threads, variables and locks of a trace. FILE is a text trace (.std) or "
                   "a native one (.htr), plain or compressed with gzip or zstd; - is standard input.",
    .options = options,
    .operands_min = 1,
    .operands_max = 1,
    .run = run,
};
