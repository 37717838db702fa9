/* Races: conflicting accesses that some run brings next to each other (semantics §3). */
#include "base/map.h"
#include "base/memory.h"
#include "property/classes.h"
#include "property/quiet.h"
#include "property/worker.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

/* How the pair was refuted; REFUTATIONS: it was not. */
static enum refutation ask(struct worker *w, event_id a, event_id b)
{
    if (w->m->tenures && tenures_exclude(w->m, a, b)) {
        worker_refute(w, PROPERTY_RACE, REFUTED_MUST_ORDER, 1);
        return REFUTATIONS;
    }
    if (seen_before_parts(&w->seen[0], a, b) || seen_before_parts(&w->seen[1], b, a)) {
        worker_refute(w, PROPERTY_RACE, REFUTED_CYCLE, 1);
        return REFUTED_CYCLE;
    }
    return worker_ask(w, PROPERTY_RACE, a < b ? (uint32_t[]){a, b} : (uint32_t[]){b, a}, 2);
}

/* How the solver refuted pairs of two classes, as far as that tells of others. */
struct refuted_pairs {
    struct worker *w;
    const struct access_class *mine, *theirs;
    uint8_t *
        how; /* by access of theirs, with the one of mine that was looked at last: plus 1; NULL: none was refuted yet */
    uint32_t last; /* that one */
};

/* Whether what is refuted with one access of the class is with a later one. A cas has to write, so it has to see what it saw. */
static bool goes_for(struct worker *w, const struct access_class *c, uint32_t one, uint32_t later)
{
    return c->kind != EVENT_CAS && quiet_between(w, c->events[one], c->events[later]);
}

/* The pairs of mine[i] from here on: what was refuted with the one before stays so if what is in between is quiet. */
static void go_on(struct refuted_pairs *r, uint32_t i)
{
    if (r->how && !goes_for(r->w, r->mine, r->last, i))
        memset(r->how, 0, r->theirs->count);
    r->last = i;
}

/* Asks about mine[i] and theirs[j], unless one of them before, with nothing in between but what is quiet, was refuted. */
static void ask_unless_refuted(struct refuted_pairs *r, uint32_t i, uint32_t j)
{
    uint8_t known = r->how ? r->how[j] : 0;

    if (!known && r->how && j > 0 && r->how[j - 1] && goes_for(r->w, r->theirs, j - 1, j))
        known = r->how[j - 1];
    if (known) {
        worker_refute(r->w, PROPERTY_RACE, (enum refutation)(known - 1), 1);
    } else {
        enum refutation why = ask(r->w, r->mine->events[i], r->theirs->events[j]);
        known = why == REFUTATIONS ? 0 : (uint8_t)(why + 1);
    }
    if (known && !r->how)
        r->how = memory_new(r->theirs->count, 1);
    if (known)
        r->how[j] = known;
}

/* Whether pairs of these classes belong to the part under way: in a check of everything some of those of any two do. */
static bool takes_classes(const struct worker *w, const struct access_class *mine,
                          const struct access_class *theirs)
{
    return w->options->all || w->share.step == 1 ||
           worker_takes(w, 0, mine->place < theirs->place ? mine->events[0] : theirs->events[0]);
}

/* Whether so many pairs of these classes, or of others like them, are passed over. */
static bool skips_classes(struct worker *w, const struct access_class *mine, const struct access_class *theirs,
                          uint64_t count)
{
    uint32_t pair[] = {mine->events[0], theirs->events[0]};

    return worker_may_skip(w) &&
           worker_skips_group(w, PROPERTY_RACE,
                              worker_pair_key(w, PROPERTY_RACE, pair, mine->place, theirs->place), count);
}

/* The pairs of two classes, as far as their `a` belongs to this part. Of those with `a`, the ones in its base and the ones that have it in theirs are
 * refuted; as `a` moves on, both limits do. Once a finding stands for the locations of the classes and enough was
 * asked, the rest is passed over. */
