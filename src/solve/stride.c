/* Looks for a run in strides. */
#include "solve/stride.h"
#include "base/memory.h"
#include "solve/stride_parts.h"

#include <assert.h>
#include <stdlib.h>

static void list_ranges(struct strider *r)
{
    const struct model *m = r->m;
    uint32_t *fill = memory_new((size_t)m->event_count + 2, sizeof *fill);

    r->ranges_of = memory_new(m->range_demands_count, sizeof *r->ranges_of);
    for (size_t i = 0; i < m->range_demands_count; i++)
        fill[m->range_demands[i].read + 1]++;
    for (event_id e = 0; e <= m->event_count; e++)
        fill[e + 1] += fill[e];
    for (size_t i = m->range_demands_count; i-- > 0;) /* from here on fill[e + 1] is where those of e begin … */
        r->ranges_of[--fill[m->range_demands[i].read + 1]] = (uint32_t)i;
    rising_take(&r->range_from, fill + 1, (size_t)m->event_count + 1);
    free(fill);
}

struct strider *strider_new(const struct model *m)
{
    struct strider *r = memory_new(1, sizeof *r);

    r->m = m;
    r->cells = memory_new(m->variable_count, sizeof *r->cells);
    r->ages = memory_new(m->variable_count, sizeof *r->ages);
    r->most = memory_new(m->thread_count, sizeof *r->most);
    r->done = memory_new(m->thread_count, sizeof *r->done);
    r->changed = memory_new(m->thread_count, sizeof *r->changed);
    r->waits = memory_new(m->thread_count, sizeof *r->waits);
    r->tried = memory_new(m->thread_count, sizeof *r->tried);
    r->owner = memory_new(m->lock_count, sizeof *r->owner);
    r->readers = memory_new(m->lock_count, sizeof *r->readers);
    r->held_up = memory_new(m->thread_count, sizeof *r->held_up);
    r->wakes = stride_wakes_new(m);
    list_ranges(r);
    return r;
}

void strider_free(struct strider *r)
{
    if (!r)
        return;
    free(r->cells);
    free(r->ages);
    free(r->touched);
    free(r->looks);
    free(r->order);
    free(r->changes);
    free(r->marks);
    free(r->most);
    free(r->done);
    free(r->changed);
    free(r->waits);
    free(r->tried);
    free(r->owner);
    free(r->readers);
    free(r->held_up);
    stride_wakes_free(r->wakes);
    rising_free(&r->range_from);
    free(r->ranges_of);
    map_free(&r->look_of);
    free(r);
}

static bool may_go_on(const struct strider *r, thread_id t, uint32_t round)
{
    const struct stride_wait *wait = &r->waits[t];

    return r->done[t] < r->most[t] && r->tried[t] != round &&
           (wait->variable == NAME_NONE || wait->age != r->ages[wait->variable]);
}

/* The next number that looks like chance, and is the same every time. */
static uint64_t draw(struct strider *r)
{
    r->draw ^= r->draw << 13;
    r->draw ^= r->draw >> 7;
    r->draw ^= r->draw << 17;
    return r->draw;
}

/* The thread whose next event was observed first, of those that may go on and were not tried since the last stride; by draw the first
 * that must go on, or one of them. */
static thread_id choose(struct strider *r, uint32_t round)
{
    const struct model *m = r->m;
    thread_id best = NAME_NONE;
    uint64_t count = 0;

    for (thread_id t = 0; t < m->thread_count; t++) {
        if (!may_go_on(r, t, round))
            continue;
        if (r->draw > 0 && r->done[t] < r->least[t])
            return t;
        if (best == NAME_NONE || (r->draw > 0 ? draw(r) % ++count == 0
                                              : event_at(m, t, r->done[t]) < event_at(m, best, r->done[best])))
            best = t;
    }
    return best;
}

static bool is_there(const struct strider *r)
{
    for (thread_id t = 0; t < r->m->thread_count; t++)
        if (r->done[t] < r->least[t])
            return false;
    return true;
}

/* Goes on until all is there that must be, or nobody can, or *steps is `most`. Whether it is there. */
static bool go_on(struct strider *r, uint32_t *round, uint64_t most, uint64_t *steps)
{
    thread_id t = 0;
    bool there = is_there(r);

    while (!there && *steps < most && (t = choose(r, *round)) != NAME_NONE) {
        if (stride_take(r, t, steps)) {
            ++*round;
            there = is_there(r);
        } else {
            r->tried[t] = *round;
        }
    }
    return there;
}

/* How far it goes back: up to so many times twice as far, mostly little; how often before it begins anew; and how often at most
 * without coming nearer. */
enum { BACK_DOUBLED = 7, BACK_TRIES = 64, IDLE_TRIES = 2 * BACK_TRIES };

static void go_back(struct strider *r, uint32_t tries)
{
    size_t some = (size_t)1 << draw(r) % BACK_DOUBLED;
    size_t back = tries % BACK_TRIES == 0 ? SIZE_MAX : some + draw(r) % some;

    for (; back > 0 && r->marks_count > 0; back--)
        stride_take_back(r);
    for (thread_id t = 0; t < r->m->thread_count; t++)
        r->waits[t] = (struct stride_wait){NAME_NONE, 0};
}

/* How many of the events are there that must be. */
static uint64_t count_there(const struct strider *r)
{
    uint64_t count = 0;

    for (thread_id t = 0; t < r->m->thread_count; t++)
        count += r->done[t] < r->least[t] ? r->done[t] : r->least[t];
    return count;
}

/* Goes back and on in other ways. Whether all is there that must be. */
static bool try_again(struct strider *r, uint32_t *round, uint64_t most, uint64_t *steps)
{
    uint64_t best = count_there(r);
    bool there = false;

    r->draw = UINT64_C(0x9e3779b97f4a7c15);
    for (uint32_t tries = 1, idle = 0; !there && *steps < most && idle < IDLE_TRIES; tries++) {
        go_back(r, tries);
        ++*steps; /* so that it ends */
        ++*round;
        there = go_on(r, round, most, steps);
        uint64_t count = count_there(r);
        idle = count > best ? 0 : idle + 1;
        best = count > best ? count : best;
    }
    return there;
}

void stride_reach(const struct strider *r, uint32_t *reach)
{
    for (thread_id t = 0; t < r->m->thread_count; t++)
        reach[t] = r->done[t] < r->least[t] && r->waits[t].variable != NAME_NONE ? r->done[t] : POSITION_END;
}

bool stride_run(struct strider *r, const struct query *q, const uint32_t *least, event_id *start, uint64_t most,
                uint64_t again, uint64_t *steps, struct event_span *run)
{
    uint32_t round = 1;

    *steps = 0;
    if (q->final != EVENT_NONE || q->sight_count > 0 || q->written != EVENT_NONE || q->end_next ||
        (q->test != TEST_NONE && q->test != TEST_READ_NEW) || r->m->own_lanes)
        return false;
    stride_begin(r, q, least, *start);
    *start = r->start;
    bool there = go_on(r, &round, most, steps) || (*steps < again && try_again(r, &round, again, steps));
    stride_end(r);
    *run = (struct event_span){r->order, r->order_count};
    return there;
}
