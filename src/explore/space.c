/* Steps: what each kind of move needs and does. */
#include "explore/space.h"
#include "base/memory.h"
#include "runtime/session.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define RELEASED 0x80000000u /* in what a thread waits for: it may go on */

/* Words of an object. OWNER: thread plus one, and depth << 16; COUNT: of a semaphore, how far something done
 * once is, or the node of the last output, plus one; NEEDED: by a barrier, where READERS is how many have come.
 */
enum { OWNER, READERS, COUNT, NEEDED };

enum { ONCE_NEW, ONCE_RUNNING, ONCE_DONE }; /* COUNT of something done once */

void space_start(const struct space *s, uint32_t *state)
{
    memset(state, 0, s->words * sizeof *state);
    for (size_t t = 0; t < s->threads; t++)
        state[t] = NODE_NONE;
    state[0] = s->history->threads[0].root;
}

static uint32_t *object_of(const struct space *s, uint32_t *state, uint32_t object)
{
    assert(object > 0);
    return state + 2 * s->threads + 4 * (object - 1);
}

static uint32_t *waits_for(const struct space *s, uint32_t *state, uint32_t thread)
{
    return state + s->threads + thread;
}

static uint32_t find_sight(const struct space *s, const uint32_t *words, size_t count)
{
    return names_find(&s->history->sights, (const char *)words, count * sizeof *words);
}

/* The writes of others that a read would be of now; as learn.c has it, by cells. */
static uint32_t look(const struct space *s, const uint32_t *state, uint32_t thread, uint32_t move)
{
    const struct touch *t = &s->touches[move];
    const uint32_t *writers = state + state_cells(s) + t->first_cell;
    const struct move *m = &s->history->moves[move];
    uint32_t few[48] = {0},
             *words = t->cell_count * 3 <= 48 ? few : memory_new(t->cell_count * 3, sizeof *words);
    uint32_t sight, run = 0;
    uint64_t end = 0;
    size_t count = 0;

    for (uint32_t c = 0; c < t->cell_count; c++) {
        const struct cell_range *cell = &s->cells[t->first_cell + c];
        uint32_t writer = writers[c];
        if (writer && s->history->nodes[writer - 1].thread == thread)
            writer = 0;
        if (writer && writer == run && cell->start == end) {
            words[count - 2] += (uint32_t)(cell->end - cell->start);
        } else if (writer) {
            words[count++] = (uint32_t)(cell->start - m->at);
            words[count++] = (uint32_t)(cell->end - cell->start);
            words[count++] = writer - 1;
        }
        run = writer;
        end = cell->end;
    }
    sight = find_sight(s, words, count);
    if (words != few)
        free(words);
    return sight;
}

static bool held_by(const uint32_t *object, uint32_t thread)
{
    return (object[OWNER] & 0xffff) == thread + 1;
}

static bool can_take(const uint32_t *object, bool shared)
{
    return object[OWNER] == 0 && (shared || object[READERS] == 0);
}

static void take_lock(uint32_t *object, uint32_t thread, bool shared)
{
    if (shared)
        object[READERS]++;
    else if (held_by(object, thread))
        object[OWNER] += 0x10000;
    else
        object[OWNER] = 0x10000 | (thread + 1);
}

static void give_lock(uint32_t *object, bool shared)
{
    if (shared) {
        object[READERS] -= object[READERS] > 0;
        return;
    }
    if (object[OWNER] >= 0x10000)
        object[OWNER] -= 0x10000;
    if (object[OWNER] < 0x10000)
        object[OWNER] = 0;
}

static void release_waiters(const struct space *s, uint32_t *state, uint32_t object, uint32_t only)
{
    for (uint32_t t = 0; t < s->threads; t++)
        if (*waits_for(s, state, t) == object && (only == VARIANT_NONE || only == t + 1))
            *waits_for(s, state, t) |= RELEASED;
}

/* Arriving at a barrier; the last one lets all go on. Returns whether it is. */
static bool enter_barrier(const struct space *s, uint32_t *state, uint32_t thread, uint32_t object)
{
    uint32_t *o = object_of(s, state, object);

    *waits_for(s, state, thread) = object;
    if (++o[READERS] < o[NEEDED] || o[NEEDED] == 0)
        return false;
    o[READERS] = 0;
    release_waiters(s, state, object, VARIANT_NONE);
    return true;
}

