/* Which writes may make a read fit: carry its value, or a number in ranges, and be seen by it as far as must-order
 * and locks tell. */
#include "model/fits.h"
#include "base/memory.h"
#include "base/row.h"
#include "model/tokens.h"

#include <stdlib.h>
#include <string.h>

/* How many writes are tested one by one before the next one is assumed to fit. */
enum { LOOK_AT = 64 };

/* Of a group of writes: some add to what was read; by_value is filled in. */
enum { GROUP_KNOWN = 1, GROUP_SUMS = 2, GROUP_SORTED = 4 };

static bool may_fit(const struct model *m, const struct wanted *w, event_id write)
{
    variable_id x = arg_of(m, w->read);

    if (write == m->source[w->read])
        return false;
    if (model_may_show(m, write, w->read))
        return true;
    if (w->range_count == 0)
        return false;
    if (known_in_ranges(model_written(m, write, x), w->ranges, w->range_count))
        return true;
    return model_adds(m, write) && !is_told(m, write, w->read) &&
           model_may_sum_to(m, x, w->ranges, w->range_count);
}

/* Whether the lock is held exclusively at all writes of the variable; finds its sections around them. */
static bool guards_all(struct finder *f, lock_id lock, variable_id x)
{
    const struct model *m = f->m;
    const struct grouped_events *g = &m->writes;

    for (uint32_t i = g->start[x]; i < g->start[x + 1]; i++)
        for (uint32_t k = g->groups[i].first; k < g->groups[i].first + g->groups[i].count; k++) {
            const struct section *s = exclusive_around(m, lock, g->events[k]);
            if (!s)
                return false;
            f->write_section[k] = (uint32_t)(s - m->sections);
        }
    return true;
}

lock_id finder_guard(struct finder *f, variable_id x)
{
    const struct model *m = f->m;

    if (!f->guard_known[x]) {
        event_id first = m->writes.events[m->writes.groups[m->writes.start[x]].first];
        f->guard_known[x] = 1;
        f->guard[x] = NAME_NONE;
        for (uint32_t h = model_guard_at(m, thread_of(m, first), m->position[first]);
             h != HOLD_NONE && f->guard[x] == NAME_NONE; h = m->holds[h].outer) {
            const struct section *s = &m->sections[m->holds[h].section];
            if (!s->shared && guards_all(f, section_lock(s), x))
                f->guard[x] = section_lock(s);
        }
    }
    return f->guard[x];
}

/* Whether the section around the write, of the lock that guards its variable, writes it again: no section of
 * another thread sees it then. */
static bool is_shadowed(const struct finder *f, const struct thread_group *g, uint32_t index)
{
    const struct model *m = f->m;
    const struct section *s = &m->sections[f->write_section[g->first + index]];

    return index + 1 < g->count && m->writes.events[g->first + index + 1] < s->release;
}

static int by_value_then_order(const void *a, const void *b)
{
    const struct valued_write *p = a, *q = b;

    if (p->value != q->value)
        return p->value < q->value ? -1 : 1;
    return p->index < q->index ? -1 : p->index > q->index;
}

static bool has_sums(struct finder *f, uint32_t index)
{
    const struct model *m = f->m;
    const struct thread_group *g = &m->writes.groups[index];

    if (!f->group_state[index]) {
        f->group_state[index] = GROUP_KNOWN;
        for (uint32_t i = 0; i < g->count && f->group_state[index] == GROUP_KNOWN; i++)
            if (model_adds(m, m->writes.events[g->first + i]))
                f->group_state[index] |= GROUP_SUMS;
    }
    return f->group_state[index] & GROUP_SUMS;
}

static void sort_group(struct finder *f, uint32_t index)
{
    const struct model *m = f->m;
    const struct thread_group *g = &m->writes.groups[index];

    if (f->group_state[index] & GROUP_SORTED)
        return;
    f->group_state[index] |= GROUP_SORTED;
    for (uint32_t i = 0; i < g->count; i++) {
        event_id write = m->writes.events[g->first + i];
        f->by_value[g->first + i] = (struct valued_write){model_written(m, write, arg_of(m, write)).number, i};
    }
    qsort(f->by_value + g->first, g->count, sizeof *f->by_value, by_value_then_order);
}

