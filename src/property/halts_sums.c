/* What variables that threads count in can hold where threads halt.
 *
 * A sum adds to what a read saw, which another write left, and so on back to a number that is no sum; no write comes twice in
 * that. So what a read sees is at most the largest of these numbers and all that the sums of other threads add, and those of
 * its own thread before it; and likewise at least. */
#include "property/halts_sums.h"
#include "base/memory.h"
#include "model/tokens.h"

#include <assert.h>
#include <stdlib.h>

/* Variables looked at, and how often limits are drawn from those of the time before. */
enum { VARIABLES_MOST = 16, ROUNDS_MOST = 8 };

/* What sums take away, and add. */
struct sum_change {
    int64_t less, more;
};

/* What the reads that are demanded at this position of their thread, or before, need at least and at most of what is not of
 * their own thread. */
struct sum_need {
    thread_id thread;
    uint32_t at;
    int64_t low, high;
};

struct sum_variable {
    variable_id x;
    int64_t low, high; /* of what is no sum */
    size_t first, end; /* in needs */
    uint32_t *groups;  /* by thread: its group of writes, plus 1 */
};

struct halts_sums {
    const struct model *m;
    struct sum_variable *list;
    size_t list_count, list_capacity;
    struct sum_need *needs; /* variable by variable, thread by thread, in order */
    size_t needs_count, needs_capacity;
    struct sum_change *changes; /* by index of m->writes.events: what the group has changed up to there */
    struct sum_change *most;    /* by thread: what it changes up to its limit */
};

static void widen(struct sum_variable *v, struct known_value value)
{
    int64_t number = (int64_t)value.number;

    if (!known_is_number(value))
        return;
    v->low = number < v->low ? number : v->low;
    v->high = number > v->high ? number : v->high;
}

/* Adds up the sums of a thread. */
static void add_up(struct halts_sums *s, struct sum_variable *v, const struct thread_group *g)
{
    const struct model *m = s->m;
    struct sum_change all = {0};

    for (uint32_t i = g->first; i < g->first + g->count; i++) {
        event_id write = m->writes.events[i];
        struct made made = model_adds(m, write) ? model_made(m, write) : (struct made){.form = MADE_CONSTANT};
        if (made.form != MADE_OFFSET || !known_is_number(model_seen(m, made.read)))
            widen(v, model_written(m, write, v->x));
        if (made.form == MADE_OFFSET) {
            all.less += (int64_t)made.offset < 0 ? (int64_t)made.offset : 0;
            all.more += (int64_t)made.offset > 0 ? (int64_t)made.offset : 0;
        }
        s->changes[i] = all;
    }
}

/* What the thread can have changed when it has done so many events. */
static struct sum_change changed_by(const struct halts_sums *s, const struct sum_variable *v, thread_id t,
                                    uint32_t position)
{
    const struct thread_group *g = v->groups[t] > 0 ? &s->m->writes.groups[v->groups[t] - 1] : NULL;
    uint32_t count = g ? group_up_to(s->m, &s->m->writes, g, position) : 0;

    return count > 0 ? s->changes[g->first + count - 1] : (struct sum_change){0};
}

static int by_thread_then_place(const void *a, const void *b)
{
    const struct sum_need *p = a, *q = b;

    if (p->thread != q->thread)
        return p->thread < q->thread ? -1 : 1;
    return p->at < q->at ? -1 : p->at > q->at;
}

