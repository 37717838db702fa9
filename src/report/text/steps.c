/* Chooses the events of a run that matter to a finding. */
#include "base/map.h"
#include "base/memory.h"
#include "report/lack.h"
#include "report/report.h"
#include "report/text/interleaving.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { NEARBY = 1000 }; /* events looked at in the observed run */

struct chooser {
    const struct model *m;
    const struct finding *f;
    struct steps *s;
    struct map wanted; /* event → enum importance */
    event_id *prefix;  /* those wanted that are in the prefix of the run */
    size_t prefix_count, prefix_capacity;
    size_t most; /* events taken, besides those of the finding */
};

event_id run_event(const struct schedule *run, uint32_t position)
{
    if (position <= run->prefix)
        return position;
    assert(run->tail && position - run->prefix <= run->tail_count);
    return run->tail[position - run->prefix - 1];
}

static void want(struct chooser *c, event_id e, enum importance importance)
{
    if (e == EVENT_INIT || e == EVENT_NONE)
        return;
    uint32_t *now = map_at(&c->wanted, e);
    if (*now == IMPORTANCE_NONE && e <= c->s->run.prefix)
        ARRAY_PUSH(c, prefix, e);
    if (*now == IMPORTANCE_NONE || importance < *now)
        *now = importance;
}

static bool is_involved(const struct chooser *c, thread_id thread)
{
    for (uint32_t i = 0; i < c->f->event_count; i++)
        if (c->f->events[i] != EVENT_INIT && c->m->trace->thread[c->f->events[i]] == thread)
            return true;
    return false;
}

/* The finding's own events and the lock sections around them. */
static void want_finding(struct chooser *c)
{
    const struct model *m = c->m;

    for (uint32_t i = 0; i < c->f->event_count; i++) {
        event_id e = c->f->events[i];
        if (e == EVENT_INIT)
            continue;
        want(c, e, IMPORTANCE_FINDING);
        for (uint32_t h = model_hold_at(m, thread_of(m, e), m->position[e]); h != HOLD_NONE;
             h = m->holds[h].outer) {
            const struct section *section = &m->sections[m->holds[h].section];
            want(c, section->acquire, IMPORTANCE_LOCKS);
            want(c, section->release, IMPORTANCE_LOCKS);
        }
        if (c->f->property == PROPERTY_STUCK)
            want(c, stuck_lacks(m, c->f, e).event, IMPORTANCE_LOCKS);
    }
}

/* The writes of the same variable just before and after the finding's events, in the order of the run. */
static void want_writes(struct chooser *c)
{
    const struct schedule *run = &c->s->run;

    if (c->f->property == PROPERTY_OBSERVED || c->f->events[0] == EVENT_INIT ||
        !kind_accesses(kind_of(c->m, c->f->events[0])))
        return;
    variable_id x = arg_of(c->m, c->f->events[0]);
    event_id last = model_last_write(c->m, x, c->s->run.prefix);
    bool after = false;
    for (uint32_t i = 0; i < run->tail_count; i++) {
        event_id e = run->tail[i];
        bool writes = kind_writes(kind_of(c->m, e)) && arg_of(c->m, e) == x;

        if (after && writes) {
            want(c, e, IMPORTANCE_WRITE);
            after = false;
        }
        if (map_get(&c->wanted, e) == IMPORTANCE_FINDING) {
            want(c, last, IMPORTANCE_WRITE);
            after = true;
        }
        if (writes)
            last = e;
    }
    want(c, last, IMPORTANCE_WRITE);
}

/* Lock operations that come after a later one, or before an earlier one, of the same lock. */
static void want_swaps(struct chooser *c)
{
    const struct schedule *run = &c->s->run;
    struct map earliest = {0}; /* lock → 1 + the smallest number of an operation behind this point */
    struct map latest = {0};   /* lock → the largest number before this point */

    for (uint32_t i = run->tail_count; i-- > 0;) {
        event_id e = run->tail[i];
        if (kind_argument(kind_of(c->m, e)) != NAME_LOCK)
            continue;
        uint32_t *least = map_at(&earliest, arg_of(c->m, e));
        if (*least > 0 && *least - 1 < e)
            want(c, e, IMPORTANCE_SWAP);
        if (*least == 0 || e < *least - 1)
            *least = e + 1;
    }
    for (uint32_t i = 0; i < run->tail_count; i++) {
        event_id e = run->tail[i];
        if (kind_argument(kind_of(c->m, e)) != NAME_LOCK)
            continue;
        uint32_t *most = map_at(&latest, arg_of(c->m, e));
        if (*most > e)
            want(c, e, IMPORTANCE_SWAP);
        else
            *most = e;
    }
    map_free(&earliest);
    map_free(&latest);
}

/* Whether `e` orders its thread, which is involved, with others. */
static bool is_link(const struct chooser *c, event_id e)
{
    enum name_class class = kind_argument(kind_of(c->m, e));

    if (!is_involved(c, c->m->trace->thread[e]))
        return false;
    return class == NAME_CONDITION || class == NAME_BARRIER || class == NAME_SEMAPHORE ||
           (class == NAME_THREAD && is_involved(c, arg_of(c->m, e)));
}