/* The first of the group's writes of this value, not among the first `known`, as an index of by_value. */
static uint32_t first_of_value(const struct finder *f, const struct thread_group *g, uint64_t value,
                               uint32_t known)
{
    uint32_t low = g->first, high = g->first + g->count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const struct valued_write *v = &f->by_value[middle];
        if (v->value < value || (v->value == value && v->index < known))
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
    return clocks_forward_row(m, thread_of(m, write), m->position[write])[t] > m->position[read];
}

/* What must come before `e` is covered, and of its own thread so many events. */
static void cover_row(const struct model *m, uint32_t *cover, event_id e, uint32_t own)
{
    const uint32_t *row = clocks_forward_row(m, thread_of(m, e), m->position[e]);
    uint32_t *mine = &cover[thread_of(m, e)], before = *mine;

    row_raise(cover, row, m->thread_count);
    *mine = own > before ? own : before;
}

/* Of each thread: how many of its events must come before another write that must come before the read; and how many of
 * its sections of the guard must begin before such a write's section ends. Both are complete before the read's. */
static void find_cover(struct finder *f, variable_id x)
{
    const struct model *m = f->m;

    f->covered = true;
    memset(f->cover, 0, m->thread_count * sizeof *f->cover);
    memset(f->section_cover, 0, m->thread_count * sizeof *f->section_cover);
    for (uint32_t i = m->writes.start[x + 1]; i-- > m->writes.start[x];) { /* the latest threads first */
        uint32_t known = f->known[i - m->writes.start[x]];
        if (known == 0)
            continue;
        uint32_t index = m->writes.groups[i].first + known - 1;
        event_id other = m->writes.events[index];
        if (f->cover[thread_of(m, other)] <= m->position[other]) /* else all that is before it is covered */
            cover_row(m, f->cover, other, m->position[other]);
        const struct section *s = f->around ? &m->sections[f->write_section[index]] : NULL;
        if (s && s->release != EVENT_NONE)
            cover_row(m, f->section_cover, s->release, m->position[s->acquire]);
    }
}

/* Whether another write that must come before the read must come after this one. */
static bool is_overwritten(struct finder *f, const struct thread_group *g, uint32_t index)
{
    const struct model *m = f->m;
    event_id write = m->writes.events[g->first + index];

    if (!f->covered)
        find_cover(f, arg_of(m, write));
    if (f->cover[g->thread] > m->position[write])
        return true;
    const struct section *s = f->around ? &m->sections[f->write_section[g->first + index]] : NULL;
    return s && f->section_cover[g->thread] > m->position[s->acquire];
}

/* A write that is beside the read: may it be seen, and does it fit? What must come before a write that must come before the
 * read must do so itself, and so must, mostly, the sections that must be before one of these. */
static bool may_be_seen(const struct finder *f, const struct wanted *w, const struct thread_group *g,
                        uint32_t index)
{
    return may_fit(f->m, w, f->m->writes.events[g->first + index]) && !(f->around && is_shadowed(f, g, index));
}

/* The first of the group's writes of the wanted value that need not come before the read, may be seen and fits; or
 * EVENT_NONE. */
static event_id first_equal_beside(struct finder *f, const struct wanted *w, const struct thread_group *g,
                                   uint32_t known)
{
    uint32_t i = first_of_value(f, g, w->value.number, known);

    for (uint32_t end = i + LOOK_AT; i < g->first + g->count; i++) {
        event_id write = f->m->writes.events[g->first + f->by_value[i].index];
        if (f->by_value[i].value != w->value.number || comes_after(f, write, w->read))
            return EVENT_NONE;
        if (i == end || may_be_seen(f, w, g, f->by_value[i].index))
            return write;
    }
    return EVENT_NONE;
}

