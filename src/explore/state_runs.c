/* The runs that a search through states needs: planned, perhaps made ahead by the crew, and learned from in their order.
 *
 * A run that was planned may turn out to be unnecessary, because an earlier one showed the same. It is not made then, or what the
 * crew brings of it is thrown away. So what is learned, and all that is counted, is the same for every number of workers. */
#include "base/memory.h"
#include "explore/parcel.h"
#include "explore/run_ahead.h"
#include "explore/state_search.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { JAVA_TRIES = 3 };

static void learned(struct state_search *s, bool grown, bool relearned)
{
    uint64_t layout = s->space.layout;

    s->clean &= !grown;
    if (!grown && !relearned)
        return;
    search_tear_down(s);
    search_build(s);
    s->restart |= relearned || s->space.layout != layout;
}

/* Whether the thread comes back from such a call, when its time is over if not before. */
static bool returns(uint32_t kind)
{
    return kind == MOVE_WAKE || kind == MOVE_WAIT || kind == MOVE_TIMED || kind == MOVE_TAKE_TIMED;
}

/* A thread is to do what was never seen: it goes on from the node, as far as is known what it does. */
static struct planned unknown_step(const struct space *s, uint32_t thread, uint32_t node)
{
    const struct history *h = s->history;
    assert(node != NODE_NONE && thread < s->threads);
    uint32_t next = h->nodes[node].next;
    uint32_t kind = next == MOVE_NONE ? MOVE_READ : h->moves[next].kind;
    bool known = next != MOVE_NONE && kind != MOVE_STUCK;

    return (struct planned){.thread = thread,
                            .node = known && returns(kind) ? node : NODE_NONE,
                            .kind = (uint8_t)kind,
                            .position =
                                h->nodes[node].position + (known ? h->moves[next].ticks : history_call(h))};
}

static bool may_run(struct state_search *s)
{
    struct explorer *e = s->explorer;

    if (e->settings->stop && *e->settings->stop)
        explorer_miss(e, INCOMPLETE_STOPPED, "it was interrupted");
    else if (e->to->runs >= e->settings->most_runs)
        explorer_miss(e, INCOMPLETE_RUNS, "the limit of %llu runs was reached",
                      (unsigned long long)e->settings->most_runs);
    else
        return true;
    return false;
}

/* Whether every thread went where the plan says. */
static bool followed(const struct state_search *s, const struct lesson *lesson, const struct run_plan *plan)
{
    uint32_t wanted[EXPLORE_THREADS];

    memset(wanted, 0xff, sizeof wanted);
    for (size_t i = 0; i < plan->steps_count; i++)
        if (plan->steps[i].node != NODE_NONE)
            wanted[plan->steps[i].thread] = plan->steps[i].node;
    for (size_t t = 0; t < EXPLORE_THREADS; t++)
        if (wanted[t] != NODE_NONE && !history_passes(&s->explorer->history, lesson->nodes[t], wanted[t]))
            return false;
    return true;
}

/* How often a run is made that may not go as planned: in a Java machine, time may get in its way. */
static unsigned tries(const struct state_search *s)
{
    return s->explorer->settings->java ? JAVA_TRIES : 1;
}

/* Makes the run, or takes the one that the crew made. False: there is nothing more to be had of it. */
static bool run_on(struct state_search *s, struct awaited *a, enum status *status)
{
    struct explorer *e = s->explorer;
    struct lesson lesson;
    bool grown = false, relearned = false, good = false;

    for (unsigned left = tries(s); left > 0 && !good; left--) {
        struct explored_run ready;
        bool now, is_ready;
        if (!may_run(s))
            break;
        is_ready = ahead_take(s, a, &ready);
        *status = explorer_take(e, &a->script, is_ready ? &ready : NULL, &lesson, &now, &relearned);
        if (*status != HEDDLE_OK)
            return false;
        grown |= now;
        good = e->to->incomplete || relearned || lesson.broken || followed(s, &lesson, &a->plan);
        if (!good && !e->settings->java && lesson.exit &&
            history_glue_exit(&e->history, lesson.nodes[lesson.exit - 1]))
            good = grown = true; /* it died before others could do what they were to do first */
    }
    if (!good)
        explorer_miss(e, INCOMPLETE_DIVERGED,
                      "run %llu left its planned schedule: the program depends on something that is not "
                      "recorded, such as time, uninstrumented code or other processes",
                      (unsigned long long)e->to->runs);
    learned(s, grown, relearned);
    return grown;
}

/* The same until something is learned, or the behaviour was seen. */
static bool insist(struct state_search *s, struct awaited *a, enum status *status)
{
    bool grown = false;

    for (unsigned left = tries(s); left > 0 && !grown && *status == HEDDLE_OK && !s->restart; left--) {
        grown = run_on(s, a, status);
        if (s->explorer->to->incomplete || (a->whole && explorer_seen(s->explorer, a->sum)))
            break;
    }
    return grown;
}

static uint64_t sum_of_end(const struct state_search *s, const uint32_t *state, uint32_t exit)
{
    struct lesson end = {.exit = exit};

    memset(end.nodes, 0xff, sizeof end.nodes);
    memcpy(end.nodes, state, s->space.threads * sizeof *state);
    return lesson_sum(s->space.history, &end);
}

/* Adds an awaited run: the way to the top stage, and one step more if that is given. */
static struct awaited *await(struct state_search *s, const struct planned *more)
{
    struct awaited a = {.has_more = more != NULL};