static void check_classes(struct worker *w, const struct access_class *mine, const struct access_class *theirs)
{
    const struct model *m = w->m;
    struct share share = w->options->all ? w->share : (struct share){0, 1};
    uint64_t count = (mine->count + share.step - 1 - share.first) / share.step;
    uint64_t pairs = count * theirs->count, beside = 0;
    uint32_t low = 0, high = 0;
    struct refuted_pairs refuted = {.w = w, .mine = mine, .theirs = theirs};

    assert(mine->thread != theirs->thread && kinds_race(mine->kind, theirs->kind));
    if (mine->locks && theirs->locks && share_lock(m, mine->events[0], theirs->events[0])) {
        worker_refute(w, PROPERTY_RACE, REFUTED_MUST_ORDER, pairs);
        return;
    }
    for (uint32_t i = share.first; i < mine->count && !*w->stop; i += share.step) {
        event_id a = mine->events[i];
        uint64_t rest = (count - i / share.step) * theirs->count;
        if (skips_classes(w, mine, theirs, rest)) {
            pairs -= rest;
            break;
        }
        uint32_t known = base_row(m, a)[theirs->thread];
        while (low < theirs->count && m->position[theirs->events[low]] < known)
            low++;
        high = high < low ? low : high;
        while (high < theirs->count && base_row(m, theirs->events[high])[mine->thread] <= m->position[a])
            high++;
        assert(low <= high && high <= theirs->count);
        beside += high - low;
        go_on(&refuted, i);
        for (uint32_t j = low; j < high; j++) {
            if (worker_skips(w, PROPERTY_RACE, (uint32_t[]){a, theirs->events[j]}, 2, high - j))
                break;
            ask_unless_refuted(&refuted, i, j);
        }
    }
    free(refuted.how);
    assert(*w->stop || beside <= pairs);
    if (!*w->stop)
        worker_refute(w, PROPERTY_RACE, REFUTED_MUST_ORDER, pairs - beside);
}

/* Whether one lock or word, held exclusively, is around every access. */
static bool is_guarded(const struct model *m, struct event_span accesses)
{
    uint32_t h = model_guard_at(m, thread_of(m, accesses.events[0]), m->position[accesses.events[0]]);

    for (; h != HOLD_NONE; h = m->holds[h].outer) {
        const struct section *guard = &m->sections[m->holds[h].section];
        size_t i = 0;
        while (!guard->shared && i < accesses.count &&
               exclusive_around(m, section_lock(guard), accesses.events[i]))
            i++;
        if (i == accesses.count)
            return true;
    }
    return false;
}

/* Accesses by kind: of each thread that has some, and of all. */
struct kind_counts {
    uint64_t (*by_thread)[EVENT_KINDS];
    uint64_t all[EVENT_KINDS];
    uint32_t threads; /* how many have a place in by_thread */
};

/* Where there are fewer accesses than threads, threads have places in the order in which they come. */
static void count_kinds(const struct model *m, struct event_span accesses, struct kind_counts *counts)
{
    bool few = accesses.count < m->thread_count;
    size_t most = few ? accesses.count : m->thread_count;
    struct map places = {0};

    *counts = (struct kind_counts){.by_thread = memory_new(most, sizeof *counts->by_thread)};
    counts->threads = few ? 0 : m->thread_count;
    for (size_t i = 0; i < accesses.count; i++) {
        enum event_kind kind = kind_of(m, accesses.events[i]);
        thread_id t = thread_of(m, accesses.events[i]);
        uint32_t *place = few ? map_at(&places, t) : NULL;
        if (place && !*place)
            *place = ++counts->threads;
        counts->by_thread[place ? *place - 1 : t][kind]++;
        counts->all[kind]++;
    }
    map_free(&places);
}

/* All pairs of accesses by different threads that race by their kinds. */
static uint64_t count_pairs(const struct model *m, struct event_span accesses)
{
    struct kind_counts counts;
    uint64_t pairs = 0;

    count_kinds(m, accesses, &counts);
    for (enum event_kind a = 0; a < EVENT_KINDS; a++) {
        for (enum event_kind b = a; b < EVENT_KINDS && counts.all[a] > 0; b++) {
            if (counts.all[b] == 0 || !kinds_race(a, b))
                continue;
            uint64_t product = counts.all[a] * counts.all[b];
            for (uint32_t i = 0; i < counts.threads; i++)
                product -= counts.by_thread[i][a] * counts.by_thread[i][b];
            pairs += a == b ? product / 2 : product;
        }
    }
    free(counts.by_thread);
    return pairs;
}

/* Classes of all threads with the same place, kind and locks: what kinds, locks and locations say of one against a class says it of
 * all. */
struct like_classes {
    uint32_t *list; /* in order */
    size_t list_count, list_capacity;
    uint64_t accesses; /* of those that were looked at so far, … */
    uint64_t own;      /* … and of these, by the thread of the class under way */
};

/* From so many classes on they are put into groups. */
enum { MANY_CLASSES = 64 };

struct race_groups {
    struct worker *w;
    const struct classes *classes;
    struct like_classes *groups;
    size_t groups_count, groups_capacity;
    uint32_t *group_of; /* by class */
    uint32_t *before;   /* by class: the one before it of its thread, plus 1 */
};

