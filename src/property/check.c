/* Checks a trace: plans the units of work, has them run, and drops what is said elsewhere. */
#include "property/check.h"
#include "base/memory.h"
#include "finding/place.h"
#include "property/atomic_blocks.h"
#include "property/rounds.h"

#include <stdlib.h>
#include <xxhash.h>

/* Variables with few accesses are handed out many at a time: asking for the time, say, would take longer than
 * to check one. */
enum { BATCH_SMALL = 64, BATCH_UNITS = 256 };

/* A variable with more than one of so many parts of all accesses is split, into parts of that size; larger ones in a grouped check,
 * where a candidate costs less than what each part begins with. This depends on the trace and the options alone, so the report does
 * not depend on the number of workers. */
enum { UNIT_SHARES = 8, SPLIT_ALL = 16, SPLIT_GROUPED = 4 };

/* Of a variable that only one thread touches, or nobody writes, every read sees what it sees. */
static void count_local(const struct model *m, variable_id x, struct property_stats *nondet)
{
    struct event_span accesses = accesses_of(m, x);
    uint64_t reads = 0, writes = 0, both = 0;

    for (size_t i = 0; i < accesses.count; i++) {
        reads += kind_reads(kind_of(m, accesses.events[i]));
        writes += kind_writes(kind_of(m, accesses.events[i]));
        both += kind_updates(kind_of(m, accesses.events[i]));
    }
    nondet->subjects += reads;
    nondet->candidates += reads * writes - both;
    nondet->refuted[REFUTED_MUST_ORDER] += reads * writes - both;
}

static bool is_shared(const struct model *m, variable_id x)
{
    struct event_span accesses = accesses_of(m, x);
    bool two = false, written = false;

    for (size_t i = 0; i < accesses.count && !(two && written); i++) {
        two |= thread_of(m, accesses.events[i]) != thread_of(m, accesses.events[0]);
        written |= kind_writes(kind_of(m, accesses.events[i]));
    }
    return two && written;
}

struct sized {
    int64_t unit;
    size_t size;
};

static int larger_first(const void *a, const void *b)
{
    const struct sized *p = a, *q = b;

    if (p->size != q->size)
        return p->size > q->size ? -1 : 1;
    return p->unit < q->unit ? -1 : p->unit > q->unit;
}

/* Into how many parts a variable is split that has so many accesses. */
static uint32_t unit_parts(const struct check_plan *plan, size_t size)
{
    uint64_t all = plan->m->access_start[plan->m->variable_count];
    uint64_t parts = plan->options->all ? SPLIT_ALL : SPLIT_GROUPED;

    if (!plan_splits(plan) || size <= UNIT_SMALL || (uint64_t)size * UNIT_SHARES <= all)
        return 1;
    return (uint32_t)(((uint64_t)size * parts + all - 1) / all);
}

/* Adds a unit to the batch under way if both are small, or else to a new one. */
static void plan_unit(struct check_plan *plan, int64_t unit, size_t size)
{
    struct batch *last = plan->batches_count > 0 ? &plan->batches[plan->batches_count - 1] : NULL;
    bool small = unit >= 0 && size <= BATCH_SMALL;
    uint32_t parts = unit >= 0 ? unit_parts(plan, size) : 1;

    if (small && parts == 1 && last && last->count < BATCH_UNITS && plan->units[last->first] >= 0 &&
        accesses_of(plan->m, (variable_id)plan->units[last->first]).count <= BATCH_SMALL)
        last->count++;
    else
        for (uint32_t i = 0; i < parts; i++)
            ARRAY_PUSH(plan, batches, (struct batch){plan->units_count, 1, {i, parts}});
    ARRAY_PUSH(plan, units, unit);
}

/* Lists the units; variables that are not shared are settled here. */
static void make_plan(struct check_plan *plan, struct results *results)
{
    const struct model *m = plan->m;
    struct sized *sized = memory_new(m->variable_count, sizeof *sized);
    size_t count = 0;

    for (variable_id x = 0; x < m->variable_count; x++) {
        if (is_shared(m, x) || (plan->options->properties[PROPERTY_FINAL] && final_may_differ(m, x)))
            sized[count++] = (struct sized){x, accesses_of(m, x).count};
        else if (plan->options->properties[PROPERTY_NONDET])
            count_local(m, x, &results->stats[PROPERTY_NONDET]);
    }
    if (count > 0)
        qsort(sized, count, sizeof *sized, larger_first);
    plan_unit(plan, UNIT_UNORDERED, 0);
    plan_unit(plan, UNIT_DETERMINISM, 0);
    plan_unit(plan, UNIT_SERIALIZABILITY, 0);
    plan_unit(plan, UNIT_STUCK, 0);
    plan_unit(plan, UNIT_DEADLOCK, 0);
    for (size_t i = 0; i < count; i++)
        plan_unit(plan, sized[i].unit, sized[i].size);
    free(sized);
}

/* What two findings of two events have in common to be one: the events, or in a grouped check their locations.
 */