/* The same of any value. */
static event_id first_beside(struct finder *f, const struct wanted *w, uint32_t group, uint32_t known)
{
    const struct model *m = f->m;
    const struct thread_group *g = &m->writes.groups[group];

    if (w->range_count == 0 && !has_sums(f, group)) {
        sort_group(f, group);
        return first_equal_beside(f, w, g, known);
    }
    for (uint32_t i = known, end = i + LOOK_AT; i < g->count; i++) {
        event_id write = m->writes.events[g->first + i];
        if (comes_after(f, write, w->read))
            return EVENT_NONE;
        if (i == end || may_be_seen(f, w, g, i))
            return write;
    }
    return EVENT_NONE;
}

static const struct section *guard_around(struct finder *f, event_id read)
{
    const struct model *m = f->m;
    variable_id x = arg_of(m, read);
    lock_id guard = m->writes.start[x] < m->writes.start[x + 1] ? finder_guard(f, x) : NAME_NONE;

    return guard == NAME_NONE ? NULL : exclusive_around(m, guard, read);
}

static bool sees_own(const struct model *m, event_id read, const struct section *around)
{
    event_id source = m->source[read];

    return around && source != EVENT_INIT && thread_of(m, source) == around->owner && source > around->acquire;
}

/* Whether the thread of the read wrote the variable before, in the same section of the lock that guards it. */
bool finder_sees_own_section(struct finder *f, event_id read)
{
    return sees_own(f->m, read, guard_around(f, read));
}

event_id finder_come_for(const struct finder *f, event_id write)
{
    const struct section *s = f->around ? exclusive_around(f->m, section_lock(f->around), write) : NULL;

    return s && s->owner != f->around->owner && s->release != EVENT_NONE ? s->release : write;
}

/* How many of the group's writes must come before the read. */
static uint32_t known_of(const struct finder *f, event_id read, const struct thread_group *g)
{
    const struct model *m = f->m;
    thread_id t = thread_of(m, read);
    uint32_t position =
        g->thread == t ? m->position[read] : clocks_forward_row(m, t, m->position[read])[g->thread];

    return position > 0 ? group_up_to(m, &m->writes, g, position) : 0;
}

static void find_known(struct finder *f, event_id read)
{
    const struct model *m = f->m;
    variable_id x = arg_of(m, read);

    for (uint32_t i = m->writes.start[x]; i < m->writes.start[x + 1]; i++)
        f->known[i - m->writes.start[x]] = known_of(f, read, &m->writes.groups[i]);
}

/* The first of the group's writes beside the read that may be seen and fits, or EVENT_NONE. */
static event_id find_beside(struct finder *f, const struct wanted *w, uint32_t group, uint32_t known)
{
    const struct model *m = f->m;
    const struct thread_group *g = &m->writes.groups[group];

    if (g->thread == thread_of(m, w->read) || known == g->count ||
        comes_after(f, m->writes.events[g->first + known], w->read))
        return EVENT_NONE;
    return first_beside(f, w, group, known);
}

/* From here on it is known what must come before the read, and its source. Whether the initial write is the source: then
 * nothing must. */
static bool start_common(struct finder *f, event_id read)
{
    const struct model *m = f->m;

    if (m->source[read] == EVENT_INIT)
        return false;
    memcpy(f->before, clocks_forward_row(m, thread_of(m, read), m->position[read]),
           m->thread_count * sizeof *f->before);
    f->before[thread_of(m, read)] = m->position[read] + 1;
    memset(f->common, 0xff, m->thread_count * sizeof *f->common);
    return soft_needs_with(m, finder_come_for(f, m->source[read]), f->before, f->common);
}

/* Whether what may be seen has nothing in common if this write may be, too. */
static bool leaves_nothing(struct finder *f, event_id write, bool *common)
{
    *common = *common && soft_needs_with(f->m, finder_come_for(f, write), f->before, f->common);
    return !*common;
}

/* Whether the write that showed it in an earlier round is still beside the read and may be seen. The section that hides a write
 * from others is always the same. */
static bool shows_still(const struct finder *f, const struct wanted *w)
{
    const struct model *m = f->m;
    event_id write = *w->shown;
    thread_id t = thread_of(m, w->read), u = thread_of(m, write);

    return write != EVENT_INIT && clocks_forward_row(m, t, m->position[w->read])[u] <= m->position[write] &&
           !comes_after(f, write, w->read) && may_fit(m, w, write);
}