/* What a move needs and shows, beside memory. STEPPED_DONE: `*result` is what the thread sees. */
static enum stepped try_lock(const uint32_t *o, uint32_t thread, const struct move *m, uint32_t variant,
                             uint32_t *result)
{
    bool free = can_take(o, (m->value & TRIES_SHARED) != 0);

    if (!free && held_by(o, thread)) {
        *result = UINT32_MAX; /* its own history tells */
        return STEPPED_DONE;
    }
    *result = free;
    return free || m->kind == MOVE_TRY || variant == VARIANT_TIME_OUT ? STEPPED_DONE : STEPPED_BLOCKED;
}

static enum stepped is_stuck(const struct space *s, const uint32_t *state, const uint32_t *o,
                             const struct move *m)
{
    uint32_t node;

    switch (m->value) {
    case WAIT_LOCK:
        return can_take(o, false) ? STEPPED_UNKNOWN : STEPPED_BLOCKED;
    case WAIT_SEMAPHORE:
        return o[COUNT] > 0 ? STEPPED_UNKNOWN : STEPPED_BLOCKED;
    case WAIT_ONCE:
        return o[COUNT] != ONCE_RUNNING ? STEPPED_UNKNOWN : STEPPED_BLOCKED;
    case WAIT_JOIN:
        node = m->at < s->threads ? state[m->at] : NODE_NONE;
        return node != NODE_NONE && s->history->nodes[node].next != MOVE_NONE &&
                       s->history->moves[s->history->nodes[node].next].kind == MOVE_END
                   ? STEPPED_UNKNOWN
                   : STEPPED_BLOCKED;
    default:
        return STEPPED_BLOCKED;
    }
}

static bool has_ended(const struct space *s, const uint32_t *state, uint64_t thread)
{
    uint32_t node = thread < s->threads ? state[thread] : NODE_NONE, next;

    if (node == NODE_NONE)
        return false;
    next = s->history->nodes[node].next;
    return next != MOVE_NONE && s->history->moves[next].kind == MOVE_END;
}

/* The wait is over when the thread was released, or its time is, and the mutex is free. */
static enum stepped wake(const struct space *s, uint32_t *state, uint32_t thread, const uint32_t *mutex,
                         const struct move *m, uint32_t variant, uint32_t *result)
{
    bool released = *waits_for(s, state, thread) & RELEASED;

    *result = !released;
    if (!can_take(mutex, false) || (!released && !(m->value && variant == VARIANT_TIME_OUT)))
        return STEPPED_BLOCKED;
    return STEPPED_DONE;
}

static enum stepped see(const struct space *s, uint32_t *state, uint32_t thread, uint32_t move,
                        uint32_t variant, uint32_t *result)
{
    const struct move *m = &s->history->moves[move];
    uint32_t object = s->touches[move].object, stream = s->touches[move].stream;
    uint32_t *o = object ? object_of(s, state, object) : NULL;

    *result = 0;
    switch (m->kind) {
    case MOVE_ACQUIRE:
        *result = 1;
        return can_take(o, false) || held_by(o, thread) ? STEPPED_DONE : STEPPED_BLOCKED;
    case MOVE_SHARED_ACQUIRE:
        *result = 1;
        return can_take(o, true) ? STEPPED_DONE : STEPPED_BLOCKED;
    case MOVE_TRY:
    case MOVE_TIMED:
        return try_lock(o, thread, m, variant, result);
    case MOVE_JOIN:
        return has_ended(s, state, m->at) ? STEPPED_DONE : STEPPED_BLOCKED;
    case MOVE_WAKE:
        return wake(s, state, thread, o, m, variant, result);
    case MOVE_ENTER:
        *result = o[NEEDED] != 0 && o[READERS] + 1 >= o[NEEDED];
        return STEPPED_DONE;
    case MOVE_LEAVE:
        return *waits_for(s, state, thread) & RELEASED ? STEPPED_DONE : STEPPED_BLOCKED;
    case MOVE_TAKE:
        *result = 1;
        return o[COUNT] > 0 ? STEPPED_DONE : STEPPED_BLOCKED;
    case MOVE_TAKE_TRY:
        *result = o[COUNT] > 0;
        return STEPPED_DONE;
    case MOVE_TAKE_TIMED:
        *result = o[COUNT] > 0;
        return o[COUNT] > 0 || variant == VARIANT_TIME_OUT ? STEPPED_DONE : STEPPED_BLOCKED;
    case MOVE_ONCE:
        *result = o[COUNT] == ONCE_NEW;
        return o[COUNT] == ONCE_RUNNING ? STEPPED_BLOCKED : STEPPED_DONE;
    case MOVE_OUTPUT:
        *result = o[COUNT] && s->history->nodes[o[COUNT] - 1].thread == thread ? 0 : o[COUNT];
        o = stream ? object_of(s, state, stream) : NULL;
        return !o || o[OWNER] == 0 || held_by(o, thread) ? STEPPED_DONE : STEPPED_BLOCKED;
    case MOVE_STUCK:
        return is_stuck(s, state, o, m);
    default:
        return STEPPED_DONE;
    }
}

