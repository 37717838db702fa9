/* Prints the races of a trace, with the run that brings each about.
 *
 *     cc races.c -o races $(pkg-config --cflags --libs heddle) && ./races bank.htr */
#include <heddle/heddle.h>

#include <stdio.h>

static void print_event(const heddle_trace *trace, uint32_t number)
{
    struct heddle_event event;
    char room[4096];

    if (heddle_trace_event(trace, number, &event, room, sizeof room))
        printf("    %4u  %s: %s(%s) at %s\n", number, event.thread, event.op,
               event.argument ? event.argument : "", event.location ? event.location : "an unknown place");
}

static int print_races(const heddle_trace *trace)
{
    struct heddle_check_options options;
    struct heddle_finding finding;
    struct heddle_error err;
    heddle_result *result;

    heddle_check_options_init(&options);
    options.properties = "race";
    result = heddle_check(trace, &options, &err);
    if (!result) {
        fprintf(stderr, "races: %s\n", err.text);
        return 1;
    }
    for (size_t i = 0; heddle_result_finding(result, i, &finding); i++) {
        printf("race %zu: after the first %u events and %zu more, both of these are next:\n", i + 1,
               finding.prefix, finding.then_count);
        for (size_t k = 0; k < finding.event_count; k++)
            print_event(trace, finding.events[k]);
    }
    printf("%zu races%s\n", heddle_result_findings(result),
           heddle_result_complete(result) ? "" : " so far: not everything was decided");
    heddle_result_free(result);
    return 0;
}

int main(int argc, char **argv)
{
    struct heddle_error err;
    heddle_trace *trace = argc == 2 ? heddle_trace_read(argv[1], &err) : NULL;
    int status;

    if (!trace) {
        fprintf(stderr, "races: %s\n", argc == 2 ? err.text : "usage: races TRACE");
        return 1;
    }
    status = print_races(trace);
    heddle_trace_free(trace);
    return status;
}
