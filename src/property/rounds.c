/* Hands batches of units to workers, gives those that left something undecided what is left of the work, puts together what
 * was found. */
#include "base/clock.h"
#include "base/memory.h"
#include "property/again.h"
#include "property/helped.h"

#include <assert.h>
#include <stdlib.h>

/* What windows may cost where reads are in doubt, in vectors of clocks, some 80 million a second: in all, for each event
 * more, and for a unit at least if there are few; and the budget of choices that this goes with: a larger one allows more. A
 * part of it is shared out among all units, a smaller one where there are grounds, since strides find most runs for little then;
 * what these leave goes to those that left something undecided. */
enum {
    WORK_BASE = 160000000,
    WORK_EVENT = 100,
    WORK_LEAST = 1000000,
    WORK_BUDGET = 100000,
    WORK_PART = 4,
    WORK_PART_GROUNDS = 8
};

/* How often such units are done again at most. */
enum { ROUNDS_AGAIN = 3 };

/* What locations which are shown already may cost, in vectors of clocks: in all, for each event more, at least for a unit. */
enum { COST_BASE = 16000000, COST_EVENT = 50, COST_LEAST = 1000 };

/* Takes what the worker found out about a batch; the next one knows nothing of it. */
static struct unit_outcome take_outcome(struct worker *w, enum property property)
{
    struct unit_outcome o = {w->found, w->undecided, w->stats[property], w->certified};

    w->found = w->undecided = (struct finding_list){0};
    w->stats[property] = (struct property_stats){0};
    w->certified = 0;
    map_free(&w->groups);
    map_free(&w->doubts);
    map_free(&w->tried);
    return o;
}

/* What windows may cost in all. */
static double all_work(const struct model *m, const struct check_options *options)
{
    double budget = options->budget > WORK_BUDGET ? (double)options->budget : WORK_BUDGET;

    return (WORK_BASE + (double)WORK_EVENT * m->event_count) * budget / WORK_BUDGET /
           (options->thrift > 0 ? options->thrift : 1);
}

/* What is shared out at first. */
static double first_work(const struct model *m, const struct check_options *options)
{
    return all_work(m, options) / (m->grounds ? WORK_PART_GROUNDS : WORK_PART);
}

static uint64_t whole_work(double work)
{
    return work < 1e18 ? (uint64_t)work : UINT64_MAX / 2;
}

/* What a unit, or the part of it under way, may cost where reads are in doubt: its share of what the trace may, so that it does not
 * depend on which worker takes it, or when. */
static uint64_t work_of(const struct worker *w, int64_t unit, uint64_t more)
{
    const struct model *m = w->m;
    double all = first_work(m, w->options);
    double accesses = m->access_start[m->variable_count] + 1.0;
    double even = 1.0 / (m->variable_count + 1.0);
    double share = unit < 0 ? 0.5 : (double)accesses_of(m, (variable_id)unit).count / accesses;
    double least = all * even < WORK_LEAST ? all * even : WORK_LEAST;

    return whole_work(least + all * share / w->share.step + (double)more);
}

/* What a unit may cost before locations that are shown are no longer asked about: likewise its share. */
static uint64_t cost_of(const struct worker *w, int64_t unit)
{
    const struct model *m = w->m;
    double all = COST_BASE + (double)COST_EVENT * m->event_count;
    double accesses = m->access_start[m->variable_count] + 1.0;
    double share = unit < 0 ? 0.5 : (double)accesses_of(m, (variable_id)unit).count / accesses;

    return COST_LEAST + (uint64_t)(all * share / w->share.step);
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
    w->asked = w->tries = 0;
    map_free(&w->doubts);
    w->ask_limit = size > UNIT_SMALL ? UNIT_ASKS : UNIT_ASKS_SMALL;
    w->stage = w->options->all ? ASK_LAST : ASK_FIRST;
    bool counted = !w->options->all && !w->m->relaxed; /* else all is asked, or solver_allow limits it */
    w->cycle_work = counted ? whole_work(all_work(w->m, w->options)) : UINT64_MAX;
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
    worker_ask_deferred(w);
}

static void add_outcome(struct unit_total *total, enum property property, struct unit_outcome *o)
{
    findings_move(&total->found, &o->found);
    findings_move(&total->undecided, &o->undecided);
    stats_add(&total->stats[property], &o->stats);
    total->certified += o->certified;
}

void worker_book(struct worker_thread *self, const struct again *outcome)
{
    struct unit_outcome o = outcome->outcome;

    if (outcome->doubtful > 0 || self->keeps_apart)
        ARRAY_PUSH(&self->again, list, *outcome);
    else
        add_outcome(&self->total, outcome->property, &o);
}

