/* Further rounds of a check: what is done again, in which parts. */
#include "property/again.h"
#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>

/* Into how many parts a batch is split at most when it is done again. */
enum { PARTS_AGAIN = 8 };

static int by_batch(const void *a, const void *b)
{
    const struct again *p = a, *q = b;

    if (p->batch != q->batch)
        return p->batch < q->batch ? -1 : 1;
    return p->property < q->property ? -1 : p->property > q->property;
}

void again_sort(struct again_list *again)
{
    if (again->list_count > 0)
        qsort(again->list, again->list_count, sizeof *again->list, by_batch);
}

static void add_shown(struct check_plan *plan, const struct finding_list *found, uint32_t by)
{
    for (size_t i = 0; i < found->findings_count; i++) {
        const struct finding *f = &found->findings[i];
        uint32_t *owner = map_at(&plan->shown, locations_key(plan->m, f->property, f->events, f->event_count));
        *owner = *owner ? *owner : by;
    }
}

void again_drop_shown(struct check_plan *plan, const struct finding_list *const *found, size_t count)
{
    map_free(&plan->shown);
    for (size_t i = 0; i < count; i++)
        add_shown(plan, found[i], SHOWN_FOR_GOOD);
    for (size_t i = 0; i < plan->again.list_count; i++)
        add_shown(plan, &plan->again.list[i].outcome.found, SHOWN_FOR_GOOD + 1 + (uint32_t)i);
    for (size_t i = 0; i < plan->again.list_count; i++) {
        struct again *again = &plan->again.list[i];
        const struct finding_list *undecided = &again->outcome.undecided;
        bool shown = true;
        for (size_t k = 0; k < undecided->findings_count && shown; k++) {
            const struct finding *f = &undecided->findings[k];
            shown = map_get(&plan->shown, locations_key(plan->m, f->property, f->events, f->event_count));
        }
        again->doubtful = shown ? 0 : again->doubtful;
    }
}

/* How many subjects the candidates have that were left undecided, as far as that matters here: first events or, in a grouped
 * check, their places. */
static uint32_t subjects_of(const struct check_plan *plan, const struct finding_list *undecided)
{
    uint32_t seen[PARTS_AGAIN], count = 0;

    for (size_t i = 0; i < undecided->findings_count && count < PARTS_AGAIN; i++) {
        uint32_t first = undecided->findings[i].events[0];
        uint32_t subject = plan->options->all ? first : place_of(plan->m->trace, first);
        bool known = false;
        for (uint32_t k = 0; k < count && !known; k++)
            known = seen[k] == subject;
        if (!known)
            seen[count++] = subject;
    }
    return count > 0 ? count : 1;
}

bool again_plan(struct check_plan *plan, double work)
{
    uint64_t shares = 0;

    plan->parts.list_count = 0;
    for (size_t i = 0; i < plan->again.list_count; i++) {
        struct again *again = &plan->again.list[i];
        const struct batch *b = &plan->batches[again->batch];
        again->first = plan->parts.list_count;
        again->split = 0;
        if (again->doubtful == 0)
            continue;
        uint32_t subjects = subjects_of(plan, &again->outcome.undecided);
        again->split =
            plan_splits(plan) && unit_is_split(plan->units[b->first], again->property) ? subjects : 1;
        shares += again->doubtful;
        for (uint32_t k = 0; k < again->split; k++)
            ARRAY_PUSH(&plan->parts, list,
                       (struct again){.batch = again->batch,
                                      .property = again->property,
                                      .part = again->part + again->parts * k,
                                      .parts = again->parts * again->split,
                                      .origin = i});
    }
    if (shares > 0)
        plan->more += (uint64_t)((work < 1e18 ? work : 1e18) / (double)shares);
    return shares > 0;
}

void again_take(struct check_plan *plan)
{
    struct again_list before = plan->again;

    plan->again = (struct again_list){0};
    for (size_t i = 0; i < before.list_count; i++) {
        struct again *again = &before.list[i];
        bool done = again->split > 0;
        assert(again->first + again->split <= plan->parts.list_count);
        for (uint32_t k = 0; k < again->split; k++)
            done = done && plan->parts.list[again->first + k].is_done;
        for (uint32_t k = 0; k < again->split; k++) {
            struct again *part = &plan->parts.list[again->first + k];
            if (!done) {
                outcome_free(&part->outcome);
                continue;
            }
            part->outcome.stats.seconds += k == 0 ? again->outcome.stats.seconds : 0;
            ARRAY_PUSH(&plan->again, list, *part);
        }
        if (done)
            outcome_free(&again->outcome);
        else
            ARRAY_PUSH(&plan->again, list, *again);
    }
    free(before.list);
}