    a.plan.steps = memory_new(s->plan.steps_count + 2, sizeof *a.plan.steps);
    a.plan.steps_count = s->plan.steps_count;
    a.plan.steps_capacity = s->plan.steps_count + 2;
    if (s->plan.steps_count)
        memcpy(a.plan.steps, s->plan.steps, s->plan.steps_count * sizeof *a.plan.steps);
    if (more)
        a.more = *more;
    ARRAY_PUSH(s, awaited, a);
    return &s->awaited[s->awaited_count - 1];
}

/* The same for steps that see the same, probably: it takes more than that to be sure. */
static uint64_t key_of(const struct space *s, const uint32_t *state, struct state_choice c, uint32_t node)
{
    uint32_t next = s->history->nodes[node].next, head[3] = {c.thread, c.variant, node};
    uint64_t key = XXH3_64bits(head, sizeof head);
    const struct touch *t;

    if (next == MOVE_NONE)
        return key;
    t = &s->touches[next];
    if (t->cell_count)
        key = XXH3_64bits_withSeed(state + state_cells(s) + t->first_cell, t->cell_count * sizeof *state, key);
    if (t->object)
        key =
            XXH3_64bits_withSeed(state + 2 * s->threads + 4 * (size_t)(t->object - 1), 4 * sizeof *state, key);
    return key;
}

void search_await_step(struct state_search *s, const struct stage *back, struct state_choice step,
                       uint32_t node)
{
    struct planned more = unknown_step(&s->space, step.thread, node);
    struct awaited *a = await(s, &more);

    a->step = step;
    a->back = *back;
    a->back.plan = (struct run_plan){0};
    a->state = memory_new(s->space.words, sizeof *a->state);
    memcpy(a->state, s->words + back->state, s->space.words * sizeof *a->state);
    a->key = key_of(&s->space, a->state, step, node);
}

void search_await_end(struct state_search *s, const uint32_t *state, uint32_t exit)
{
    struct planned last = {.thread = exit - 1, .node = NODE_NONE, .position = UINT64_MAX};
    uint64_t sum = sum_of_end(s, state, exit);
    struct awaited *a;

    if (explorer_seen(s->explorer, sum))
        return;
    a = await(s, exit ? &last : NULL);
    a->whole = true;
    a->sum = a->key = sum;
}

bool search_needs(struct state_search *s, const struct awaited *a)
{
    struct planned more;
    uint32_t node;

    if (a->whole)
        return !explorer_seen(s->explorer, a->sum);
    memcpy(s->scratch, a->state, s->space.words * sizeof *a->state);
    if (space_step(&s->space, s->scratch, a->step.thread, a->step.variant, &node) != STEPPED_UNKNOWN)
        return false;
    more = unknown_step(&s->space, a->step.thread, node);
    return more.node == a->more.node && more.position == a->more.position && more.kind == a->more.kind;
}

/* Makes one run and says what is wrong when it shows nothing. */
static enum status make_run(struct state_search *s, struct awaited *a)
{
    struct explorer *e = s->explorer;
    enum status status = HEDDLE_OK;
    bool grown;

    e->asked = a->whole ? 0 : a->step.thread + 1;
    grown = insist(s, a, &status);
    e->asked = 0;
    if (status != HEDDLE_OK || (a->whole && (s->restart || explorer_seen(e, a->sum))))
        return status;
    if (!grown && a->whole)
        explorer_miss(e, INCOMPLETE_DIVERGED, "run %llu did not stop where planned",
                      (unsigned long long)e->to->runs);
    else if (!grown)
        explorer_miss(e, INCOMPLETE_DIVERGED, "what thread %u does after %s could not be recorded",
                      a->step.thread, e->asked_place);
    if (a->whole)
        explorer_remember(e, a->sum); /* it goes on there, as is known now */
    return status;
}

static void forget(struct awaited *a)
{
    free(a->plan.steps);
    free(a->state);
    free(a->answer.bytes);
    script_free(&a->script);
}

void search_forget_runs(struct state_search *s)
{
    while (s->awaited_count > 0)
        forget(&s->awaited[--s->awaited_count]);
}

/* The script is that of all that was known when the runs were planned, whoever makes them. */
static void write_script(const struct state_search *s, struct awaited *a)
{
    size_t steps = a->plan.steps_count;

    if (a->has_more)
        ARRAY_PUSH(&a->plan, steps, a->more);
    script_free(&a->script);
    explorer_script(s->explorer, &a->plan, &a->script);
    a->plan.steps_count = steps;
}

/* Adds the states from which the search goes on, the first on top. */
static void go_back(struct state_search *s)
{
    for (size_t i = s->awaited_count; i-- > 0;) {
        struct awaited *a = &s->awaited[i];
        struct stage root = a->back;
        if (a->whole)
            continue;
        assert(a->state && a->plan.steps_count < a->plan.steps_capacity);
        root.root = true;
        root.opened = false;
        root.plan = a->plan;
        a->plan = (struct run_plan){0};
        search_push_state(s);
        root.state = s->words_count - s->space.words;
        memcpy(s->words + root.state, a->state, s->space.words * sizeof *a->state);
        ARRAY_PUSH(s, frames, root);
    }
}

enum status search_make_runs(struct state_search *s)
{
    enum status status = HEDDLE_OK;

    for (size_t i = 0; i < s->awaited_count; i++)
        write_script(s, &s->awaited[i]);
    ahead_begin(s);
    for (size_t i = 0;
         i < s->awaited_count && status == HEDDLE_OK && !s->restart && !s->explorer->to->incomplete; i++) {
        ahead_fill(s, i);
        if (search_needs(s, &s->awaited[i]))
            status = make_run(s, &s->awaited[i]);
    }
    if (status == HEDDLE_OK && !s->restart && !s->explorer->to->incomplete)
        go_back(s);
    search_forget_runs(s);
    return status;
}
