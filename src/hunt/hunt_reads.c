/* Reads by what their thread had seen before: the same place in the source may be reached in many ways, and what a read sees
 * matters for each. */
#include "base/memory.h"
#include "hunt/hunt_job.h"
#include "report/report.h"
#include "report/value.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

enum { READS_MOST = 64 }; /* of a run that may be run along */

struct read_states {
    const struct model *m;
    struct values values;
    uint64_t *before,
        *after; /* by event: the sum of what its thread has seen, without what it reads itself, and with it */
};

static uint64_t join(uint64_t a, uint64_t b)
{
    uint64_t both[2] = {a, b};

    return XXH3_64bits(both, sizeof both);
}

/* What was seen of a variable at a place, in words that mean the same in every run. */
static uint64_t sight(const struct trace *t, event_id read, struct value value)
{
    const char *place = event_place(t, read), *variable = trace_name(t, NAME_VARIABLE, t->arg[read]);
    uint64_t number = value.number;

    if (value.tag == VALUE_NAME) {
        const char *name = trace_name(t, NAME_VALUE, (uint32_t)number);
        number = XXH3_64bits(name, strlen(name));
    }
    number = XXH3_64bits_withSeed(variable, strlen(variable), number + value.tag);
    return XXH3_64bits_withSeed(place, strlen(place), number);
}

/* A loop that looks again and again and sees the same knows no more than after its first look. */
static void find_states(struct read_states *s)
{
    const struct trace *t = s->m->trace;
    uint64_t *state = memory_new(trace_names(t, NAME_THREAD) + 1, sizeof *state);
    struct map known = {0};

    for (event_id e = 1; e <= s->m->event_count; e++) {
        uint64_t *own = &state[thread_of(s->m, e)];
        s->before[e] = *own;
        if (s->m->source[e] != EVENT_NONE) {
            uint64_t seen = sight(t, e, value_observed(&s->values, e));
            if ((*map_at(&known, join(seen, thread_of(s->m, e))))++ == 0)
                *own = join(*own, seen);
        }
        s->after[e] = *own;
    }
    map_free(&known);
    free(state);
}

uint64_t read_mark(const struct read_states *s, event_id read, event_id write)
{
    const struct trace *t = s->m->trace;
    struct value value = write == s->m->source[read] ? value_observed(&s->values, read)
                                                     : value_written(&s->values, write, t->arg[read]);
    uint64_t maker = write == EVENT_INIT ? 0 : join(hunt_pair_mark(t, EVENT_INIT, write), s->after[write]);

    return join(join(s->before[read], sight(t, read, value)), maker);
}

struct read_states *read_states_new(const struct model *m)
{
    struct read_states *s = memory_new(1, sizeof *s);

    s->m = m;
    s->before = memory_new(m->event_count + 1, sizeof *s->before);
    s->after = memory_new(m->event_count + 1, sizeof *s->after);
    values_init(&s->values, m->trace);
    find_states(s);
    return s;
}

void read_states_free(struct read_states *s)
{
    values_free(&s->values);
    free(s->before);
    free(s->after);
    free(s);
}

/* The sum of what threads have seen after these events, each the last of its thread; 0: it has none. */
static uint64_t states_at(const struct read_states *s, const event_id *last)
{
    size_t threads = trace_names(s->m->trace, NAME_THREAD);
    uint64_t sum = 1;

    for (size_t i = 0; i < threads; i++)
        if (last[i])
            sum += join(hunt_pair_mark(s->m->trace, EVENT_INIT, last[i]), s->after[last[i]]);
    return sum;
}

uint64_t read_state_mark(const struct read_states *s, const struct finding *f)
{
    event_id *last = memory_new(trace_names(s->m->trace, NAME_THREAD) + 1, sizeof *last);
    uint64_t mark;

    for (event_id e = 1; e <= f->schedule.prefix; e++)
        last[thread_of(s->m, e)] = e;
    for (uint32_t i = 0; i < f->schedule.tail_count; i++)
        last[thread_of(s->m, f->schedule.tail[i])] = f->schedule.tail[i];
    mark = join(states_at(s, last), read_mark(s, f->events[0], f->events[2]));
    free(last);
    return mark;
}

uint64_t read_behaviour(const struct read_states *s)
{
    event_id *last = memory_new(trace_names(s->m->trace, NAME_THREAD) + 1, sizeof *last);
    uint64_t sum;

    for (event_id e = 1; e <= s->m->event_count; e++)
        last[thread_of(s->m, e)] = e;
    sum = states_at(s, last);
    free(last);
    return sum;
}

void hunt_cover_reads(const struct read_states *s, struct hunt_report *report)
{
    const struct model *m = s->m;
    struct map seen = {0};

    for (event_id e = 1; e <= m->event_count; e++) {
        event_id source = m->source[e];
        if (source == EVENT_NONE || (source != EVENT_INIT && thread_of(m, source) == thread_of(m, e)))
            continue;
        uint64_t mark = read_mark(s, e, source);
        if ((*map_at(&seen, mark))++ == 0)
            ARRAY_PUSH(&report->covered[COVER_READS], marks, mark);
    }
    map_free(&seen);
}

struct marked_read {
    uint64_t mark;
    struct finding finding;
};

/* An order that favours no part of the run. */
static int by_mark(const void *a, const void *b)
{
    const struct marked_read *p = a, *q = b;

    if (p->mark != q->mark)
        return p->mark < q->mark ? -1 : 1;
    return p->finding.events[0] < q->finding.events[0] ? -1 : p->finding.events[0] > q->finding.events[0];
}

void hunt_choose_reads(const struct read_states *s, struct results *results)
{
    struct finding_list *list = &results->found;
    struct marked_read *reads = memory_new(list->findings_count + 1, sizeof *reads);
    size_t kept = 0;

    for (size_t i = 0; i < list->findings_count; i++) {
        const struct finding *f = &list->findings[i];
        reads[i] = (struct marked_read){read_state_mark(s, f), *f};
    }
    if (list->findings_count > 1)
        qsort(reads, list->findings_count, sizeof *reads, by_mark);
    for (size_t i = 0; i < list->findings_count; i++)
        if (kept < READS_MOST && (i == 0 || reads[i].mark != reads[i - 1].mark)) {
            list->findings[kept++] = reads[i].finding;
        } else {
            free(reads[i].finding.events);
            free(reads[i].finding.schedule.tail);
        }
    list->findings_count = kept;
    results_number(results);
    free(reads);
}