/* Runs one of so many parts of the batch: of its units or, where it has one, of that one's candidates. Returns how many
 * units left something undecided because their work was used up. */
static uint64_t run_units(struct worker_thread *self, enum property property, const struct batch *b,
                          uint32_t part, uint32_t parts)
{
    struct worker *w = &self->w;
    const int64_t *units = self->plan->units + b->first;
    bool split = b->count == 1;
    uint64_t doubtful = 0, more = self->plan->is_again ? self->plan->more : 0;
    double start = self->clock;

    assert(part < parts && b->share.first < b->share.step);
    w->share = split ? (struct share){b->share.first + b->share.step * part, b->share.step * parts} : b->share;
    if (split)
        more /= parts; /* each gets its share of what the unit gets */
    w->cost_limit = solver_cost(w->solver);
    for (size_t i = split ? 0 : part; i < b->count && !*w->stop; i += parts) {
        uint64_t undecided = w->stats[property].undecided;
        run_unit(w, property, units[i], more);
        self->spent += solver_spent(w->solver);
        doubtful += w->stats[property].undecided > undecided && solver_may_gain(w->solver);
    }
    self->clock = seconds_now();
    w->stats[property].seconds += self->clock - start;
    return doubtful;
}

static void run_property(struct worker_thread *self, enum property property, size_t batch)
{
    const struct check_plan *plan = self->plan;
    const struct batch *b = &plan->batches[batch];

    if (!plan->options->properties[property] || *plan->stop ||
        (b->share.first > 0 && !unit_is_split(plan->units[b->first], property)))
        return;
    uint64_t doubtful = run_units(self, property, b, 0, 1);
    worker_book(self, &(struct again){.batch = batch,
                                      .parts = 1,
                                      .property = property,
                                      .doubtful = doubtful,
                                      .outcome = take_outcome(&self->w, property)});
}

static void run_again(struct worker_thread *self, struct again *part)
{
    const struct check_plan *plan = self->plan;

    self->w.number = SHOWN_FOR_GOOD + 1 + (uint32_t)part->origin;
    part->doubtful = run_units(self, part->property, &plan->batches[part->batch], part->part, part->parts);
    part->outcome = take_outcome(&self->w, part->property);
    part->is_done = !*plan->stop;
}

void plan_tell_progress(const struct check_plan *plan, size_t batch)
{
    const struct batch *b = &plan->batches[batch];
    size_t accesses = 0;

    if (!plan->options->progress || plan->units[b->first] < 0)
        return;
    for (size_t i = 0; i < b->count && b->share.first == 0; i++)
        accesses += accesses_of(plan->m, (variable_id)plan->units[b->first + i]).count;
    plan->options->progress(plan->options->progress_context, accesses);
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

    assert(b->count > 0 &&
           (units[0] >= 0 || b->count == 1)); /* a pass over the whole trace is a batch of its own */
    if (units[0] < 0) {
        run_property(self, whole[-units[0]], batch);
        return;
    }
    for (size_t i = 0; i < sizeof of_variables / sizeof *of_variables; i++)
        run_property(self, of_variables[i], batch);
    plan_tell_progress(plan, batch);
}

void worker_run_task(struct worker_thread *self, size_t task)
{
    self->clock = seconds_now();
    self->w.shown = self->plan->is_again ? &self->plan->shown : NULL;
    if (self->plan->is_again)
        run_again(self, &self->plan->parts.list[task]);
    else
        run_batch(self, task);
}

void plan_make_index(struct check_plan *plan)
{
    if (!atomic_load(&plan->index.made))
        atomic_store(&plan->index.made, certify_index_new(plan->m->trace));
}

void worker_begin(struct worker_thread *self)
{
    const struct check_plan *plan = self->plan;

    self->w = (struct worker){
        .m = plan->m,
        .options = plan->options,
        .stop = plan->stop,
        .blocks = plan->blocks,
        .index = &self->plan->index,
        .solver = solver_new(plan->m, plan->options->budget, !plan->options->whole, plan->stop)};
    seen_before_init(&self->w.seen[0], plan->m);
    seen_before_init(&self->w.seen[1], plan->m);
    if (plan->options->plain)
        solver_be_plain(self->w.solver);
    if (plan->options->states)
        solver_search_states(self->w.solver);
}

void worker_end(struct worker_thread *self)
{
    solver_free(self->w.solver);
    if (self->w.certifier)
        certifier_free(self->w.certifier);
    free(self->w.noticed);
    seen_before_free(&self->w.seen[0]);
    seen_before_free(&self->w.seen[1]);
    free(self->w.deferred);
    free(self->w.deferred_events);
}

