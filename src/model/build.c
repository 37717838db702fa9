/* Builds a model: passes over the trace that feed every part, then the clocks. */
#include "base/both.h"
#include "base/invariant.h"
#include "base/memory.h"
#include "model/model_parts.h"

#include <stdlib.h>
#include <string.h>

enum { SMALL_EVENTS = 20000 }; /* traces whose models are looked at in full, and built by one thread */

/* Turns counts kept at [i + 1] into where each group starts. */
static void counts_to_starts(uint32_t *starts, size_t groups)
{
    for (size_t i = 0; i < groups; i++)
        starts[i + 1] += starts[i];
}

/* A model under construction. */
struct building {
    struct model *m;
    struct model_options options;
    struct section_builder *locks;
};

/* The accesses of each variable, and what they see. Looks at nothing but the trace. */
static void list_accesses(void *building)
{
    struct model *m = ((struct building *)building)->m;
    const struct trace *trace = m->trace;
    uint32_t *fill = memory_new(m->variable_count, sizeof *fill);
    event_id *last_write = memory_new(m->variable_count, sizeof *last_write); /* EVENT_INIT */

    m->access_start = memory_new((size_t)m->variable_count + 1, sizeof *m->access_start);
    for (event_id e = 1; e <= m->event_count; e++)
        if (kind_accesses(kind_of(m, e)))
            m->access_start[trace->arg[e] + 1]++;
    counts_to_starts(m->access_start, m->variable_count);
    m->accesses = memory_new(m->access_start[m->variable_count], sizeof *m->accesses);
    m->source = memory_new((size_t)m->event_count + 1, sizeof *m->source);
    m->source[EVENT_INIT] = EVENT_NONE;
    for (event_id e = 1; e <= m->event_count; e++) {
        enum event_kind kind = kind_of(m, e);
        variable_id x = arg_of(m, e);

        m->source[e] = EVENT_NONE;
        if (!kind_accesses(kind))
            continue;
        m->accesses[m->access_start[x] + fill[x]++] = e;
        if (kind_reads(kind))
            m->source[e] = last_write[x];
        if (kind_writes(kind))
            last_write[x] = e;
    }
    free(fill);
    free(last_write);
}

/* The events of each thread; locks and requirements in their own files. */
static void list_threads(void *building)
{
    struct building *b = building;
    struct model *m = b->m;
    size_t threads = trace_names(m->trace, NAME_THREAD);
    uint32_t *fill = memory_new(m->thread_count, sizeof *fill);

    m->thread_start = memory_new((size_t)m->thread_count + 1, sizeof *m->thread_start);
    for (event_id e = 1; e <= m->event_count; e++)
        m->thread_start[thread_of(m, e) + 1]++;
    counts_to_starts(m->thread_start, m->thread_count);
    m->thread_events = memory_new(m->event_count, sizeof *m->thread_events);
    m->position = memory_new((size_t)m->event_count + 1, sizeof *m->position);
    m->fork_of = memory_resize(NULL, threads, sizeof *m->fork_of);
    memset(m->fork_of, 0xff, threads * sizeof *m->fork_of);
    b->locks = section_builder_new(m);
    struct requirement_builder *required = requirement_builder_new(m);
    for (event_id e = 1; e <= m->event_count; e++) {
        enum event_kind kind = kind_of(m, e);
        thread_id t = thread_of(m, e);

        m->position[e] = fill[t]++;
        lanes_place(m, e);
        m->thread_events[m->thread_start[t] + m->position[e]] = e;
        if (!kind_accesses(kind))
            section_builder_event(b->locks, e);
        if (kind == EVENT_FORK)
            m->fork_of[arg_of(m, e)] = e;
        if (!kind_accesses(kind) || is_thread_start(m, e))
            requirement_builder_event(required, b->locks, e);
    }
    assert(m->thread_count == 0 || fill[0] == thread_length(m, 0));
    requirement_builder_finish(required);
    free(fill);
}

/* What orders do not wait for: they look at sections where values count. */
static void do_meanwhile(void *building)
{
    struct building *b = building;

    if (!b->m->values)
        section_builder_finish(b->locks);
    if (b->options.meanwhile)
        b->options.meanwhile(b->options.context);
}

static void find_orders(void *building)
{
    struct model *m = ((struct building *)building)->m;

    tokens_find(m);
    if (m->values) {
        values_find_initial(m);
        values_find_sums(m);
        values_bound_sums(m);
    }
    demands_find(m);
    soft_find(m);
    if (m->relaxed)
        clocks_build(m, true);
}

