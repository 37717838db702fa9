/* The accesses of one variable in classes. */
#include "property/classes.h"
#include "base/map.h"
#include "base/memory.h"
#include "property/worker.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

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
static uint32_t class_of(struct classes *c, struct map *index, const struct access_class *key, uint32_t last)
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
        *at = (uint32_t)c->list_count;
    }
    return *at - 1;
}

void classes_build(struct classes *c, const struct model *m, variable_id x, bool (*wanted)(enum event_kind),
                   bool locks)
{
    struct event_span accesses = accesses_of(m, x);
    uint32_t *class = memory_new(accesses.count, sizeof *class);
    struct map index = {0};
    uint32_t last = UINT32_MAX, total = 0;

    memset(c, 0, sizeof *c);
    c->pool = memory_new(accesses.count, sizeof *c->pool);
    for (size_t i = 0; i < accesses.count; i++) {
        event_id e = accesses.events[i];
        class[i] = UINT32_MAX;
        if (!wanted(kind_of(m, e)))
            continue;
        struct access_class key = {
            .thread = thread_of(m, e), .location = m->trace->location[e], .kind = kind_of(m, e)};
        key.locks = locks ? locks_held(m, e) : 0;
        class[i] = last = class_of(c, &index, &key, last);
        c->list[last].count++;
    }
    for (size_t i = 0; i < c->list_count; i++) {
        c->list[i].events = c->pool + total;
        total += c->list[i].count;
        c->list[i].count = 0;
    }
    for (size_t i = 0; i < accesses.count; i++) {
        if (class[i] == UINT32_MAX)
            continue;
        struct access_class *to = &c->list[class[i]];
        assert(to->thread == thread_of(m, accesses.events[i]));
        assert(to->count == 0 || to->events[to->count - 1] < accesses.events[i]);
        c->pool[(size_t)(to->events - c->pool) + to->count++] = accesses.events[i];
    }
    assert(total <= accesses.count && (c->list_count > 0) == (total > 0));
    map_free(&index);
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
    l->next = l->before < c->count ? m->position[c->events[l->before]] : POSITION_END;
}

static void find_needs(const struct model *m, const struct access_class *c, thread_id t, struct class_limit *l)
{
    l->needs =
        c->thread != t && l->not_after < c->count ? base_row(m, c->events[l->not_after])[t] : POSITION_END;
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

static void move_limit(const struct model *m, const struct access_class *c, event_id e, const uint32_t *base,
                       struct class_limit *l)
{
    thread_id t = thread_of(m, e);
    uint32_t position = c->thread == t ? m->position[e] : base[c->thread];

    while (l->next < position) {
        l->last = c->events[l->before++];
        find_next(m, c, l);
    }
    if (l->not_after < l->before) {
        l->not_after = l->before;
        find_needs(m, c, t, l);
    }
    while (l->needs <= m->position[e]) {
        l->not_after++;
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
