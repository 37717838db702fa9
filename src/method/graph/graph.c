/* --method=graph: all witnesses of a trace, counted and reported. */
#include "method/graph/graph.h"
#include "base/map.h"
#include "base/memory.h"
#include "method/graph/incremental.h"
#include "method/graph/plain.h"
#include "method/located.h"

#include <stdlib.h>

struct graph_search {
    const struct model *m;
    const struct graph_options *options;
    const stop_flag *stop;
    struct results *results;
    struct map groups; /* of a check that is not for all: hash of locations → index of its finding, plus 1 */
    struct plain *plain;
    struct incremental *incremental;
};

size_t graph_challengers(const struct model *m, event_id read, event_id *challengers)
{
    struct event_span accesses = accesses_of(m, arg_of(m, read));
    size_t count = 0;

    if (m->source[read] != EVENT_INIT)
        challengers[count++] = EVENT_INIT;
    for (size_t i = 0; i < accesses.count; i++) {
        event_id e = accesses.events[i];
        if (kind_writes(kind_of(m, e)) && e != m->source[read] && e != read)
            challengers[count++] = e;
    }
    return count;
}

static uint64_t add_up_to_limit(uint64_t sum, uint64_t more)
{
    return more > INT64_MAX - sum ? INT64_MAX : sum + more;
}

/* Books one outcome. */
static void count(struct graph_stats *s, const struct witness_outcome *out)
{
    s->possible++;
    s->cyclic += out->verdict == WITNESS_CYCLIC;
    s->no_choice += out->verdict == WITNESS_FREE;
    s->feasible += out->verdict == WITNESS_FREE || out->verdict == WITNESS_FEASIBLE;
    s->infeasible += out->verdict == WITNESS_CYCLIC || out->verdict == WITNESS_INFEASIBLE;
    s->undecided += out->verdict == WITNESS_UNDECIDED;
    if (out->choices > 0) {
        uint64_t graphs = out->choices < 63 ? (uint64_t)1 << out->choices : INT64_MAX;
        s->with_choice++;
        s->choice_graphs_possible = add_up_to_limit(s->choice_graphs_possible, graphs);
        s->choice_graphs_explored = add_up_to_limit(s->choice_graphs_explored, out->explored);
    }
}

static void book(void *context, const struct witness *w, const struct witness_outcome *out)
{
    struct graph_search *s = context;
    uint32_t events[] = {w->read, w->write, w->challenger};
    struct finding *f = NULL;

    count(&s->results->graph, out);
    if (out->verdict == WITNESS_FREE || out->verdict == WITNESS_FEASIBLE)
        f = located_add(&s->results->found, s->options->all ? NULL : &s->groups, s->m->trace, PROPERTY_NONDET,
                        events, 3);
    else if (out->verdict == WITNESS_UNDECIDED)
        f = located_add(&s->results->undecided, NULL, s->m->trace, PROPERTY_NONDET, events, 3);
    if (f && f->count == 1)
        f->kind = (unsigned)w->kind + 1;
}

static void decide_plainly(struct graph_search *s, event_id read, const event_id *challengers, size_t count)
{
    for (enum witness_kind kind = 0; kind < WITNESS_KINDS; kind++) {
        for (size_t i = 0; i < count; i++) {
            struct witness w = {kind, s->m->source[read], read, challengers[i]};
            struct witness_outcome out = plain_decide(s->plain, &w);
            book(s, &w, &out);
        }
    }
}

static void check_variable(struct graph_search *s, variable_id x, event_id *challengers)
{
    struct event_span accesses = accesses_of(s->m, x);

    for (size_t i = 0; i < accesses.count && !*s->stop; i++) {
        event_id e = accesses.events[i];
        if (!kind_reads(kind_of(s->m, e)))
            continue;
        size_t count = graph_challengers(s->m, e, challengers);
        s->results->stats[PROPERTY_NONDET].subjects++;
        if (s->options->plain)
            decide_plainly(s, e, challengers, count);
        else
            incremental_decide(s->incremental, e, challengers, count, book, s);
    }
    if (s->options->progress)
        s->options->progress(s->options->progress_context, accesses.count);
}

/* The same numbers where those of every method stand. */
static void fill_results(struct graph_search *s, bool stopped, double seconds)
{
    struct graph_stats *graph = &s->results->graph;
    struct property_stats *nondet = &s->results->stats[PROPERTY_NONDET];

    graph->used = nondet->checked = true;
    graph->seconds = nondet->seconds = seconds;
    nondet->candidates = graph->possible;
    nondet->feasible = graph->feasible;
    nondet->refuted[REFUTED_CYCLE] = graph->cyclic;
    nondet->refuted[REFUTED_CHOICES] = graph->infeasible - graph->cyclic;
    nondet->undecided = graph->undecided;
    s->results->method = "graph";
    s->results->grouped = !s->options->all;
    s->results->interrupted = stopped;
    s->results->complete = !stopped && graph->undecided == 0 && !s->m->trace->note;
}

void graph_check(const struct model *m, const struct graph_options *options, const stop_flag *stop,
                 struct results *results)
{
    struct graph_search s = {.m = m, .options = options, .stop = stop, .results = results};
    event_id *challengers = memory_new((size_t)m->event_count + 2, sizeof *challengers);
    double start = located_seconds();

    if (options->plain)
        s.plain = plain_new(m, NULL, options->budget);
    else
        s.incremental = incremental_new(m, options->budget);
    for (variable_id x = 0; x < m->variable_count && !*stop; x++)
        check_variable(&s, x, challengers);
    fill_results(&s, *stop, located_seconds() - start);
    if (s.plain)
        plain_free(s.plain);
    if (s.incremental)
        incremental_free(s.incremental);
    map_free(&s.groups);
    free(challengers);
}
