/* Checks a trace: hands units of work to workers, puts together what they found. */
#include "property/check.h"
#include "base/memory.h"
#include "finding/place.h"
#include "property/atomic_blocks.h"
#include "property/worker.h"

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
#include <xxhash.h>

/* A variable, or one of the passes over the whole trace. */
enum {
    UNIT_DEADLOCK = -1,
    UNIT_UNORDERED = -2,
    UNIT_DETERMINISM = -3,
    UNIT_SERIALIZABILITY = -4,
    UNIT_STUCK = -5
};

/* Variables with few accesses are handed out many at a time: asking for the time, say, would take longer than
 * to check one. */
enum { BATCH_SMALL = 64, BATCH_UNITS = 256 };

/* What windows may cost where reads are in doubt, in vectors of clocks: in all, for each event more, at least for a unit; and the budget of
 * choices that this goes with; a larger one allows more. */
enum { WORK_BASE = 200000000, WORK_EVENT = 100, WORK_LEAST = 1000000, WORK_BUDGET = 100000 };

/* Nodes of windows that locations which are shown already may cost: in all, for each event more, at least for a unit. */
enum { COST_BASE = 4000000, COST_EVENT = 50, COST_LEAST = 1000 };

struct check_plan {
    const struct model *m;
    const struct check_options *options;
    const stop_flag *stop;
    struct certify_index *index;
    struct blocks *blocks;
    int64_t *units; /* the largest first, so that no worker is left with one at the end */
    size_t units_count, units_capacity;
    struct batch { /* of units: what a worker takes at once */
        size_t first, count;
    } * batches;
    size_t batches_count, batches_capacity;
    atomic_size_t next;
    bool guarded;          /* whoever asked for the check has a guard against exhausted memory */
    atomic_bool exhausted; /* a worker ran out of memory */
};

static double seconds_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Takes the findings of a batch to the worker's others; the next one knows nothing of them. */
static void finish_batch(struct worker *w, struct finding_list *found)
{
    for (size_t i = 0; i < w->found.findings_count; i++)
        ARRAY_PUSH(found, findings, w->found.findings[i]);
    w->found.findings_count = 0;
    map_free(&w->groups);
    map_free(&w->doubts);
}

/* What a unit may cost where reads are in doubt: its share of what the trace may, so that it does not depend on which
 * worker takes it, or when. */
static uint64_t work_of(const struct worker *w, int64_t unit)
{
    const struct model *m = w->m;
    double budget = w->options->budget > WORK_BUDGET ? (double)w->options->budget : WORK_BUDGET;
    double all = (WORK_BASE + (double)WORK_EVENT * m->event_count) * budget / WORK_BUDGET;
    double accesses = m->access_start[m->variable_count] + 1.0;
    double even = 1.0 / (m->variable_count + 1.0);
    double share = unit < 0 ? 0.5 : (double)accesses_of(m, (variable_id)unit).count / accesses;

    share = share > even ? share : even;

    return WORK_LEAST + (all * share < 1e18 ? (uint64_t)(all * share) : UINT64_MAX / 2);
}

/* What a unit may cost before locations that are shown are no longer asked about: likewise its share. */
static uint64_t cost_of(const struct worker *w, int64_t unit)
{
    const struct model *m = w->m;
    double all = COST_BASE + (double)COST_EVENT * m->event_count;
    double accesses = m->access_start[m->variable_count] + 1.0;
    double share = unit < 0 ? 0.5 : (double)accesses_of(m, (variable_id)unit).count / accesses;

    return COST_LEAST + (uint64_t)(all * share);
}

static void run_unit(struct worker *w, enum property property, int64_t unit)
{
    static void (*const by_variable[])(struct worker *, variable_id) = {
        [PROPERTY_NONDET] = nondet_variable, [PROPERTY_FINAL] = final_variable,
        [PROPERTY_RACE] = race_variable,     [PROPERTY_ATOMICITY] = atomicity_variable,
        [PROPERTY_STALE] = stale_variable,
    };
    size_t size = unit >= 0 ? accesses_of(w->m, (variable_id)unit).count : w->m->event_count / 64;

    solver_allow(w->solver, work_of(w, unit));
    w->cost_limit += cost_of(w, unit);
    w->asked = 0;
    map_free(&w->doubts);
    w->ask_limit = size > UNIT_SMALL ? UNIT_ASKS : UNIT_ASKS_SMALL;
    if (unit == UNIT_DEADLOCK)
        deadlock_all(w);
    else if (unit == UNIT_STUCK)
        stuck_all(w);
    else if (unit == UNIT_UNORDERED)
        unordered_all(w);
    else if (unit == UNIT_DETERMINISM)
        determinism_all(w);
    else if (unit == UNIT_SERIALIZABILITY)
        serializability_all(w);
    else
        by_variable[property](w, (variable_id)unit);
}

static void run_property(struct worker *w, enum property property, const int64_t *units, size_t count,
                         struct finding_list *found)
{
    if (!w->options->properties[property] || *w->stop)
        return;

    double start = seconds_now();
    w->cost_limit = solver_cost(w->solver);
    for (size_t i = 0; i < count && !*w->stop; i++)
        run_unit(w, property, units[i]);
    finish_batch(w, found);
    w->stats[property].seconds += seconds_now() - start;
}

