/* What one worker has while it checks. */
#include "property/worker.h"
#include "base/memory.h"
#include "finding/place.h"
#include "property/candidate.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <xxhash.h>

static int ascending(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return x < y ? -1 : x > y;
}

static void order_pair(uint32_t *a, uint32_t *b)
{
    uint32_t low = *a < *b ? *a : *b, high = *a < *b ? *b : *a;

    *a = low;
    *b = high;
}

/* Most candidates have two or three events. */
uint64_t locations_key(const struct model *m, enum property property, const uint32_t *events, uint32_t count)
{
    uint32_t small[4] = {0}, *places = count < 4 ? small : memory_new((size_t)count + 1, sizeof *places);
    uint32_t used = 0;

    for (uint32_t i = 0; i < count; i++)
        places[i] = place_of(m->trace, events[i]);
    if (count < 4) {
        if (count > 1)
            order_pair(&places[0], &places[1]);
        if (count == 3) {
            order_pair(&places[1], &places[2]);
            order_pair(&places[0], &places[1]);
        }
    } else {
        qsort(places, count, sizeof *places, ascending);
    }
    for (uint32_t i = 0; i < count; i++)
        if (i == 0 || places[i] != places[used - 1])
            places[used++] = places[i];
    assert(used > 0 && used <= count);
    bool conflict = finding_is_conflict(&(struct finding){.property = property, .event_count = count});
    uint64_t key = XXH3_64bits_withSeed(places, used * sizeof *places, property + (conflict ? PROPERTIES : 0));
    if (places != small)
        free(places);
    return key;
}

/* The same: what is asked of one candidate after the other is asked several times of each. */
static uint64_t key_of(struct worker *w, enum property property, const uint32_t *events, uint32_t count)
{
    struct candidate_key *k = &w->last_key;

    if (count > KEY_EVENTS)
        return locations_key(w->m, property, events, count);
    if (k->property != property || k->count != count ||
        memcmp(k->events, events, count * sizeof *events) != 0) {
        *k = (struct candidate_key){property, count, {0}, locations_key(w->m, property, events, count)};
        memcpy(k->events, events, count * sizeof *events);
    }
    return k->key;
}

uint64_t worker_pair_key(struct worker *w, enum property property, const uint32_t events[2], uint32_t place_a,
                         uint32_t place_b)
{
    struct pair_key *k = &w->pair_keys[(place_a * 31 + place_b * 7 + (unsigned)property) % PAIR_KEYS];

    if (k->key == 0 || k->a != place_a || k->b != place_b || k->property != property)
        *k = (struct pair_key){place_a, place_b, property, locations_key(w->m, property, events, 2)};
    return k->key;
}

/* The finding of this unit that stands for the candidate's locations, or NULL. */
static struct finding *group_shown(struct worker *w, uint64_t key)
{
    uint32_t at = map_get(&w->groups, key);

    assert(at <= w->found.findings_count);
    return at ? &w->found.findings[at - 1] : NULL;
}

/* In a grouped check: whether a few candidates of the same locations were left undecided already, and either a finding stands
 * for them, so that only its count is at stake, or a query used up its part of the work that reads in doubt may cost. Then so
 * are these, and the work is kept for others. */
static bool gives_up_at_once(struct worker *w, enum property property, uint64_t key, uint64_t candidates)
{
    bool doubtful = map_get(&w->doubts, key) >= DOUBTS;
    if (!doubtful && map_get(&w->tried, key) < DOUBTS)
        return false;
    struct finding *shown = group_shown(w, key);
    if (!shown && !(doubtful && solver_ran_out(w->solver)))
        return false;
    w->stats[property].candidates += candidates;
    if (shown) {
        shown->count_is_exact = false;
        w->stats[property].skipped += candidates;
    } else {
        w->stats[property].undecided += candidates;
    }
    return true;
}

bool worker_has_enough(const struct worker *w)
{
    return w->asked >= w->ask_limit || solver_cost(w->solver) > w->cost_limit;
}

