/* Rules out acquires by locks alone: another thread must hold the lock at its own halt.
 *
 * Halts of one thread that hold the same locks and want the same one fall into a class: what is said of one is
 * said of all. */
#include "base/memory.h"
#include "property/classes.h"
#include "property/halts_parts.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#define LOCK_NONE UINT32_MAX

struct halt_class {
    thread_id thread;
    uint32_t position; /* of one member */
    lock_id wanted;
    bool shared;
    bool dead;
};

/* Up to two threads that hold a lock somewhere: enough to know whether one of them is another. */
struct holders {
    thread_id any[2], exclusive[2];
};

struct halts_lock_search {
    const struct halts *h;
    const struct model *m;
    struct halt_class *classes;
    size_t classes_count, classes_capacity;
    struct map index;
    struct holders *holders; /* by lock */
};

static void note_holder(thread_id *two, thread_id t)
{
    if (two[0] == NAME_NONE || two[0] == t)
        two[0] = t;
    else
        two[1] = t;
}

static bool is_other(const thread_id *two, thread_id t)
{
    return (two[0] != NAME_NONE && two[0] != t) || (two[1] != NAME_NONE && two[1] != t);
}

static uint32_t class_of(struct halts_lock_search *s, thread_id t, const struct halt *halt)
{
    const struct model *m = s->m;
    bool locks = halt->kind == HALT_LOCK;
    event_id e = halt_waits(halt) ? event_at(m, t, halt->position) : EVENT_NONE;
    struct {
        uint64_t held;
        uint32_t thread, wanted, shared, kind;
    } key = {0, t, LOCK_NONE, 0, e == EVENT_NONE ? halt->kind : HALT_LOCK};

    key.held = e != EVENT_NONE ? locks_held(m, e) : model_hold_at(m, t, halt->position);
    if (locks) {
        key.wanted = arg_of(m, e);
        key.shared = kind_of(m, e) == EVENT_SHARED_ACQUIRE;
    }
    uint32_t *at = map_at(&s->index, XXH3_64bits(&key, sizeof key));
    if (!*at) {
        ARRAY_PUSH(s, classes, (struct halt_class){t, halt->position, key.wanted, key.shared, false});
        *at = (uint32_t)s->classes_count;
    }
    return *at - 1;
}

static void find_holders(struct halts_lock_search *s)
{
    const struct model *m = s->m;

    memset(s->holders, 0xff, m->lock_count * sizeof *s->holders);
    for (size_t i = 0; i < s->classes_count; i++) {
        const struct halt_class *c = &s->classes[i];
        if (c->dead)
            continue;
        for (uint32_t k = model_hold_at(m, c->thread, c->position); k != HOLD_NONE; k = m->holds[k].outer) {
            const struct section *section = &m->sections[m->holds[k].section];
            struct holders *holders = &s->holders[section_lock(section)];
            note_holder(holders->any, c->thread);
            if (!section->shared)
                note_holder(holders->exclusive, c->thread);
        }
    }
}

static bool drop_classes(struct halts_lock_search *s)
{
    bool dropped = false;

    for (size_t i = 0; i < s->classes_count; i++) {
        struct halt_class *c = &s->classes[i];
        if (c->dead || c->wanted == LOCK_NONE)
            continue;
        const struct holders *holders = &s->holders[c->wanted];
        c->dead = !is_other(c->shared ? holders->exclusive : holders->any, c->thread);
        dropped |= c->dead;
    }
    return dropped;
}

static void drop_halts(const struct halts_lock_search *s, struct thread_halts *halts, const uint32_t *class)
{
    size_t kept = 0;

    for (size_t i = 0; i < halts->list_count; i++)
        if (!s->classes[class[i]].dead)
            halts->list[kept++] = halts->list[i];
    halts->list_count = kept;
}

void halts_drop_locks(struct halts *h)
{
    const struct model *m = h->m;
    struct halts_lock_search s = {.h = h, .m = m};
    uint32_t **class = memory_new(m->thread_count, sizeof *class);

    s.holders = memory_new(m->lock_count, sizeof *s.holders);
    for (thread_id t = 0; t < m->thread_count; t++) {
        class[t] = memory_new(h->threads[t].list_count, sizeof **class);
        for (size_t i = 0; i < h->threads[t].list_count; i++)
            class[t][i] = class_of(&s, t, &h->threads[t].list[i]);
    }
    do
        find_holders(&s);
    while (drop_classes(&s));
    for (thread_id t = 0; t < m->thread_count; t++) {
        drop_halts(&s, &h->threads[t], class[t]);
        free(class[t]);
    }
    free(class);
    free(s.holders);
    free(s.classes);
    map_free(&s.index);
}
