/* The accesses of one variable in classes. */
#include "property/classes.h"
#include "base/map.h"
#include "base/memory.h"
#include "finding/place.h"
#include "property/worker.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

/* Fewer classes than this are kept as they are. */
enum { CLASSES_FEW = 16 };

/* The same for any order in which the locks were taken. */
uint64_t locks_held(const struct model *m, event_id e)
{
    uint64_t sum = 0;

    for (uint32_t h = model_guard_at(m, thread_of(m, e), m->position[e]); h != HOLD_NONE;
         h = m->holds[h].outer) {
        const struct section *s = &m->sections[m->holds[h].section];
        uint64_t key = (uint64_t)section_lock(s) * 2 + s->shared;
        sum += XXH3_64bits(&key, sizeof key);
    }
    return sum;
}

static bool is_member(const struct access_class *c, const struct access_class *key)
{
    return c->thread == key->thread && c->location == key->location && c->kind == key->kind &&
           c->locks == key->locks;
}

/* The class of an access, made if it is new. Neighbours mostly share one, and most variables have few. */
static uint32_t class_of(struct classes *c, struct map *index, const struct model *m, event_id e,
                         const struct access_class *key, uint32_t last)
{
    if (last < c->list_count && is_member(&c->list[last], key))
        return last;

    struct {
        uint64_t locks;
        uint32_t thread, location, kind, zero;
    } bytes = {key->locks, key->thread, key->location, (uint32_t)key->kind, 0};
    uint64_t hash = XXH3_64bits(&bytes, sizeof bytes);
    uint32_t *at = map_at(index, hash);
    while (*at && !is_member(&c->list[*at - 1], key)) /* two keys with one hash */
        at = map_at(index, ++hash);
    if (!*at) {
        ARRAY_PUSH(c, list, *key);
        c->list[c->list_count - 1].place = place_of(m->trace, e);
        *at = (uint32_t)c->list_count;
    }
    return *at - 1;
}

/* Finds the class of each access that is wanted, UINT32_MAX of the others. */
static uint32_t *assign_classes(struct classes *c, const struct model *m, struct event_span accesses,
                                bool (*wanted)(enum event_kind), bool locks)
{
    uint32_t *class = memory_resize(NULL, accesses.count, sizeof *class);
    struct map index = {0};
    uint32_t last = UINT32_MAX;

    for (size_t i = 0; i < accesses.count; i++) {
        event_id e = accesses.events[i];
        class[i] = UINT32_MAX;
        if (!wanted(kind_of(m, e)))
            continue;
        struct access_class key = {
            .thread = thread_of(m, e), .location = m->trace->location[e], .kind = kind_of(m, e)};
        key.locks = locks ? locks_held(m, e) : 0;
        class[i] = last = class_of(c, &index, m, e, &key, last);
        c->list[last].count++;
    }
    map_free(&index);
    return class;
}

/* Puts the accesses into their classes, which are known and counted. */
static void fill_classes(struct classes *c, struct event_span accesses, const uint32_t *class)
{
    uint32_t total = 0;

    c->pool = memory_resize(NULL, accesses.count, sizeof *c->pool);
    for (size_t i = 0; i < c->list_count; i++) {
        c->list[i].events = c->pool + total;
        total += c->list[i].count;
        c->list[i].count = 0;
    }
    for (size_t i = 0; i < accesses.count; i++) {
        if (class[i] == UINT32_MAX)
            continue;
        struct access_class *to = &c->list[class[i]];
        assert(to->count == 0 || to->events[to->count - 1] < accesses.events[i]);
        c->pool[(size_t)(to->events - c->pool) + to->count++] = accesses.events[i];
    }
    assert(total <= accesses.count && (c->list_count > 0) == (total > 0));
}

