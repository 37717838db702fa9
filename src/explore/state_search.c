/* Searches the runs that the known histories make possible, depth first, each state once.
 *
 * First passes allow few preemptions, none, then one, then two: most bugs need no more, and are met early. The
 * last passes allow all. */
#include "base/memory.h"
#include "explore/explorer.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

enum {
    JAVA_TRIES = 3,
    BOUND_MOST = 2,        /* preemptions allowed in the last of the first passes */
    BOUND_STATES = 100000, /* such a pass is given up after so many states */
};
#define BOUND_NONE UINT32_MAX

struct state_choice {
    uint32_t thread, variant;
};

/* A state on the way, and what is still to be tried in it. */
struct stage {
    size_t state;  /* where its words begin */
    size_t choice; /* the next one to try */
    size_t choices_end, choices_start;
    uint32_t last;        /* thread that made the step to it, plus one; 0: none */
    uint32_t preemptions; /* on the way to it */
    bool goes_on;         /* that thread could go on */
};

struct state_search {
    struct explorer *explorer;
    struct space space;
    struct reduction reduction;
    uint32_t *words; /* states of all frames */
    size_t words_count, words_capacity;
    struct stage *frames;
    size_t frames_count, frames_capacity;
    struct state_choice *choices;
    size_t choices_count, choices_capacity;
    struct run_plan plan;
    uint32_t *scratch;
    uint64_t *live;
    XXH128_hash_t *visited; /* open addressing; both halves 0: free */
    size_t visited_count, visited_slots;
    uint64_t late;  /* threads of the state looked at whose next step is to give up, as bits */
    bool clean;     /* nothing new was learned */
    bool restart;   /* states no longer mean what they meant */
    uint32_t bound; /* preemptions allowed; BOUND_NONE: any number */
    bool bounded;   /* something was left out because of that */
};

static void build(struct state_search *s)
{
    space_build(&s->space, &s->explorer->history);
    reduction_build(&s->reduction, &s->space);
    free(s->scratch);
    free(s->live);
    s->scratch = memory_new(s->space.words + 1, sizeof *s->scratch);
    s->live = memory_new(s->reduction.plane + 1, sizeof *s->live);
}

static void tear_down(struct state_search *s)
{
    reduction_free(&s->reduction);
    space_free(&s->space);
}

static bool add_visited(struct state_search *s, XXH128_hash_t sum)
{
    size_t slot;

    if (s->visited_slots == 0 || 2 * s->visited_count >= s->visited_slots) {
        size_t old_slots = s->visited_slots, slots = old_slots ? 2 * old_slots : 1024;
        XXH128_hash_t *old = s->visited;
        s->visited = memory_new(slots, sizeof *s->visited);
        s->visited_slots = slots;
        s->visited_count = 0;
        for (size_t i = 0; i < old_slots; i++)
            if (old[i].low64 || old[i].high64)
                add_visited(s, old[i]);
        free(old);
    }
    assert((s->visited_slots & (s->visited_slots - 1)) == 0 && s->visited_count < s->visited_slots);
    slot = sum.low64 & (s->visited_slots - 1);
    while (s->visited[slot].low64 || s->visited[slot].high64) {
        if (XXH128_isEqual(s->visited[slot], sum))
            return false;
        slot = (slot + 1) & (s->visited_slots - 1);
    }
    s->visited[slot] = sum;
    s->visited_count++;
    return true;
}

/* States are the same when the threads are where they are and what they may still read was last written alike.
 */
static bool visit(struct state_search *s, uint32_t *state, const struct stage *to)
{
    uint64_t way = s->bound == BOUND_NONE ? 0 : (uint64_t)to->preemptions << 32 | to->last;
    size_t first = state_cells(&s->space);

    reduction_live(&s->reduction, state, s->live);
    memcpy(s->scratch, state, s->space.words * sizeof *state);
    for (size_t c = 0; c < s->space.cells_count; c++)
        if (!(s->live[c / 64] >> c % 64 & 1))
            s->scratch[first + c] = 0;
    return add_visited(s, XXH3_128bits_withSeed(s->scratch, s->space.words * sizeof *state, way));
}

