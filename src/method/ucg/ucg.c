/* --method=ucg: the funnel of CAV'10, Table 1, for races and three-access atomicity violations. */
#include "method/ucg/ucg.h"
#include "method/located.h"
#include "method/ucg/candidates.h"
#include "method/ucg/causality.h"
#include "property/atomic_blocks.h"
#include "property/candidate.h"
#include "solve/solver.h"

#include <stdlib.h>
#include <string.h>

struct funnel {
    const struct model *m;
    const struct check_options *options;
    const stop_flag *stop;
    struct results *results;
    uint32_t *segment;
    struct blocks *blocks;
    struct causality *causality;
    struct causality_property property;
    struct map verdicts; /* seed edges of a property, as two numbers → 1: refuted, 2: kept, 4: chopped; or its
                            number */
    uint32_t properties; /* with different seed edges, so far: the labels */
    struct solver *solver;
    struct certifier *certifier;
    struct map groups;
};

/* Books the answer to the solver's query as filled. */
static void ask(struct funnel *f, struct ucg_stats *stats, enum property property, const uint32_t *events,
                uint32_t count)
{
    struct verdict v = solver_ask(f->solver);
    struct finding claim = {.property = property, .event_count = count};
    struct certify_options how = {
        .values_ignore = true, .grounds_ignore = true, .atomic_locks = f->options->atomic_locks};
    uint32_t claimed[3] = {0};
    struct finding *found;

    if (v.answer == ANSWER_INFEASIBLE && candidate_has_other_way(f->m, property, events)) {
        candidate_fill_other_way(f->m, solver_query(f->solver), events);
        v = solver_ask(f->solver);
    }
    claim.schedule = v.schedule;
    memcpy(claimed, events, count * sizeof *claimed);
    claim.events = claimed;
    if (v.answer == ANSWER_INFEASIBLE)
        return;
    if (v.answer == ANSWER_UNDECIDED || !certifier_accepts(f->certifier, &claim, &how, NULL)) {
        if (v.answer == ANSWER_FEASIBLE)
            free(v.schedule.tail);
        stats->undecided++;
        located_add(&f->results->undecided, NULL, f->m->trace, property, events, count);
        return;
    }
    stats->witnesses++;
    f->results->certified++;
    found = located_add(&f->results->found, f->options->all ? NULL : &f->groups, f->m->trace, property, events,
                        count);
    if (found->count == 1)
        found->schedule = v.schedule;
    else
        free(v.schedule.tail);
}

static void ask_race(struct funnel *f, event_id a, event_id b)
{
    event_id first = a < b ? a : b, second = a < b ? b : a;
    struct query *q = solver_query(f->solver);

    candidate_fill(f->m, q, PROPERTY_RACE, (uint32_t[]){first, second}, 2);
    q->start = outermost_start(f->m, first);
    ask(f, &f->results->ucg_race, PROPERTY_RACE, (uint32_t[]){first, second}, 2);
}

static void ask_atomicity(struct funnel *f, event_id a, event_id b, event_id c)
{
    struct query *q = solver_query(f->solver);
    event_id first = outermost_start(f->m, a), remote = outermost_start(f->m, b);

    candidate_fill(f->m, q, PROPERTY_ATOMICITY, (uint32_t[]){a, b, c}, 3);
    q->start = first < remote ? first : remote;
    ask(f, &f->results->ucg_atomicity, PROPERTY_ATOMICITY, (uint32_t[]){a, b, c}, 3);
}

/* Whether the causality graph of the property as filled keeps it; looked up by its seed edges. */
static bool keeps(struct funnel *f, uint64_t seeds, uint64_t candidates, struct ucg_stats *stats)
{
    uint32_t *known = map_at(&f->verdicts, seeds);

    if (*known == 0) {
        bool kept = causality_holds(f->causality, &f->property, f->properties++);
        *known = (kept ? 2 : 1) | (causality_was_chopped(f->causality) ? 4 : 0);
    }
    stats->chopped += *known & 4 ? candidates : 0;
    return *known & 2;
}

static void check_race_groups(struct funnel *f, const struct access_group *one,
                              const struct access_group *other)
{
    struct ucg_stats *stats = &f->results->ucg_race;
    event_id a = one->events[0], b = other->events[0];
    uint64_t pairs = (uint64_t)one->count * other->count;
    bool lsa = !locks_exclude(f->m, a, b);
    bool mhb = !causality_must(f->causality, a, b) && !causality_must(f->causality, b, a);
    double start;

    stats->total += pairs;
    stats->lsa += lsa ? pairs : 0;
    stats->mhb += mhb ? pairs : 0;
    if (!lsa || !mhb)
        return;
    property_race(&f->property, f->m, a, b);
    if (!keeps(f, map_pair(one->segment, other->segment), pairs, stats))
        return;
    stats->ucg += pairs;
    start = located_seconds();
    for (uint32_t i = 0; i < one->count; i++)
        for (uint32_t j = 0; j < other->count && !*f->stop; j++)
            ask_race(f, one->events[i], other->events[j]);
    stats->seconds += located_seconds() - start;
}

static void check_races(struct funnel *f, const struct access_groups *groups)
{
    for (size_t i = 0; i < groups->list_count; i++) {
        const struct access_group *one = &groups->list[i];
        for (size_t j = i + 1; j < groups->list_count && !*f->stop; j++) {
            const struct access_group *other = &groups->list[j];
            if (one->thread != other->thread && (one->writes || other->writes) &&
                !(one->atomic && other->atomic))
                check_race_groups(f, one, other);
        }
    }
}

