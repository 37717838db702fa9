/* The schedule of an outcome: where the turn went from thread to thread, with the names of its trace. */
#include "base/memory.h"
#include "explore/explore.h"
#include "replay/confirm.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The events of each thread, in order, as far as they have a position. */
struct lanes {
    const struct replay_result *result;
    uint32_t *numbers; /* of threads, by thread id */
    uint32_t *next;    /* by number: the next event to look at, 0: none */
    uint32_t *after;   /* by event: the thread's next one */
};

static struct lanes lanes_of(const struct replay_result *r)
{
    struct lanes l = {.result = r,
                      .numbers = script_thread_numbers(&r->journal, &r->trace),
                      .next = memory_new(r->journal.threads_count + 1, sizeof *l.next),
                      .after = memory_new(r->trace.count + 1, sizeof *l.after)};

    for (size_t e = r->trace.count; e > 0; e--) {
        uint32_t number = l.numbers[r->trace.thread[e]];
        if (number >= r->journal.threads_count || r->ticks[e] == TICK_UNKNOWN)
            continue;
        l.after[e] = l.next[number];
        l.next[number] = (uint32_t)e;
    }
    return l;
}

static void lanes_free(struct lanes *l)
{
    free(l->numbers);
    free(l->next);
    free(l->after);
}

static void add_alone(struct schedule_script *s, uint32_t number, uint64_t position)
{
    ARRAY_PUSH(
        s, steps,
        (struct schedule_step){
            .thread = number, .any_op = true, .arg = NAME_NONE, .location = NAME_NONE, .position = position});
}

/* Adds the thread's next event at the position; where the trace has none, the position alone. */
static void add_deed(struct lanes *l, struct schedule_script *s, uint32_t number, uint64_t position)
{
    const struct replay_result *r = l->result;
    uint32_t *next = &l->next[number];

    assert(number < r->journal.threads_count);
    while (*next && r->ticks[*next] < position)
        *next = l->after[*next];
    if (*next && r->ticks[*next] == position) {
        script_add_event(s, &r->trace, r->ticks, l->numbers, *next);
        *next = l->after[*next];
    } else if (s->steps_count == 0 || s->steps[s->steps_count - 1].thread != number ||
               s->steps[s->steps_count - 1].position != position) {
        add_alone(s, number, position);
    }
}

/* Whether others can tell when it happens. */
static bool is_visible(const struct deed *d, bool java)
{
    return (java || d->move.kind != MOVE_END) && d->move.kind != MOVE_INPUT && d->move.kind != MOVE_FENCE;
}

/* One more than the largest number of a thread; at least one. */
static size_t count_threads(const struct deeds *deeds)
{
    size_t count = (size_t)deeds->last + 1;

    for (size_t i = 0; i < deeds->deeds_count; i++) {
        const struct deed *d = &deeds->deeds[i];
        size_t most = d->move.kind == MOVE_FORK && d->move.at > d->thread ? (size_t)d->move.at : d->thread;
        count = most + 1 > count ? most + 1 : count;
    }
    return count;
}

/* Threads have the numbers of the run, which are those of its script where it had one. */
static void number_threads(const struct replay_result *r, const struct deeds *deeds, uint32_t *numbers,
                           size_t count)
{
    uint32_t *children = memory_new(count + 1, sizeof *children);

    memset(numbers, 0xff, count * sizeof *numbers);
    numbers[0] = 0;
    for (size_t i = 0; i < deeds->deeds_count; i++) {
        const struct deed *d = &deeds->deeds[i];
        uint32_t maker = numbers[d->thread], ordinal;
        if (d->move.kind != MOVE_FORK || maker == UINT32_MAX)
            continue;
        ordinal = ++children[d->thread];
        for (uint32_t t = 0; t < r->journal.threads_count; t++)
            if (r->journal.threads[t].parent == maker + 1 && r->journal.threads[t].ordinal == ordinal)
                numbers[d->move.at] = t;
    }
    free(children);
}

void explored_script(const struct explored_outcome *o, const struct outcome *reference, const char *title,
                     struct schedule_script *s)
{
    const struct replay_result *r = &o->result;
    size_t threads = count_threads(&o->deeds);
    uint64_t *positions = memory_new(threads, sizeof *positions);
    uint32_t *numbers = memory_new(threads, sizeof *numbers);
    struct lanes l = lanes_of(r);
    bool alone = true; /* the last thread of the run: nobody else is left */

    number_threads(r, &o->deeds, numbers, threads);
    script_init(s);
    script_from_journal(s, &r->journal, &r->trace);
    s->two_pass = false;
    s->effects = r->journal.java == NULL;
    s->title = memory_text(title, strlen(title));
    for (size_t i = 0; i < o->deeds.deeds_count; i++) {
        const struct deed *d = &o->deeds.deeds[i];
        positions[d->thread] += d->move.ticks;
        if (is_visible(d, r->journal.java != NULL) && numbers[d->thread] != UINT32_MAX)
            add_deed(&l, s, numbers[d->thread], positions[d->thread]);
    }
    for (size_t i = 0; i < sizeof r->threads / sizeof *r->threads; i++)
        alone &= r->threads[i].id == 0 || r->threads[i].state == STATE_ENDED ||
                 r->threads[i].state == STATE_FREE || r->threads[i].id - 1 == numbers[o->deeds.last];
    if (!alone && !o->deeds.ended && r->outcome.ending != ENDED_DEADLOCK && r->outcome.ending != ENDED_HANG)
        add_alone(s, numbers[o->deeds.last], STEP_UNKNOWN);
    replay_expect(s, reference);
    free(positions);
    free(numbers);
    lanes_free(&l);
}

void explored_place(const struct replay_result *r, const struct deeds *deeds, size_t deed, char *to,
                    size_t room)
{
    const struct deed *wanted = &deeds->deeds[deed];
    size_t threads = count_threads(deeds);
    uint32_t *numbers = memory_new(threads, sizeof *numbers);
    struct lanes l = lanes_of(r);
    uint64_t position = 0;
    uint32_t e = 0;

    number_threads(r, deeds, numbers, threads);
    assert(deed < deeds->deeds_count);
    for (size_t i = 0; i <= deed; i++)
        position += deeds->deeds[i].thread == wanted->thread ? deeds->deeds[i].move.ticks : 0;
    if (numbers[wanted->thread] < r->journal.threads_count)
        e = l.next[numbers[wanted->thread]];
    while (e && r->ticks[e] < position)
        e = l.after[e];
    if (e && r->ticks[e] == position && r->trace.location[e] != NAME_NONE)
        snprintf(to, room, "%s", names_text(&r->trace.names[NAME_LOCATION], r->trace.location[e]));
    else
        snprintf(to, room, "%#llx", (unsigned long long)wanted->move.pc);
    free(numbers);
    lanes_free(&l);
}