bool worker_may_skip(const struct worker *w)
{
    return !w->options->all && (worker_has_enough(w) || w->doubts.entries > 0 || w->tried.entries > 0);
}

bool worker_shows(struct worker *w, uint64_t key)
{
    return group_shown(w, key) != NULL;
}

void worker_pass_over(struct worker *w, enum property property, uint64_t key, uint64_t candidates)
{
    struct finding *shown = group_shown(w, key);

    assert(shown && shown->property == property);
    shown->count_is_exact = false;
    w->stats[property].candidates += candidates;
    w->stats[property].skipped += candidates;
}

bool worker_skips_group(struct worker *w, enum property property, uint64_t key, uint64_t candidates)
{
    assert(worker_may_skip(w));
    if (!worker_has_enough(w) || !worker_shows(w, key))
        return gives_up_at_once(w, property, key, candidates);
    worker_pass_over(w, property, key, candidates);
    return true;
}

bool worker_skips(struct worker *w, enum property property, const uint32_t *events, uint32_t count,
                  uint64_t candidates)
{
    return worker_may_skip(w) &&
           worker_skips_group(w, property, key_of(w, property, events, count), candidates);
}

void worker_refute(struct worker *w, enum property property, enum refutation why, uint64_t candidates)
{
    assert(property < PROPERTIES && why < REFUTATIONS);
    w->stats[property].candidates += candidates;
    w->stats[property].refuted[why] += candidates;
}

/* Adds a finding, or to the count of the one that stands for its locations, which have this key in a grouped check. Takes the
 * schedule over. */
static void book(struct worker *w, enum property property, uint64_t key, const uint32_t *events, uint32_t count,
                 struct schedule schedule)
{
    struct finding *shown = w->options->all ? NULL : group_shown(w, key);

    w->stats[property].candidates++;
    w->stats[property].feasible++;
    if (shown) {
        shown->count++;
        free(schedule.tail);
        return;
    }
    finding_add(&w->found, property, events, count, schedule);
    if (!w->options->all)
        *map_at(&w->groups, key) = (uint32_t)w->found.findings_count;
}

static uint64_t group_key(struct worker *w, enum property property, const uint32_t *events, uint32_t count)
{
    return w->options->all ? 0 : key_of(w, property, events, count);
}

void worker_observe(struct worker *w, enum property property, const uint32_t *events, uint32_t count)
{
    book(w, property, group_key(w, property, events, count), events, count, (struct schedule){0});
}

void worker_observe_in(struct worker *w, enum property property, uint64_t key, const uint32_t *events,
                       uint32_t count)
{
    assert(!w->options->all);
    book(w, property, key, events, count, (struct schedule){0});
}

/* Waits for the worker that makes it. */
static const struct certify_index *await_index(struct shared_index *index)
{
    while (!atomic_load(&index->made)) {
        if (atomic_load(&index->exhausted))
            memory_exhausted();
        nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
    }
    return atomic_load(&index->made);
}

bool worker_certifies(struct worker *w, const struct finding *claim)
{
    struct certify_options how = {.values_ignore = w->options->values_ignore,
                                  .grounds_ignore = w->options->grounds_ignore,
                                  .atomic_locks = w->options->atomic_locks};

    if (!w->certifier)
        w->certifier = certifier_new(await_index(w->index));
    return certifier_accepts(w->certifier, claim, &how, NULL);
}

static bool certify(struct worker *w, enum property property, const uint32_t *events, uint32_t count,
                    struct schedule schedule)
{
    struct finding claim = {.property = property, .event_count = count, .schedule = schedule};

    claim.events = (uint32_t *)(uintptr_t)events;
    return worker_certifies(w, &claim);
}

void worker_give_up(struct worker *w, enum property property, const uint32_t *events, uint32_t count)
{
    w->stats[property].candidates++;
    w->stats[property].undecided++;
    if (!w->options->all)
        ++*map_at(&w->doubts, key_of(w, property, events, count));
    finding_add(&w->undecided, property, events, count, (struct schedule){0});
}

