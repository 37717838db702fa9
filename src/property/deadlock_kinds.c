/* Deadlocks of a grouped check: one finding for each set of locations.
 *
 * Acquires are taken together by the lock held, the lock wanted and the place: a kind. A cycle of kinds is settled by the
 * first of its sets of acquires that deadlocks. All cycles of two are tried before the first of three, and so on. A lock
 * is held by one thread at a time, so the held locks of a cycle differ, and each cycle begins at the smallest of them. */
#include "base/memory.h"
#include "finding/place.h"
#include "property/classes.h"
#include "property/deadlock_parts.h"

#include <stdlib.h>
#include <string.h>

/* How many steps the walk along longer cycles may take for each choice of the budget. */
enum { STEPS = 16 };

/* Acquires of one kind that a grouped check does not tell apart: one thread, the same locks held. */
struct acquire_class {
    thread_id thread;
    uint64_t locks;
    uint32_t guard;        /* of the first of them */
    uint32_t first, count; /* in the acquires, which ascend */
};

struct kind {
    lock_id held, wanted;
    uint32_t place;
    uint32_t first, count; /* in the classes */
};

struct keyed_acquire {
    struct kind kind;
    struct acquire_class class;
    event_id acquire;
};

struct kind_search {
    struct deadlock_search *s;
    struct kind *kinds; /* by lock held, lock wanted and place */
    size_t kinds_count, kinds_capacity;
    uint32_t *first; /* by lock: where the kinds begin that hold it; lock_count + 1 */
    struct acquire_class *classes;
    size_t classes_count, classes_capacity;
    event_id *acquires;
    size_t acquires_count, acquires_capacity;
    const uint32_t **rows; /* parallel: what must come before each */
    size_t rows_count, rows_capacity;
    uint32_t *path; /* kinds */
    size_t path_count, path_capacity;
    struct chosen {
        const struct acquire_class *class;
        const uint32_t *row;
    } * chosen;      /* for each acquire on the path of the search; room for as many as there are threads */
    uint8_t *used;   /* by lock: it is held on the path */
    size_t length;   /* of the cycles that are tried now */
    uint64_t steps;  /* of the cycle of kinds under way */
    uint64_t walked; /* along longer cycles, in all */
    bool longer;     /* a path of this length can be extended */
    bool enough;     /* the locations of the cycle are shown and enough was asked */
};

static int by_key(const void *a, const void *b)
{
    const struct keyed_acquire *p = a, *q = b;

    if (p->kind.held != q->kind.held)
        return p->kind.held < q->kind.held ? -1 : 1;
    if (p->kind.wanted != q->kind.wanted)
        return p->kind.wanted < q->kind.wanted ? -1 : 1;
    if (p->kind.place != q->kind.place)
        return p->kind.place < q->kind.place ? -1 : 1;
    if (p->class.thread != q->class.thread)
        return p->class.thread < q->class.thread ? -1 : 1;
    if (p->class.locks != q->class.locks)
        return p->class.locks < q->class.locks ? -1 : 1;
    return p->acquire < q->acquire ? -1 : p->acquire > q->acquire;
}

static bool is_kind(const struct kind *a, const struct kind *b)
{
    return a->held == b->held && a->wanted == b->wanted && a->place == b->place;
}

static void add_acquire(struct kind_search *k, const struct keyed_acquire *a)
{
    bool new_kind = k->kinds_count == 0 || !is_kind(&k->kinds[k->kinds_count - 1], &a->kind);

    if (new_kind) {
        ARRAY_PUSH(k, kinds, a->kind);
        k->kinds[k->kinds_count - 1].first = (uint32_t)k->classes_count;
        k->first[a->kind.held + 1]++;
    }
    const struct acquire_class *last = new_kind ? NULL : &k->classes[k->classes_count - 1];
    if (!last || last->thread != a->class.thread || last->locks != a->class.locks) {
        ARRAY_PUSH(k, classes, a->class);
        k->classes[k->classes_count - 1].first = (uint32_t)k->acquires_count;
        k->classes[k->classes_count - 1].guard =
            model_guard_at(k->s->m, a->class.thread, k->s->m->position[a->acquire]);
        k->kinds[k->kinds_count - 1].count++;
    }
    ARRAY_PUSH(k, acquires, a->acquire);
    ARRAY_PUSH(k, rows, base_row(k->s->m, a->acquire));
    k->classes[k->classes_count - 1].count++;
}