/* Collects what reads need. False where there is none, or one saw something else than its source wrote. */
static bool find_needs(struct halts_sums *s, struct sum_variable *v)
{
    const struct model *m = s->m;
    struct event_span accesses = accesses_of(m, v->x);

    v->first = s->needs_count;
    for (size_t i = 0; i < accesses.count; i++) {
        event_id read = accesses.events[i];
        if (m->source[read] == EVENT_NONE)
            continue;
        struct known_value seen = model_seen(m, read);
        if (seen.tag != VALUE_NONE && !known_equal(seen, model_written(m, m->source[read], v->x)))
            return false;
        if (!known_is_number(seen) || read_plain_at(m, read) == POSITION_END)
            continue;
        struct sum_change own = changed_by(s, v, thread_of(m, read), m->position[read]);
        ARRAY_PUSH(s, needs,
                   (struct sum_need){thread_of(m, read), read_plain_at(m, read),
                                     (int64_t)seen.number - own.less, (int64_t)seen.number - own.more});
    }
    v->end = s->needs_count;
    if (v->first == v->end)
        return false;
    qsort(s->needs + v->first, v->end - v->first, sizeof *s->needs, by_thread_then_place);
    for (size_t i = v->first + 1; i < v->end; i++) {
        const struct sum_need *before = &s->needs[i - 1];
        struct sum_need *need = &s->needs[i];
        if (before->thread != need->thread)
            continue;
        need->low = before->low < need->low ? before->low : need->low;
        need->high = before->high > need->high ? before->high : need->high;
    }
    return true;
}

/* Whether threads count in the variable: several write it, and all that its sums can come to is a number. */
static bool is_counted_in(const struct model *m, variable_id x)
{
    uint32_t first = m->writes.start[x], end = m->writes.start[x + 1];

    if (m->sum_bounds[x].low == INT64_MIN || m->sum_bounds[x].high == INT64_MAX || end - first < 2)
        return false;
    for (uint32_t i = first; i < end; i++)
        if (model_adds(m, m->writes.events[m->writes.groups[i].first]))
            return true;
    return false;
}

static void add_variable(struct halts_sums *s, variable_id x)
{
    const struct model *m = s->m;
    struct sum_variable v = {.x = x, .low = INT64_MAX, .high = INT64_MIN};
    size_t needs = s->needs_count;

    v.groups = memory_new(m->thread_count, sizeof *v.groups);
    widen(&v, m->initial_values[x]);
    for (uint32_t i = m->writes.start[x]; i < m->writes.start[x + 1]; i++) {
        v.groups[m->writes.groups[i].thread] = i + 1;
        add_up(s, &v, &m->writes.groups[i]);
    }
    if (v.low <= v.high && find_needs(s, &v)) {
        ARRAY_PUSH(s, list, v);
        return;
    }
    s->needs_count = needs;
    free(v.groups);
}

struct halts_sums *halts_sums_new(const struct model *m)
{
    struct halts_sums *s;

    if (!m->adds || !m->values)
        return NULL;
    s = memory_new(1, sizeof *s);
    s->m = m;
    s->changes = memory_new(m->event_count, sizeof *s->changes);
    s->most = memory_new(m->thread_count, sizeof *s->most);
    for (variable_id x = 0; x < m->variable_count && s->list_count < VARIABLES_MOST; x++)
        if (is_counted_in(m, x))
            add_variable(s, x);
    return s;
}

void halts_sums_free(struct halts_sums *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < s->list_count; i++)
        free(s->list[i].groups);
    free(s->list);
    free(s->needs);
    free(s->changes);
    free(s->most);
    free(s);
}

/* The needs of the thread where it has done so many events; NULL: none. */
static const struct sum_need *need_at(const struct halts_sums *s, const struct sum_variable *v, thread_id t,
                                      uint32_t position)
{
    struct sum_need wanted = {.thread = t, .at = position};
    size_t low = v->first, high = v->end;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (by_thread_then_place(&s->needs[middle], &wanted) <= 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low > v->first && s->needs[low - 1].thread == t ? &s->needs[low - 1] : NULL;
}

/* The first place of the thread where it has changed so much; POSITION_END: none. */
static uint32_t first_with(const struct halts_sums *s, const struct sum_variable *v, thread_id t,
                           struct sum_change wanted)
{
    const struct thread_group *g = v->groups[t] > 0 ? &s->m->writes.groups[v->groups[t] - 1] : NULL;
    uint32_t low = g ? g->first : 0, high = g ? g->first + g->count : 0;

    if (wanted.less >= 0 && wanted.more <= 0)
        return 0;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (s->changes[middle].less > wanted.less || s->changes[middle].more < wanted.more)
            low = middle + 1;
        else
            high = middle;
    }
    return g && low < g->first + g->count ? s->m->position[s->m->writes.events[low]] + 1 : POSITION_END;
}