void classes_build(struct classes *c, const struct model *m, variable_id x, bool (*wanted)(enum event_kind),
                   bool locks)
{
    struct event_span accesses = accesses_of(m, x);

    memset(c, 0, sizeof *c);
    uint32_t *class = assign_classes(c, m, accesses, wanted, locks);
    fill_classes(c, accesses, class);
    free(class);
}

/* Chains under construction. Numbers of chains are kept plus 1. */
struct chaining {
    const struct model *m;
    const struct classes *classes;
    struct access_class *list;
    event_id *last;   /* by chain: its last member so far */
    uint32_t *used;   /* by class: the chain that its last member went to */
    uint32_t *place;  /* by class: the first class of the same location and kind … */
    uint32_t *newest; /* … by that: the chain that a member went to last */
    size_t list_count;
};

static void find_places(struct chaining *c)
{
    struct map index = {0};

    for (uint32_t i = 0; i < c->classes->list_count; i++) {
        const struct access_class *class = &c->classes->list[i];
        uint32_t *at = map_at(&index, map_pair(class->location, (uint32_t) class->kind));
        *at = *at ? *at : i + 1;
        c->place[i] = *at - 1;
    }
    map_free(&index);
}

static bool can_follow(const struct chaining *c, uint32_t chain, event_id e)
{
    return chain > 0 && must_before(c->m, c->last[chain - 1], e);
}

/* The chain that an access of this class goes to: the one its class is in, or the one that was added to last. */
static uint32_t chain_of(struct chaining *c, uint32_t class, event_id e)
{
    uint32_t *newest = &c->newest[c->place[class]], chain = c->used[class];

    if (!can_follow(c, chain, e))
        chain = can_follow(c, *newest, e) ? *newest : 0;
    if (chain == 0) {
        if (c->list_count == c->classes->list_count)
            return UINT32_MAX; /* no fewer than classes */
        c->list[c->list_count] = c->classes->list[class];
        c->list[c->list_count++].count = 0;
        chain = (uint32_t)c->list_count;
    }
    c->list[chain - 1].count++;
    c->last[chain - 1] = e;
    c->used[class] = *newest = chain;
    return chain - 1;
}

/* Makes chains of the classes, unless there would be no fewer, and changes the numbers in `class` to theirs. */
static void chain_classes(struct classes *classes, const struct model *m, struct event_span accesses,
                          uint32_t *class)
{
    size_t count = classes->list_count;
    struct chaining c = {.m = m, .classes = classes, .list = memory_new(count, sizeof *c.list)};
    uint32_t *chain = memory_resize(NULL, accesses.count, sizeof *chain);
    bool fewer = true;

    c.last = memory_new(4 * count, sizeof *c.last);
    c.used = c.last + count;
    c.place = c.used + count;
    c.newest = c.place + count;
    find_places(&c);
    for (size_t i = 0; i < accesses.count && fewer; i++) {
        chain[i] = class[i] == UINT32_MAX ? UINT32_MAX : chain_of(&c, class[i], accesses.events[i]);
        fewer = class[i] == UINT32_MAX || chain[i] != UINT32_MAX;
    }
    if (fewer && c.list_count < count) {
        memcpy(class, chain, accesses.count * sizeof *class);
        memcpy(classes->list, c.list, c.list_count * sizeof *c.list);
        classes->list_count = c.list_count;
    }
    free(c.last);
    free(c.list);
    free(chain);
}

void chains_build(struct classes *c, const struct model *m, variable_id x, bool (*wanted)(enum event_kind))
{
    struct event_span accesses = accesses_of(m, x);

    memset(c, 0, sizeof *c);
    uint32_t *class = assign_classes(c, m, accesses, wanted, false);
    if (c->list_count > CLASSES_FEW)
        chain_classes(c, m, accesses, class);
    fill_classes(c, accesses, class);
    free(class);
}

void classes_free(struct classes *c)
{
    free(c->list);
    free(c->pool);
}

