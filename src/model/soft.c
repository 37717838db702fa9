/* Soft reads: those that another write than their source may make as observed, or may let pass an event that
 * stands on them with a range. The others bind.
 *
 * What a read may see is limited by must-order, and must-order is made of what binds, and of what all writes have in
 * common that a soft read may see: both are found together, in rounds. Each round uses only what the one before
 * proved, so each is right by itself. */
#include "base/memory.h"
#include "model/fits.h"
#include "model/rare.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 5 };

static void set_soft(struct model *m, event_id read, bool soft)
{
    if (soft)
        m->soft[read / 8] |= (uint8_t)(1u << read % 8);
    else
        m->soft[read / 8] &= (uint8_t) ~(1u << read % 8);
}

/* Keeps what the read may see: what all these writes have in common must come before every event that stands
 * on the read. Returns whether there is anything to keep. */
static bool keep_sources(struct finder *f, event_id read, const struct fitting *found, struct soft_demand *kept)
{
    struct model *m = f->m;

    if (!found->common)
        return false;
    kept->first = (uint32_t)m->soft_sources_count;
    ARRAY_PUSH(m, soft_sources, finder_come_for(f, m->source[read]));
    for (size_t i = 0; i < found->events_count; i++)
        ARRAY_PUSH(m, soft_sources, finder_come_for(f, found->events[i]));
    kept->count = (uint32_t)m->soft_sources_count - kept->first;
    return true;
}

static void keep_demand(struct model *m, event_id read, uint32_t position, struct soft_demand kept)
{
    kept.index = m->thread_start[thread_of(m, read)] + position;
    if (position != POSITION_END)
        ARRAY_PUSH(m, soft_demands, kept);
}

static bool is_soft_now(struct finder *f, event_id read, struct fitting *found)
{
    struct wanted w = {.read = read, .value = model_seen(f->m, read), .shown = &f->shown[read]};

    finder_look(f, &w, found);
    struct soft_demand kept = {.index = read};
    if (found->events_count > 0 && keep_sources(f, read, found, &kept)) {
        ARRAY_PUSH(f->m, soft_reads, kept);
        keep_demand(f->m, read, read_plain_at(f->m, read), kept);
    }
    return found->events_count > 0;
}

static bool range_is_soft(struct finder *f, const struct range_demand *d, struct fitting *found)
{
    event_id *shown = &f->range_shown[d - f->m->range_demands];
    struct wanted w = {d->read, model_seen(f->m, d->read), d->ranges, d->range_count, shown};

    finder_look(f, &w, found);
    struct soft_demand kept = {0};
    if (found->events_count > 0 && keep_sources(f, d->read, found, &kept))
        keep_demand(f->m, d->read, f->m->position[d->event], kept);
    return found->events_count > 0;
}

/* Where reads bind, as far as is known; ranges that still leave a choice are counted. */
static size_t find_binding(struct finder *f, struct fitting *found)
{
    struct model *m = f->m;
    size_t open = 0;

    for (event_id e = 1; e <= m->event_count; e++)
        m->bound_at[e] = m->source[e] == EVENT_NONE || is_soft(m, e) ? POSITION_END : read_plain_at(m, e);
    for (size_t i = 0; i < m->range_demands_count; i++) {
        const struct range_demand *d = &m->range_demands[i];
        if (m->position[d->event] >= m->bound_at[d->read])
            continue;
        if (range_is_soft(f, d, found))
            open++;
        else
            m->bound_at[d->read] = m->position[d->event];
    }
    if (m->grounds)
        demands_sort(m, m->bound_at, &m->by_bound);
    return open;
}

/* Looks at the soft reads once more; returns how many are left. */
static size_t look_again(struct finder *f, struct fitting *found)
{
    struct model *m = f->m;
    size_t left = 0;

    for (event_id e = 1; e <= m->event_count; e++) {
        if (m->source[e] == EVENT_NONE || !is_soft(m, e))
            continue;
        bool soft = is_soft_now(f, e, found);
        set_soft(m, e, soft);
        left += soft;
    }
    return left;
}