static void find_kinds(struct kind_search *k)
{
    const struct deadlock_search *s = k->s;
    struct keyed_acquire *keyed = memory_new(s->links_count, sizeof *keyed);

    for (size_t i = 0; i < s->links_count; i++) {
        const struct deadlock_link *l = &s->links[i];
        keyed[i] = (struct keyed_acquire){
            .kind = {.held = l->held, .wanted = l->wanted, .place = place_of(s->m->trace, l->acquire)},
            .class = {.thread = thread_of(s->m, l->acquire), .locks = locks_held(s->m, l->acquire)},
            .acquire = l->acquire};
    }
    if (s->links_count > 0)
        qsort(keyed, s->links_count, sizeof *keyed, by_key);
    for (size_t i = 0; i < s->links_count; i++)
        add_acquire(k, &keyed[i]);
    for (lock_id l = 0; l < s->m->lock_count; l++)
        k->first[l + 1] += k->first[l];
    s->w->stats[PROPERTY_DEADLOCK].subjects += s->links_count;
    free(keyed);
}

static event_id first_acquire(const struct kind_search *k, uint32_t kind)
{
    return k->acquires[k->classes[k->kinds[kind].first].first];
}

/* Whether a finding stands for the locations of the cycle, and enough was asked. */
static bool is_shown(struct kind_search *k)
{
    struct deadlock_search *s = k->s;

    s->path_count = 0;
    for (size_t i = 0; i < k->path_count; i++)
        ARRAY_PUSH(s, path, first_acquire(k, k->path[i]));
    return worker_skips(s->w, PROPERTY_DEADLOCK, s->path, (uint32_t)s->path_count, 1);
}

static void choose_class(struct kind_search *k);

/* How many of the class's acquires from `low` to `high`, which ascend, are not known to come after the one chosen. */
static uint32_t not_after(const struct kind_search *k, const struct acquire_class *c, uint32_t low,
                          uint32_t high, size_t chosen)
{
    thread_id t = k->chosen[chosen].class->thread;
    uint32_t start = low, position = k->s->m->position[k->s->path[chosen]];

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (k->rows[c->first + middle][t] > position)
            high = middle;
        else
            low = middle + 1;
    }
    return low - start;
}

/* Takes each acquire of the class that must-order lets meet those on the path, as long as the budget lasts. These are
 * neighbours: what comes before an acquire of another thread, and what comes after it, are the ends of a thread. */
static void choose_acquire(struct kind_search *k, const struct acquire_class *c)
{
    struct deadlock_search *s = k->s;
    const event_id *acquires = k->acquires + c->first;
    uint32_t low = 0, high = c->count;

    for (size_t p = 0; p < s->path_count && low < high; p++) {
        low += accesses_before(s->m, acquires + low, high - low, k->chosen[p].row[c->thread]);
        high = low + not_after(k, c, low, high, p);
    }
    worker_refute(s->w, PROPERTY_DEADLOCK, REFUTED_MUST_ORDER, c->count - (high - low));
    for (uint32_t i = low; i < high && !k->enough && !*s->w->stop; i++) {
        if (++k->steps > s->w->options->budget)
            return;
        k->chosen[s->path_count] = (struct chosen){c, k->rows[c->first + i]};
        ARRAY_PUSH(s, path, acquires[i]);
        choose_class(k);
        s->path_count--;
    }
}

