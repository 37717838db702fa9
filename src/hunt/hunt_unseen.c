/* What runs could have shown: pairs of conflicting accesses of two threads, one right after the other. */
#include "base/memory.h"
#include "hunt/hunt_job.h"
#include "report/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

enum { SITES_MOST = 48, PAIRS_MOST = 2000 }; /* of a variable; of a run */

/* All accesses of a thread at a place to a variable. */
struct pair_site {
    event_id first, last;
    bool writes;
    uint32_t next; /* of the variable, plus one; 0: it is the last */
};

struct pair_sites {
    struct pair_site *sites;
    size_t sites_count, sites_capacity;
    uint32_t *of; /* by variable: the first, plus one */
    struct map known;
};

static void note(struct pair_sites *s, const struct model *m, event_id e)
{
    const struct trace *t = m->trace;
    const char *place = event_place(t, e);
    uint32_t words[2] = {t->arg[e], (uint32_t)thread_of(m, e)};
    uint64_t key = XXH3_64bits_withSeed(place, strlen(place), XXH3_64bits(words, sizeof words));
    uint32_t *at = map_at(&s->known, key);

    if (*at == 0) {
        ARRAY_PUSH(s, sites, (struct pair_site){.first = e, .next = s->of[t->arg[e]]});
        *at = s->of[t->arg[e]] = (uint32_t)s->sites_count;
    }
    s->sites[*at - 1].last = e;
    s->sites[*at - 1].writes |= kind_writes(trace_kind(t, e));
}

/* Whether an access at `a` may come right before one at `b`, as far as the order goes that every run keeps. */
static bool may_follow(const struct model *m, const struct pair_site *a, const struct pair_site *b)
{
    return thread_of(m, a->first) != thread_of(m, b->first) && (a->writes || b->writes) &&
           !must_before(m, b->last, a->first);
}

static void add(struct hunt_report *report, struct map *listed, const struct map *seen, const struct trace *t,
                event_id first, event_id second)
{
    struct hunt_pair pair = {.mark = hunt_pair_mark(t, first, second)};

    if (map_get(seen, pair.mark) || (*map_at(listed, pair.mark))++ > 0 || report->pairs_count >= PAIRS_MOST)
        return;
    snprintf(pair.first, sizeof pair.first, "%s", event_place(t, first));
    snprintf(pair.second, sizeof pair.second, "%s", event_place(t, second));
    ARRAY_PUSH(report, pairs, pair);
}

void hunt_find_pairs(const struct model *m, const struct map *seen, struct hunt_report *report)
{
    size_t variables = trace_names(m->trace, NAME_VARIABLE);
    struct pair_sites s = {.of = memory_new(variables + 1, sizeof *s.of)};
    struct map listed = {0};

    for (event_id e = 1; e <= m->event_count; e++)
        if (kind_accesses(trace_kind(m->trace, e)) && *event_place(m->trace, e))
            note(&s, m, e);
    for (size_t x = 0; x < variables; x++) {
        int outer = 0;
        for (uint32_t i = s.of[x]; i && outer < SITES_MOST; i = s.sites[i - 1].next, outer++) {
            int inner = 0;
            for (uint32_t k = s.of[x]; k && inner < SITES_MOST; k = s.sites[k - 1].next, inner++)
                if (may_follow(m, &s.sites[i - 1], &s.sites[k - 1]))
                    add(report, &listed, seen, m->trace, s.sites[i - 1].first, s.sites[k - 1].first);
        }
    }
    map_free(&listed);
    map_free(&s.known);
    free(s.sites);
    free(s.of);
}
