/* Shorter schedules, by trial: each is accepted by the checker or not taken.
 *
 * First what is not needed goes, thread by thread, from the end; then stretches of one thread are moved
 * together, the later one up or the earlier one down. Long observed prefixes are left alone but for their last
 * part. */
#include "replay/minimise.h"
#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
    OPENED = 4096,
    WORK = 5000000
}; /* events of the prefix that may be moved; events looked at in all trials */

struct minimiser {
    struct replay_case *c;
    struct finding finding; /* with the schedule being tried */
    uint32_t prefix;
    uint32_t *list; /* what follows the prefix: the best so far */
    size_t count;
    uint32_t *trial;
    uint64_t work;
};

static thread_id step_thread(const struct minimiser *m, uint32_t event)
{
    return m->c->trace.thread[event];
}

/* Whether the first `count` events of `trial` show the finding; if so they are the best so far. */
static bool accepts(struct minimiser *m, size_t count)
{
    uint32_t *old = m->list;

    assert(count <= m->count && m->list != m->trial);
    m->work += count + 1;
    m->finding.schedule =
        (struct schedule){.prefix = m->prefix, .tail_count = (uint32_t)count, .tail = m->trial};
    if (m->work > WORK || !certifier_accepts(m->c->certifier, &m->finding, &m->c->options, NULL))
        return false;
    m->list = m->trial;
    m->trial = old;
    m->count = count;
    return true;
}

/* The stretch of one thread that begins at `from`: where it ends. */
static size_t stretch_end(const struct minimiser *m, size_t from)
{
    size_t end = from + 1;

    assert(from < m->count);
    while (end < m->count && step_thread(m, m->list[end]) == step_thread(m, m->list[from]))
        end++;
    return end;
}

/* Leaves out the thread's events from `from` on. */
static bool drop_from(struct minimiser *m, thread_id thread, size_t from)
{
    size_t count = from;

    memcpy(m->trial, m->list, from * sizeof *m->list);
    for (size_t i = from; i < m->count; i++)
        if (step_thread(m, m->list[i]) != thread)
            m->trial[count++] = m->list[i];
    return count < m->count && accepts(m, count);
}

/* Leaves out as much of the ends of threads as can be: all of it, or stretch by stretch from the last. */
static void drop_unneeded(struct minimiser *m)
{
    size_t threads = trace_names(&m->c->trace, NAME_THREAD);

    for (thread_id t = 0; t < threads; t++) {
        bool dropped = drop_from(m, t, 0);
        for (size_t i = m->count; i-- > 0 && !dropped;)
            if (step_thread(m, m->list[i]) == t && (i == 0 || step_thread(m, m->list[i - 1]) != t)) {
                if (!drop_from(m, t, i))
                    break;
                i = m->count;
            }
    }
}

/* The list with the part [from, end) moved so that it begins after the part that ends at `to` (to <= from), or
 * so that it ends where `to` begins (to >= end). */
static void move_part(struct minimiser *m, size_t from, size_t end, size_t to)
{
    size_t length = end - from, at = 0;

    assert(from < end && end <= m->count && (to <= from || (to >= end && to <= m->count)));
    if (to <= from) {
        memcpy(m->trial, m->list, to * sizeof *m->list);
        memcpy(m->trial + to, m->list + from, length * sizeof *m->list);
        memcpy(m->trial + to + length, m->list + to, (from - to) * sizeof *m->list);
        at = end;
        memcpy(m->trial + at, m->list + at, (m->count - at) * sizeof *m->list);
        return;
    }
    memcpy(m->trial, m->list, from * sizeof *m->list);
    memcpy(m->trial + from, m->list + end, (to - end) * sizeof *m->list);
    memcpy(m->trial + from + (to - end), m->list + from, length * sizeof *m->list);
    memcpy(m->trial + to, m->list + to, (m->count - to) * sizeof *m->list);
}

/* Joins the stretch at `from` with the next one of its thread, if that is possible. */
static bool join_next(struct minimiser *m, size_t from)
{
    size_t end = stretch_end(m, from), next = end, next_end;

    while (next < m->count && step_thread(m, m->list[next]) != step_thread(m, m->list[from]))
        next++;
    if (next == m->count)
        return false;
    next_end = stretch_end(m, next);
    move_part(m, next, next_end, end);
    if (accepts(m, m->count))
        return true;
    move_part(m, from, end, next);
    return accepts(m, m->count);
}

static void join_stretches(struct minimiser *m)
{
    bool again = true;

    while (again && m->work < WORK) {
        again = false;
        for (size_t i = 0; i < m->count && m->work < WORK; i = stretch_end(m, i))
            again |= join_next(m, i);
    }
}

static struct schedule copy(const struct schedule *s)
{
    struct schedule to = *s;

    to.tail = memory_new(s->tail_count + 1, sizeof *to.tail);
    if (s->tail_count)
        memcpy(to.tail, s->tail, s->tail_count * sizeof *to.tail);
    return to;
}

void minimise_schedule(struct replay_case *c, const struct finding *f, struct schedule *to)
{
    struct minimiser m = {.c = c, .finding = *f};
    const struct schedule *s = &f->schedule;
    uint32_t opened = s->prefix < OPENED ? s->prefix : OPENED;

    *to = copy(s);
    m.prefix = s->prefix - opened;
    m.count = opened + s->tail_count;
    if (m.count == 0 || f->synchronization)
        return;
    m.list = memory_new(m.count, sizeof *m.list);
    m.trial = memory_new(m.count, sizeof *m.trial);
    for (uint32_t i = 0; i < opened; i++)
        m.trial[i] = m.prefix + 1 + i;
    if (s->tail_count)
        memcpy(m.trial + opened, s->tail, s->tail_count * sizeof *s->tail);
    if (accepts(&m, m.count)) { /* a schedule that is not accepted as it is will not be by moving it */
        drop_unneeded(&m);
        join_stretches(&m);
        m.finding.schedule =
            (struct schedule){.prefix = m.prefix, .tail_count = (uint32_t)m.count, .tail = m.list};
        assert(m.count <= opened + s->tail_count);
        if (schedule_switches(&c->trace, &m.finding.schedule) <= schedule_switches(&c->trace, s)) {
            free(to->tail);
            *to = copy(&m.finding.schedule);
        }
    }
    free(m.list);
    free(m.trial);
}