/* What the move does, once it is known that and how it happens. */
static void act(const struct space *s, uint32_t *state, uint32_t thread, uint32_t move, uint32_t child,
                uint32_t variant)
{
    const struct move *m = &s->history->moves[move];
    const struct touch *t = &s->touches[move];
    uint32_t *o = t->object ? object_of(s, state, t->object) : NULL;
    uint32_t one = 1;
    bool good = s->history->nodes[child].sight == find_sight(s, &one, 1);

    switch (m->kind) {
    case MOVE_ATOMIC:
        if (!s->history->nodes[child].wrote)
            break;
        /* fall through */
    case MOVE_WRITE:
        for (uint32_t c = 0; c < t->cell_count; c++)
            state[state_cells(s) + t->first_cell + c] = child + 1;
        break;
    case MOVE_ACQUIRE:
    case MOVE_SHARED_ACQUIRE:
        take_lock(o, thread, m->kind == MOVE_SHARED_ACQUIRE);
        break;
    case MOVE_TRY:
    case MOVE_TIMED:
        if (good)
            take_lock(o, thread, (m->value & TRIES_SHARED) != 0);
        break;
    case MOVE_RELEASE:
    case MOVE_SHARED_RELEASE:
        give_lock(o, m->kind == MOVE_SHARED_RELEASE);
        break;
    case MOVE_FORK:
        state[m->at] = s->history->threads[m->at].root;
        break;
    case MOVE_WAIT:
        *waits_for(s, state, thread) = t->object;
        break;
    case MOVE_WAKE:
        take_lock(o, thread, false);
        *waits_for(s, state, thread) = 0;
        break;
    case MOVE_WOKEN:
    case MOVE_LEAVE:
        *waits_for(s, state, thread) = 0;
        break;
    case MOVE_NOTIFY:
        if (variant != VARIANT_NONE)
            release_waiters(s, state, t->object, variant);
        break;
    case MOVE_NOTIFY_ALL:
        release_waiters(s, state, t->object, VARIANT_NONE);
        break;
    case MOVE_ENTER:
        enter_barrier(s, state, thread, t->object);
        break;
    case MOVE_POST:
        o[COUNT]++;
        break;
    case MOVE_TAKE:
    case MOVE_TAKE_TRY:
    case MOVE_TAKE_TIMED:
        if (good)
            o[COUNT]--;
        break;
    case MOVE_ONCE:
        if (good)
            o[COUNT] = ONCE_RUNNING;
        break;
    case MOVE_ONCE_DONE:
        o[COUNT] = ONCE_DONE;
        break;
    case MOVE_OUTPUT:
        o[COUNT] = child + 1;
        break;
    case MOVE_NEW:
        memset(o, 0, 4 * sizeof *o);
        o[COUNT] = o[NEEDED] = (uint32_t)m->value;
        break;
    default:
        break;
    }
}