/* What was observed is part of a finding, not of the question. */
static void fill_query(struct worker *w, enum property property, const uint32_t *events, uint32_t count)
{
    struct query *q = solver_query(w->solver);
    uint32_t asked[] = {events[0], count > 2 ? events[2] : 0};

    if (property == PROPERTY_NONDET)
        candidate_fill(w->m, q, property, asked, 2);
    else if (property == PROPERTY_FINAL)
        candidate_fill(w->m, q, property, events + 1, 1);
    else
        candidate_fill(w->m, q, property, events, count);
}

struct verdict worker_decide(struct worker *w, enum property property, const uint32_t *events, uint32_t count,
                             uint64_t most)
{
    fill_query(w, property, events, count);
    struct verdict v = solver_ask_within(w->solver, most);
    if (v.answer == ANSWER_INFEASIBLE && candidate_has_other_way(w->m, property, events)) {
        candidate_fill_other_way(w->m, solver_query(w->solver), events);
        v = solver_ask_within(w->solver, most);
    }
    return v;
}

void worker_conclude(struct worker *w, enum property property, const uint32_t *events, uint32_t count,
                     struct verdict v)
{
    assert(v.answer == ANSWER_FEASIBLE || !v.schedule.tail);
    w->asked++;
    if (v.answer == ANSWER_INFEASIBLE) {
        worker_refute(w, property, v.why, 1);
        return;
    }
    if (v.answer == ANSWER_FEASIBLE) {
        if (certify(w, property, events, count, v.schedule)) {
            w->certified++;
            book(w, property, group_key(w, property, events, count), events, count, v.schedule);
            return;
        }
        w->rejected++;
        free(v.schedule.tail);
    }
    worker_give_up(w, property, events, count);
}

/* Whether a finding stands for the locations with this key already, here or elsewhere. */
static bool is_key_shown(struct worker *w, uint64_t key)
{
    uint32_t owner = w->shown ? map_get(w->shown, key) : 0;

    return group_shown(w, key) || (owner && owner != w->number);
}

static bool is_shown(struct worker *w, enum property property, const uint32_t *events, uint32_t count)
{
    return !w->options->all && is_key_shown(w, key_of(w, property, events, count));
}

/* What the stage allows a candidate that no finding stands for. */
static uint64_t work_of_stage(const struct worker *w)
{
    static const uint64_t doubtful[] = {FIRST_WORK, SECOND_WORK, UINT64_MAX},
                          plain[] = {FIRST_WORK_PLAIN, SECOND_WORK_PLAIN, UINT64_MAX};

    return (w->m->relaxed ? doubtful : plain)[w->stage];
}

/* Asks the candidate when all others of the unit were asked. */
static void defer(struct worker *w, enum property property, const uint32_t *events, uint32_t count)
{
    ++*map_at(&w->waiting, key_of(w, property, events, count));
    ARRAY_PUSH(w, deferred, (struct deferred){property, (uint32_t)w->deferred_events_count, count});
    for (uint32_t i = 0; i < count; i++)
        ARRAY_PUSH(w, deferred_events, events[i]);
}

/* How many candidates of the same source locations are asked in the stage before others like them wait. */
static uint64_t defers_of_stage(const struct worker *w)
{
    static const uint64_t with_grounds[] = {FIRST_DEFERS_GROUNDS, SECOND_DEFERS_GROUNDS, UINT64_MAX},
                          without[] = {FIRST_DEFERS, SECOND_DEFERS, UINT64_MAX};

    return !w->m->relaxed ? DEFERS_PLAIN : (w->m->grounds ? with_grounds : without)[w->stage];
}

/* Whether so many candidates of the locations with this key wait at once, as many like them do already. Where reads are in doubt a
 * few are asked all the same, fewer and fewer: what those at first need says little of those far from them. */