/* The last place of the thread where its reads need no more than others can have changed. */
static uint32_t last_within(const struct halts_sums *s, const struct sum_variable *v, thread_id t,
                            struct sum_change others)
{
    size_t low = v->first, high = v->end;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct sum_need *need = &s->needs[middle];
        if (need->thread < t || (need->thread == t && need->low >= others.less && need->high <= others.more))
            low = middle + 1;
        else
            high = middle;
    }
    assert(low == v->end || s->needs[low].thread != t || s->needs[low].at > 0);
    return low < v->end && s->needs[low].thread == t ? s->needs[low].at - 1 : POSITION_END;
}

/* How much the other threads may fall short of their limits, by what this thread needs where it stands at least. */
static bool find_spare(const struct halts_sums *s, const struct sum_variable *v, thread_id t, uint32_t least,
                       struct sum_change all, struct sum_change *spare)
{
    const struct sum_need *need = need_at(s, v, t, least);

    *spare = (struct sum_change){INT64_MIN, INT64_MAX};
    if (need)
        *spare = (struct sum_change){all.less - s->most[t].less - need->low,
                                     all.more - s->most[t].more - need->high};
    return spare->less <= 0 && spare->more >= 0;
}

/* Limits the other threads by what thread t needs. */
static void limit_others(const struct halts_sums *s, const struct sum_variable *v, thread_id t,
                         struct sum_change spare, uint32_t *low)
{
    for (thread_id u = 0; u < s->m->thread_count; u++) {
        struct sum_change wanted = {spare.less == INT64_MIN ? 0 : s->most[u].less - spare.less,
                                    spare.more == INT64_MAX ? 0 : s->most[u].more - spare.more};
        uint32_t least = u == t ? 0 : first_with(s, v, u, wanted);
        low[u] = least > low[u] ? least : low[u];
    }
}

/* Limits the threads by one variable. False if they do not fit. */
static bool limit_by(struct halts_sums *s, const struct sum_variable *v, uint32_t *low, uint32_t *high)
{
    uint32_t threads = s->m->thread_count;
    struct sum_change all = {v->low, v->high}, spare;

    for (thread_id t = 0; t < threads; t++) {
        s->most[t] = changed_by(s, v, t, high[t]);
        all.less += s->most[t].less;
        all.more += s->most[t].more;
    }
    for (thread_id t = 0; t < threads; t++) {
        struct sum_change others = {all.less - s->most[t].less, all.more - s->most[t].more};
        uint32_t last = last_within(s, v, t, others);
        if (!find_spare(s, v, t, low[t], all, &spare))
            return false;
        high[t] = last < high[t] ? last : high[t];
        if (spare.less != INT64_MIN)
            limit_others(s, v, t, spare, low);
    }
    for (thread_id t = 0; t < threads; t++)
        if (low[t] > high[t])
            return false;
    return true;
}

/* Limits only ever become narrower. */
static uint64_t width(const struct halts_sums *s, const uint32_t *low, const uint32_t *high)
{
    uint64_t sum = 0;

    for (thread_id t = 0; t < s->m->thread_count; t++)
        sum += high[t] - low[t];
    return sum;
}

bool halts_sums_limit(struct halts_sums *s, uint32_t *low, uint32_t *high)
{
    uint64_t before = UINT64_MAX;

    for (int round = 0; s && s->list_count > 0 && round < ROUNDS_MOST && width(s, low, high) < before;
         round++) {
        before = width(s, low, high);
        for (size_t i = 0; i < s->list_count; i++)
            if (!limit_by(s, &s->list[i], low, high))
                return false;
    }
    return true;
}
