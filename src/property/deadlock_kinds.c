/* Deadlocks of a grouped check: one finding for each set of locations.
 *
 * Acquires are taken together by the lock held, the lock wanted and the place: a kind. A cycle of kinds is settled by the
 * first of its sets of acquires that deadlocks. All cycles of two are tried before the first of three, and so on. A lock
 * is held by one thread at a time, so the held locks of a cycle differ, and each cycle begins at the smallest of them. */
#include "base/memory.h"
#include "property/deadlock_classes.h"

#include <stdlib.h>
#include <string.h>

/* How many steps the walk along longer cycles may take for each choice of the budget; and how many looks at what can meet are as one. */
enum { STEPS = 16, LOOKS = 16 };

/* How many steps may be taken to see whether a beginning of a cycle is possible. */
enum { PROBE_STEPS = 1000 };

struct kind_search {
    struct deadlock_search *s;
    struct acquire_kinds of;
    uint32_t *path; /* kinds */
    size_t path_count, path_capacity;
    struct chosen {
        const struct acquire_class *class;
        uint32_t at;             /* in the acquires */
        struct lock_marks marks; /* of this one and those before it */
    } * chosen;    /* for each acquire on the path of the search; room for as many as there are threads */
    uint8_t *used; /* by lock: it is held on the path */
    size_t length; /* of the cycles that are tried now */
    uint64_t steps, most_steps; /* of the path of kinds under way */
    bool probing;               /* one set of acquires is looked for, and nothing is asked about it */
    uint64_t walked;            /* along longer cycles, in all */
    bool longer;                /* a path of this length can be extended */
    bool enough;                /* the locations of the cycle are shown and enough was asked */
};

static event_id first_acquire(const struct kind_search *k, uint32_t kind)
{
    return k->of.acquires[k->of.classes[k->of.kinds[kind].first].first];
}

/* An acquire for each kind on the path. */
static void take_first_acquires(struct kind_search *k)
{
    struct deadlock_search *s = k->s;

    s->path_count = 0;
    for (size_t i = 0; i < k->path_count; i++)
        ARRAY_PUSH(s, path, first_acquire(k, k->path[i]));
}

/* Whether a finding stands for the locations of the cycle, and enough was asked. */
static bool is_passed(struct kind_search *k)
{
    take_first_acquires(k);
    return worker_skips(k->s->w, PROPERTY_DEADLOCK, k->s->path, (uint32_t)k->s->path_count, 1);
}

/* Whether a finding stands for the locations of the path. */
static bool is_shown(struct kind_search *k)
{
    take_first_acquires(k);
    return worker_shown(k->s->w, PROPERTY_DEADLOCK, k->s->path, (uint32_t)k->s->path_count);
}

static void choose_class(struct kind_search *k);

/* Takes each acquire of the class that must-order lets meet those on the path, as long as the budget lasts. */
static void choose_acquire(struct kind_search *k, const struct acquire_class *c)
{
    struct deadlock_search *s = k->s;
    uint32_t low = 0, high = c->count;

    for (size_t p = 0; p < s->path_count && low < high; p++)
        acquires_narrow(&k->of, c, k->chosen[p].at, &low, &high);
    if (!k->probing)
        worker_refute(s->w, PROPERTY_DEADLOCK, REFUTED_MUST_ORDER, c->count - (high - low));
    struct lock_marks marks = c->marks;
    if (s->path_count > 0) {
        marks.all |= k->chosen[s->path_count - 1].marks.all;
        marks.excluding |= k->chosen[s->path_count - 1].marks.excluding;
    }
    for (uint32_t i = low; i < high && !k->enough && !*s->w->stop; i++) {
        if (++k->steps > k->most_steps)
            return;
        k->chosen[s->path_count] = (struct chosen){c, c->first + i, marks};
        ARRAY_PUSH(s, path, k->of.acquires[c->first + i]);
        choose_class(k);
        s->path_count--;
    }
}

/* Whether the class goes with those on the path. */
static bool class_fits(const struct kind_search *k, const struct acquire_class *c)
{
    size_t count = k->s->path_count;
    bool apart = count == 0 || !marks_meet(k->chosen[count - 1].marks, c->marks);

    for (size_t i = 0; i < count; i++)
        if (k->chosen[i].class->thread == c->thread ||
            (!apart && guards_exclude(k->s->m, k->chosen[i].class->guard, c->guard)))
            return false;
    return true;
}

/* Takes an acquire of each kind of the cycle. */
static void choose_class(struct kind_search *k)
{
    struct deadlock_search *s = k->s;

    if (s->path_count == k->path_count) {
        if (k->probing || worker_skips(s->w, PROPERTY_DEADLOCK, s->path, (uint32_t)s->path_count, 1))
            k->enough = true;
        else
            deadlock_ask(s);
        return;
    }
    const struct acquire_kind *kind = &k->of.kinds[k->path[s->path_count]];
    for (uint32_t i = 0; i < kind->count && !k->enough && !*s->w->stop; i++) {
        const struct acquire_class *c = &k->of.classes[kind->first + i];
        if (++k->steps > k->most_steps)
            return;
        if (class_fits(k, c))
            choose_acquire(k, c);
    }
}

static int ascending(const void *a, const void *b)
{
    event_id x = *(const event_id *)a, y = *(const event_id *)b;

    return x < y ? -1 : x > y;
}

/* Books the path of kinds as undecided, an acquire for each. */
static void give_up(struct kind_search *k)
{
    struct deadlock_search *s = k->s;

    take_first_acquires(k);
    qsort(s->path, s->path_count, sizeof *s->path, ascending);
    worker_give_up(s->w, PROPERTY_DEADLOCK, s->path, (uint32_t)s->path_count);
}