static bool waits_at_once(struct worker *w, uint64_t key, uint64_t candidates)
{
    uint64_t waiting = w->stage != ASK_LAST && w->waiting.entries > 0 ? map_get(&w->waiting, key) : 0;
    uint64_t most = defers_of_stage(w), step = 1;

    if (waiting < most || !w->m->relaxed)
        return waiting >= most;
    while (step * most * 2 <= waiting)
        step *= 2;
    return (waiting + step - 1) / step == (waiting + candidates + step - 1) / step;
}

bool worker_waits(struct worker *w, uint64_t key, uint64_t candidates)
{
    if (w->options->all || !waits_at_once(w, key, candidates) || is_key_shown(w, key))
        return false;
    *map_at(&w->waiting, key) += (uint32_t)candidates;
    return true;
}

/* Whether those before it that begin with the same event needed more than is allowed at first. */
static bool is_tired_of(const struct worker *w, uint32_t event)
{
    return w->stage == ASK_FIRST && w->m->grounds && w->m->relaxed && w->tried_event == event &&
           w->tries >= FIRST_TRIES;
}

static void count_try(struct worker *w, uint32_t event)
{
    w->tries = w->tried_event == event ? w->tries + 1 : 1;
    w->tried_event = event;
}

/* What a candidate may cost that a finding stands for. */
static uint64_t work_of_shown(const struct worker *w)
{
    uint64_t cost = solver_cost(w->solver);

    return w->m->relaxed || w->cost_limit < cost + SHOWN_WORK ? SHOWN_WORK : w->cost_limit - cost;
}

/* The same as worker_decide within what deadlocks of more than two may still cost: there may be very many. */
static struct verdict decide_cycle(struct worker *w, const uint32_t *events, uint32_t count, uint64_t most)
{
    uint64_t cost = solver_cost(w->solver), left = w->cycle_work;

    if (left == UINT64_MAX)
        return worker_decide(w, PROPERTY_DEADLOCK, events, count, most);
    if (left == 0)
        return (struct verdict){.answer = ANSWER_UNDECIDED};
    struct verdict v = worker_decide(w, PROPERTY_DEADLOCK, events, count, most < left ? most : left);
    cost = solver_cost(w->solver) - cost;
    w->cycle_work -= cost < left ? cost : left;
    return v;
}

enum refutation worker_ask(struct worker *w, enum property property, const uint32_t *events, uint32_t count)
{
    bool shown = is_shown(w, property, events, count), cycle = property == PROPERTY_DEADLOCK && count > 2;
    uint64_t most = shown ? work_of_shown(w) : work_of_stage(w);

    if (!shown && w->stage != ASK_LAST &&
        (is_tired_of(w, events[0]) || waits_at_once(w, key_of(w, property, events, count), 1))) {
        defer(w, property, events, count);
        return REFUTATIONS;
    }
    struct verdict v =
        cycle ? decide_cycle(w, events, count, most) : worker_decide(w, property, events, count, most);
    if (v.answer == ANSWER_UNDECIDED && !shown && w->stage != ASK_LAST && !solver_ran_out(w->solver)) {
        count_try(w, events[0]);
        defer(w, property, events, count);
        return REFUTATIONS;
    }
    if (v.answer == ANSWER_UNDECIDED && shown)
        ++*map_at(&w->tried, key_of(w, property, events, count));
    worker_conclude(w, property, events, count, v);
    return v.answer == ANSWER_INFEASIBLE ? v.why : REFUTATIONS;
}

const struct finding *worker_shown(struct worker *w, enum property property, const uint32_t *events,
                                   uint32_t count)
{
    return w->options->all ? NULL : group_shown(w, key_of(w, property, events, count));
}

bool worker_passes_over(struct worker *w, enum property property, const uint32_t *events, uint32_t count)
{
    uint64_t key = key_of(w, property, events, count);

    if (!worker_shows(w, key))
        return false;
    worker_pass_over(w, property, key, 1);
    return true;
}