/* RWR, RWW, WRW, WWR, WWW; an rmw is both. */
static bool is_unserializable(const struct model *m, event_id a, const struct access_group *remote, event_id c)
{
    return remote->writes || (kind_writes(kind_of(m, a)) && kind_writes(kind_of(m, c)));
}

static void check_remote(struct funnel *f, event_id a, event_id c, const struct access_group *remote)
{
    struct ucg_stats *stats = &f->results->ucg_atomicity;
    event_id b = remote->events[0];
    bool lsa = !locks_exclude_between(f->m, a, c, b);
    bool mhb = !causality_must(f->causality, b, a) && !causality_must(f->causality, c, b);
    uint32_t *pair;
    double start;

    stats->total += remote->count;
    stats->lsa += lsa ? remote->count : 0;
    stats->mhb += mhb ? remote->count : 0;
    if (!lsa || !mhb)
        return;
    pair = map_at(&f->verdicts, (uint64_t)1 << 63 | map_pair(f->segment[a], f->segment[c]));
    if (*pair == 0)
        *pair = ++f->properties;
    property_atomicity(&f->property, f->m, a, b, c);
    if (!keeps(f, (uint64_t)1 << 63 | (uint64_t)1 << 31 | map_pair(*pair, remote->segment), remote->count,
               stats))
        return;
    stats->ucg += remote->count;
    start = located_seconds();
    for (uint32_t i = 0; i < remote->count && !*f->stop; i++)
        ask_atomicity(f, a, remote->events[i], c);
    stats->seconds += located_seconds() - start;
}

static void check_atomicity(struct funnel *f, const struct access_groups *groups, variable_id x)
{
    const struct model *m = f->m;
    struct event_span accesses = accesses_of(m, x);

    for (size_t i = 0; i < accesses.count; i++) {
        event_id a = accesses.events[i];
        uint32_t end = blocks_end(f->blocks, m, a);
        for (size_t j = i + 1; end > 0 && j < accesses.count; j++) {
            event_id c = accesses.events[j];
            if (thread_of(m, c) != thread_of(m, a))
                continue;
            if (m->position[c] >= end)
                break;
            for (size_t k = 0; k < groups->list_count && !*f->stop; k++)
                if (groups->list[k].thread != thread_of(m, a) && is_unserializable(m, a, &groups->list[k], c))
                    check_remote(f, a, c, &groups->list[k]);
        }
    }
}

static void check_variable(struct funnel *f, variable_id x)
{
    struct access_groups groups;
    double start = located_seconds();
    struct ucg_stats *race = &f->results->ucg_race, *atomicity = &f->results->ucg_atomicity;

    access_groups_build(&groups, f->m, f->segment, x);
    if (f->options->properties[PROPERTY_RACE])
        check_races(f, &groups);
    race->ucg_seconds += located_seconds() - start;
    start = located_seconds();
    if (f->options->properties[PROPERTY_ATOMICITY])
        check_atomicity(f, &groups, x);
    atomicity->ucg_seconds += located_seconds() - start;
    access_groups_free(&groups);
    if (f->options->progress)
        f->options->progress(f->options->progress_context, accesses_of(f->m, x).count);
}

/* The same numbers where those of every method stand. */
static void fill_property(struct funnel *f, enum property property, struct ucg_stats *ucg)
{
    struct property_stats *s = &f->results->stats[property];

    ucg->used = s->checked = f->options->properties[property];
    ucg->ucg_seconds -= ucg->seconds; /* the clock ran on while schedules were looked for */
    s->subjects = s->candidates = ucg->total;
    s->feasible = ucg->witnesses;
    s->refuted[REFUTED_CYCLE] = ucg->total - ucg->ucg;
    s->refuted[REFUTED_CHOICES] = ucg->ucg - ucg->witnesses - ucg->undecided;
    s->undecided = ucg->undecided;
    s->seconds = ucg->ucg_seconds + ucg->seconds;
}

void ucg_check(const struct model *m, const struct check_options *options, const stop_flag *stop,
               struct results *results)
{
    struct funnel f = {.m = m, .options = options, .stop = stop, .results = results};
    struct certify_index *index = certify_index_new(m->trace);

    f.segment = segments_new(m);
    f.blocks = blocks_new(m, options->atomic_locks);
    f.causality = causality_new(m);
    f.solver = solver_new(m, options->budget, true, stop);
    f.certifier = certifier_new(index);
    property_init(&f.property, m);
    for (variable_id x = 0; x < m->variable_count && !*stop; x++)
        check_variable(&f, x);
    fill_property(&f, PROPERTY_RACE, &results->ucg_race);
    fill_property(&f, PROPERTY_ATOMICITY, &results->ucg_atomicity);
    results->method = "ucg";
    results->grouped = !options->all;
    results->interrupted = *stop;
    results->complete = !*stop && results->undecided.findings_count == 0 && !m->trace->note;
    property_free(&f.property);
    solver_free(f.solver);
    certifier_free(f.certifier);
    certify_index_free(index);
    causality_free(f.causality);
    blocks_free(f.blocks, m);
    map_free(&f.verdicts);
    map_free(&f.groups);
    free(f.segment);
}
