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
    const struct section *s = &m->sections[f->write_section[index]];

    return index + 1 < g->first + g->count && m->writes.events[index + 1] < s->release;
}

static bool comes_after(const struct finder *f, event_id write, event_id read)
{
    const struct model *m = f->m;
    thread_id t = thread_of(m, read);

    if (thread_of(m, write) == t)
        return m->position[write] > m->position[read];
    return clocks_forward_row(m, thread_of(m, write), m->position[write])[t] > m->position[read];
}

/* How many events of the thread must come before the read, or are its own thread's before it. */
static uint32_t events_before(const struct finder *f, event_id read, thread_id thread)
{
    return thread == thread_of(f->m, read) ? f->m->position[read] : f->row[thread];
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
static void find_cover(struct finder *f, event_id read)
{
    const struct model *m = f->m;
    variable_id x = arg_of(m, read);

    f->covered = true;
    memset(f->cover, 0, m->thread_count * sizeof *f->cover);
    memset(f->section_cover, 0, m->thread_count * sizeof *f->section_cover);
    for (uint32_t i = m->writes.start[x + 1]; i-- > m->writes.start[x];) { /* the latest threads first */
        const struct thread_group *g = &m->writes.groups[i];
        uint32_t before = events_before(f, read, g->thread),
                 known = before > 0 ? group_up_to(m, &m->writes, g, before) : 0;
        if (known == 0)
            continue;
        uint32_t index = g->first + known - 1;
        event_id other = m->writes.events[index];
        if (f->cover[thread_of(m, other)] <= m->position[other]) /* else all that is before it is covered */
            cover_row(m, f->cover, other, m->position[other]);
        const struct section *s = f->around ? &m->sections[f->write_section[index]] : NULL;
        if (s && s->release != EVENT_NONE)
            cover_row(m, f->section_cover, s->release, m->position[s->acquire]);
    }
}

/* Whether another write that must come before the read must come after this one, the last of its thread that must come before
 * the read. */
static bool is_overwritten(struct finder *f, event_id read, uint32_t index)
{
    const struct model *m = f->m;
    event_id write = m->writes.events[index];

    if (!f->covered)
        find_cover(f, read);
    if (f->cover[thread_of(m, write)] > m->position[write])
        return true;
    const struct section *s = f->around ? &m->sections[f->write_section[index]] : NULL;
    return s && f->section_cover[thread_of(m, write)] > m->position[s->acquire];
}

/* The first of the run's writes, from such a one on, that need not come before the read, may be seen and fits; or EVENT_NONE.
 * What must come before a write that must come before the read must do so itself, and so must, mostly, the sections that must be
 * before one of these. */
static event_id find_beside(const struct finder *f, const struct wanted *w, const struct value_run *r,
                            uint32_t known)
{
    const struct model *m = f->m;

    if (r->group->thread == thread_of(m, w->read))
        return EVENT_NONE;
    for (uint32_t i = known, end = i + LOOK_AT; i < r->count; i++) {
        uint32_t index = run_index(r, i);
        event_id write = m->writes.events[index];
        if (comes_after(f, write, w->read))
            return EVENT_NONE;
        if (i == end || (may_fit(m, w, write) && !(f->around && is_shadowed(f, r->group, index))))
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

/* From here on it is known what must come before the read, and its source. Whether the initial write is the source: then
 * nothing must. */
static bool start_common(struct finder *f, event_id read)
{
    const struct model *m = f->m;

    if (m->source[read] == EVENT_INIT)
        return false;
    memcpy(f->before, f->row, m->thread_count * sizeof *f->before);
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

    return write != EVENT_INIT && f->row[thread_of(m, write)] <= m->position[write] &&
           !comes_after(f, write, w->read) && may_fit(m, w, write);
}

/* Whether the run's last write that must come before the read may be seen and fits: then nothing else is common. */
static bool shows_last(struct finder *f, const struct wanted *w, const struct value_run *r, uint32_t known)
{
    const struct model *m = f->m;
    const struct thread_group *g = r->group;
    uint32_t index = run_index(r, known - 1);

    return (index + 1 == g->first + g->count ||
            m->position[m->writes.events[index + 1]] >= events_before(f, w->read, g->thread)) &&
           may_fit(m, w, m->writes.events[index]) && !is_overwritten(f, w->read, index);
}

/* Whether no write of the variable must come before the read. */
static bool sees_none_for_sure(const struct finder *f, event_id read)
{
    const struct model *m = f->m;
    variable_id x = arg_of(m, read);

    for (uint32_t i = m->writes.start[x]; i < m->writes.start[x + 1]; i++) {
        const struct thread_group *g = &m->writes.groups[i];
        if (m->position[m->writes.events[g->first]] < events_before(f, read, g->thread))
            return false;
    }
    return true;
}

/* Looks at writes beside the read; whether these show already that what may be seen has nothing in common. */
static bool look_beside(struct finder *f, const struct wanted *w, struct fitting *found)
{
    struct runs all = w->range_count > 0 ? runs_of_any(&f->runs, arg_of(f->m, w->read))
                                         : runs_of(&f->runs, arg_of(f->m, w->read), w->value);
    struct value_run r;

    while (runs_next(&f->runs, &all, &r)) {
        uint32_t known = run_up_to(f->m, &r, events_before(f, w->read, r.group->thread));
        event_id first = find_beside(f, w, &r, known);
        if (known > 0)
            f->known[f->known_count++] = (struct known_run){r, known};
        if (first == EVENT_NONE)
            continue;
        ARRAY_PUSH(found, events, first);
        if (leaves_nothing(f, first, &found->common)) {
            *w->shown = first;
            return true;
        }
    }
    return false;
}

/* Looks at what must come before the read. */
static void look_before(struct finder *f, const struct wanted *w, struct fitting *found)
{
    for (size_t i = 0; i < f->known_count; i++) {
        const struct known_run *k = &f->known[i];
        if (!shows_last(f, w, &k->run, k->known))
            continue;
        ARRAY_PUSH(found, events, f->m->writes.events[run_index(&k->run, k->known - 1)]);
        found->common = false;
        return;
    }
    if (may_fit(f->m, w, EVENT_INIT) && sees_none_for_sure(f, w->read)) {
        ARRAY_PUSH(found, events, EVENT_INIT);
        found->common = false;
    }
}

void finder_look(struct finder *f, const struct wanted *w, struct fitting *found)
{
    const struct model *m = f->m;

    found->events_count = 0;
    found->common = false;
    f->covered = false;
    f->known_count = 0;
    f->around = guard_around(f, w->read);
    f->row = clocks_forward_row(m, thread_of(m, w->read), m->position[w->read]);
    if (sees_own(m, w->read, f->around))
        return;
    found->common = start_common(f, w->read);
    if (shows_still(f, w) && leaves_nothing(f, *w->shown, &found->common))
        ARRAY_PUSH(found, events, *w->shown);
    else if (!look_beside(f, w, found))
        look_before(f, w, found);
}

void finder_init(struct finder *f, struct model *m)
{
    *f = (struct finder){.m = m};
    value_runs_init(&f->runs, m);
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
    memset(f->guard_known, 0, f->m->variable_count * sizeof *f->guard_known);
}

void finder_free(struct finder *f)
{
    value_runs_free(&f->runs);
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