void class_limits_init(struct class_limits *l, const struct model *m, const struct classes *c)
{
    *l = (struct class_limits){.m = m, .classes = c, .rows = memory_new(m->thread_count, sizeof *l->rows)};
}

void class_limits_clear(struct class_limits *l)
{
    for (thread_id t = 0; t < l->m->thread_count; t++) {
        free(l->rows[t]);
        l->rows[t] = NULL;
    }
}

void class_limits_free(struct class_limits *l)
{
    class_limits_clear(l);
    free(l->rows);
}

static void find_next(const struct model *m, const struct access_class *c, struct class_limit *l)
{
    bool more = l->before < c->count;

    l->next = more ? m->position[c->events[l->before]] : POSITION_END;
    l->next_thread = more ? thread_of(m, c->events[l->before]) : c->thread;
}

/* How many events of thread t the access needs; of t itself, those before it and itself. */
static uint32_t needs_of(const struct model *m, event_id access, thread_id t)
{
    return thread_of(m, access) == t ? m->position[access] + 1 : base_row(m, access)[t];
}

static void find_needs(const struct model *m, const struct access_class *c, thread_id t, struct class_limit *l)
{
    l->needs = l->not_after < c->count ? needs_of(m, c->events[l->not_after], t) : POSITION_END;
}

static struct class_limit *first_limits(const struct class_limits *l, thread_id t)
{
    struct class_limit *row = memory_new(l->classes->list_count, sizeof *row);

    for (size_t i = 0; i < l->classes->list_count; i++) {
        find_next(l->m, &l->classes->list[i], &row[i]);
        find_needs(l->m, &l->classes->list[i], t, &row[i]);
    }
    return row;
}

/* Whether the access is before `e`; without `base`, whether nothing that was observed before `e` makes it come after `e`. */
static bool is_passed(const struct model *m, event_id access, event_id e, const uint32_t *base)
{
    thread_id u = thread_of(m, access), t = thread_of(m, e);

    if (!base)
        return access < e || needs_of(m, access, t) <= m->position[e];
    return m->position[access] < (u == t ? m->position[e] : base[u]);
}

/* The index of the first of the class, from `from` on, that `e` has not passed; it has passed the one at `from`. Members of a class
 * must come one after the other, so `e` has passed those before one that it has passed: steps grow, then it is halving. */
static uint32_t skip_passed(const struct model *m, const struct access_class *c, uint32_t from, event_id e,
                            const uint32_t *base)
{
    uint32_t low = from, step = 1;

    while (step < c->count - low && is_passed(m, c->events[low + step], e, base)) {
        low += step;
        step *= 2;
    }
    uint32_t high = step < c->count - low ? low + step : c->count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        *(is_passed(m, c->events[middle], e, base) ? &low : &high) = middle;
    }
    return high;
}

static void move_limit(const struct model *m, const struct access_class *c, event_id e, const uint32_t *base,
                       struct class_limit *l)
{
    thread_id t = thread_of(m, e);

    if (l->next < (l->next_thread == t ? m->position[e] : base[l->next_thread])) {
        l->before = skip_passed(m, c, l->before, e, base);
        l->last = c->events[l->before - 1];
        find_next(m, c, l);
    }
    if (l->not_after < l->before) {
        l->not_after = l->before;
        find_needs(m, c, t, l);
    }
    if (l->needs <= m->position[e]) {
        l->not_after = skip_passed(m, c, l->not_after, e, NULL);
        find_needs(m, c, t, l);
    }
    assert(l->before <= l->not_after && l->not_after <= c->count);
}

const struct class_limit *class_limits_at(struct class_limits *l, event_id e, const uint32_t *base)
{
    struct class_limit **row = &l->rows[thread_of(l->m, e)];

    if (!*row)
        *row = first_limits(l, thread_of(l->m, e));
    for (size_t i = 0; i < l->classes->list_count; i++)
        move_limit(l->m, &l->classes->list[i], e, base, &(*row)[i]);
    return *row;
}