static void run_batch(struct worker *w, const int64_t *units, size_t count, struct finding_list *found)
{
    static const enum property whole[] = {
        [-UNIT_DEADLOCK] = PROPERTY_DEADLOCK,
        [-UNIT_UNORDERED] = PROPERTY_UNORDERED,
        [-UNIT_DETERMINISM] = PROPERTY_DETERMINISM,
        [-UNIT_SERIALIZABILITY] = PROPERTY_SERIALIZABILITY,
        [-UNIT_STUCK] = PROPERTY_STUCK,
    };
    size_t accesses = 0;

    assert(count > 0 && (units[0] >= 0 || count == 1)); /* a pass over the whole trace is a batch of its own */
    if (units[0] < 0) {
        run_property(w, whole[-units[0]], units, count, found);
        return;
    }
    run_property(w, PROPERTY_NONDET, units, count, found);
    run_property(w, PROPERTY_FINAL, units, count, found);
    run_property(w, PROPERTY_RACE, units, count, found);
    run_property(w, PROPERTY_ATOMICITY, units, count, found);
    run_property(w, PROPERTY_STALE, units, count, found);
    for (size_t i = 0; i < count; i++)
        accesses += accesses_of(w->m, (variable_id)units[i]).count;
    if (w->options->progress)
        w->options->progress(w->options->progress_context, accesses);
}

struct worker_thread {
    pthread_t thread;
    struct check_plan *plan;
    struct worker w;
    struct finding_list found;
};

static void work(struct worker_thread *self)
{
    struct check_plan *plan = self->plan;

    self->w =
        (struct worker){.m = plan->m,
                        .options = plan->options,
                        .stop = plan->stop,
                        .blocks = plan->blocks,
                        .solver = solver_new(plan->m, plan->options->budget, !plan->options->whole, plan->stop),
                        .certifier = certifier_new(plan->index)};
    if (plan->options->plain)
        solver_be_plain(self->w.solver);
    for (size_t i;
         (i = atomic_fetch_add(&plan->next, 1)) < plan->batches_count && !*plan->stop && !plan->exhausted;)
        run_batch(&self->w, plan->units + plan->batches[i].first, plan->batches[i].count, &self->found);
    solver_free(self->w.solver);
    certifier_free(self->w.certifier);
    free(self->w.found.findings);
}

static void *run_worker(void *argument)
{
    struct worker_thread *self = argument;
    struct memory_guard guard;

    if (!self->plan->guarded) {
        work(self);
    } else if (MEMORY_GUARD(&guard)) {
        work(self);
        memory_guard_leave(&guard);
    } else {
        self->plan->exhausted = true;
    }
    return NULL;
}

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

/* Adds a unit to the batch under way if both are small, or else to a new one. */
static void plan_unit(struct check_plan *plan, int64_t unit, size_t size)
{
    struct batch *last = plan->batches_count > 0 ? &plan->batches[plan->batches_count - 1] : NULL;
    bool small = unit >= 0 && size <= BATCH_SMALL;

    if (small && last && last->count < BATCH_UNITS && plan->units[last->first] >= 0 &&
        accesses_of(plan->m, (variable_id)plan->units[last->first]).count <= BATCH_SMALL)
        last->count++;
    else
        ARRAY_PUSH(plan, batches, (struct batch){plan->units_count, 1});
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

static void add_stats(struct property_stats *to, const struct property_stats *from)
{
    to->subjects += from->subjects;
    to->candidates += from->candidates;
    to->feasible += from->feasible;
    to->undecided += from->undecided;
    to->skipped += from->skipped;
    to->seconds += from->seconds;
    for (int why = 0; why < REFUTATIONS; why++)
        to->refuted[why] += from->refuted[why];
}

static void collect(struct results *results, struct worker_thread *from)
{
    for (size_t i = 0; i < from->found.findings_count; i++)
        ARRAY_PUSH(&results->found, findings, from->found.findings[i]);
    for (size_t i = 0; i < from->w.undecided.findings_count; i++)
        ARRAY_PUSH(&results->undecided, findings, from->w.undecided.findings[i]);
    for (int p = 0; p < PROPERTIES; p++)
        add_stats(&results->stats[p], &from->w.stats[p]);
    results->certified += from->w.certified;
    free(from->found.findings);
    free(from->w.undecided.findings);
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

/* In a grouped check, what was left undecided at places that a finding is about adds to that finding's count at most. */
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
        if (!at) {
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
}

void check_trace(const struct model *m, const struct check_options *options, const stop_flag *stop,
                 struct results *results)
{
    struct check_plan plan = {.m = m, .options = options, .stop = stop, .guarded = memory_is_guarded()};
    unsigned workers = options->workers > 0 ? options->workers : 1;
    struct worker_thread *threads = memory_new(workers, sizeof *threads);

    plan.index = certify_index_new(m->trace);
    plan.blocks = blocks_new(m, options->atomic_locks);
    make_plan(&plan, results);
    for (unsigned i = 0; i < workers; i++)
        threads[i].plan = &plan;
    for (unsigned i = 1; i < workers; i++)
        if (pthread_create(&threads[i].thread, NULL, run_worker, &threads[i]) != 0)
            workers = i; /* fewer then */
    run_worker(&threads[0]);
    for (unsigned i = 1; i < workers; i++)
        pthread_join(threads[i].thread, NULL);
    if (plan.exhausted)
        memory_exhausted();
    for (unsigned i = 0; i < workers; i++)
        collect(results, &threads[i]);
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
    blocks_free(plan.blocks, m);
    certify_index_free(plan.index);
    free(plan.units);
    free(plan.batches);
    free(threads);
}
