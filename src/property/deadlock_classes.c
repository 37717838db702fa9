/* Acquires that can be part of a cycle, in kinds and classes, and which of them can be waiting at once. */
#include "property/deadlock_classes.h"
#include "base/memory.h"
#include "finding/place.h"
#include "property/classes.h"

#include <stdlib.h>

/* So many pairs of kinds are remembered at most, a power of two; and so many pairs of an acquire and a class are looked at for one. */
enum { MET_PAIRS = 1 << 16, MET_LOOKS = 2000 };

struct met_kinds {
    uint32_t a, b; /* plus 1; 0: none */
    bool meet;
};

struct keyed_acquire {
    struct acquire_kind kind;
    struct acquire_class class;
    event_id acquire;
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

static bool is_kind(const struct acquire_kind *a, const struct acquire_kind *b)
{
    return a->held == b->held && a->wanted == b->wanted && a->place == b->place;
}

static struct lock_marks marks_of(const struct model *m, uint32_t guard)
{
    struct lock_marks marks = {0, 0};

    for (uint32_t h = guard; h != HOLD_NONE; h = m->holds[h].outer) {
        const struct section *s = &m->sections[m->holds[h].section];
        uint64_t mark = UINT64_C(1) << section_lock(s) % 64;
        marks.all |= mark;
        marks.excluding |= s->shared ? 0 : mark;
    }
    return marks;
}

static void add_acquire(struct acquire_kinds *k, const struct keyed_acquire *a)
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
        struct acquire_class *c = &k->classes[k->classes_count - 1];
        c->first = (uint32_t)k->acquires_count;
        c->guard = model_guard_at(k->m, a->class.thread, k->m->position[a->acquire]);
        c->marks = marks_of(k->m, c->guard);
        k->kinds[k->kinds_count - 1].count++;
    }
    ARRAY_PUSH(k, acquires, a->acquire);
    ARRAY_PUSH(k, rows, base_row(k->m, a->acquire));
    k->classes[k->classes_count - 1].count++;
}

void acquire_kinds_find(struct acquire_kinds *k, const struct deadlock_search *s)
{
    struct keyed_acquire *keyed = memory_new(s->links_count, sizeof *keyed);

    *k = (struct acquire_kinds){.m = s->m};
    k->first = memory_new((size_t)s->m->lock_count + 1, sizeof *k->first);
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
    free(keyed);
}

void acquire_kinds_free(struct acquire_kinds *k)
{
    free(k->kinds);
    free(k->first);
    free(k->classes);
    free(k->acquires);
    free((void *)k->rows);
    free(k->met);
}

/* How many of the class's acquires from `low` to `high`, which ascend, are not known to come after the one at `at`. */
static uint32_t not_after(const struct acquire_kinds *k, const struct acquire_class *c, uint32_t low,
                          uint32_t high, uint32_t at)
{
    thread_id t = thread_of(k->m, k->acquires[at]);
    uint32_t start = low, position = k->m->position[k->acquires[at]];

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (k->rows[c->first + middle][t] > position)
            high = middle;
        else
            low = middle + 1;
    }
    return low - start;
}

void acquires_narrow(const struct acquire_kinds *k, const struct acquire_class *c, uint32_t at, uint32_t *low,
                     uint32_t *high)
{
    *low += accesses_before(k->m, k->acquires + c->first + *low, *high - *low, k->rows[at][c->thread]);
    *high = *low + not_after(k, c, *low, *high, at);
}

/* Whether an acquire of the class can be waiting while the one at `at`, of another class, does. */
static bool meets_class(const struct acquire_kinds *k, uint32_t at, const struct acquire_class *c)
{
    uint32_t low = 0, high = c->count;

    acquires_narrow(k, c, at, &low, &high);
    return low < high;
}

static bool find_meeting(struct acquire_kinds *k, const struct acquire_kind *a, const struct acquire_kind *b)
{
    uint64_t most = k->looks + MET_LOOKS;

    for (uint32_t i = a->first; i < a->first + a->count; i++) {
        const struct acquire_class *mine = &k->classes[i];
        for (uint32_t j = b->first; j < b->first + b->count; j++) {
            const struct acquire_class *theirs = &k->classes[j];
            if (++k->looks > most)
                return true;
            if (mine->thread == theirs->thread ||
                (marks_meet(mine->marks, theirs->marks) && guards_exclude(k->m, mine->guard, theirs->guard)))
                continue;
            for (uint32_t at = mine->first; at < mine->first + mine->count; at++)
                if (++k->looks > most || meets_class(k, at, theirs))
                    return true;
        }
    }
    return false;
}

bool kinds_meet(struct acquire_kinds *k, uint32_t a, uint32_t b)
{
    uint32_t low = a < b ? a : b, high = a < b ? b : a;

    if (!k->met)
        k->met = memory_new(MET_PAIRS, sizeof *k->met);
    struct met_kinds *met = &k->met[(low * UINT32_C(40503) + high) % MET_PAIRS];
    if (met->a != low + 1 || met->b != high + 1)
        *met = (struct met_kinds){low + 1, high + 1, find_meeting(k, &k->kinds[low], &k->kinds[high])};
    return met->meet;
}
