/* Hands batches of units to workers, gives those that left something undecided what is left of the work, puts together what
 * was found. */
#include "property/rounds.h"
#include "base/memory.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

/* What windows may cost where reads are in doubt, in vectors of clocks, some 80 million a second: in all, for each event
 * more, and for a unit at least if there are few; and the budget of choices that this goes with: a larger one allows more. A
 * part of it is shared out among all units; what these leave goes to those that left something undecided. */
enum { WORK_BASE = 160000000, WORK_EVENT = 100, WORK_LEAST = 1000000, WORK_BUDGET = 100000, WORK_PART = 8 };

/* How often such units are done again at most. */
enum { ROUNDS_AGAIN = 3 };

/* Nodes of windows that locations which are shown already may cost: in all, for each event more, at least for a unit. */
enum { COST_BASE = 4000000, COST_EVENT = 50, COST_LEAST = 1000 };

static double seconds_of_work(void)
{
    struct timespec now;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Takes what the worker found out about a batch; the next one knows nothing of it. */
static struct unit_outcome take_outcome(struct worker *w, enum property property)
{
    struct unit_outcome o = {w->found, w->undecided, w->stats[property], w->certified};

    w->found = w->undecided = (struct finding_list){0};
    w->stats[property] = (struct property_stats){0};
    w->certified = 0;
    map_free(&w->groups);
    map_free(&w->doubts);
    return o;
}

static void outcome_free(struct unit_outcome *o)
{
    finding_list_free(&o->found);
    finding_list_free(&o->undecided);
}

/* What windows may cost in all. */
static double all_work(const struct model *m, const struct check_options *options)
{
    double budget = options->budget > WORK_BUDGET ? (double)options->budget : WORK_BUDGET;

    return (WORK_BASE + (double)WORK_EVENT * m->event_count) * budget / WORK_BUDGET /
           (options->thrift > 0 ? options->thrift : 1);
}

/* What a unit may cost where reads are in doubt: its share of what the trace may, so that it does not depend on which
 * worker takes it, or when. */
static uint64_t work_of(const struct worker *w, int64_t unit, uint64_t more)
{
    const struct model *m = w->m;
    double all = all_work(m, w->options) / WORK_PART;
    double accesses = m->access_start[m->variable_count] + 1.0;
    double even = 1.0 / (m->variable_count + 1.0);
    double share = unit < 0 ? 0.5 : (double)accesses_of(m, (variable_id)unit).count / accesses;
    double least = all * even < WORK_LEAST ? all * even : WORK_LEAST;
    double work = least + all * share + (double)more;

    return work < 1e18 ? (uint64_t)work : UINT64_MAX / 2;
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

static void run_unit(struct worker *w, enum property property, int64_t unit, uint64_t more)
{
    static void (*const by_variable[])(struct worker *, variable_id) = {
        [PROPERTY_NONDET] = nondet_variable, [PROPERTY_FINAL] = final_variable,
        [PROPERTY_RACE] = race_variable,     [PROPERTY_ATOMICITY] = atomicity_variable,
        [PROPERTY_STALE] = stale_variable,
    };
    size_t size = unit >= 0 ? accesses_of(w->m, (variable_id)unit).count : w->m->event_count / 64;

    solver_allow(w->solver, work_of(w, unit, more));
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

struct worker_thread {
    pthread_t thread;
    struct check_plan *plan;
    struct worker w;
    struct unit_total {
        struct finding_list found, undecided;
        struct property_stats stats[PROPERTIES];
        uint64_t certified;
    } total;
    struct again *again; /* what is to be done again */
    size_t again_count, again_capacity;
    uint64_t spent; /* of the work that reads in doubt may cost */
};

static void add_findings(struct finding_list *to, struct finding_list *from)
{
    for (size_t i = 0; i < from->findings_count; i++)
        ARRAY_PUSH(to, findings, from->findings[i]);
    free(from->findings);
    *from = (struct finding_list){0};
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

static void add_outcome(struct unit_total *total, enum property property, struct unit_outcome *o)
{
    add_findings(&total->found, &o->found);
    add_findings(&total->undecided, &o->undecided);
    add_stats(&total->stats[property], &o->stats);
    total->certified += o->certified;
}

/* Runs the units; returns how many left something undecided because their work was used up. */
static uint64_t run_units(struct worker_thread *self, enum property property, const int64_t *units,
                          size_t count)
{
    struct worker *w = &self->w;
    uint64_t doubtful = 0, more = self->plan->is_again ? self->plan->more : 0;
    double start = seconds_of_work();

    w->cost_limit = solver_cost(w->solver);
    for (size_t i = 0; i < count && !*w->stop; i++) {
        uint64_t undecided = w->stats[property].undecided;
        run_unit(w, property, units[i], more);
        self->spent += solver_spent(w->solver);
        doubtful += w->stats[property].undecided > undecided && solver_ran_out(w->solver);
    }
    w->stats[property].seconds += seconds_of_work() - start;
    return doubtful;
}

static void run_property(struct worker_thread *self, enum property property, size_t batch)
{
    const struct check_plan *plan = self->plan;
    const struct batch *b = &plan->batches[batch];

    if (!plan->options->properties[property] || *plan->stop)
        return;
    uint64_t doubtful = run_units(self, property, plan->units + b->first, b->count);
    struct unit_outcome o = take_outcome(&self->w, property);
    if (doubtful > 0)
        ARRAY_PUSH(self, again, (struct again){batch, property, doubtful, o});
    else
        add_outcome(&self->total, property, &o);
}

/* Another round of a batch. What it costs in time is added; all else replaces what is known. */
static void run_again(struct worker_thread *self, struct again *again)
{
    const struct batch *b = &self->plan->batches[again->batch];

    if (again->doubtful == 0)
        return;
    self->w.number = SHOWN_FOR_GOOD + 1 + (uint32_t)(again - self->plan->again);
    uint64_t doubtful = run_units(self, again->property, self->plan->units + b->first, b->count);
    struct unit_outcome o = take_outcome(&self->w, again->property);
    if (*self->plan->stop) {
        outcome_free(&o);
        return;
    }
    o.stats.seconds += again->before.stats.seconds;
    outcome_free(&again->before);
    again->before = o;
    again->doubtful = doubtful;
}

static void run_batch(struct worker_thread *self, size_t batch)
{
    static const enum property whole[] = {
        [-UNIT_DEADLOCK] = PROPERTY_DEADLOCK,
        [-UNIT_UNORDERED] = PROPERTY_UNORDERED,
        [-UNIT_DETERMINISM] = PROPERTY_DETERMINISM,
        [-UNIT_SERIALIZABILITY] = PROPERTY_SERIALIZABILITY,
        [-UNIT_STUCK] = PROPERTY_STUCK,
    };
    static const enum property of_variables[] = {PROPERTY_NONDET, PROPERTY_FINAL, PROPERTY_RACE,
                                                 PROPERTY_ATOMICITY, PROPERTY_STALE};
    const struct check_plan *plan = self->plan;
    const struct batch *b = &plan->batches[batch];
    const int64_t *units = plan->units + b->first;
    size_t accesses = 0;

    assert(b->count > 0 &&
           (units[0] >= 0 || b->count == 1)); /* a pass over the whole trace is a batch of its own */
    if (units[0] < 0) {
        run_property(self, whole[-units[0]], batch);
        return;
    }
    for (size_t i = 0; i < sizeof of_variables / sizeof *of_variables; i++)
        run_property(self, of_variables[i], batch);
    for (size_t i = 0; i < b->count; i++)
        accesses += accesses_of(plan->m, (variable_id)units[i]).count;
    if (plan->options->progress)
        plan->options->progress(plan->options->progress_context, accesses);
}

static void work(struct worker_thread *self)
{
    struct check_plan *plan = self->plan;
    size_t count = plan->is_again ? plan->again_count : plan->batches_count;

    self->w =
        (struct worker){.m = plan->m,
                        .options = plan->options,
                        .stop = plan->stop,
                        .blocks = plan->blocks,
                        .shown = plan->is_again ? &plan->shown : NULL,
                        .solver = solver_new(plan->m, plan->options->budget, !plan->options->whole, plan->stop),
                        .certifier = certifier_new(plan->index)};
    if (plan->options->plain)
        solver_be_plain(self->w.solver);
    if (plan->options->states)
        solver_search_states(self->w.solver);
    for (size_t i; (i = atomic_fetch_add(&plan->next, 1)) < count && !*plan->stop && !plan->exhausted;)
        if (plan->is_again)
            run_again(self, &plan->again[i]);
        else
            run_batch(self, i);
    solver_free(self->w.solver);
    certifier_free(self->w.certifier);
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

static void run_workers(struct check_plan *plan, struct worker_thread *threads, unsigned workers)
{
    atomic_store(&plan->next, 0);
    for (unsigned i = 1; i < workers; i++)
        if (pthread_create(&threads[i].thread, NULL, run_worker, &threads[i]) != 0)
            workers = i; /* fewer then */
    run_worker(&threads[0]);
    for (unsigned i = 1; i < workers; i++)
        pthread_join(threads[i].thread, NULL);
    if (plan->exhausted)
        memory_exhausted();
}

static int by_batch(const void *a, const void *b)
{
    const struct again *p = a, *q = b;

    if (p->batch != q->batch)
        return p->batch < q->batch ? -1 : 1;
    return p->property < q->property ? -1 : p->property > q->property;
}

/* Takes what is to be done again from the workers, in an order that does not depend on their number. */
static void gather_again(struct check_plan *plan, struct worker_thread *threads, unsigned workers)
{
    for (unsigned i = 0; i < workers; i++) {
        for (size_t k = 0; k < threads[i].again_count; k++)
            ARRAY_PUSH(plan, again, threads[i].again[k]);
        free(threads[i].again);
    }
    if (plan->again_count > 0)
        qsort(plan->again, plan->again_count, sizeof *plan->again, by_batch);
}

static void add_shown(struct check_plan *plan, const struct finding_list *found, uint32_t by)
{
    for (size_t i = 0; i < found->findings_count; i++) {
        const struct finding *f = &found->findings[i];
        uint32_t *owner = map_at(&plan->shown, locations_key(plan->m, f->property, f->events, f->event_count));
        *owner = *owner ? *owner : by;
    }
}

/* In a grouped check, what was left undecided at locations that a finding is about needs no other round. */
static void drop_shown(struct check_plan *plan, const struct worker_thread *threads, unsigned workers)
{
    map_free(&plan->shown);
    for (unsigned i = 0; i < workers; i++)
        add_shown(plan, &threads[i].total.found, SHOWN_FOR_GOOD);
    for (size_t i = 0; i < plan->again_count; i++)
        add_shown(plan, &plan->again[i].before.found, SHOWN_FOR_GOOD + 1 + (uint32_t)i);
    for (size_t i = 0; i < plan->again_count; i++) {
        const struct finding_list *undecided = &plan->again[i].before.undecided;
        bool shown = true;
        for (size_t k = 0; k < undecided->findings_count && shown; k++) {
            const struct finding *f = &undecided->findings[k];
            shown = map_get(&plan->shown, locations_key(plan->m, f->property, f->events, f->event_count));
        }
        plan->again[i].doubtful = shown ? 0 : plan->again[i].doubtful;
    }
}

/* What is left of the work is shared out evenly among the units that left something undecided. Whether it is worth
 * another round. */
static bool share_rest(struct check_plan *plan, struct worker_thread *threads, unsigned workers)
{
    double all = all_work(plan->m, plan->options), left = all;
    uint64_t doubtful = 0;

    if (!plan->options->all)
        drop_shown(plan, threads, workers);
    for (unsigned i = 0; i < workers; i++)
        left -= (double)threads[i].spent;
    for (size_t i = 0; i < plan->again_count; i++)
        doubtful += plan->again[i].doubtful;
    if (doubtful == 0 || left < all / WORK_PART)
        return false;
    plan->more += (uint64_t)((left < 1e18 ? left : 1e18) / (double)doubtful);
    plan->is_again = true;
    return true;
}

static void collect(struct results *results, struct unit_total *from)
{
    add_findings(&results->found, &from->found);
    add_findings(&results->undecided, &from->undecided);
    for (int p = 0; p < PROPERTIES; p++)
        add_stats(&results->stats[p], &from->stats[p]);
    results->certified += from->certified;
}

void check_run(struct check_plan *plan, unsigned workers, struct results *results)
{
    struct worker_thread *threads = memory_new(workers, sizeof *threads);

    for (unsigned i = 0; i < workers; i++)
        threads[i].plan = plan;
    run_workers(plan, threads, workers);
    gather_again(plan, threads, workers);
    for (int i = 0; i < ROUNDS_AGAIN && !*plan->stop && share_rest(plan, threads, workers); i++)
        run_workers(plan, threads, workers);
    for (size_t i = 0; i < plan->again_count; i++)
        add_outcome(&threads[0].total, plan->again[i].property, &plan->again[i].before);
    for (unsigned i = 0; i < workers; i++)
        collect(results, &threads[i].total);
    free(plan->again);
    map_free(&plan->shown);
    free(threads);
}
