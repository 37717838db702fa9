/* Soft reads: those that another write than their source may make as observed, or may let pass an event that
 * stands on them with a range. The others bind.
 *
 * What a read may see is limited by must-order, and must-order is made of what binds: both are found together,
 * in rounds. Each round uses only what the one before proved, so each is right by itself. */
#include "base/memory.h"
#include "model/model_parts.h"
#include "model/tokens.h"

#include <stdlib.h>
#include <string.h>

/* How many writes are looked at one by one before a read is taken to be soft, and how many rounds there are. */
enum { LOOK_AT = 64, ROUNDS = 3 };

struct valued_write {
    uint64_t value;
    event_id write;
};

struct finder {
    struct model *m;
    struct valued_write *by_value; /* parallel to m->writes.events: each group by value, then position */
    uint8_t *group_state;          /* by group: GROUP_SORTED, GROUP_SUMS */
    lock_id *guard; /* by variable: a lock that is held exclusively at all its writes, or NAME_NONE */
    uint8_t *guard_known;
    bool clocks; /* must-order of the round before is there */
};

enum { GROUP_SORTED = 1, GROUP_SUMS = 2 }; /* by_value is filled in; it has writes that add to what was read */

/* What makes the read fit: its value, or a number in ranges. */
struct wanted {
    event_id read;
    struct known_value value;
    const struct value_range *ranges;
    uint32_t range_count; /* 0: the value */
};

static void set_soft(struct model *m, event_id read, bool soft)
{
    if (soft)
        m->soft[read / 8] |= (uint8_t)(1u << read % 8);
    else
        m->soft[read / 8] &= (uint8_t) ~(1u << read % 8);
}

static bool may_fit(const struct model *m, const struct wanted *w, event_id write)
{
    variable_id x = arg_of(m, w->read);

    if (write == m->source[w->read])
        return false;
    if (model_may_carry(m, write, x, w->value))
        return true;
    if (w->range_count == 0)
        return false;
    if (known_in_ranges(model_written(m, write, x), w->ranges, w->range_count))
        return true;
    return write != EVENT_INIT && model_made(m, write).form == MADE_OFFSET;
}

static const struct section *exclusive_around(const struct model *m, lock_id lock, event_id e)
{
    for (uint32_t h = model_hold_at(m, thread_of(m, e), m->position[e]); h != HOLD_NONE;
         h = m->holds[h].outer) {
        const struct section *s = &m->sections[m->holds[h].section];
        if (section_lock(m, s) == lock && !s->shared)
            return s;
    }
    return NULL;
}

static bool guards_all(const struct model *m, lock_id lock, variable_id x)
{
    const struct grouped_events *g = &m->writes;

    for (uint32_t i = g->start[x]; i < g->start[x + 1]; i++)
        for (uint32_t k = 0; k < g->groups[i].count; k++)
            if (!exclusive_around(m, lock, g->events[g->groups[i].first + k]))
                return false;
    return true;
}

static lock_id guard_of(struct finder *f, variable_id x)
{
    const struct model *m = f->m;

    if (!f->guard_known[x]) {
        event_id first = m->writes.events[m->writes.groups[m->writes.start[x]].first];
        f->guard_known[x] = 1;
        f->guard[x] = NAME_NONE;
        for (uint32_t h = model_hold_at(m, thread_of(m, first), m->position[first]);
             h != HOLD_NONE && f->guard[x] == NAME_NONE; h = m->holds[h].outer) {
            const struct section *s = &m->sections[m->holds[h].section];
            if (!s->shared && guards_all(m, section_lock(m, s), x))
                f->guard[x] = section_lock(m, s);
        }
    }
    return f->guard[x];
}

/* Whether the section around the write, of the lock that guards its variable, writes it again: no section of
 * another thread sees it then. */
static bool is_shadowed(const struct model *m, lock_id guard, const struct thread_group *g, uint32_t index)
{
    const struct section *s = exclusive_around(m, guard, m->writes.events[g->first + index]);

    return index + 1 < g->count && m->writes.events[g->first + index + 1] < s->release;
}

static int by_value_then_order(const void *a, const void *b)
{
    const struct valued_write *p = a, *q = b;

    if (p->value != q->value)
        return p->value < q->value ? -1 : 1;
    return p->write < q->write ? -1 : p->write > q->write;
}

