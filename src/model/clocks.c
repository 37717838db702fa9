/* Must-order as vector clocks, kept per epoch: a thread gets a new row only where another thread's events come
 * in. The observed order is swept in the same way, with every couple, notify and token in it. */
#include "base/memory.h"
#include "base/row.h"
#include "model/model_parts.h"
#include "model/tokens.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct sweep {
    struct model *m;
    struct clocks *clocks;
    bool observed;
    event_id to;          /* what edges are added to now */
    bool locks;           /* what must have begun before a section of the same lock has ended before it, too */
    bool changed;         /* the row of s->to */
    struct clocks before; /* of the round before, if there was one */
    uint32_t *needs;      /* room for a row */
    event_id *followed;   /* by write, of the observed order: the last event that needed what it is made of */
};

void clocks_free(struct clocks *clocks, uint32_t thread_count)
{
    for (uint32_t t = 0; clocks->threads && t < thread_count; t++)
        free(clocks->threads[t].epochs);
    free(clocks->threads);
    free(clocks->rows);
    stretches_free(&clocks->row_of);
    memset(clocks, 0, sizeof *clocks);
}

/* Announces memory for rows a part at a time: one that is used at all is used up to its end. */
enum { ROWS_EXPECTED = 1 << 18 };

static void make_room(struct clocks *c, size_t count)
{
    if (count <= c->rows_expected)
        return;
    c->rows_expected = count + ROWS_EXPECTED;
    if (count > c->rows_capacity)
        c->rows = memory_grow(c->rows, &c->rows_capacity, count, sizeof *c->rows);
    if (c->rows_expected > c->rows_capacity)
        c->rows_expected = c->rows_capacity;
    if (c->rows_count > ROWS_EXPECTED) /* not where there are few */
        memory_expect(c->rows + c->rows_count, (c->rows_expected - c->rows_count) * sizeof *c->rows);
}

/* A new epoch of thread t, its row a copy of the thread's row so far. */
static uint32_t *epoch_add(struct clocks *c, uint32_t threads, thread_id t, uint32_t at)
{
    struct epoch_list *list = &c->threads[t];
    uint32_t last = list->epochs[list->epochs_count - 1].row;
    uint32_t row = (uint32_t)(c->rows_count / threads);

    assert(list->epochs[list->epochs_count - 1].at <= at && c->rows_count % threads == 0);
    make_room(c, c->rows_count + threads);
    c->rows_count += threads;
    memcpy(c->rows + (size_t)row * threads, c->rows + (size_t)last * threads, threads * sizeof *c->rows);
    ARRAY_PUSH(list, epochs, (struct epoch){at, row});
    return c->rows + (size_t)row * threads;
}

/* Row 0 is every thread's first: nothing comes before. */
static void clocks_init(struct clocks *c, uint32_t threads)
{
    c->threads = memory_new(threads, sizeof *c->threads);
    c->rows = memory_grow(NULL, &c->rows_capacity, threads, sizeof *c->rows);
    c->rows_count = threads;
    for (uint32_t t = 0; t < threads; t++) {
        c->rows[t] = 0;
        ARRAY_PUSH(&c->threads[t], epochs, (struct epoch){0, 0});
    }
}

/* The newest row of a thread. */
static uint32_t *row_now(const struct clocks *c, uint32_t threads, thread_id t)
{
    const struct epoch_list *list = &c->threads[t];

    return c->rows + (size_t)list->epochs[list->epochs_count - 1].row * threads;
}

const struct epoch *clocks_epoch(const struct clocks *c, thread_id thread, uint32_t position)
{
    const struct epoch_list *list = &c->threads[thread];
    size_t low = 1, high = list->epochs_count; /* the first epoch begins at 0 */

    if (list->epochs[high - 1].at <= position)
        return &list->epochs[high - 1];
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (list->epochs[middle].at <= position)
            low = middle + 1;
        else
            high = middle;
    }
    assert(list->epochs[low - 1].at <= position);
    return &list->epochs[low - 1];
}

const uint32_t *clocks_row(const struct clocks *c, const struct model *m, thread_id thread, uint32_t position)
{
    uint32_t row = c->row_of.count > 0 && position < thread_length(m, thread)
                       ? stretches_at(&c->row_of, m->thread_start[thread] + position)
                       : clocks_epoch(c, thread, position)->row;

    return c->rows + (size_t)row * m->thread_count;
}

const uint32_t *clocks_forward_row(const struct model *m, thread_id thread, uint32_t position)
{
    return clocks_row(&m->forward, m, thread, position);
}

uint32_t must_after(const struct model *m, event_id e, thread_id u)
{
    const struct epoch_list *list = &m->forward.threads[u];
    size_t low = 0, high = list->epochs_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const uint32_t *row = m->forward.rows + (size_t)list->epochs[middle].row * m->thread_count;
        if (row[thread_of(m, e)] > m->position[e])
            high = middle;
        else
            low = middle + 1;
    }
    return low < list->epochs_count ? list->epochs[low].at : POSITION_END;
}

