/* --method=csp: chooses the pairs of accesses to check, and reports those that race. */
#include "method/csp/csp_method.h"
#include "finding/place.h"
#include "method/csp/csp_search.h"
#include "method/located.h"
#include "method/ucg/candidates.h"
#include "method/ucg/causality_barrier.h"
#include "property/classes.h"
#include "property/worker.h"

#include <stdlib.h>

enum { TERMS_MOST = 1 << 21 }; /* the workshop starts over beyond this */

enum known { KNOWN_NOT, KNOWN_REFUTED, KNOWN_RACE, KNOWN_UNDECIDED };

struct checker {
    const struct model *m;
    const struct check_options *options;
    const stop_flag *stop;
    struct results *results;
    struct csp_plan plan;
    struct csp_processes processes;
    struct csp_search *search;
    struct barriers order;                   /* program order and required predecessors */
    struct map verdicts;                     /* two segments → enum known */
    struct map groups;                       /* of a grouped check: two places → finding + 1 */
    struct results exact;                    /* what the exact method says of races in the trace */
    struct map exact_found, exact_undecided; /* two events, or two places → finding + 1 */
    struct certifier *certifier;
    bool counted_variable;
    struct map counted; /* two threads → 1 + the last variable counted for them */
};

static struct property_stats *stats_of(struct checker *c)
{
    return &c->results->stats[PROPERTY_RACE];
}

static void count_assertion(struct checker *c, event_id a, event_id b)
{
    thread_id one = thread_of(c->m, a), other = thread_of(c->m, b);
    uint32_t *last = map_at(&c->counted, one < other ? map_pair(one, other) : map_pair(other, one));

    c->results->csp.variables += !c->counted_variable;
    c->counted_variable = true;
    c->results->csp.assertions += *last != arg_of(c->m, a) + 1;
    *last = arg_of(c->m, a) + 1;
}

/* Decides for all accesses in the segments of a and b. */
static enum known decide(struct checker *c, event_id a, event_id b)
{
    uint32_t one = csp_segment(&c->plan, a), other = csp_segment(&c->plan, b);
    uint32_t *known = map_at(&c->verdicts, one < other ? map_pair(one, other) : map_pair(other, one));

    count_assertion(c, a, b);
    if (*known == KNOWN_NOT) {
        enum csp_verdict verdict = csp_search_race(c->search, a, b, NULL);
        *known = verdict == CSP_REFINES    ? KNOWN_REFUTED
                 : verdict == CSP_VIOLATES ? KNOWN_RACE
                                           : KNOWN_UNDECIDED;
        c->results->csp.checks++;
        if (csp_terms(c->processes.c) > TERMS_MOST)
            csp_processes_reset(&c->processes);
    }
    return (enum known) * known;
}

/* What is one finding: two events, or in a grouped check two places. */
static uint64_t pair_key(const struct checker *c, event_id a, event_id b)
{
    uint32_t one = c->options->all ? a : place_of(c->m->trace, a);
    uint32_t other = c->options->all ? b : place_of(c->m->trace, b);

    return one < other ? map_pair(one, other) : map_pair(other, one);
}

/* Of several findings with one key, keeps the first in the order of reports. */
static void index_findings(const struct checker *c, const struct finding_list *list, struct map *index)
{
    for (size_t i = 0; i < list->findings_count; i++) {
        const uint32_t *events = list->findings[i].events;
        uint32_t *known = map_at(index, pair_key(c, events[0], events[1]));
        const uint32_t *first = *known ? list->findings[*known - 1].events : NULL;
        if (!first || events[0] < first[0] || (events[0] == first[0] && events[1] < first[1]))
            *known = (uint32_t)i + 1;
    }
}

static void ask_exact(struct checker *c)
{
    struct check_options how = *c->options;

    how.values_ignore = how.grounds_ignore = true;
    for (int p = 0; p < PROPERTIES; p++)
        how.properties[p] = p == PROPERTY_RACE;
    how.progress = NULL;
    check_trace(c->m, &how, c->stop, &c->exact);
    index_findings(c, &c->exact.found, &c->exact_found);
    index_findings(c, &c->exact.undecided, &c->exact_undecided);
    c->results->csp.confirm_seconds = c->exact.stats[PROPERTY_RACE].seconds;
}

/* The exact method's verdict on the race or its group; the events become those of the race that it shows. */
static enum confirmation confirm(const struct checker *c, uint32_t *events)
{
    uint64_t key = pair_key(c, events[0], events[1]);
    uint32_t found = map_get(&c->exact_found, key);

    if (found == 0)
        return c->exact.interrupted || map_get(&c->exact_undecided, key) ? CONFIRMATION_UNDECIDED
                                                                         : CONFIRMATION_OTHER_PATH;
    events[0] = c->exact.found.findings[found - 1].events[0];
    events[1] = c->exact.found.findings[found - 1].events[1];
    return CONFIRMATION_EXACT;
}

static void give_up(struct checker *c, event_id a, event_id b)
{
    stats_of(c)->undecided++;
    finding_add(&c->results->undecided, PROPERTY_RACE, (uint32_t[]){a, b}, 2, (struct schedule){0});
}