/* What else orders the threads that are involved, where the run left the observed order. */
static void want_links(struct chooser *c)
{
    for (uint32_t i = 0; i < c->s->run.tail_count; i++)
        if (is_link(c, c->s->run.tail[i]))
            want(c, c->s->run.tail[i], IMPORTANCE_LINK);
}

/* Whether the event does again what the one before it in the trace did: a loop that polls. */
static bool is_again(const struct trace *t, event_id e)
{
    return t->op[e] == t->op[e - 1] && t->thread[e] == t->thread[e - 1] && t->arg[e] == t->arg[e - 1] &&
           t->location[e] == t->location[e - 1] &&
           (!t->value_tag || (t->value_tag[e] == t->value_tag[e - 1] && t->value[e] == t->value[e - 1]));
}

/* In the observed run: all synchronization between the finding's events, which one would think orders them. */
static void want_observed_links(struct chooser *c, event_id first, event_id last)
{
    if (last - first > NEARBY)
        first = last - NEARBY;
    for (event_id e = first; e < last; e++) {
        enum event_kind kind = kind_of(c->m, e);
        bool atomic = kind_atomic(kind) || kind == EVENT_FENCE || kind_argument(kind) == NAME_LOCK;

        if (e > first && is_again(c->m->trace, e))
            continue; /* the first of them stands for the stretch */
        if (is_link(c, e) || (atomic && is_involved(c, c->m->trace->thread[e])))
            want(c, e, IMPORTANCE_LINK);
    }
}

static int compare_importance(const void *left, const void *right)
{
    const struct shown_step *a = left;
    const struct shown_step *b = right;

    if (a->importance != b->importance)
        return a->importance < b->importance ? -1 : 1;
    return a->position > b->position ? -1 : a->position < b->position;
}

static int compare_position(const void *left, const void *right)
{
    const struct shown_step *a = left;
    const struct shown_step *b = right;

    return a->position < b->position ? -1 : a->position > b->position;
}

/* What is wanted and in the run, most important first, cut to what fits; in the order of the run. */
static void take_steps(struct chooser *c)
{
    struct steps *s = c->s;

    for (size_t i = 0; i < c->prefix_count; i++)
        ARRAY_PUSH(s, steps,
                   (struct shown_step){c->prefix[i], c->prefix[i],
                                       (enum importance)map_get(&c->wanted, c->prefix[i])});
    for (uint32_t i = 0; i < s->run.tail_count; i++) {
        uint32_t importance = map_get(&c->wanted, s->run.tail[i]);
        if (importance != IMPORTANCE_NONE)
            ARRAY_PUSH(s, steps,
                       (struct shown_step){s->run.tail[i], s->run.prefix + i + 1, (enum importance)importance});
    }
    if (s->steps_count == 0)
        return;
    qsort(s->steps, s->steps_count, sizeof *s->steps, compare_importance);
    while (s->steps_count > c->most && s->steps[s->steps_count - 1].importance > IMPORTANCE_FINDING)
        s->steps_count--;
    qsort(s->steps, s->steps_count, sizeof *s->steps, compare_position);
}

/* A line that says "one event" is no shorter than the event. */
static void fill_gaps(struct chooser *c)
{
    struct steps *s = c->s;
    size_t shown = s->steps_count;

    for (size_t i = 0; i <= shown; i++) {
        uint32_t before = i > 0 ? s->steps[i - 1].position : 0;
        uint32_t gap = i < shown ? s->steps[i].position - 1 : s->length;
        if (gap == before + 1)
            ARRAY_PUSH(s, steps, (struct shown_step){run_event(&s->run, gap), gap, IMPORTANCE_GAP});
    }
    if (s->steps_count > shown)
        qsort(s->steps, s->steps_count, sizeof *s->steps, compare_position);
}

static event_id last_of(const struct finding *f)
{
    event_id last = EVENT_INIT;

    for (uint32_t i = 0; i < f->event_count; i++)
        last = f->events[i] > last ? f->events[i] : last;
    return last;
}

void steps_choose_in(struct steps *s, const struct model *m, const struct finding *f, struct schedule run,
                     size_t most)
{
    struct chooser c = {.m = m, .f = f, .s = s, .most = most};

    assert(f->event_count > 0);
    memset(s, 0, sizeof *s);
    s->run = run;
    s->length = run.prefix + run.tail_count;

    want_finding(&c);
    want_writes(&c);
    want_swaps(&c);
    want_links(&c);
    if (!finding_has_schedule(f))
        want_observed_links(&c, f->events[0], last_of(f));
    take_steps(&c);
    fill_gaps(&c);
    map_free(&c.wanted);
    free(c.prefix);
}

void steps_choose(struct steps *s, const struct model *m, const struct finding *f)
{
    steps_choose_in(s, m, f, finding_has_schedule(f) ? f->schedule : (struct schedule){.prefix = last_of(f)},
                    STEPS_MOST);
    /* A race's accesses and a deadlock's acquires are what can come, or is stuck, next. */
    if (property_traits(f->property)->ends_before)
        for (uint32_t i = 0; i < f->event_count; i++)
            ARRAY_PUSH(s, steps, (struct shown_step){f->events[i], s->length + 1 + i, IMPORTANCE_FINDING});
}

void steps_free(struct steps *s)
{
    free(s->steps);
}