static uint32_t group_of_class(struct race_groups *g, struct map *index, const struct access_class *c)
{
    struct {
        uint64_t locks;
        uint32_t place, kind;
    } key = {c->locks, c->place, (uint32_t)c->kind};
    uint32_t *at = map_at(index, XXH3_64bits(&key, sizeof key));

    if (!*at) {
        ARRAY_PUSH(g, groups, (struct like_classes){0});
        *at = (uint32_t)g->groups_count;
    }
    return *at - 1;
}

static void find_groups(struct race_groups *g)
{
    struct map index = {0}, last = {0};

    g->group_of = memory_new(g->classes->list_count, sizeof *g->group_of);
    g->before = memory_new(g->classes->list_count, sizeof *g->before);
    for (uint32_t i = 0; i < g->classes->list_count; i++) {
        const struct access_class *c = &g->classes->list[i];
        uint32_t *newest = map_at(&last, c->thread);
        g->before[i] = *newest;
        *newest = i + 1;
        g->group_of[i] = group_of_class(g, &index, c);
        ARRAY_PUSH(&g->groups[g->group_of[i]], list, i);
    }
    map_free(&index);
    map_free(&last);
}

/* The class against those of a group that come before it. Where all are passed over or refuted alike, that is done at once. */
static void check_group(struct race_groups *g, uint32_t class, struct like_classes *theirs)
{
    const struct access_class *mine = &g->classes->list[class], *like = &g->classes->list[theirs->list[0]];
    struct worker *w = g->w;
    uint64_t pairs = mine->count * (theirs->accesses - theirs->own);

    if (pairs == 0 || !kinds_race(mine->kind, like->kind) || !takes_classes(w, mine, like))
        return;
    bool whole = !w->options->all || w->share.step == 1, locked = mine->locks && like->locks;
    if (whole && locked && share_lock(w->m, mine->events[0], like->events[0])) {
        worker_refute(w, PROPERTY_RACE, REFUTED_MUST_ORDER, pairs);
        return;
    }
    if (skips_classes(w, mine, like, pairs))
        return;
    for (size_t i = 0; i < theirs->list_count && theirs->list[i] < class; i++)
        if (g->classes->list[theirs->list[i]].thread != mine->thread)
            check_classes(w, mine, &g->classes->list[theirs->list[i]]);
}

static void check_groups(struct worker *w, const struct classes *classes)
{
    struct race_groups groups = {.w = w, .classes = classes}, *g = &groups;

    find_groups(g);
    for (uint32_t i = 0; i < g->classes->list_count; i++) {
        const struct access_class *c = &g->classes->list[i];
        g->w->stats[PROPERTY_RACE].subjects += worker_is_first(g->w) ? c->count : 0;
        for (uint32_t k = g->before[i]; k > 0; k = g->before[k - 1])
            g->groups[g->group_of[k - 1]].own += g->classes->list[k - 1].count;
        for (size_t k = 0; k < g->groups_count; k++)
            check_group(g, i, &g->groups[k]);
        for (uint32_t k = g->before[i]; k > 0; k = g->before[k - 1])
            g->groups[g->group_of[k - 1]].own = 0;
        g->groups[g->group_of[i]].accesses += c->count;
    }
    for (size_t i = 0; i < g->groups_count; i++)
        free(g->groups[i].list);
    free(g->groups);
    free(g->group_of);
    free(g->before);
}

/* The same one by one. */
static void check_pairs(struct worker *w, const struct classes *classes)
{
    for (size_t i = 0; i < classes->list_count; i++) {
        const struct access_class *mine = &classes->list[i];
        w->stats[PROPERTY_RACE].subjects += worker_is_first(w) ? mine->count : 0;
        for (const struct access_class *theirs = classes->list; theirs < mine; theirs++)
            if (mine->thread != theirs->thread && kinds_race(mine->kind, theirs->kind) &&
                takes_classes(w, mine, theirs))
                check_classes(w, mine, theirs);
    }
}

void race_variable(struct worker *w, variable_id x)
{
    struct event_span accesses = accesses_of(w->m, x);

    if (is_guarded(w->m, accesses)) {
        if (!worker_is_first(w))
            return;
        w->stats[PROPERTY_RACE].subjects += accesses.count;
        worker_refute(w, PROPERTY_RACE, REFUTED_MUST_ORDER, count_pairs(w->m, accesses));
        return;
    }

    struct classes classes;

    classes_build(&classes, w->m, x, kind_accesses, true);
    (classes.list_count < MANY_CLASSES ? check_pairs : check_groups)(w, &classes);
    classes_free(&classes);
}
