/* Searches the runs that the known histories make possible, depth first, each state once.
 *
 * First passes allow few preemptions, none, then one, then two: most bugs need no more, and are met early. The
 * last passes allow all. */
#include "explore/state_search.h"
#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
    BOUND_MOST = 2,        /* preemptions allowed in the last of the first passes */
    BOUND_STATES = 100000, /* such a pass is given up after so many states */
};

void search_build(struct state_search *s)
{
    space_build(&s->space, &s->explorer->history);
    reduction_build(&s->reduction, &s->space);
    free(s->scratch);
    free(s->live);
    s->scratch = memory_new(s->space.words + 1, sizeof *s->scratch);
    s->live = memory_new(s->reduction.plane + 1, sizeof *s->live);
}

void search_tear_down(struct state_search *s)
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
    assert(s->visited_count < s->visited_slots && (s->visited_slots & (s->visited_slots - 1)) == 0);
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

    assert(to->last > 0 && to->last <= s->space.threads && first + s->space.cells_count <= s->space.words);
    reduction_live(&s->reduction, state, s->live);
    memcpy(s->scratch, state, s->space.words * sizeof *state);
    for (size_t c = 0; c < s->space.cells_count; c++)
        if (!(s->live[c / 64] >> c % 64 & 1))
            s->scratch[first + c] = 0;
    return add_visited(s, XXH3_128bits_withSeed(s->scratch, s->space.words * sizeof *state, way));
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

/* Whether the thread tries for a time to get a lock or a semaphore: that time may be over at any moment. When
 * that of a condition wait is over is not explored. */
static bool may_give_up(const struct space *s, const uint32_t *state, uint32_t t)
{
    uint32_t move = state[t] == NODE_NONE ? MOVE_NONE : s->history->nodes[state[t]].next;

    return move != MOVE_NONE &&
           (s->history->moves[move].kind == MOVE_TIMED || s->history->moves[move].kind == MOVE_TAKE_TIMED);
}