static void sort_group(struct finder *f, uint32_t index)
{
    const struct model *m = f->m;
    const struct thread_group *g = &m->writes.groups[index];

    f->group_state[index] = GROUP_SORTED;
    for (uint32_t i = 0; i < g->count; i++) {
        event_id write = m->writes.events[g->first + i];
        f->by_value[g->first + i] =
            (struct valued_write){model_written(m, write, arg_of(m, write)).number, write};
        if (m->grounds && model_made(m, write).form == MADE_OFFSET)
            f->group_state[index] |= GROUP_SUMS;
    }
    qsort(f->by_value + g->first, g->count, sizeof *f->by_value, by_value_then_order);
}

/* The first of the group's writes of this value from a position on, as an index of by_value. */
static uint32_t first_of_value(const struct finder *f, const struct thread_group *g, uint64_t value,
                               uint32_t position)
{
    uint32_t low = g->first, high = g->first + g->count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const struct valued_write *v = &f->by_value[middle];
        if (v->value < value || (v->value == value && f->m->position[v->write] < position))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool comes_after(const struct finder *f, event_id write, event_id read)
{
    const struct model *m = f->m;
    thread_id t = thread_of(m, read);

    if (thread_of(m, write) == t)
        return m->position[write] > m->position[read];
    return f->clocks && clocks_forward_row(m, thread_of(m, write), m->position[write])[t] > m->position[read];
}

/* A write that is beside the read: may it be seen? */
static bool is_hidden(struct finder *f, const struct wanted *w, const struct thread_group *g, event_id write)
{
    const struct model *m = f->m;
    lock_id guard = guard_of(f, arg_of(m, write));

    if (guard == NAME_NONE || !exclusive_around(m, guard, w->read))
        return false;
    return is_shadowed(m, guard, g, group_up_to(m, &m->writes, g, m->position[write] + 1) - 1);
}

/* Whether one of the group's writes that need not come before the read, from a position on, may be seen and
 * fits. */
static bool fits_beside(struct finder *f, const struct wanted *w, uint32_t group, uint32_t from)
{
    const struct model *m = f->m;
    const struct thread_group *g = &m->writes.groups[group];

    if (w->range_count == 0 && !(f->group_state[group] & GROUP_SUMS)) {
        uint32_t i = first_of_value(f, g, w->value.number, from);
        for (uint32_t end = i + LOOK_AT; i < g->first + g->count && i < end; i++) {
            event_id write = f->by_value[i].write;
            if (f->by_value[i].value != w->value.number || comes_after(f, write, w->read))
                return false;
            if (may_fit(m, w, write) && !is_hidden(f, w, g, write))
                return true;
        }
        return i < g->first + g->count;
    }
    uint32_t i = group_up_to(m, &m->writes, g, from);
    for (uint32_t end = i + LOOK_AT; i < g->count && i < end; i++) {
        event_id write = m->writes.events[g->first + i];
        if (comes_after(f, write, w->read))
            return false;
        if (may_fit(m, w, write) && !is_hidden(f, w, g, write))
            return true;
    }
    return i < g->count;
}

/* The group's last write that must come before the read, or EVENT_INIT. */
static event_id known_write(const struct finder *f, const struct thread_group *g, event_id read,
                            const uint32_t *row)
{
    const struct model *m = f->m;
    uint32_t position = g->thread == thread_of(m, read) ? m->position[read] : row ? row[g->thread] : 0;
    uint32_t count = group_up_to(m, &m->writes, g, position);

    return count > 0 ? m->writes.events[g->first + count - 1] : EVENT_INIT;
}

static bool is_overwritten(const struct finder *f, event_id write, event_id read, const uint32_t *row)
{
    const struct model *m = f->m;
    variable_id x = arg_of(m, read);

    for (uint32_t i = m->writes.start[x]; i < m->writes.start[x + 1]; i++) {
        event_id other = known_write(f, &m->writes.groups[i], read, row);
        if (other != EVENT_INIT && other != write && f->clocks && must_before(m, write, other))
            return true;
    }
    return false;
}

/* Whether the thread of the read wrote the variable before, in the same section of the lock that guards it. */
static bool saw_own_section(struct finder *f, event_id read)
{
    const struct model *m = f->m;
    event_id source = m->source[read];

    if (source == EVENT_INIT || thread_of(m, source) != thread_of(m, read))
        return false;
    lock_id guard = guard_of(f, arg_of(m, read));
    if (guard == NAME_NONE)
        return false;
    const struct section *around = exclusive_around(m, guard, read);
    return around && around == exclusive_around(m, guard, source);
}

/* Whether another write than its source may be seen by the read, and fits. */
static bool has_alternative(struct finder *f, const struct wanted *w)
{
    const struct model *m = f->m;
    variable_id x = arg_of(m, w->read);
    thread_id t = thread_of(m, w->read);
    const uint32_t *row = f->clocks ? clocks_forward_row(m, t, m->position[w->read]) : NULL;
    bool known = false;

    if (saw_own_section(f, w->read))
        return false;
    for (uint32_t i = m->writes.start[x]; i < m->writes.start[x + 1]; i++) {
        const struct thread_group *g = &m->writes.groups[i];
        event_id last = known_write(f, g, w->read, row);
        known |= last != EVENT_INIT;
        if (last != EVENT_INIT && may_fit(m, w, last) && !is_overwritten(f, last, w->read, row))
            return true;
        if (g->thread == t)
            continue;
        if (!f->group_state[i])
            sort_group(f, i);
        if (fits_beside(f, w, i, row ? row[g->thread] : 0))
            return true;
    }
    return !known && may_fit(m, w, EVENT_INIT);
}

static bool is_soft_now(struct finder *f, event_id read)
{
    struct wanted w = {.read = read, .value = model_seen(f->m, read)};

    return w.value.tag != VALUE_NONE && has_alternative(f, &w);
}

static bool range_is_soft(struct finder *f, const struct range_demand *d)
{
    struct wanted w = {d->read, model_seen(f->m, d->read), d->ranges, d->range_count};

    return has_alternative(f, &w);
}

/* Where reads bind, as far as is known; ranges that still leave a choice are counted. */
static size_t find_binding(struct finder *f)
{
    struct model *m = f->m;
    size_t open = 0;

    for (event_id e = 1; e <= m->event_count; e++)
        m->bound_at[e] = m->source[e] == EVENT_NONE || is_soft(m, e) ? POSITION_END : read_plain_at(m, e);
    for (size_t i = 0; i < m->range_demands_count; i++) {
        const struct range_demand *d = &m->range_demands[i];
        if (m->position[d->event] >= m->bound_at[d->read])
            continue;
        if (range_is_soft(f, d))
            open++;
        else
            m->bound_at[d->read] = m->position[d->event];
    }
    if (m->grounds) {
        free(m->by_bound);
        m->by_bound = demands_sort(m, m->bound_at, &m->by_bound_count);
    }
    return open;
}

/* Looks at the soft reads once more; returns how many are left. */
static size_t look_again(struct finder *f, bool *changed)
{
    struct model *m = f->m;
    size_t left = 0;

    for (event_id e = 1; e <= m->event_count; e++) {
        if (m->source[e] == EVENT_NONE || !is_soft(m, e))
            continue;
        bool soft = is_soft_now(f, e);
        set_soft(m, e, soft);
        left += soft;
        *changed |= !soft;
    }
    return left;
}

static void find_with_values(struct model *m)
{
    struct finder f = {.m = m};
    size_t soft = 0, open = 0;
    bool changed = true;

    events_group(m, &m->writes, m->variable_count, kind_writes);
    f.by_value = memory_new(m->writes.start[m->variable_count] == 0 ? 0 : m->event_count, sizeof *f.by_value);
    f.group_state = memory_new(m->writes.groups_count, sizeof *f.group_state);
    f.guard = memory_new(m->variable_count, sizeof *f.guard);
    f.guard_known = memory_new(m->variable_count, sizeof *f.guard_known);
    m->soft = memory_new(m->event_count / 8 + 1, 1);
    memset(m->soft, 0xff, m->event_count / 8 + 1);
    m->bound_at = memory_resize(NULL, (size_t)m->event_count + 1, sizeof *m->bound_at);
    m->bound_at[EVENT_INIT] = POSITION_END;
    for (int round = 0; round < ROUNDS && changed; round++) {
        changed = round == 0;
        soft = look_again(&f, &changed);
        open = find_binding(&f);
        clocks_build(m, false);
        f.clocks = true;
    }
    m->relaxed |= soft + open > 0;
    free(f.by_value);
    free(f.group_state);
    free(f.guard);
    free(f.guard_known);
}

static bool has_kind(const struct model *m, enum event_kind kind)
{
    for (event_id e = 1; e <= m->event_count; e++)
        if (kind_of(m, e) == kind)
            return true;
    return false;
}

void soft_find(struct model *m)
{
    m->relaxed = m->waits_count > 0 || m->sem_waits.groups_count > 0 || has_kind(m, EVENT_CAS);
    if (m->values) {
        find_with_values(m);
        return;
    }
    if (m->grounds) { /* ranges count as plain: every read binds where it is demanded */
        m->bound_at = memory_resize(NULL, (size_t)m->event_count + 1, sizeof *m->bound_at);
        memcpy(m->bound_at, m->plain_at, ((size_t)m->event_count + 1) * sizeof *m->bound_at);
        m->by_bound = demands_sort(m, m->bound_at, &m->by_bound_count);
    }
    clocks_build(m, false);
}