/* Whether the row has a larger number than that of thread t, for another thread than t. */
static bool tells_more(const uint32_t *row, const uint32_t *known, uint32_t threads, thread_id t)
{
    uint32_t first = row_first_larger(row, known, 0, threads);

    return first != t ? first < threads : row_first_larger(row, known, t + 1, threads) < threads;
}

/* What is before position `row_at` of the thread of `from`, and `from` itself, is before s->to. */
static void forward_edge(struct sweep *s, event_id from, uint32_t row_at)
{
    struct model *m = s->m;
    thread_id u = thread_of(m, from), t = thread_of(m, s->to);
    uint32_t threads = m->thread_count, position = m->position[s->to];
    struct epoch_list *list = &s->clocks->threads[t];

    assert(from < s->to);
    if (row_now(s->clocks, threads, t)[u] > m->position[from] && row_at == m->position[from])
        return;
    if (u == t && row_at == m->position[from])
        return;

    const uint32_t *other = clocks_row(s->clocks, m, u, row_at);
    uint32_t *row = row_now(s->clocks, threads, t);
    if ((u == t || row[u] > m->position[from]) && !tells_more(other, row, threads, t))
        return;
    struct epoch *last = &list->epochs[list->epochs_count - 1];
    if (last->at != position || last->row == 0) {
        row = epoch_add(s->clocks, threads, t, position);
        other = clocks_row(s->clocks, m, u, row_at);
    }
    row_raise(row, other, threads);
    if (row[u] <= m->position[from])
        row[u] = m->position[from] + 1;
    assert(row[t] <= position); /* nothing comes before itself */
    s->changed = true;
}

/* So many events of each thread are before s->to. */
static void forward_row(struct sweep *s, const uint32_t *needs)
{
    const struct model *m = s->m;
    thread_id t = thread_of(m, s->to);
    uint32_t threads = m->thread_count, position = m->position[s->to];
    struct epoch_list *list = &s->clocks->threads[t];
    uint32_t *row = row_now(s->clocks, threads, t);

    if (!tells_more(needs, row, threads, t))
        return;
    struct epoch *last = &list->epochs[list->epochs_count - 1];
    if (last->at != position || last->row == 0)
        row = epoch_add(s->clocks, threads, t, position);
    for (uint32_t v = 0; v < threads; v++)
        if (v != t && needs[v] > row[v])
            row[v] = needs[v];
    s->changed = true;
}

/* What a soft read needs. */
static void soft_edge(void *context, const struct soft_demand *demand)
{
    struct sweep *s = context;
    uint32_t threads = s->m->thread_count;
    const uint32_t *known = row_now(s->clocks, threads, thread_of(s->m, s->to));

    if (soft_needs(s->m, demand, s->before.threads ? &s->before : NULL, s->to, 0, threads, known, s->needs))
        forward_row(s, s->needs);
}

/* The release of a section that thread u has open after its first `count` events, and that excludes one of those
 * that `guard` and what is below it have open; or EVENT_NONE. Of words the last of these events says which are open: a
 * take is no more than a try as long as nothing follows. */
static event_id release_before(const struct model *m, thread_id u, uint32_t count, uint32_t guard, bool words)
{
    uint32_t i = words ? model_guard_at(m, u, count - 1) : model_hold_at(m, u, count);

    for (; i != HOLD_NONE; i = m->holds[i].outer) {
        const struct section *other = &m->sections[m->holds[i].section];
        for (uint32_t k = guard; lock_is_word(m, other->lock) == words && k != HOLD_NONE;
             k = m->holds[k].outer) {
            const struct section *own = &m->sections[m->holds[k].section];
            if (section_lock(own) == section_lock(other) && !(own->shared && other->shared))
                return other->release;
        }
    }
    return EVENT_NONE;
}

/* What such a section of thread u, of which so many events are before s->to, ends with comes before that, too. */
static void close_before(struct sweep *s, thread_id u, uint32_t count, uint32_t guard, bool words)
{
    const struct model *m = s->m;
    event_id release = release_before(m, u, count, guard, words);

    if (release != EVENT_NONE && release < s->to)
        forward_edge(s, release, m->position[release]);
}

/* Whether the thread's event before s->to begins a section. */
static bool has_begun(const struct sweep *s, thread_id t, uint32_t position)
{
    const struct model *m = s->m;
    event_id before = position > 0 ? event_at(m, t, position - 1) : EVENT_INIT;

    if (before == EVENT_INIT)
        return false;
    if (model_section_of(m, before) != SECTION_NONE)
        return m->sections[model_section_of(m, before)].acquire == before;
    return m->word_count > 0 && kind_updates(kind_of(m, before)) &&
           model_guard_at(m, t, position) != model_guard_at(m, t, position - 1);
}

/* Whether there is a word among these, or a lock. */
static bool guards_with(const struct model *m, uint32_t guard, bool word)
{
    while (guard != HOLD_NONE && lock_is_word(m, m->sections[m->holds[guard].section].lock) != word)
        guard = m->holds[guard].outer;
    return guard != HOLD_NONE;
}

