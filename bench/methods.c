/* bench-methods FILE: witnesses a second by the graph method, plain and incremental, and candidates a second by
 * the exact one, on one core in one run. */
#include "base/memory.h"
#include "method/graph/graph.h"
#include "method/graph/incremental.h"
#include "method/graph/plain.h"
#include "property/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { BUDGET = 1000, ROUNDS = 5 };

static const stop_flag never;

static double seconds_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* A sample of the reads, for about two seconds: their witnesses a second. */
static double plain_rate(const struct model *m)
{
    struct plain *plain = plain_new(m, NULL, BUDGET);
    event_id *challengers = memory_new((size_t)m->event_count + 2, sizeof *challengers);
    double start = seconds_now(), spent = 0;
    uint64_t witnesses = 0;

    for (event_id i = 1; spent < 2; i++) {
        event_id read = (event_id)((uint64_t)i * 2654435761u % m->event_count + 1);
        size_t count = m->source[read] == EVENT_NONE ? 0 : graph_challengers(m, read, challengers);
        if (count == 0)
            continue;
        for (enum witness_kind kind = 0; kind < WITNESS_KINDS; kind++) {
            struct witness w = {kind, m->source[read], read, challengers[i % count]};
            plain_decide(plain, &w);
            witnesses++;
        }
        spent = seconds_now() - start;
    }
    plain_free(plain);
    free(challengers);
    return (double)witnesses / spent;
}

static double incremental_rate(const struct model *m, struct graph_stats *stats)
{
    struct graph_options options = {.budget = BUDGET};
    double best = 0;

    for (int round = 0; round < ROUNDS; round++) {
        struct results results = {0};
        graph_check(m, &options, &never, &results);
        double rate = (double)results.graph.possible / results.graph.seconds;
        best = rate > best ? rate : best;
        *stats = results.graph;
        finding_list_free(&results.found);
        finding_list_free(&results.undecided);
    }
    return best;
}

static double exact_rate(const struct model *m)
{
    struct check_options options = {.all = true, .budget = BUDGET, .workers = 1};
    double best = 0;

    options.properties[PROPERTY_NONDET] = true;
    for (int round = 0; round < ROUNDS; round++) {
        struct results results = {0};
        double start = seconds_now();
        check_trace(m, &options, &never, &results);
        double rate = (double)results.stats[PROPERTY_NONDET].candidates / (seconds_now() - start);
        best = rate > best ? rate : best;
        finding_list_free(&results.found);
        finding_list_free(&results.undecided);
    }
    return best;
}

int main(int argc, char **argv)
{
    struct graph_stats stats;
    struct trace trace;
    struct model m;
    struct error err;

    if (argc != 2 || trace_load(&trace, argv[1], &err) != HEDDLE_OK ||
        model_build(&m, &trace, &err) != HEDDLE_OK) {
        fprintf(stderr, "bench-methods: %s\n", argc == 2 ? err.text : "usage: bench-methods FILE");
        return 1;
    }
    double plain = plain_rate(&m), incremental = incremental_rate(&m, &stats), exact = exact_rate(&m);
    printf("%zu events, %zu threads, %llu witnesses (%.1f%% with choices)\n", trace.count,
           trace_names(&trace, NAME_THREAD), (unsigned long long)stats.possible,
           100.0 * (double)stats.with_choice / (double)stats.possible);
    printf("graph, plain        %12.0f witnesses/s\n", plain);
    printf("graph, incremental  %12.0f witnesses/s   %.0f times plain\n", incremental, incremental / plain);
    printf("exact               %12.0f candidates/s  %.2f times incremental, which needs three witnesses for "
           "one\n",
           exact, exact / (incremental / WITNESS_KINDS));
    model_free(&m);
    trace_free(&trace);
    return 0;
}
