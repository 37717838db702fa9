/* Sections of locks, and which of them are open at each point of a thread.
 *
 * A thread holds a lock in each mode by depth: only the outermost acquire and release of a mode make a section.
 */
#include "base/memory.h"
#include "model/model_parts.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct lock_now {
    uint32_t depth;   /* of the exclusive hold */
    uint32_t section; /* of the exclusive hold, while depth > 0 */
};

struct section_builder {
    struct model *m;
    struct section *made; /* in the order they were entered, all locks together */
    size_t made_count, made_capacity;
    struct lock_now *locks;
    struct map shared_depth;   /* (lock, thread) → depth of the reader hold */
    struct map shared_section; /* (lock, thread) → its section */
    struct hold_builder holds;
};

void hold_builder_init(struct hold_builder *b, struct model *m, struct hold_change **changes, size_t *count)
{
    *b = (struct hold_builder){.m = m, .changes = changes, .count = count};
    b->top = memory_new(m->thread_count, sizeof *b->top);
    b->capacity = memory_new(m->thread_count, sizeof *b->capacity);
    for (uint32_t t = 0; t < m->thread_count; t++)
        b->top[t] = HOLD_NONE;
}

void hold_builder_free(struct hold_builder *b)
{
    free(b->top);
    free(b->capacity);
}

struct section_builder *section_builder_new(struct model *m)
{
    struct section_builder *b = memory_new(1, sizeof *b);

    b->m = m;
    b->locks = memory_new(m->lock_count, sizeof *b->locks);
    m->hold_changes = memory_new(m->thread_count, sizeof *m->hold_changes);
    m->hold_change_count = memory_new(m->thread_count, sizeof *m->hold_change_count);
    hold_builder_init(&b->holds, m, m->hold_changes, m->hold_change_count);
    return b;
}

/* From the event after `e` on, the thread's innermost hold is `hold`. */
static void change_hold(struct hold_builder *b, event_id e, uint32_t hold)
{
    thread_id t = thread_of(b->m, e);
    size_t *count = &b->count[t];

    b->top[t] = hold;
    if (*count == b->capacity[t])
        b->changes[t] = memory_grow(b->changes[t], &b->capacity[t], *count + 1, sizeof **b->changes);
    b->changes[t][(*count)++] = (struct hold_change){b->m->position[e] + 1, hold};
}

static uint32_t push_hold(struct model *m, uint32_t section, uint32_t outer)
{
    ARRAY_PUSH(m, holds, (struct hold){section, outer});
    return (uint32_t)m->holds_count - 1;
}

/* The chain without `section`: copies of what was opened after it, over what was opened before it. */
static uint32_t without_section(struct model *m, uint32_t hold, uint32_t section)
{
    uint32_t top = HOLD_NONE, below = HOLD_NONE;

    while (m->holds[hold].section != section) {
        uint32_t copy = push_hold(m, m->holds[hold].section, HOLD_NONE);
        if (below == HOLD_NONE)
            top = copy;
        else
            m->holds[below].outer = copy;
        below = copy;
        hold = m->holds[hold].outer;
        assert(hold != HOLD_NONE);
    }
    if (below == HOLD_NONE)
        return m->holds[hold].outer;
    m->holds[below].outer = m->holds[hold].outer;
    return top;
}

void hold_open(struct hold_builder *b, event_id e, uint32_t section)
{
    change_hold(b, e, push_hold(b->m, section, b->top[thread_of(b->m, e)]));
}

void hold_close(struct hold_builder *b, event_id e, uint32_t section)
{
    change_hold(b, e, without_section(b->m, b->top[thread_of(b->m, e)], section));
}

static uint32_t open_section(struct section_builder *b, event_id e, bool shared)
{
    uint32_t section = (uint32_t)b->made_count;

    ARRAY_PUSH(b, made, section_new(b->m, e, shared, arg_of(b->m, e)));
    hold_open(&b->holds, e, section);
    return section;
}

static void close_section(struct section_builder *b, event_id e, uint32_t section)
{
    assert(section < b->made_count && b->made[section].release == EVENT_NONE);
    assert(b->made[section].acquire < e && b->made[section].owner == thread_of(b->m, e));
    b->made[section].release = e;
    hold_close(&b->holds, e, section);
}

void section_builder_event(struct section_builder *b, event_id e)
{
    uint32_t lock = arg_of(b->m, e);
    uint64_t key = map_pair(lock, thread_of(b->m, e));

    switch (kind_of(b->m, e)) {
    case EVENT_ACQUIRE:
        if (b->locks[lock].depth++ == 0)
            b->locks[lock].section = open_section(b, e, false);
        break;
    case EVENT_RELEASE:
        assert(b->locks[lock].depth > 0);
        if (--b->locks[lock].depth == 0)
            close_section(b, e, b->locks[lock].section);
        break;
    case EVENT_SHARED_ACQUIRE:
        if ((*map_at(&b->shared_depth, key))++ == 0)
            *map_at(&b->shared_section, key) = open_section(b, e, true);
        break;
    case EVENT_SHARED_RELEASE:
        assert(map_get(&b->shared_depth, key) > 0);
        if (--*map_at(&b->shared_depth, key) == 0)
            close_section(b, e, map_get(&b->shared_section, key));
        break;
    default:
        break;
    }
}

