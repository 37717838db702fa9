/* Facts: findings that the recorded run itself shows.
 *
 * A check gives one finding for each set of places, with some schedule. Here the run is searched for events at the same
 * places that show the finding in the observed order; the schedule checker has the last word. */
#include "base/memory.h"
#include "certify/certify.h"
#include "finding/place.h"
#include "hunt/hunt_job.h"

#include <stdlib.h>
#include <string.h>

enum { LONGEST = 1000000, TRIES = 64 }; /* events of a trace that is searched; events tried for a finding */

struct search {
    const struct trace *trace;
    struct certifier *certifier;
    struct certify_options options;
    struct finding *finding;
    uint32_t places[3];
    unsigned tries;
};

bool finding_was_observed(const struct finding *f)
{
    return (f->property == PROPERTY_RACE || f->property == PROPERTY_STALE ||
            f->property == PROPERTY_ATOMICITY) &&
           f->schedule.tail_count == 0;
}

/* Asks whether these events show the finding after so many events of the run; if so, it is about them from now on. */
static bool shows(struct search *s, const uint32_t *events, uint32_t count, uint32_t prefix)
{
    uint32_t claimed[3];
    struct finding f = *s->finding;

    memcpy(claimed, events, count * sizeof *events);
    f.events = claimed;
    f.schedule = (struct schedule){.prefix = prefix};
    s->tries++;
    if (!certifier_accepts(s->certifier, &f, &s->options, NULL))
        return false;
    memcpy(s->finding->events, events, count * sizeof *events);
    free(s->finding->schedule.tail);
    s->finding->schedule = f.schedule;
    return true;
}

/* Two accesses that were both next in their threads, one of them just made. */
static void search_race(struct search *s)
{
    const struct trace *t = s->trace;
    size_t threads = trace_names(t, NAME_THREAD);
    uint32_t *upcoming = memory_new(threads + 1, sizeof *upcoming);
    bool found = false;

    for (uint32_t e = (uint32_t)t->count; e > 0 && !found && s->tries < TRIES; e--) {
        uint32_t place = place_of(t, e), other = place == s->places[0] ? s->places[1] : s->places[0];
        bool here = kind_accesses(trace_kind(t, e)) && (place == s->places[0] || place == s->places[1]);
        for (uint32_t u = 0; here && !found && u < threads; u++) {
            uint32_t next = upcoming[u];
            found = u != t->thread[e] && next && kind_accesses(trace_kind(t, next)) &&
                    t->arg[next] == t->arg[e] && place_of(t, next) == other &&
                    shows(s, (uint32_t[]){e, next}, 2, e - 1);
        }
        upcoming[t->thread[e]] = e;
    }
    free(upcoming);
}

/* An access of another thread that came between two of one thread. */
static void search_between(struct search *s)
{
    const struct trace *t = s->trace;
    size_t variables = trace_names(t, NAME_VARIABLE);
    uint32_t *remote = memory_new(variables + 1, sizeof *remote);
    struct map first = {0}; /* thread and variable → the last event at the first place */
    bool found = false;

    for (uint32_t e = 1; e <= t->count && !found && s->tries < TRIES; e++) {
        uint32_t place = place_of(t, e), x = t->arg[e];
        if (!kind_accesses(trace_kind(t, e)))
            continue;
        uint32_t begun = map_get(&first, map_pair(t->thread[e], x));
        if (place == s->places[2] && begun && remote[x] > begun)
            found = shows(s, (uint32_t[]){begun, remote[x], e}, 3, e);
        if (place == s->places[0])
            *map_at(&first, map_pair(t->thread[e], x)) = e;
        if (place == s->places[1])
            remote[x] = e;
    }
    map_free(&first);
    free(remote);
}

void hunt_find_observed(const struct trace *trace, const struct check_options *options, struct results *results)
{
    struct certify_index *index;
    struct search s = {.trace = trace, .options = {.atomic_locks = options->atomic_locks}};

    if (trace->count > LONGEST)
        return;
    index = certify_index_new(trace);
    s.certifier = certifier_new(index);
    for (size_t i = 0; i < results->found.findings_count; i++) {
        struct finding *f = &results->found.findings[i];
        bool between = f->property == PROPERTY_STALE || f->property == PROPERTY_ATOMICITY;
        if ((f->property != PROPERTY_RACE && !between) || finding_was_observed(f))
            continue;
        for (uint32_t k = 0; k < f->event_count && k < 3; k++)
            s.places[k] = place_of(trace, f->events[k]);
        s.finding = f;
        s.tries = 0;
        (between ? search_between : search_race)(&s);
    }
    certifier_free(s.certifier);
    certify_index_free(index);
}