/* Sorts the demands by index. */
static void sort_demands(struct model *m)
{
    struct soft_demand *sorted;
    uint32_t *fill;

    stretches_free(&m->soft_end);
    if (m->soft_demands_count == 0)
        return;
    sorted = memory_new(m->soft_demands_count, sizeof *sorted);
    fill = memory_new((size_t)m->event_count + 2, sizeof *fill);
    for (size_t i = 0; i < m->soft_demands_count; i++)
        fill[m->soft_demands[i].index + 1]++;
    for (uint32_t i = 0; i <= m->event_count; i++)
        fill[i + 1] += fill[i];
    for (size_t i = 0; i < m->soft_demands_count; i++)
        sorted[fill[m->soft_demands[i].index]++] = m->soft_demands[i];
    assert(fill[m->event_count] == m->soft_demands_count);
    stretches_take(&m->soft_end, fill, (size_t)m->event_count + 1);
    free(fill);
    free(m->soft_demands);
    m->soft_demands = sorted;
    m->soft_demands_capacity = m->soft_demands_count;
}

/* One round; how many reads and ranges it leaves. Must-order stays as it is unless these are fewer than before. */
static size_t look(struct finder *f, size_t before)
{
    struct model *m = f->m;
    struct fitting found = {0};

    m->soft_demands_count = m->soft_reads_count = m->soft_sources_count = 0;
    size_t left = look_again(f, &found);
    left += find_binding(f, &found);
    sort_demands(m);
    if (left < before)
        clocks_build(m, false);
    free(found.events);
    return left;
}

/* Whether a write may carry what it wrote though the read that it adds to is not as observed. */
static bool has_open_sum(const struct model *m)
{
    for (event_id e = 1; m->adds && e <= m->event_count; e++)
        if (model_adds(m, e) && !model_sum_tells(m, e, model_made(m, e).read))
            return true;
    return false;
}

/* Whether a read that must only be in a range sees a sum: another number may do, made from another read. */
static bool has_open_range(const struct model *m)
{
    for (size_t i = 0; i < m->range_demands_count; i++) {
        event_id source = m->source[m->range_demands[i].read];
        if (model_adds(m, source))
            return true;
    }
    return false;
}

/* Before must-order is known: reads of a value that is not known, or that no other write may carry, bind. Returns how many are
 * left. */
static size_t start_with_rare(struct model *m)
{
    struct rare_values rare;
    size_t left = 0;

    m->soft = memory_new(m->event_count / 8 + 1, 1);
    m->bound_at = memory_resize(NULL, (size_t)m->event_count + 1, sizeof *m->bound_at);
    memset(m->bound_at, 0xff, ((size_t)m->event_count + 1) * sizeof *m->bound_at);
    rare_init(&rare, m);
    for (event_id e = 1; e <= m->event_count; e++) {
        if (m->source[e] == EVENT_NONE)
            continue;
        bool soft = model_seen(m, e).tag != VALUE_NONE && !rare_sees(&rare, e);
        set_soft(m, e, soft);
        m->bound_at[e] = soft ? POSITION_END : read_plain_at(m, e);
        left += soft;
    }
    rare_free(&rare);
    if (m->grounds)
        demands_sort(m, m->bound_at, &m->by_bound);
    clocks_build(m, false);
    return left;
}

/* Returns how many reads and ranges are left. The orders of sections and tenures are looked for once, and count from the second round
 * on. */
static size_t look_in_rounds(struct finder *f)
{
    size_t left = look(f, SIZE_MAX), before = SIZE_MAX;

    if (left > 0) {
        tenures_find(f->m);
        orders_find(f->m);
    }
    for (int round = 1; round < ROUNDS && left > 0 && left < before; round++) {
        before = left;
        left = look(f, round == 1 ? SIZE_MAX : before);
    }
    return left;
}

static void find_with_values(struct model *m)
{
    struct finder f;

    events_group(m, &m->writes, m->variable_count, kind_writes);
    finder_init(&f, m);
    if (m->grounds)
        told_find(&f);
    size_t left = start_with_rare(m);
    words_find(m);
    if (m->word_count > 0)
        finder_forget_guards(&f);
    if (left > 0 || m->range_demands_count > 0)
        left = look_in_rounds(&f);
    m->relaxed |= left > 0 || has_open_sum(m) || has_open_range(m);
    finder_free(&f);
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
        demands_sort(m, m->bound_at, &m->by_bound);
    }
    clocks_build(m, false);
}