/* Goes through the sets of acquires of the kinds on the path, as far as so many steps go. Whether it saw all of them. */
static bool choose_sets(struct kind_search *k, uint64_t most_steps)
{
    k->steps = 0;
    k->most_steps = most_steps;
    k->enough = false;
    k->s->path_count = 0;
    choose_class(k);
    return k->steps <= most_steps;
}

/* A cycle of kinds: does one of its sets of acquires deadlock? */
static void check_cycle(struct kind_search *k)
{
    struct worker *w = k->s->w;
    uint64_t feasible = w->stats[PROPERTY_DEADLOCK].feasible;

    if (is_passed(k))
        return;
    if (!choose_sets(k, w->options->budget) && w->stats[PROPERTY_DEADLOCK].feasible == feasible && !k->enough)
        give_up(k);
}

/* Whether some acquires of the kinds on the path can be waiting at once, as far as must-order and locks tell; true where that takes
 * too long to find out. */
static bool is_possible(struct kind_search *k)
{
    if (k->path_count <= 2)
        return true; /* they meet, or that is not looked at */
    k->probing = true;
    bool all = choose_sets(k, PROBE_STEPS);
    k->probing = false;
    k->of.looks += k->steps;
    return k->enough || !all;
}

static bool is_walked_out(const struct kind_search *k)
{
    uint64_t steps = k->walked + k->of.looks / LOOKS;

    return k->length > 2 && (steps / STEPS > k->s->w->options->budget || k->s->w->cycle_work == 0);
}

/* Whether the last kind on the path of a longer cycle can be waiting with each of the others. */
static bool meets_path(struct kind_search *k)
{
    for (size_t i = 0; i + 1 < k->path_count && k->length > 2; i++)
        if (!kinds_meet(&k->of, k->path[i], k->path[k->path_count - 1]))
            return false;
    return true;
}

/* Extends the path of kinds to cycles of the length under way. */
static void extend(struct kind_search *k)
{
    const struct acquire_kind *last = &k->of.kinds[k->path[k->path_count - 1]];
    lock_id start = k->of.kinds[k->path[0]].held, wanted = last->wanted;
    bool closing = k->path_count + 1 == k->length;

    k->used[last->held] = 1;
    for (uint32_t i = k->of.first[wanted]; i < k->of.first[wanted + 1] && !*k->s->w->stop && !is_walked_out(k);
         i++) {
        const struct acquire_kind *next = &k->of.kinds[i];
        if (next->wanted == start ? !closing : next->wanted < start || k->used[next->wanted])
            continue;
        ARRAY_PUSH(k, path, i);
        k->walked += k->length > 2;
        if (!meets_path(k))
            ; /* no cycle goes this way */
        else if (next->wanted == start)
            check_cycle(k);
        else if (closing)
            k->longer = k->longer || is_possible(k);
        else if (is_possible(k))
            extend(k);
        if (is_walked_out(k))
            break; /* the path stays as it is: it is given up */
        k->path_count--;
    }
    k->used[last->held] = 0;
}

/* The held lock of the first kind is the smallest; no lock on the way is smaller. */
static void search_length(struct kind_search *k)
{
    k->longer = false;
    for (uint32_t i = 0; i < k->of.kinds_count && !*k->s->w->stop && !is_walked_out(k); i++) {
        if (k->of.kinds[i].wanted < k->of.kinds[i].held)
            continue;
        k->path_count = 0;
        ARRAY_PUSH(k, path, i);
        extend(k);
    }
}

/* Finds two kinds that follow one another and whose locations no finding stands for. */
static void find_start(struct kind_search *k)
{
    for (uint32_t i = 0; i < k->of.kinds_count; i++) {
        const struct acquire_kind *kind = &k->of.kinds[i];
        for (uint32_t j = k->of.first[kind->wanted]; j < k->of.first[kind->wanted + 1]; j++) {
            k->path_count = 0;
            ARRAY_PUSH(k, path, i);
            ARRAY_PUSH(k, path, j);
            if (kinds_meet(&k->of, i, j) && !is_shown(k))
                return;
        }
    }
}

/* The walk has ended early: books how far it came as undecided, preferably at locations that no finding stands for. It stands for
 * longer cycles at any locations, so it stays even where one does. */
static void give_up_walk(struct kind_search *k)
{
    worker_ask_deferred(k->s->w); /* what these may show is shown then */
    while (k->path_count > 2 && is_shown(k))
        k->path_count--;
    if (k->path_count < 2 || is_shown(k))
        find_start(k);
    give_up(k);
    k->s->w->undecided.findings[k->s->w->undecided.findings_count - 1].count_is_exact = false;
}

void deadlock_search_kinds(struct deadlock_search *s)
{
    struct kind_search k = {.s = s};

    k.chosen = memory_new(s->m->thread_count, sizeof *k.chosen);
    k.used = memory_new(s->m->lock_count, sizeof *k.used);
    acquire_kinds_find(&k.of, s);
    s->w->stats[PROPERTY_DEADLOCK].subjects += s->links_count;
    k.longer = true;
    for (k.length = 2; k.longer && k.length <= s->m->thread_count && !is_walked_out(&k) && !*s->w->stop;
         k.length++)
        search_length(&k);
    if (is_walked_out(&k))
        give_up_walk(&k);
    free(k.path);
    acquire_kinds_free(&k.of);
    free(k.chosen);
    free(k.used);
}
