/* Lanes: threads whose lives cannot overlap in any run share one, so that clocks are as wide as the program and not as
 * its number of threads.
 *
 * A thread may follow another in its lane if its fork must come after the other's join: the join comes before the fork in
 * one thread, or in the threads that forked that one before they did. Every run that holds an event of the later thread
 * then holds all of the earlier one. */
#include "base/memory.h"
#include "model/model_parts.h"

#include <stdlib.h>
#include <string.h>

/* Fewer threads than this have lanes of their own; how far up a fork looks for a lane. */
enum { THREADS_FEW = 16, ANCESTORS = 16 };

#define NOWHERE UINT32_MAX

struct life { /* of a thread of the trace */
    thread_id parent;
    event_id fork; /* EVENT_NONE: nobody forked it */
    uint32_t events, joins;
    uint32_t open;       /* lock operations and waits that it has not ended */
    uint32_t free_first; /* lanes that threads which it joined have left, the oldest first */
    uint32_t free_last;
};

/* A lane that is free after event `since` of the thread in whose list it is. By lane. */
struct free_lane {
    event_id since;
    uint32_t next;
};

struct sharing {
    struct model *m;
    struct life *lives;
    struct free_lane *lanes;
    size_t lanes_count, lanes_capacity;
};

static void list_add(struct sharing *s, struct life *to, uint32_t lane, event_id since)
{
    s->lanes[lane] = (struct free_lane){since, NOWHERE};
    if (to->free_first == NOWHERE)
        to->free_first = lane;
    else
        s->lanes[to->free_last].next = lane;
    to->free_last = lane;
}

static uint32_t list_take(struct sharing *s, struct life *from)
{
    uint32_t lane = from->free_first;

    from->free_first = s->lanes[lane].next;
    return lane;
}

/* A lane for the thread that `parent` forks now: one that was free when the parent, or one of its ancestors,
 * came here. */
static uint32_t find_lane(struct sharing *s, thread_id parent)
{
    event_id before = EVENT_NONE;

    for (int i = 0; i < ANCESTORS; i++) {
        struct life *l = &s->lives[parent];
        if (l->free_first != NOWHERE && s->lanes[l->free_first].since < before)
            return list_take(s, l);
        if (l->fork == EVENT_NONE)
            break;
        before = l->fork;
        parent = l->parent;
    }
    ARRAY_PUSH(s, lanes, (struct free_lane){0});
    return (uint32_t)s->lanes_count - 1;
}

/* The thread is over: its lane, and those it kept for its own children, are free for who joined it. Its events end
 * everything that they began, and no other join looks at its end later. */
static void free_lanes(struct sharing *s, thread_id child, thread_id parent, event_id join)
{
    struct life *over = &s->lives[child], *to = &s->lives[parent];

    while (over->free_first != NOWHERE)
        list_add(s, to, list_take(s, over), join);
    if (over->joins == 1 && over->open == 0 && over->events > 0 && over->fork != EVENT_NONE)
        list_add(s, to, s->m->lane_of[child], join);
}

static void count_lives(struct sharing *s)
{
    const struct trace *trace = s->m->trace;

    for (event_id e = 1; e <= s->m->event_count; e++) {
        s->lives[trace->thread[e]].events++;
        if (op_kind(trace->op[e]) == EVENT_JOIN)
            s->lives[trace->arg[e]].joins++;
    }
}

static void count_open(struct life *l, enum event_kind kind)
{
    switch (kind) {
    case EVENT_ACQUIRE:
    case EVENT_SHARED_ACQUIRE:
    case EVENT_WAIT_PRE:
    case EVENT_BARRIER_ENTER:
        l->open++;
        break;
    case EVENT_RELEASE:
    case EVENT_SHARED_RELEASE:
    case EVENT_WAIT_POST:
    case EVENT_BARRIER_EXIT:
        l->open--;
        break;
    default:
        break;
    }
}

static void assign(struct sharing *s)
{
    const struct trace *trace = s->m->trace;

    for (event_id e = 1; e <= s->m->event_count; e++) {
        enum event_kind kind = op_kind(trace->op[e]);
        thread_id t = trace->thread[e];
        uint32_t *lane = kind == EVENT_FORK ? &s->m->lane_of[trace->arg[e]] : &s->m->lane_of[t];

        count_open(&s->lives[t], kind);
        if (kind == EVENT_FORK && *lane == NOWHERE && s->lives[trace->arg[e]].events > 0) {
            *lane = find_lane(s, t);
            s->lives[trace->arg[e]].parent = t;
            s->lives[trace->arg[e]].fork = e;
        } else if (kind == EVENT_JOIN) {
            free_lanes(s, trace->arg[e], t, e);
        }
        if (s->m->lane_of[t] == NOWHERE) {
            s->m->lane_of[t] = (uint32_t)s->lanes_count;
            ARRAY_PUSH(s, lanes, (struct free_lane){0});
        }
    }
}

/* Whether blocks are declared: findings about blocks are about threads, so threads keep lanes of their own. */
static bool has_blocks(const struct trace *trace)
{
    for (size_t e = 1; e <= trace->count; e++)
        if (op_kind(trace->op[e]) == EVENT_BEGIN || op_kind(trace->op[e]) == EVENT_DET_BEGIN)
            return true;
    return false;
}

/* Tries to make threads share lanes; false if that does not pay. */
static bool share(struct model *m, uint32_t threads, bool always)
{
    struct sharing s = {.m = m, .lives = memory_new(threads, sizeof *s.lives)};

    for (thread_id t = 0; t < threads; t++) {
        s.lives[t].fork = EVENT_NONE;
        s.lives[t].free_first = NOWHERE;
        m->lane_of[t] = NOWHERE;
    }
    count_lives(&s);
    assign(&s);
    for (thread_id t = 0; t < threads; t++) {
        if (m->lane_of[t] != NOWHERE)
            continue;
        if (s.lives[t].joins > 0) { /* it has no events, and is over or not forked at any time */
            m->lane_of[t] = 0;
        } else {
            m->lane_of[t] = (uint32_t)s.lanes_count;
            ARRAY_PUSH(&s, lanes, (struct free_lane){0});
        }
    }
    bool pays = always || s.lanes_count <= threads / 2;
    if (pays)
        m->thread_count = (uint32_t)s.lanes_count;
    free(s.lives);
    free(s.lanes);
    return pays;
}

void lanes_find(struct model *m, enum lane_use use)
{
    const struct trace *trace = m->trace;
    uint32_t threads = (uint32_t)trace_names(trace, NAME_THREAD);

    m->thread_count = threads;
    m->lane = trace->thread;
    m->lane_of = memory_new(threads, sizeof *m->lane_of);
    m->begins = memory_new(threads, sizeof *m->begins);
    m->ends = memory_new(threads, sizeof *m->ends);
    bool pays = use != LANES_NEVER && (use == LANES_ALWAYS || threads >= THREADS_FEW) && !has_blocks(trace) &&
                share(m, threads, use == LANES_ALWAYS);
    for (thread_id t = 0; t < threads && !pays; t++)
        m->lane_of[t] = t;
    if (!pays)
        return;
    m->own_lanes = memory_new((size_t)m->event_count + 1, sizeof *m->own_lanes);
    for (event_id e = 1; e <= m->event_count; e++)
        m->own_lanes[e] = m->lane_of[trace->thread[e]];
    m->lane = m->own_lanes;
}

void lanes_place(struct model *m, event_id e)
{
    thread_id t = m->trace->thread[e];

    if (m->ends[t] == 0)
        m->begins[t] = m->position[e];
    m->ends[t] = m->position[e] + 1;
}