/* Adds a race. Its schedule has to show it without data, whatever exact says. */
static void book(struct checker *c, event_id a, event_id b)
{
    struct csp_stats *stats = &c->results->csp;
    uint32_t events[2] = {a, b};
    struct finding claim = {
        .property = PROPERTY_RACE, .event_count = 2, .events = events, .synchronization = true};

    claim.confirmation = confirm(c, events);
    if (csp_search_race(c->search, events[0], events[1], &claim.schedule) != CSP_VIOLATES) {
        give_up(c, a, b);
        return;
    }
    if (!certifier_accepts(c->certifier, &claim,
                           &(struct certify_options){.values_ignore = true, .grounds_ignore = true}, NULL)) {
        free(claim.schedule.tail);
        give_up(c, a, b);
        return;
    }
    stats_of(c)->feasible++;
    c->results->certified++;
    stats->confirmed += claim.confirmation == CONFIRMATION_EXACT;
    stats->other_path += claim.confirmation == CONFIRMATION_OTHER_PATH;
    stats->unconfirmed += claim.confirmation == CONFIRMATION_UNDECIDED;
    finding_add(&c->results->found, PROPERTY_RACE, events, 2, claim.schedule);
    struct finding *added = &c->results->found.findings[c->results->found.findings_count - 1];
    added->synchronization = true;
    added->confirmation = claim.confirmation;
    if (!c->options->all)
        *map_at(&c->groups, pair_key(c, a, b)) = (uint32_t)c->results->found.findings_count;
}

static void check_pair(struct checker *c, event_id a, event_id b)
{
    event_id first = a < b ? a : b, second = a < b ? b : a;
    enum known known = decide(c, first, second);

    stats_of(c)->candidates++;
    if (known == KNOWN_REFUTED)
        stats_of(c)->refuted[REFUTED_CHOICES]++;
    else if (known == KNOWN_RACE)
        book(c, first, second);
    else
        give_up(c, first, second);
}

static void refute(struct checker *c, uint64_t pairs)
{
    stats_of(c)->candidates += pairs;
    stats_of(c)->refuted[REFUTED_MUST_ORDER] += pairs;
    c->results->csp.filtered += pairs;
}

/* Whether a finding already stands for pairs of these places; if so, counts this many of them. */
static bool skips(struct checker *c, event_id a, event_id b, uint64_t pairs)
{
    uint32_t shown = c->options->all ? 0 : map_get(&c->groups, pair_key(c, a, b));

    if (shown == 0)
        return false;
    c->results->found.findings[shown - 1].count_is_exact = false;
    stats_of(c)->candidates += pairs;
    stats_of(c)->skipped += pairs;
    return true;
}

/* The pairs of two classes, without those that the required order excludes: as `a` moves on, so do both ends of
 * what is beside it. */
static void check_classes(struct checker *c, const struct access_class *mine, const struct access_class *theirs)
{
    uint64_t pairs = (uint64_t)mine->count * theirs->count, beside = 0;
    uint32_t low = 0, high = 0;

    if (locks_exclude(c->m, mine->events[0], theirs->events[0])) {
        refute(c, pairs);
        return;
    }
    for (uint32_t i = 0; i < mine->count && !*c->stop; i++) {
        event_id a = mine->events[i];
        while (low < theirs->count && barriers_must(&c->order, theirs->events[low], a))
            low++;
        high = high < low ? low : high;
        while (high < theirs->count && !barriers_must(&c->order, a, theirs->events[high]))
            high++;
        beside += high - low;
        for (uint32_t j = low; j < high && !*c->stop && !skips(c, a, theirs->events[j], high - j); j++)
            check_pair(c, a, theirs->events[j]);
    }
    if (!*c->stop)
        refute(c, pairs - beside);
}

static void check_variable(struct checker *c, variable_id x)
{
    struct classes classes;

    c->counted_variable = false;
    classes_build(&classes, c->m, x, kind_accesses, true);
    for (size_t i = 0; i < classes.list_count; i++) {
        stats_of(c)->subjects += classes.list[i].count;
        for (size_t j = 0; j < i && !*c->stop; j++)
            if (classes.list[i].thread != classes.list[j].thread &&
                kinds_race(classes.list[i].kind, classes.list[j].kind))
                check_classes(c, &classes.list[i], &classes.list[j]);
    }
    classes_free(&classes);
    if (c->options->progress)
        c->options->progress(c->options->progress_context, accesses_of(c->m, x).count);
}

static void finish(struct checker *c, double start)
{
    struct results *r = c->results;
    const struct csp_search_stats *counts = csp_search_counts(c->search);

    r->csp.used = r->stats[PROPERTY_RACE].checked = true;
    r->csp.states = counts->states;
    r->csp.transitions = counts->transitions;
    stats_of(c)->seconds = located_seconds() - start;
    r->csp.seconds = stats_of(c)->seconds;
    r->method = "csp";
    r->grouped = !c->options->all;
    r->interrupted = *c->stop;
    r->complete = !*c->stop && r->undecided.findings_count == 0 && !c->m->trace->note;
}

void csp_check(const struct model *m, const struct check_options *options, const stop_flag *stop,
               struct results *results)
{
    struct checker c = {.m = m, .options = options, .stop = stop, .results = results};
    struct certify_index *index = certify_index_new(m->trace);
    double start;

    ask_exact(&c);
    start = located_seconds();
    csp_plan_build(&c.plan, m);
    csp_processes_init(&c.processes, &c.plan);
    c.search = csp_search_new(&c.processes, options->budget, stop);
    barriers_init(&c.order, m);
    c.certifier = certifier_new(index);
    for (variable_id x = 0; x < m->variable_count && !*stop; x++)
        check_variable(&c, x);
    finish(&c, start);
    certifier_free(c.certifier);
    certify_index_free(index);
    finding_list_free(&c.exact.found);
    finding_list_free(&c.exact.undecided);
    map_free(&c.exact_found);
    map_free(&c.exact_undecided);
    barriers_free(&c.order);
    csp_search_free(c.search);
    csp_processes_free(&c.processes);
    csp_plan_free(&c.plan);
    map_free(&c.verdicts);
    map_free(&c.groups);
    map_free(&c.counted);
}