static uint64_t pair_key(const struct model *m, const struct finding *f, bool all)
{
    uint32_t a = all ? f->events[0] : place_of(m->trace, f->events[0]);
    uint32_t b = all ? f->events[1] : place_of(m->trace, f->events[1]);

    return a < b ? map_pair(a, b) : map_pair(b, a);
}

/* Unordered accesses are listed only where they are not reported as a race. */
static void drop_unordered_races(const struct model *m, bool all, struct results *results)
{
    struct finding_list *found = &results->found;
    struct map races = {0};
    size_t kept = 0;

    for (size_t i = 0; i < found->findings_count; i++)
        if (found->findings[i].property == PROPERTY_RACE)
            *map_at(&races, pair_key(m, &found->findings[i], all)) = 1;
    for (size_t i = 0; i < found->findings_count; i++) {
        struct finding *f = &found->findings[i];
        if (f->property == PROPERTY_UNORDERED && map_get(&races, pair_key(m, f, all)))
            free(f->events);
        else
            found->findings[kept++] = *f;
    }
    found->findings_count = kept;
    map_free(&races);
}

static int by_number(const void *a, const void *b)
{
    const uint32_t *p = a, *q = b;

    return *p < *q ? -1 : *p > *q;
}

/* What findings of one group have in common: the property and the set of places. */
static uint64_t group_of(const struct model *m, const struct finding *f)
{
    uint32_t *places = memory_new(f->event_count + 1, sizeof *places);
    uint64_t key;
    size_t count = 0;

    for (uint32_t i = 0; i < f->event_count; i++)
        places[i] = place_of(m->trace, f->events[i]);
    qsort(places, f->event_count, sizeof *places, by_number);
    for (uint32_t i = 0; i < f->event_count; i++)
        if (i == 0 || places[i] != places[count - 1])
            places[count++] = places[i];
    key = XXH3_64bits_withSeed(places, count * sizeof *places, (uint64_t)f->property + 1);
    free(places);
    return key;
}

/* What was only counted as undecided has the places of candidates that were listed. Where all of these belong to a finding, so
 * do the others. */
static void count_undecided_of_groups(struct results *results)
{
    bool listed[PROPERTIES] = {false};

    for (size_t i = 0; i < results->undecided.findings_count; i++)
        listed[results->undecided.findings[i].property] = true;
    for (int p = 0; p < PROPERTIES; p++) {
        if (listed[p])
            continue;
        results->stats[p].skipped += results->stats[p].undecided;
        results->stats[p].undecided = 0;
    }
}

/* In a grouped check, what was left undecided at places that a finding is about adds to that finding's count at most; unless it stands
 * for more, which may be anywhere. */
static void drop_undecided_of_groups(const struct model *m, struct results *results)
{
    struct finding_list *found = &results->found, *undecided = &results->undecided;
    struct map groups = {0};
    size_t kept = 0;

    for (size_t i = 0; i < found->findings_count; i++)
        *map_at(&groups, group_of(m, &found->findings[i])) = (uint32_t)i + 1;
    for (size_t i = 0; i < undecided->findings_count; i++) {
        struct finding *f = &undecided->findings[i];
        uint32_t at = map_get(&groups, group_of(m, f));
        if (!at || !f->count_is_exact) {
            undecided->findings[kept++] = *f;
            continue;
        }
        found->findings[at - 1].count_is_exact = false;
        results->stats[f->property].undecided--;
        results->stats[f->property].skipped++;
        free(f->events);
    }
    undecided->findings_count = kept;
    map_free(&groups);
    count_undecided_of_groups(results);
}

void plan_begin(struct check_plan *plan, struct results *results)
{
    plan->blocks = blocks_new(plan->m, plan->options->atomic_locks);
    plan->index.made = plan->options->index;
    make_plan(plan, results);
}

void plan_end(struct check_plan *plan)
{
    blocks_free(plan->blocks, plan->m);
    if (plan->index.made != plan->options->index)
        certify_index_free(plan->index.made);
    free(plan->units);
    free(plan->batches);
    free(plan->again.list);
    free(plan->parts.list);
    map_free(&plan->shown);
}

void check_trace(const struct model *m, const struct check_options *options, const stop_flag *stop,
                 struct results *results)
{
    struct check_plan plan = {.m = m, .options = options, .stop = stop, .guarded = memory_is_guarded()};

    plan_begin(&plan, results);
    check_run(&plan, options->workers > 0 ? options->workers : 1, results);
    drop_unordered_races(m, options->all, results);
    if (!options->all)
        drop_undecided_of_groups(m, results);
    for (int p = 0; p < PROPERTIES; p++)
        results->stats[p].checked = options->properties[p] && p != PROPERTY_OBSERVED; /* the trace tells that */
    results->stats[PROPERTY_ATOMICITY].subjects = blocks_count(plan.blocks);
    results->values_ignore = options->values_ignore;
    results->grounds_ignore = options->grounds_ignore;
    results->atomic_locks = options->atomic_locks;
    results->grouped = !options->all;
    results->predicted = options->predict;
    results->interrupted = *stop;
    results->complete = !*stop && results->undecided.findings_count == 0 && !m->trace->note;
    plan_end(&plan);
}