static bool next_task(struct check_plan *plan, size_t *task)
{
    *task = atomic_fetch_add(&plan->next_alone, 1);
    if (*task >= plan->alone)
        *task = plan->alone + atomic_fetch_add(&plan->next, 1);
    return *task < plan_tasks(plan);
}

static void work(struct worker_thread *self)
{
    struct check_plan *plan = self->plan;

    if (self->is_first)
        plan_make_index(plan);
    worker_begin(self);
    for (size_t task; !*plan->stop && !plan->index.exhausted && next_task(plan, &task);)
        worker_run_task(self, task);
    worker_end(self);
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
        self->plan->index.exhausted = true;
    }
    return NULL;
}

/* The passes over the whole trace whose findings have no schedule, so that they cannot be certified, are not for helpers. They
 * are the first of all tasks. */
static size_t count_alone(const struct check_plan *plan)
{
    size_t count = 0, tasks = plan_tasks(plan);

    while (count < tasks &&
           unit_stays(plan->units[plan->batches[plan->is_again ? plan->parts.list[count].batch : count].first]))
        count++;
    return count;
}

/* With helpers, the main thread deals with these; `threads` has one more for that. */
static void run_workers(struct check_plan *plan, struct worker_thread *threads, unsigned workers)
{
    bool helped = plan->options->helpers;
    unsigned first = helped ? 0 : 1, made = first;

    plan->alone = count_alone(plan);
    atomic_store(&plan->next_alone, 0);
    atomic_store(&plan->next, 0);
    while (made < workers && pthread_create(&threads[made].thread, NULL, run_worker, &threads[made]) == 0)
        made++; /* fewer if that fails */
    if (helped && made == 0)
        plan_make_index(plan);
    if (helped)
        helped_round(&threads[workers]);
    if (!helped || made == 0)
        run_worker(&threads[0]);
    for (unsigned i = first; i < made; i++)
        pthread_join(threads[i].thread, NULL);
    if (plan->index.exhausted)
        memory_exhausted();
}

/* Takes what is to be done again from the workers. */
static void gather_again(struct check_plan *plan, struct worker_thread *threads, unsigned workers)
{
    for (unsigned i = 0; i < workers; i++) {
        for (size_t k = 0; k < threads[i].again.list_count; k++)
            ARRAY_PUSH(&plan->again, list, threads[i].again.list[k]);
        free(threads[i].again.list);
    }
    again_sort(&plan->again);
}

static void drop_shown(struct check_plan *plan, const struct worker_thread *threads, unsigned workers)
{
    const struct finding_list **found = memory_new(workers, sizeof *found);

    for (unsigned i = 0; i < workers; i++)
        found[i] = &threads[i].total.found;
    again_drop_shown(plan, found, workers);
    free(found);
}

/* Shares out what is left of the work. Whether it is worth another round. */
static bool plan_again(struct check_plan *plan, const struct worker_thread *threads, unsigned workers)
{
    double all = all_work(plan->m, plan->options), left = all;

    if (!plan->options->all)
        drop_shown(plan, threads, workers);
    for (unsigned i = 0; i < workers; i++)
        left -= (double)threads[i].spent;
    plan->is_again = left >= first_work(plan->m, plan->options) && again_plan(plan, left);
    return plan->is_again;
}

static void collect(struct results *results, struct unit_total *from)
{
    findings_move(&results->found, &from->found);
    findings_move(&results->undecided, &from->undecided);
    for (int p = 0; p < PROPERTIES; p++)
        stats_add(&results->stats[p], &from->stats[p]);
    results->certified += from->certified;
}

void check_run(struct check_plan *plan, unsigned workers, struct results *results)
{
    unsigned count = workers + 1;
    struct worker_thread *threads = memory_new(count, sizeof *threads);

    for (unsigned i = 0; i < count; i++)
        threads[i] = (struct worker_thread){.plan = plan, .is_first = i == 0};
    run_workers(plan, threads, workers);
    gather_again(plan, threads, count);
    for (int i = 0; i < ROUNDS_AGAIN && !*plan->stop && plan_again(plan, threads, count); i++) {
        run_workers(plan, threads, workers);
        again_take(plan);
    }
    for (size_t i = 0; i < plan->again.list_count; i++)
        add_outcome(&threads[0].total, plan->again.list[i].property, &plan->again.list[i].outcome);
    for (unsigned i = 0; i < count; i++)
        collect(results, &threads[i].total);
    free(threads);
}
