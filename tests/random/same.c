/* Whether two ways to check a trace say the same. */
#include "random/same.h"
#include "finding/place.h"

#include <string.h>

static bool same_schedule(const struct schedule *a, const struct schedule *b)
{
    return a->prefix == b->prefix && a->tail_count == b->tail_count &&
           (a->tail_count == 0 || memcmp(a->tail, b->tail, a->tail_count * sizeof *a->tail) == 0);
}

static bool same_finding(const struct finding *p, const struct finding *q, bool schedules)
{
    return p->property == q->property && p->event_count == q->event_count && p->count == q->count &&
           p->count_is_exact == q->count_is_exact &&
           memcmp(p->events, q->events, p->event_count * sizeof *p->events) == 0 &&
           (!schedules || same_schedule(&p->schedule, &q->schedule));
}

static bool same_findings(const struct finding_list *a, const struct finding_list *b, bool schedules)
{
    bool same = a->findings_count == b->findings_count;

    for (size_t i = 0; same && i < a->findings_count; i++)
        same = same_finding(&a->findings[i], &b->findings[i], schedules);
    return same;
}

static uint64_t refuted(const struct property_stats *s)
{
    uint64_t sum = 0;

    for (int why = 0; why < REFUTATIONS; why++)
        sum += s->refuted[why];
    return sum;
}

static bool same_counts(const struct property_stats *a, const struct property_stats *b, bool classes)
{
    return a->subjects == b->subjects && a->candidates == b->candidates && a->feasible == b->feasible &&
           a->undecided == b->undecided && a->skipped == b->skipped && refuted(a) == refuted(b) &&
           (!classes || memcmp(a->refuted, b->refuted, sizeof a->refuted) == 0);
}

static bool lists_candidate(const struct finding_list *list, const struct finding *f)
{
    for (size_t i = 0; i < list->findings_count; i++) {
        const struct finding *other = &list->findings[i];
        if (other->property == f->property && other->event_count == f->event_count &&
            memcmp(other->events, f->events, f->event_count * sizeof *f->events) == 0)
            return true;
    }
    return false;
}

/* Whether what one way has found is found, or left undecided, the other way. Which accesses are listed as unordered depends
 * on which races are found. */
static bool is_possible(const struct results *one, const struct results *other)
{
    for (size_t i = 0; i < one->found.findings_count; i++) {
        const struct finding *f = &one->found.findings[i];
        if (f->property != PROPERTY_UNORDERED && !lists_candidate(&other->found, f) &&
            !lists_candidate(&other->undecided, f))
            return false;
    }
    return true;
}

/* Candidates without a verdict. */
static uint64_t open_ones(const struct property_stats *s)
{
    return s->undecided + s->skipped;
}

/* Whether the counts of both ways differ by no more than what they left open, candidate by candidate of the same ones.
 */
static bool fits_counts(const struct property_stats *a, const struct property_stats *b)
{
    return a->subjects == b->subjects && a->candidates == b->candidates &&
           a->feasible <= b->feasible + open_ones(b) && b->feasible <= a->feasible + open_ones(a) &&
           refuted(a) <= refuted(b) + open_ones(b) && refuted(b) <= refuted(a) + open_ones(a);
}

/* Whether each place of one finding is a place of the other. */
static bool covers(const struct trace *t, const struct finding *f, const struct finding *other)
{
    for (uint32_t i = 0; i < other->event_count; i++) {
        bool found = false;
        for (uint32_t k = 0; k < f->event_count && !found; k++)
            found = place_of(t, f->events[k]) == place_of(t, other->events[i]);
        if (!found)
            return false;
    }
    return true;
}

/* Whether the finding stands for its places in the list, too: for as many, unless one of them only says at least how many. */
static bool stands_in(const struct trace *t, const struct finding *f, const struct finding_list *list)
{
    for (size_t i = 0; i < list->findings_count; i++) {
        const struct finding *g = &list->findings[i];
        if (f->property != g->property || !covers(t, f, g) || !covers(t, g, f))
            continue;
        if (f->count_is_exact && g->count_is_exact)
            return same_finding(f, g, true);
        return (f->count <= g->count || !g->count_is_exact) && (g->count <= f->count || !f->count_is_exact);
    }
    return false;
}

bool groups_agree(const struct trace *t, const struct results *a, const struct results *b)
{
    bool same = a->found.findings_count == b->found.findings_count &&
                same_findings(&a->undecided, &b->undecided, false);

    for (size_t i = 0; same && i < a->found.findings_count; i++)
        same = stands_in(t, &a->found.findings[i], &b->found);
    for (int p = 0; same && p < PROPERTIES; p++)
        same = a->stats[p].skipped + b->stats[p].skipped > 0 ? fits_counts(&a->stats[p], &b->stats[p])
                                                             : same_counts(&a->stats[p], &b->stats[p], true);
    return same;
}

bool results_equal(const struct results *a, const struct results *b)
{
    bool same = same_findings(&a->found, &b->found, true) && same_findings(&a->undecided, &b->undecided, false);

    for (int p = 0; p < PROPERTIES; p++)
        same &= same_counts(&a->stats[p], &b->stats[p], true);
    return same;
}

bool results_agree(const struct results *a, const struct results *b)
{
    bool decided = a->undecided.findings_count + b->undecided.findings_count == 0;
    bool same = is_possible(a, b) && is_possible(b, a);

    for (int p = 0; p < PROPERTIES; p++)
        same &=
            decided ? same_counts(&a->stats[p], &b->stats[p], false) : fits_counts(&a->stats[p], &b->stats[p]);
    return same;
}