enum status model_build_with(struct model *m, const struct trace *trace, struct model_options options,
                             struct error *err)
{
    struct building building = {.m = m, .options = options};

    memset(m, 0, sizeof *m);
    if (trace->count >= EVENT_NONE - 1)
        return fail(err, HEDDLE_UNSUPPORTED, "the trace has %zu events; at most %u can be analysed",
                    trace->count, EVENT_NONE - 2);
    m->trace = trace;
    m->event_count = (uint32_t)trace->count;
    m->variable_count = (uint32_t)trace_names(trace, NAME_VARIABLE);
    m->lock_count = (uint32_t)trace_names(trace, NAME_LOCK);
    lanes_find(m, options.lanes);
    m->values = trace->value && !options.values_ignore;
    m->grounds = trace_has_grounds(trace) && !options.grounds_ignore;
    bool at_once = options.at_once && m->event_count > SMALL_EVENTS;
    both_run(at_once, list_accesses, list_threads, &building);
    if (m->values)
        section_builder_finish(building.locks);
    both_run(at_once, do_meanwhile, find_orders, &building);
    assert_costly(m->event_count > SMALL_EVENTS || model_is_sound(m));
    return HEDDLE_OK;
}

enum status model_build(struct model *m, const struct trace *trace, struct error *err)
{
    return model_build_with(m, trace, (struct model_options){0}, err);
}

enum status model_build_plain(struct model *m, const struct trace *trace, struct error *err)
{
    return model_build_with(m, trace, (struct model_options){.values_ignore = true, .grounds_ignore = true},
                            err);
}

static void grouped_free(struct grouped_events *g)
{
    free(g->start);
    free(g->groups);
    free(g->events);
}

void model_free(struct model *m)
{
    free(m->own_lanes);
    free(m->lane_of);
    free(m->fork_of);
    free(m->begins);
    free(m->ends);
    free(m->thread_start);
    free(m->thread_events);
    free(m->position);
    free(m->source);
    free(m->access_start);
    free(m->accesses);
    stretches_free(&m->section_of);
    free(m->sections);
    free(m->section_start);
    free(m->holds);
    for (uint32_t t = 0; m->hold_changes && t < m->thread_count; t++)
        free(m->hold_changes[t]);
    free(m->hold_changes);
    free(m->hold_change_count);
    stretches_free(&m->hold_of);
    free(m->words);
    free(m->word_sections);
    free(m->word_start);
    for (uint32_t t = 0; m->guard_changes && t < m->thread_count; t++)
        free(m->guard_changes[t]);
    free(m->guard_changes);
    free(m->guard_change_count);
    stretches_free(&m->guard_of);
    free(m->requirements);
    free(m->required_events);
    free(m->initial_values);
    free(m->sums);
    map_free(&m->sum_of);
    free(m->plain_at);
    free(m->first_at);
    free(m->bound_at);
    free(m->soft);
    orders_free(m->orders);
    tenures_free(m->tenures);
    free(m->by_first.reads);
    rising_free(&m->by_first.end);
    free(m->by_bound.reads);
    rising_free(&m->by_bound.end);
    free(m->adds);
    free(m->sum_bounds);
    free(m->range_demands);
    free(m->soft_demands);
    stretches_free(&m->soft_end);
    free(m->soft_reads);
    free(m->soft_sources);
    free(m->told);
    free(m->waits);
    grouped_free(&m->writes);
    grouped_free(&m->notifies);
    grouped_free(&m->posts);
    grouped_free(&m->sem_waits);
    free(m->initial_tokens);
    clocks_free(&m->forward, m->thread_count);
    clocks_free(&m->observed, m->thread_count);
    memset(m, 0, sizeof *m);
}

uint32_t thread_count_up_to(const struct model *m, thread_id thread, event_id number)
{
    const event_id *events = m->thread_events + m->thread_start[thread];

    return (uint32_t)events_up_to(events, thread_length(m, thread), number);
}

event_id model_last_write(const struct model *m, variable_id x, event_id number)
{
    struct event_span accesses = accesses_of(m, x);
    size_t count = events_up_to(accesses.events, accesses.count, number);
    event_id last = count > 0 ? accesses.events[count - 1] : EVENT_INIT;

    return count > 0 && !kind_writes(kind_of(m, last)) ? m->source[last] : last;
}