/* Whether writes beside the read show already that what may be seen has nothing in common. */
static bool has_nothing_common(struct finder *f, const struct wanted *w, struct fitting *found)
{
    const struct model *m = f->m;
    variable_id x = arg_of(m, w->read);
    bool common = start_common(f, w->read);

    if (shows_still(f, w) && leaves_nothing(f, *w->shown, &common)) {
        ARRAY_PUSH(found, events, *w->shown);
        return true;
    }
    for (uint32_t i = m->writes.start[x]; i < m->writes.start[x + 1]; i++) {
        event_id first = find_beside(f, w, i, known_of(f, w->read, &m->writes.groups[i]));
        if (first == EVENT_NONE)
            continue;
        if (!leaves_nothing(f, first, &common))
            continue;
        ARRAY_PUSH(found, events, first);
        *w->shown = first;
        return true;
    }
    return false;
}

/* Finds all of them. */
static void find_all(struct finder *f, const struct wanted *w, struct fitting *found)
{
    const struct model *m = f->m;
    variable_id x = arg_of(m, w->read);
    bool any_known = false;

    find_known(f, w->read);
    for (uint32_t i = m->writes.start[x]; i < m->writes.start[x + 1]; i++) {
        const struct thread_group *g = &m->writes.groups[i];
        uint32_t known = f->known[i - m->writes.start[x]];
        event_id last = known > 0 ? m->writes.events[g->first + known - 1] : EVENT_INIT, first;
        any_known |= known > 0;
        if (known > 0 && may_fit(m, w, last) && !is_overwritten(f, g, known - 1))
            first = last;
        else
            first = find_beside(f, w, i, known);
        if (first != EVENT_NONE)
            ARRAY_PUSH(found, events, first);
    }
    found->common = m->source[w->read] != EVENT_INIT;
    if (!any_known && may_fit(m, w, EVENT_INIT)) {
        ARRAY_PUSH(found, events, EVENT_INIT);
        found->common = false;
    }
}

void finder_look(struct finder *f, const struct wanted *w, struct fitting *found)
{
    found->events_count = 0;
    found->common = false;
    f->covered = false;
    f->around = guard_around(f, w->read);
    if (!sees_own(f->m, w->read, f->around) && !has_nothing_common(f, w, found))
        find_all(f, w, found);
}

void finder_init(struct finder *f, struct model *m)
{
    *f = (struct finder){.m = m};
    rare_init(&f->rare, m);
    f->by_value = memory_new(m->writes.start[m->variable_count] == 0 ? 0 : m->event_count, sizeof *f->by_value);
    f->group_state = memory_new(m->writes.groups_count, sizeof *f->group_state);
    f->guard = memory_new(m->variable_count, sizeof *f->guard);
    f->guard_known = memory_new(m->variable_count, sizeof *f->guard_known);
    f->write_section =
        memory_new(m->writes.start[m->variable_count] == 0 ? 0 : m->event_count, sizeof *f->write_section);
    f->shown = memory_new((size_t)m->event_count + 1, sizeof *f->shown);
    f->range_shown = memory_new(m->range_demands_count, sizeof *f->range_shown);
    f->known = memory_new(m->thread_count, sizeof *f->known);
    f->cover = memory_new(m->thread_count, sizeof *f->cover);
    f->section_cover = memory_new(m->thread_count, sizeof *f->section_cover);
    f->before = memory_new(m->thread_count, sizeof *f->before);
    f->common = memory_new(m->thread_count, sizeof *f->common);
}

void finder_forget_guards(struct finder *f)
{
    const struct model *m = f->m;

    memset(f->guard_known, 0, m->variable_count * sizeof *f->guard_known);
    memset(f->shown, 0, ((size_t)m->event_count + 1) * sizeof *f->shown);
    memset(f->range_shown, 0, m->range_demands_count * sizeof *f->range_shown);
}

void finder_free(struct finder *f)
{
    rare_free(&f->rare);
    free(f->by_value);
    free(f->group_state);
    free(f->guard);
    free(f->guard_known);
    free(f->write_section);
    free(f->shown);
    free(f->range_shown);
    free(f->known);
    free(f->cover);
    free(f->section_cover);
    free(f->before);
    free(f->common);
}