/* What must have begun before s->to, of the locks and words that its thread has by then, must have ended before. An
 * acquire itself may wait for that end, so its own section does not count yet. `known`: the row right before, whose threads were
 * looked at if no section has begun since. */
static void close_sections(struct sweep *s, size_t known)
{
    const struct model *m = s->m;
    thread_id t = thread_of(m, s->to);
    uint32_t position = m->position[s->to], threads = m->thread_count;
    bool begun = has_begun(s, t, position);
    uint32_t guard = s->changed || begun ? model_guard_at(m, t, position) : HOLD_NONE;
    bool locks = guards_with(m, guard, false), words = guards_with(m, guard, true);

    s->changed = guard != HOLD_NONE;
    while (s->changed) {
        s->changed = false;
        for (thread_id u = 0; u < threads; u++) {
            const uint32_t *row = row_now(s->clocks, threads, t),
                           *old = begun ? s->clocks->rows : s->clocks->rows + known;
            u = row_first_larger(row, old, u, threads);
            if (u == t || u == threads)
                continue;
            if (locks)
                close_before(s, u, row[u], guard, false);
            if (words)
                close_before(s, u, row_now(s->clocks, threads, t)[u], guard, true);
        }
    }
}

static void source_edge(void *context, event_id source, uint32_t row_at)
{
    forward_edge(context, source, row_at);
}

static void token_edge(void *context, event_id before)
{
    struct sweep *s = context;

    forward_edge(s, before, s->m->position[before]);
}

/* Counters are made of what they were before, and so on back: what an event before s->to has needed is not visited again. */
static bool was_followed(void *context, event_id write)
{
    struct sweep *s = context;
    const struct model *m = s->m;
    event_id by = s->followed[write];
    thread_id t = thread_of(m, s->to);

    s->followed[write] = s->to;
    if (by == EVENT_INIT || thread_of(m, by) == t)
        return by != EVENT_INIT;
    return row_now(s->clocks, m->thread_count, t)[thread_of(m, by)] > m->position[by];
}

/* What the thread's event at a position, or its end, needs because of reads comes before s->to. */
static void add_sources(struct sweep *s, thread_id t, uint32_t position)
{
    struct couple_visitor visitor = {source_edge, soft_edge, s, s->observed ? was_followed : NULL};

    couples_at(s->m, s->observed, t, position, s->to, &visitor);
}

static void sweep_forward(struct sweep *s)
{
    struct model *m = s->m;
    size_t next = 0; /* requirement */

    clocks_init(s->clocks, m->thread_count);
    for (event_id e = 1; e <= m->event_count; e++) {
        size_t known = (size_t)(row_now(s->clocks, m->thread_count, thread_of(m, e)) - s->clocks->rows);
        s->to = e;
        s->changed = false;
        add_sources(s, thread_of(m, e), m->position[e]);
        if (kind_of(m, e) == EVENT_JOIN && has_events(m, arg_of(m, e)))
            add_sources(s, m->lane_of[arg_of(m, e)], m->ends[arg_of(m, e)]);
        for (; next < m->requirements_count && m->requirements[next].event == e; next++) {
            const struct requirement *r = &m->requirements[next];
            for (uint32_t i = 0; i < r->count; i++) {
                event_id before = m->required_events[r->first + i];
                if (s->observed || model_requires_always(m, e, before))
                    forward_edge(s, before, m->position[before]);
            }
        }
        if (!s->observed && kind_of(m, e) == EVENT_SEM_WAIT)
            tokens_certain(m, e, row_now(s->clocks, m->thread_count, thread_of(m, e)), token_edge, s);
        if (!s->observed && kind_of(m, e) == EVENT_WAIT_POST)
            notify_certain(m, e, token_edge, s);
        if (s->locks)
            close_sections(s, known);
    }
}

/* Events are asked about far more often than there are epochs. */
static void place_rows(const struct model *m, struct clocks *c)
{
    for (thread_id t = 0; t < m->thread_count; t++) {
        const struct epoch_list *list = &c->threads[t];
        for (size_t i = 0; i < list->epochs_count; i++) {
            uint32_t end = i + 1 < list->epochs_count ? list->epochs[i + 1].at : thread_length(m, t);
            stretches_fill(&c->row_of, m->thread_start[t] + end, list->epochs[i].row);
        }
    }
    stretches_end(&c->row_of);
}

void clocks_build(struct model *m, bool observed)
{
    struct sweep s = {.m = m,
                      .clocks = observed ? &m->observed : &m->forward,
                      .observed = observed,
                      .locks = !observed && m->values};

    s.before = *s.clocks;
    s.needs = memory_new(m->thread_count, sizeof *s.needs);
    s.followed = observed ? memory_new((size_t)m->event_count + 1, sizeof *s.followed) : NULL;
    *s.clocks = (struct clocks){0};
    sweep_forward(&s);
    place_rows(m, s.clocks);
    clocks_free(&s.before, m->thread_count);
    free(s.needs);
    free(s.followed);
}