static bool class_fits(const struct kind_search *k, const struct acquire_class *c)
{
    for (size_t i = 0; i < k->s->path_count; i++)
        if (k->chosen[i].class->thread == c->thread ||
            guards_exclude(k->s->m, k->chosen[i].class->guard, c->guard))
            return false;
    return true;
}

/* Takes an acquire of each kind of the cycle. */
static void choose_class(struct kind_search *k)
{
    struct deadlock_search *s = k->s;

    if (s->path_count == k->path_count) {
        if (worker_skips(s->w, PROPERTY_DEADLOCK, s->path, (uint32_t)s->path_count, 1))
            k->enough = true;
        else
            deadlock_ask(s);
        return;
    }
    const struct kind *kind = &k->kinds[k->path[s->path_count]];
    for (uint32_t i = 0; i < kind->count && !k->enough && !*s->w->stop; i++) {
        const struct acquire_class *c = &k->classes[kind->first + i];
        if (++k->steps > s->w->options->budget)
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

    s->path_count = 0;
    for (size_t i = 0; i < k->path_count; i++)
        ARRAY_PUSH(s, path, first_acquire(k, k->path[i]));
    qsort(s->path, s->path_count, sizeof *s->path, ascending);
    worker_give_up(s->w, PROPERTY_DEADLOCK, s->path, (uint32_t)s->path_count);
}

/* A cycle of kinds: does one of its sets of acquires deadlock? */
static void check_cycle(struct kind_search *k)
{
    struct worker *w = k->s->w;
    uint64_t feasible = w->stats[PROPERTY_DEADLOCK].feasible;

    if (is_shown(k))
        return;
    k->steps = 0;
    k->enough = false;
    k->s->path_count = 0;
    choose_class(k);
    if (k->steps > w->options->budget && w->stats[PROPERTY_DEADLOCK].feasible == feasible && !k->enough)
        give_up(k);
}

static bool is_walked_out(const struct kind_search *k)
{
    return k->length > 2 && (k->walked / STEPS > k->s->w->options->budget || k->s->w->cycle_work == 0);
}

/* Extends the path of kinds to cycles of the length under way. */
static void extend(struct kind_search *k)
{
    const struct kind *last = &k->kinds[k->path[k->path_count - 1]];
    lock_id start = k->kinds[k->path[0]].held, wanted = last->wanted;
    bool closing = k->path_count + 1 == k->length;

    k->used[last->held] = 1;
    for (uint32_t i = k->first[wanted]; i < k->first[wanted + 1] && !*k->s->w->stop; i++) {
        const struct kind *next = &k->kinds[i];
        if (next->wanted == start ? !closing : next->wanted < start || k->used[next->wanted])
            continue;
        ARRAY_PUSH(k, path, i);
        k->walked += k->length > 2;
        if (next->wanted == start)
            check_cycle(k);
        else if (closing)
            k->longer = true;
        else
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
    for (uint32_t i = 0; i < k->kinds_count && !*k->s->w->stop && !is_walked_out(k); i++) {
        if (k->kinds[i].wanted < k->kinds[i].held)
            continue;
        k->path_count = 0;
        ARRAY_PUSH(k, path, i);
        extend(k);
    }
}

void deadlock_search_kinds(struct deadlock_search *s)
{
    struct kind_search k = {.s = s};

    k.first = memory_new((size_t)s->m->lock_count + 1, sizeof *k.first);
    k.chosen = memory_new(s->m->thread_count, sizeof *k.chosen);
    k.used = memory_new(s->m->lock_count, sizeof *k.used);
    find_kinds(&k);
    k.longer = true;
    for (k.length = 2; k.longer && k.length <= s->m->thread_count && !is_walked_out(&k) && !*s->w->stop;
         k.length++)
        search_length(&k);
    if (is_walked_out(&k))
        give_up(&k);
    free(k.kinds);
    free(k.first);
    free(k.classes);
    free(k.acquires);
    free(k.path);
    free((void *)k.rows);
    free(k.chosen);
    free(k.used);
}