/* What each thread can do; false: a run is needed to know, which is awaited now. */
static bool look_around(struct state_search *s, const struct stage *f, enum stepped *steps)
{
    const uint32_t *state = s->words + f->state;

    s->late = 0;
    for (uint32_t t = 0; t < s->space.threads; t++) {
        uint32_t node, variant = VARIANT_NONE;
        memcpy(s->scratch, state, s->space.words * sizeof *state);
        steps[t] = space_step(&s->space, s->scratch, t, variant, &node);
        if (steps[t] == STEPPED_BLOCKED && may_give_up(&s->space, state, t)) {
            s->late |= UINT64_C(1) << t;
            variant = VARIANT_TIME_OUT;
            memcpy(s->scratch, state, s->space.words * sizeof *state);
            steps[t] = space_step(&s->space, s->scratch, t, variant, &node);
        }
        if (steps[t] == STEPPED_CUT && !s->explorer->to->cut++)
            s->explorer->to->cut_place[0] = '\0';
        if (steps[t] == STEPPED_UNKNOWN) {
            search_await_step(s, f, (struct state_choice){t, variant}, node);
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

    assert(last <= s->space.threads && s->space.threads <= EXPLORE_THREADS);
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

static void leave(struct state_search *s)
{
    assert(s->frames_count > 0);
    struct stage *f = &s->frames[--s->frames_count];

    assert(f->state + s->space.words <= s->words_count && f->choices_start <= s->choices_count);
    s->words_count = f->state;
    s->choices_count = f->choices_start;
    if (f->root) {
        free(s->plan.steps);
        s->plan = f->plan;
    } else if (s->plan.steps_count) {
        s->plan.steps_count--;
    }
}

/* Finds out what can be tried in the innermost state. */
static void open_stage(struct state_search *s)
{
    struct stage *f = &s->frames[s->frames_count - 1];
    enum stepped steps[EXPLORE_THREADS];

    assert(!f->opened && f->state + s->space.words == s->words_count);
    f->opened = true;
    f->choices_start = f->choice = f->choices_end = s->choices_count;
    if (f->root) {
        struct run_plan own = f->plan;
        f->plan = s->plan;
        s->plan = own;
    }
    if (f->single) {
        ARRAY_PUSH(s, choices, f->only);
        f->choices_end = s->choices_count;
        return;
    }
    if (!look_around(s, f, steps)) {
        leave(s);
        return;
    }
    f->goes_on = f->last && (steps[f->last - 1] == STEPPED_DONE || steps[f->last - 1] == STEPPED_EXIT);
    add_choices(s, s->words + f->state, steps, f->last);
    f->choices_end = s->choices_count;
    if (f->choice == f->choices_end)
        search_await_end(s, s->words + f->state, 0);
}

/* Enters the state that is last in `words`. */
static void enter(struct state_search *s, struct stage stage)
{
    assert(s->words_count >= s->space.words);
    stage.state = s->words_count - s->space.words;
    ARRAY_PUSH(s, frames, stage);
}

void search_push_state(struct state_search *s)
{
    if (s->words_count + s->space.words > s->words_capacity)
        s->words = memory_grow(s->words, &s->words_capacity, s->words_count + s->space.words, sizeof *s->words);
    s->words_count += s->space.words;
}

/* Tries the next choice of the innermost state. */
static void advance(struct state_search *s)
{
    struct stage *f = &s->frames[s->frames_count - 1];
    assert(f->opened && f->choice < f->choices_end && f->choices_end == s->choices_count);
    struct state_choice c = s->choices[f->choice++];
    struct stage to = {.last = c.thread + 1,
                       .preemptions = f->preemptions + (f->goes_on && f->last != c.thread + 1)};
    uint32_t before, node, *state;
    enum stepped stepped;

    if (to.preemptions > s->bound) {
        s->bounded = true;
        return;
    }
    search_push_state(s);
    state = s->words + s->words_count - s->space.words;
    memcpy(state, s->words + f->state, s->space.words * sizeof *state);
    before = state[c.thread];
    stepped = space_step(&s->space, state, c.thread, c.variant, &node);
    if (stepped == STEPPED_UNKNOWN) { /* another one to wake, or a time that is over */
        struct stage back = *f;
        back.single = true;
        back.only = c;
        search_await_step(s, &back, c, node);
    } else if (stepped == STEPPED_EXIT) {
        search_await_end(s, state, c.thread + 1);
    } else if (stepped == STEPPED_DONE && visit(s, state, &to)) {
        if (++s->explorer->to->states > s->explorer->settings->most_states)
            explorer_miss(s->explorer, INCOMPLETE_STATES, "more than %llu states",
                          (unsigned long long)s->explorer->settings->most_states);
        ARRAY_PUSH(&s->plan, steps,
                   (struct planned){.thread = c.thread,
                                    .node = node,
                                    .kind = waiting_kind(&s->space, before, node),
                                    .position = s->space.history->nodes[node].position});
        enter(s, to);
        return;
    }
    s->words_count -= s->space.words;
}

static void reset(struct state_search *s)
{
    while (s->frames_count > 0)
        free(s->frames[--s->frames_count].plan.steps);
    search_forget_runs(s);
    s->words_count = s->choices_count = s->plan.steps_count = s->visited_count = 0;
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
    enum status status = HEDDLE_OK;

    reset(s);
    search_push_state(s);
    space_start(&s->space, s->words);
    enter(s, (struct stage){0});
    while (status == HEDDLE_OK && (s->frames_count || s->awaited_count) && !s->restart &&
           !s->explorer->to->incomplete && !is_enough(s)) {
        struct stage *f = s->frames_count ? &s->frames[s->frames_count - 1] : NULL;
        if (!f || s->awaited_count >= AWAITED_MOST)
            status = search_make_runs(s);
        else if (!f->opened)
            open_stage(s);
        else if (f->choice == f->choices_end)
            leave(s);
        else
            advance(s);
        if (s->explorer->settings->stop && *s->explorer->settings->stop)
            explorer_miss(s->explorer, INCOMPLETE_STOPPED, "it was interrupted");
    }
    return status;
}

enum status explorer_search(struct explorer *e, bool *clean)
{
    struct state_search s = {.explorer = e};
    enum status status;

    search_build(&s);
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
    reset(&s);
    search_tear_down(&s);
    free(s.awaited);
    free(s.words);
    free(s.frames);
    free(s.choices);
    free(s.plan.steps);
    free(s.scratch);
    free(s.live);
    free(s.visited);
    return status;
}