static bool looks(const struct move *m)
{
    return m->kind == MOVE_READ || m->kind == MOVE_ATOMIC;
}

/* Whether one more round would show what the last one showed. */
static bool sees_the_same(const struct space *s, uint32_t *state, uint32_t thread, uint32_t node)
{
    const struct history *h = s->history;
    unsigned round = h->nodes[node].round;

    if (round == 0 || h->nodes[node].next != h->nodes[history_back(h, node, round - 1)].move)
        return false;
    for (unsigned i = 0; i < round; i++) {
        const struct node *n = &h->nodes[node];
        uint32_t result, sight;
        if (looks(&h->moves[n->move]))
            sight = look(s, state, thread, n->move);
        else if (see(s, state, thread, n->move, VARIANT_NONE, &result) == STEPPED_DONE)
            sight = find_sight(s, &result, 1);
        else
            return false;
        if (sight != n->sight)
            return false;
        node = n->parent;
    }
    return true;
}

/* The node that the move leads to; NODE_NONE: never seen. */
static uint32_t follow(const struct space *s, uint32_t *state, uint32_t thread, uint32_t node, uint32_t result)
{
    const struct history *h = s->history;
    uint32_t move = h->nodes[node].next, sight;

    if (h->moves[move].kind == MOVE_INPUT || result == UINT32_MAX)
        return h->nodes[node].first_child;
    sight = looks(&h->moves[move]) ? look(s, state, thread, move) : find_sight(s, &result, 1);
    return sight == NAME_NONE ? NODE_NONE : history_child(h, node, sight);
}

enum stepped space_step(const struct space *s, uint32_t *state, uint32_t thread, uint32_t variant, uint32_t *at)
{
    const struct history *h = s->history;
    uint32_t node = state[thread], child, move, result;
    bool first = true;

    *at = node;
    if (node == NODE_NONE)
        return STEPPED_OVER;
    if (sees_the_same(s, state, thread, node))
        return STEPPED_CUT;
    for (;; first = false) {
        enum stepped now;
        move = h->nodes[node].next;
        if (!first && (move == MOVE_NONE || !move_glued(&h->moves[move])))
            return STEPPED_DONE;
        if (move == MOVE_NONE)
            return STEPPED_UNKNOWN;
        if (h->moves[move].kind == MOVE_END || h->moves[move].kind == MOVE_EXIT)
            return h->moves[move].kind == MOVE_END ? STEPPED_OVER : STEPPED_EXIT;
        now = see(s, state, thread, move, variant, &result);
        if (now != STEPPED_DONE)
            return now;
        child = follow(s, state, thread, node, result);
        if (child == NODE_NONE)
            return STEPPED_UNKNOWN;
        act(s, state, thread, move, child, variant);
        *at = node = state[thread] = child;
    }
}

size_t space_variants(const struct space *s, const uint32_t *state, uint32_t thread,
                      uint32_t variants[EXPLORE_THREADS])
{
    uint32_t move = s->history->nodes[state[thread]].next;
    size_t count = 0;

    if (s->history->moves[move].kind == MOVE_NOTIFY)
        for (uint32_t t = 0; t < s->threads; t++)
            if (state[s->threads + t] == s->touches[move].object)
                variants[count++] = t + 1;
    if (count == 0)
        variants[count++] = VARIANT_NONE;
    return count;
}

bool space_timed(const struct space *s, const uint32_t *state, uint32_t thread)
{
    uint32_t node = state[thread], move = node == NODE_NONE ? MOVE_NONE : s->history->nodes[node].next;
    const struct move *m = move == MOVE_NONE ? NULL : &s->history->moves[move];

    return m && (m->kind == MOVE_TIMED || m->kind == MOVE_TAKE_TIMED || (m->kind == MOVE_WAKE && m->value));
}

uint32_t space_condition(const struct space *s, uint32_t node)
{
    const struct history *h = s->history;
    uint32_t before = h->nodes[node].parent; /* wait, release */

    if (before == NODE_NONE || h->nodes[before].move == MOVE_NONE ||
        h->moves[h->nodes[before].move].kind != MOVE_WAIT)
        return 0;
    return s->touches[h->nodes[before].move].object;
}