static void learned(struct state_search *s, bool grown, bool relearned)
{
    uint64_t layout = s->space.layout;

    s->clean &= !grown;
    if (!grown && !relearned)
        return;
    tear_down(s);
    build(s);
    s->restart = relearned || s->space.layout != layout;
}

static uint8_t waiting_kind(const struct space *s, uint32_t before, uint32_t after)
{
    const struct history *h = s->history;
    uint8_t kind = MOVE_READ;

    for (; after != before && after != NODE_NONE; after = h->nodes[after].parent) {
        uint32_t k = h->moves[h->nodes[after].move].kind;
        if (k == MOVE_WAIT || k == MOVE_WAKE || k == MOVE_RESUME || k == MOVE_ENTER || k == MOVE_LEAVE)
            kind = (uint8_t)k;
    }
    return kind;
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
static bool followed(const struct state_search *s, const struct lesson *lesson, size_t steps)
{
    uint32_t wanted[EXPLORE_THREADS];

    memset(wanted, 0xff, sizeof wanted);
    for (size_t i = 0; i < steps; i++)
        if (s->plan.steps[i].node != NODE_NONE)
            wanted[s->plan.steps[i].thread] = s->plan.steps[i].node;
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

/* Makes the way here happen, and one step more. False: there is nothing more to be had here. */
static bool run_on(struct state_search *s, const struct planned *more, enum status *status)
{
    struct explorer *e = s->explorer;
    size_t steps = s->plan.steps_count;
    struct lesson lesson;
    bool grown = false, relearned = false, good = false;

    for (unsigned left = tries(s); left > 0 && !good; left--) {
        bool now;
        if (!may_run(s))
            break;
        if (more)
            ARRAY_PUSH(&s->plan, steps, *more);
        *status = explorer_run(e, &s->plan, &lesson, &now, &relearned);
        s->plan.steps_count = steps;
        if (*status != HEDDLE_OK)
            return false;
        grown |= now;
        good = e->to->incomplete || relearned || lesson.broken || followed(s, &lesson, steps);
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

/* The same until something is learned, or the behaviour of that sum was seen. */
static bool insist(struct state_search *s, const struct planned *more, const uint64_t *sum, enum status *status)
{
    bool grown = false;

    for (unsigned left = tries(s); left > 0 && !grown && *status == HEDDLE_OK && !s->restart; left--) {
        grown = run_on(s, more, status);
        if (s->explorer->to->incomplete || (sum && explorer_seen(s->explorer, *sum)))
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

/* No thread can go on, or one ends the process: a whole behaviour. */
static enum status complete(struct state_search *s, const uint32_t *state, uint32_t exit)
{
    uint64_t sum = sum_of_end(s, state, exit);
    struct planned last = {.thread = exit - 1, .node = NODE_NONE, .position = UINT64_MAX};
    enum status status = HEDDLE_OK;
    bool grown;

    if (explorer_seen(s->explorer, sum))
        return HEDDLE_OK;
    grown = insist(s, exit ? &last : NULL, &sum, &status);
    if (status != HEDDLE_OK || s->restart || explorer_seen(s->explorer, sum))
        return status;
    if (!grown)
        explorer_miss(s->explorer, INCOMPLETE_DIVERGED, "run %llu did not stop where planned",
                      (unsigned long long)s->explorer->to->runs);
    explorer_remember(s->explorer, sum); /* it goes on there, as is known now */
    return status;
}

/* What the thread does next was never seen: a run finds out, or it is said where that is not known. */
static void learn_step(struct state_search *s, uint32_t thread, uint32_t node, enum status *status)
{
    struct planned more = unknown_step(&s->space, thread, node);

    s->explorer->asked = thread + 1;
    if (!insist(s, &more, NULL, status) && *status == HEDDLE_OK)
        explorer_miss(s->explorer, INCOMPLETE_DIVERGED, "what thread %u does after %s could not be recorded",
                      thread, s->explorer->asked_place);
    s->explorer->asked = 0;
}

/* Whether the thread tries for a time to get a lock or a semaphore: that time may be over at any moment. When
 * that of a condition wait is over is not explored. */
static bool may_give_up(const struct space *s, const uint32_t *state, uint32_t t)
{
    uint32_t move = state[t] == NODE_NONE ? MOVE_NONE : s->history->nodes[state[t]].next;

    return move != MOVE_NONE &&
           (s->history->moves[move].kind == MOVE_TIMED || s->history->moves[move].kind == MOVE_TAKE_TIMED);
}

/* What each thread can do; false: something had to be run to know. */
static bool look_around(struct state_search *s, const uint32_t *state, enum stepped *steps, enum status *status)
{
    s->late = 0;
    for (uint32_t t = 0; t < s->space.threads; t++) {
        uint32_t node;
        memcpy(s->scratch, state, s->space.words * sizeof *state);
        steps[t] = space_step(&s->space, s->scratch, t, VARIANT_NONE, &node);
        if (steps[t] == STEPPED_BLOCKED && may_give_up(&s->space, state, t)) {
            s->late |= UINT64_C(1) << t;
            memcpy(s->scratch, state, s->space.words * sizeof *state);
            steps[t] = space_step(&s->space, s->scratch, t, VARIANT_TIME_OUT, &node);
        }
        if (steps[t] == STEPPED_CUT && !s->explorer->to->cut++)
            s->explorer->to->cut_place[0] = '\0';
        if (steps[t] == STEPPED_UNKNOWN) {
            learn_step(s, t, node, status);
            return false;
        }
    }
    return true;
}

/* The thread that goes on comes first. */
static void add_choices(struct state_search *s, const uint32_t *state, const enum stepped *steps, uint32_t last)
{
    uint64_t chosen = reduction_choose(&s->reduction, state, steps);
    uint32_t variants[EXPLORE_THREADS];

    for (uint32_t i = 0; i < s->space.threads; i++) {
        uint32_t t = last == 0 ? i : i == 0 ? last - 1 : i - (i < last);
        if (chosen >> t & 1 && (steps[t] == STEPPED_DONE || steps[t] == STEPPED_EXIT)) {
            size_t count = space_variants(&s->space, state, t, variants);
            if (s->late >> t & 1)
                variants[0] = VARIANT_TIME_OUT;
            for (size_t v = 0; v < count; v++)
                ARRAY_PUSH(s, choices, (struct state_choice){t, variants[v]});
        }
    }
    for (uint32_t t = 0; t < s->space.threads && !chosen; t++) { /* time passes when nothing else can happen */
        uint32_t node;
        memcpy(s->scratch, state, s->space.words * sizeof *state);
        if (space_timed(&s->space, state, t)) {
            s->explorer->to->timed = true;
            if (space_step(&s->space, s->scratch, t, VARIANT_TIME_OUT, &node) != STEPPED_BLOCKED)
                ARRAY_PUSH(s, choices, (struct state_choice){t, VARIANT_TIME_OUT});
        }
    }
}

/* Enters the state that is last in `words`; runs the program if something about it is not known. */
static enum status enter(struct state_search *s, struct stage frame)
{
    enum stepped steps[EXPLORE_THREADS];
    enum status status = HEDDLE_OK;

    assert(s->words_count >= s->space.words);
    frame.state = s->words_count - s->space.words;
    frame.choices_start = s->choices_count;
    while (!look_around(s, s->words + frame.state, steps, &status))
        if (status != HEDDLE_OK || s->restart || s->explorer->to->incomplete)
            return status;
    frame.choice = s->choices_count;
    frame.goes_on =
        frame.last && (steps[frame.last - 1] == STEPPED_DONE || steps[frame.last - 1] == STEPPED_EXIT);
    add_choices(s, s->words + frame.state, steps, frame.last);
    frame.choices_end = s->choices_count;
    ARRAY_PUSH(s, frames, frame);
    return frame.choice == frame.choices_end ? complete(s, s->words + frame.state, 0) : HEDDLE_OK;
}

static void leave(struct state_search *s)
{
    const struct stage *f = &s->frames[--s->frames_count];

    assert(f->choices_start <= f->choices_end && f->choices_end == s->choices_count);
    s->words_count = f->state;
    s->choices_count = f->choices_start;
    if (s->plan.steps_count)
        s->plan.steps_count--;
}

/* Room for one more state. */
static void push_state(struct state_search *s)
{
    if (s->words_count + s->space.words > s->words_capacity)
        s->words = memory_grow(s->words, &s->words_capacity, s->words_count + s->space.words, sizeof *s->words);
    s->words_count += s->space.words;
}

/* Tries the next choice of the innermost state. */
static enum status advance(struct state_search *s)
{
    assert(s->frames_count > 0 &&
           s->frames[s->frames_count - 1].choice < s->frames[s->frames_count - 1].choices_end);
    /* One state for each frame, one step between two. */
    assert(s->words_count == s->frames_count * s->space.words && s->plan.steps_count + 1 == s->frames_count);
    struct stage *f = &s->frames[s->frames_count - 1];
    struct state_choice c = s->choices[f->choice++];
    struct stage to = {.last = c.thread + 1,
                       .preemptions = f->preemptions + (f->goes_on && f->last != c.thread + 1)};
    uint32_t before, node, *state;
    enum stepped stepped;
    enum status status = HEDDLE_OK;

    if (to.preemptions > s->bound) {
        s->bounded = true;
        return HEDDLE_OK;
    }
    push_state(s);
    state = s->words + s->words_count - s->space.words;
    memcpy(state, s->words + f->state, s->space.words * sizeof *state);
    assert(c.thread < s->space.threads);
    before = state[c.thread];
    stepped = space_step(&s->space, state, c.thread, c.variant, &node);
    if (stepped == STEPPED_UNKNOWN) { /* another one to wake, or a time that is over */
        s->words_count -= s->space.words;
        f->choice--;
        learn_step(s, c.thread, node, &status);
        return status;
    }
    if (stepped == STEPPED_EXIT) {
        status = complete(s, state, c.thread + 1);
        if (!s->restart)
            s->words_count -= s->space.words;
        return status;
    }
    if (stepped != STEPPED_DONE || !visit(s, state, &to)) {
        s->words_count -= s->space.words;
        return HEDDLE_OK;
    }
    if (++s->explorer->to->states > s->explorer->settings->most_states)
        explorer_miss(s->explorer, INCOMPLETE_STATES, "more than %llu states",
                      (unsigned long long)s->explorer->settings->most_states);
    ARRAY_PUSH(&s->plan, steps,
               (struct planned){.thread = c.thread,
                                .node = node,
                                .kind = waiting_kind(&s->space, before, node),
                                .position = s->space.history->nodes[node].position});
    return enter(s, to);
}

static void reset(struct state_search *s)
{
    s->words_count = s->frames_count = s->choices_count = s->plan.steps_count = s->visited_count = 0;
    free(s->visited);
    s->visited = NULL;
    s->visited_slots = 0;
    s->restart = s->bounded = false;
    s->clean = true;
}

/* Whether a pass with few preemptions takes too long. */
static bool is_enough(const struct state_search *s)
{
    return s->bound != BOUND_NONE && s->explorer->to->states > BOUND_STATES;
}

/* One pass over all states. */
static enum status pass(struct state_search *s)
{
    enum status status;

    reset(s);
    push_state(s);
    space_start(&s->space, s->words);
    status = enter(s, (struct stage){0});
    while (status == HEDDLE_OK && s->frames_count && !s->restart && !s->explorer->to->incomplete &&
           !is_enough(s)) {
        struct stage *f = &s->frames[s->frames_count - 1];
        if (f->choice == f->choices_end)
            leave(s);
        else
            status = advance(s);
        if (s->explorer->settings->stop && *s->explorer->settings->stop)
            explorer_miss(s->explorer, INCOMPLETE_STOPPED, "it was interrupted");
    }
    return status;
}

enum status explorer_search(struct explorer *e, bool *clean)
{
    struct state_search s = {.explorer = e};
    enum status status;

    build(&s);
    do {
        e->to->states = 0;
        e->to->cut = 0;
        status = pass(&s);
        if (s.bound != BOUND_NONE && !s.restart)
            s.bound = s.bound < BOUND_MOST && s.bounded ? s.bound + 1 : BOUND_NONE;
        else if (s.bound == BOUND_NONE && s.clean && !s.restart)
            break;
    } while (status == HEDDLE_OK && !e->to->incomplete);
    *clean = s.clean && !s.restart;
    tear_down(&s);
    free(s.words);
    free(s.frames);
    free(s.choices);
    free(s.plan.steps);
    free(s.scratch);
    free(s.live);
    free(s.visited);
    return status;
}
