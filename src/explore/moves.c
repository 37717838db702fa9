/* What each kind of move needs, shows and does. */
#include "explore/moves.h"

#include <assert.h>
#include <string.h>

#define RELEASED 0x80000000u /* in what a thread waits for: it may go on */

/* Words of an object. OWNER: thread plus one, and depth << 16; COUNT: of a semaphore or a latch, how far
 * something done once is, or the node of the last output, plus one; NEEDED: by a barrier, where READERS is how
 * many have come.
 */
enum { OWNER, READERS, COUNT, NEEDED };

enum { ONCE_NEW, ONCE_RUNNING, ONCE_DONE }; /* COUNT of something done once */

static uint32_t *object_of(const struct space *s, uint32_t *state, uint32_t object)
{
    assert(object > 0);
    return state + 2 * s->threads + 4 * (object - 1);
}

static uint32_t *waits_for(const struct space *s, uint32_t *state, uint32_t thread)
{
    return state + s->threads + thread;
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

/* Arriving at a barrier; the last one lets all go on. */
static void enter_barrier(const struct space *s, uint32_t *state, uint32_t thread, uint32_t object)
{
    uint32_t *o = object_of(s, state, object);

    *waits_for(s, state, thread) = object;
    if (++o[READERS] < o[NEEDED] || o[NEEDED] == 0)
        return;
    o[READERS] = 0;
    release_waiters(s, state, object, VARIANT_NONE);
}

/* A try, or a wait for a lock that may take too long: `*result` is whether it gets the lock. */
static enum stepped try_lock(const uint32_t *o, uint32_t thread, const struct move *m, uint32_t variant,
                             uint32_t *result)
{
    bool free = can_take(o, m->value != 0);

    if (!free && held_by(o, thread)) {
        *result = UINT32_MAX; /* its own history tells */
        return STEPPED_DONE;
    }
    *result = free;
    return free || m->kind == MOVE_TRY || variant == VARIANT_TIME_OUT ? STEPPED_DONE : STEPPED_BLOCKED;
}

static bool has_ended(const struct space *s, const uint32_t *state, uint64_t thread)
{
    uint32_t node = thread < s->threads ? state[thread] : NODE_NONE, next;

    if (node == NODE_NONE)
        return false;
    next = s->history->nodes[node].next;
    return next != MOVE_NONE && s->history->moves[next].kind == MOVE_END;
}

static enum stepped is_stuck(const struct space *s, const uint32_t *state, const uint32_t *o,
                             const struct move *m)
{
    switch (m->value) {
    case STUCK_LOCK:
        return can_take(o, false) ? STEPPED_UNKNOWN : STEPPED_BLOCKED;
    case STUCK_SEMAPHORE:
        return o[COUNT] > 0 ? STEPPED_UNKNOWN : STEPPED_BLOCKED;
    case STUCK_ONCE:
        return o[COUNT] != ONCE_RUNNING ? STEPPED_UNKNOWN : STEPPED_BLOCKED;
    case STUCK_JOIN:
        return has_ended(s, state, m->at) ? STEPPED_UNKNOWN : STEPPED_BLOCKED;
    default:
        return STEPPED_BLOCKED;
    }
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

/* How many threads a futex would wake. */
static uint32_t woken_by(const struct space *s, const uint32_t *state, uint32_t object, bool all)
{
    uint32_t count = 0;

    for (uint32_t t = 0; t < s->threads; t++)
        count += state[s->threads + t] == object;
    return all || count == 0 ? count : 1;
}

enum stepped move_see(const struct space *s, uint32_t *state, uint32_t thread, uint32_t move, uint32_t variant,
                      uint32_t *result)
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
        *result = m->value ? o[READERS] : o[NEEDED] != 0 && o[READERS] + 1 >= o[NEEDED];
        return STEPPED_DONE;
    case MOVE_AWAIT:
        return o[COUNT] == 0 ? STEPPED_DONE : STEPPED_BLOCKED;
    case MOVE_LEAVE:
    case MOVE_RESUME:
        return *waits_for(s, state, thread) & RELEASED ? STEPPED_DONE : STEPPED_BLOCKED;
    case MOVE_TAKE:
        *result = 1;
        return o[COUNT] > 0 ? STEPPED_DONE : STEPPED_BLOCKED;
    case MOVE_TAKE_TRY:
        *result = o[COUNT] > 0;
        return STEPPED_DONE;
    case MOVE_NOTIFY:
    case MOVE_NOTIFY_ALL:
        *result = m->value ? woken_by(s, state, object, m->kind == MOVE_NOTIFY_ALL) : 0;
        return STEPPED_DONE;
    case MOVE_COUNT:
        *result = o[COUNT];
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

/* What a move does to its object alone; `good`: it gets what it tries for. */
static void change_object(uint32_t *o, const struct move *m, uint32_t thread, uint32_t child, bool good)
{
    switch (m->kind) {
    case MOVE_ACQUIRE:
    case MOVE_SHARED_ACQUIRE:
        take_lock(o, thread, m->kind == MOVE_SHARED_ACQUIRE);
        break;
    case MOVE_TRY:
    case MOVE_TIMED:
        if (good)
            take_lock(o, thread, m->value != 0);
        break;
    case MOVE_RELEASE:
    case MOVE_SHARED_RELEASE:
        give_lock(o, m->kind == MOVE_SHARED_RELEASE);
        break;
    case MOVE_COUNT_DOWN:
        o[COUNT] -= o[COUNT] > 0;
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

void move_act(const struct space *s, uint32_t *state, uint32_t thread, uint32_t move, uint32_t child,
              uint32_t variant)
{
    const struct move *m = &s->history->moves[move];
    const struct touch *t = &s->touches[move];
    uint32_t *o = t->object ? object_of(s, state, t->object) : NULL;
    uint32_t one = 1;

    switch (m->kind) {
    case MOVE_ATOMIC:
        if (!s->history->nodes[child].wrote)
            break;
        /* fall through */
    case MOVE_WRITE:
        for (uint32_t c = 0; c < t->cell_count; c++)
            state[state_cells(s) + t->first_cell + c] = child + 1;
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
    case MOVE_RESUME:
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
    default:
        change_object(o, m, thread, child, s->history->nodes[child].sight == space_sight(s, &one, 1));
        break;
    }
}