event_id section_builder_holder(const struct section_builder *b, lock_id lock)
{
    return b->locks[lock].depth ? b->made[b->locks[lock].section].acquire : EVENT_NONE;
}

void holds_place(const struct model *m, struct hold_change *const *changes, const size_t *count,
                 struct stretches *placed)
{
    for (thread_id t = 0; t < m->thread_count; t++) {
        uint32_t hold = HOLD_NONE;
        for (size_t i = 0; i < count[t]; hold = changes[t][i++].hold)
            stretches_fill(placed, m->thread_start[t] + changes[t][i].at, hold);
        stretches_fill(placed, m->thread_start[t + 1], hold);
    }
    stretches_end(placed);
}

static void place_sections(struct model *m)
{
    uint32_t *of = memory_resize(NULL, (size_t)m->event_count + 1, sizeof *of);

    memset(of, 0xff, ((size_t)m->event_count + 1) * sizeof *of);
    for (uint32_t i = 0; i < m->section_start[m->lock_count]; i++) {
        of[m->sections[i].acquire] = i;
        if (m->sections[i].release != EVENT_NONE)
            of[m->sections[i].release] = i;
    }
    stretches_take(&m->section_of, of, (size_t)m->event_count + 1);
    free(of);
}

void section_builder_finish(struct section_builder *b)
{
    struct model *m = b->m;
    uint32_t *moved = memory_new(b->made_count, sizeof *moved);
    uint32_t *fill = memory_new(m->lock_count, sizeof *fill);

    m->section_start = memory_new((size_t)m->lock_count + 1, sizeof *m->section_start);
    m->sections = memory_new(b->made_count, sizeof *m->sections);
    for (size_t i = 0; i < b->made_count; i++)
        m->section_start[section_lock(&b->made[i]) + 1]++;
    for (uint32_t l = 0; l < m->lock_count; l++)
        m->section_start[l + 1] += m->section_start[l];
    for (size_t i = 0; i < b->made_count; i++) {
        lock_id l = section_lock(&b->made[i]);
        moved[i] = m->section_start[l] + fill[l]++;
        m->sections[moved[i]] = b->made[i];
    }
    for (size_t i = 0; i < m->holds_count; i++)
        m->holds[i].section = moved[m->holds[i].section];
    place_sections(m);
    if (m->values) /* then they are asked for far more often than they change */
        holds_place(m, m->hold_changes, m->hold_change_count, &m->hold_of);
    free(moved);
    free(fill);
    free(b->made);
    free(b->locks);
    map_free(&b->shared_depth);
    map_free(&b->shared_section);
    hold_builder_free(&b->holds);
    free(b);
}

/* The hold after the last of the changes up to the position, or HOLD_NONE. */
static uint32_t hold_up_to(const struct hold_change *changes, size_t count, uint32_t position)
{
    size_t low = 0, high = count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (changes[middle].at <= position)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? changes[low - 1].hold : HOLD_NONE;
}

uint32_t model_hold_at(const struct model *m, thread_id thread, uint32_t position)
{
    if (m->hold_of.count > 0 && position < thread_length(m, thread))
        return stretches_at(&m->hold_of, m->thread_start[thread] + position);
    return hold_up_to(m->hold_changes[thread], m->hold_change_count[thread], position);
}

uint32_t model_guard_at(const struct model *m, thread_id thread, uint32_t position)
{
    if (m->word_count == 0)
        return model_hold_at(m, thread, position);
    if (position < thread_length(m, thread))
        return stretches_at(&m->guard_of, m->thread_start[thread] + position);
    return hold_up_to(m->guard_changes[thread], m->guard_change_count[thread], position);
}

static const struct section *find_around(const struct model *m, lock_id lock, event_id e, bool exclusive)
{
    thread_id t = thread_of(m, e);
    uint32_t h =
        lock < m->lock_count ? model_hold_at(m, t, m->position[e]) : model_guard_at(m, t, m->position[e]);

    for (; h != HOLD_NONE; h = m->holds[h].outer) {
        const struct section *s = &m->sections[m->holds[h].section];
        if (section_lock(s) == lock && !(exclusive && s->shared))
            return s;
    }
    return NULL;
}

const struct section *section_around(const struct model *m, lock_id lock, event_id e)
{
    return find_around(m, lock, e, false);
}

const struct section *exclusive_around(const struct model *m, lock_id lock, event_id e)
{
    return find_around(m, lock, e, true);
}
