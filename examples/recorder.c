/* A recorder of one's own: writes the trace of a bank with two tellers, event by event.
 *
 *     cc recorder.c -o recorder $(pkg-config --cflags --libs heddle) && ./recorder bank.htr && heddle check bank.htr
 *
 * Each teller reads the balance, and later writes what it read plus its deposit, without a lock. */
#include <heddle/heddle.h>

#include <stdio.h>

static int refuse(const struct heddle_error *err)
{
    fprintf(stderr, "recorder: %s\n", err->text);
    return 1;
}

int main(int argc, char **argv)
{
    static const struct heddle_event events[] = {
        {"main", "w", "balance", "100", "bank.c:30 main", NULL},
        {"main", "fork", "teller 1", NULL, "bank.c:31 main", NULL},
        {"main", "fork", "teller 2", NULL, "bank.c:32 main", NULL},
        {"teller 1", "r", "balance", "100", "bank.c:12 deposit", "by -"},
        {"teller 1", "w", "balance", "110", "bank.c:13 deposit", "by - from 4+10"},
        {"teller 2", "r", "balance", "110", "bank.c:12 deposit", "by -"},
        {"teller 2", "w", "balance", "115", "bank.c:13 deposit", "by - from 6+5"},
        {"main", "join", "teller 1", NULL, "bank.c:33 main", NULL},
        {"main", "join", "teller 2", NULL, "bank.c:34 main", NULL},
        {"main", "r", "balance", "115", "bank.c:35 main", NULL},
    };
    struct heddle_error err;
    heddle_builder *builder = heddle_builder_new(&err);
    heddle_trace *trace;

    if (argc != 2) {
        fprintf(stderr, "usage: recorder FILE.htr\n");
        return 1;
    }
    if (!builder)
        return refuse(&err);
    for (size_t i = 0; i < sizeof events / sizeof *events; i++)
        if (!heddle_builder_add(builder, &events[i], &err)) {
            heddle_builder_free(builder);
            return refuse(&err);
        }
    trace = heddle_builder_finish(builder, &err);
    if (!trace || !heddle_trace_write(trace, argv[1], HEDDLE_FORMAT_NATIVE, &err))
        return refuse(&err);
    printf("%zu events in %s\n", heddle_trace_events(trace), argv[1]);
    heddle_trace_free(trace);
    return 0;
}