/* Those that waited once more; what needs more than this stage allows waits again. */
static void ask_deferred(struct worker *w)
{
    struct deferred *list = w->deferred;
    uint32_t *all = w->deferred_events;
    size_t count = w->deferred_count;

    w->deferred = NULL;
    w->deferred_events = NULL;
    w->deferred_count = w->deferred_capacity = w->deferred_events_count = w->deferred_events_capacity = 0;
    map_free(&w->waiting);
    for (size_t i = 0; i < count; i++) {
        const uint32_t *events = all + list[i].first;
        if (worker_passes_over(w, list[i].property, events, list[i].count))
            continue;
        if (is_shown(w, list[i].property, events, list[i].count))
            worker_give_up(w, list[i].property, events, list[i].count);
        else if (!worker_skips(w, list[i].property, events, list[i].count, 1))
            worker_ask(w, list[i].property, events, list[i].count);
    }
    free(list);
    free(all);
}

void worker_next_stage(struct worker *w)
{
    assert(w->stage != ASK_LAST);
    w->stage = w->stage == ASK_FIRST ? ASK_AGAIN : ASK_LAST;
    ask_deferred(w);
}

void worker_ask_deferred(struct worker *w)
{
    while (w->stage != ASK_LAST)
        worker_next_stage(w);
}

enum refutation worker_answer(struct worker *w, enum property property, const uint32_t *events, uint32_t count)
{
    struct verdict v = {.answer = ANSWER_INFEASIBLE, .why = REFUTED_CYCLE};

    if (!w->m->values) { /* else the class may be another, and the cut costs more than it says */
        fill_query(w, property, events, count);
        v = solver_refute(w->solver);
    }
    if (v.answer != ANSWER_INFEASIBLE)
        return worker_ask(w, property, events, count);
    worker_refute(w, property, v.why, 1);
    w->asked++;
    return v.why;
}

bool guards_exclude(const struct model *m, uint32_t ours, uint32_t theirs)
{
    for (uint32_t i = ours; i != HOLD_NONE; i = m->holds[i].outer) {
        const struct section *p = &m->sections[m->holds[i].section];
        for (uint32_t j = theirs; j != HOLD_NONE; j = m->holds[j].outer) {
            const struct section *q = &m->sections[m->holds[j].section];
            if (section_lock(p) == section_lock(q) && !(p->shared && q->shared))
                return true;
        }
    }
    return false;
}

bool share_lock(const struct model *m, event_id a, event_id b)
{
    return guards_exclude(m, model_guard_at(m, thread_of(m, a), m->position[a]),
                          model_guard_at(m, thread_of(m, b), m->position[b]));
}

uint32_t accesses_before(const struct model *m, const event_id *accesses, uint32_t count, uint32_t position)
{
    uint32_t low = 0, high = count;

    assert(count == 0 || thread_of(m, accesses[0]) == thread_of(m, accesses[count - 1]));
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (m->position[accesses[middle]] < position)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

const uint32_t *base_row(const struct model *m, event_id e)
{
    return clocks_forward_row(m, thread_of(m, e), m->position[e]);
}

event_id kept_source(const struct model *m, event_id update, uint32_t count, bool seen)
{
    event_id source = m->source[update];

    assert(count > m->position[update]);
    if (source == EVENT_NONE || source == EVENT_INIT || is_soft(m, update))
        return EVENT_INIT;
    bool last = seen && m->position[update] + 1 == count;
    bool kept = read_bound_at(m, update) < count ||
                (last && (kind_of(m, update) == EVENT_CAS || model_made(m, update).form == MADE_OF_ALL));
    return kept ? source : EVENT_INIT;
}

bool comes_before_source(const struct model *m, event_id write, event_id update, uint32_t count, bool seen)
{
    event_id source = kept_source(m, update, count, seen);

    assert(kind_writes(kind_of(m, write)));
    return source != EVENT_INIT && (write == source || must_before(m, write, source));
}
