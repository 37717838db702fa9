/* Random valid traces: locks, threads, conditions, barriers and semaphores. */
#include "random/maker.h"

/* Whether nobody but `a` has the lock: in any mode, or exclusively. */
static bool free_for(const struct maker *k, const struct actor *a, unsigned lock, bool any_mode)
{
    for (unsigned i = 0; i < k->actor_count; i++) {
        const struct actor *other = &k->actors[i];
        if (other != a && (other->exclusive[lock] > 0 || (any_mode && other->shared[lock] > 0)))
            return false;
    }
    return true;
}

bool make_lock(struct maker *k, struct actor *a)
{
    unsigned lock = pick(k, k->shape->locks);

    if (!free_for(k, a, lock, true))
        return false;
    if (a->exclusive[lock] > 0 && !chance(k, 25))
        return false; /* re-entrant: not too often */
    if (a->shared[lock] > 0 && !odd(k))
        return false; /* an upgrade */
    return maker_open_scope(k, a, EVENT_ACQUIRE, EVENT_RELEASE, lock);
}

bool make_shared_lock(struct maker *k, struct actor *a)
{
    unsigned lock = pick(k, k->shape->locks);

    if (!free_for(k, a, lock, false) || (a->exclusive[lock] > 0 && !odd(k)))
        return false;
    return maker_open_scope(k, a, EVENT_SHARED_ACQUIRE, EVENT_SHARED_RELEASE, lock);
}

bool make_try(struct maker *k, struct actor *a)
{
    unsigned lock = pick(k, k->shape->locks);
    bool mine = a->exclusive[lock] > 0 || a->shared[lock] > 0;

    if (free_for(k, a, lock, true) && !(mine && odd(k)))
        return false;
    return maker_emit(k, a, EVENT_TRY_FAIL, ORDER_NONE, lock);
}

bool make_thread(struct maker *k, struct actor *a)
{
    unsigned start = pick(k, k->actor_count);

    for (unsigned i = 0; i < k->actor_count; i++) {
        unsigned number = (start + i) % k->actor_count;
        struct actor *other = &k->actors[number];

        if (other->stage == ACTOR_UNBORN) {
            other->stage = ACTOR_RUNNING;
            return maker_emit(k, a, EVENT_FORK, ORDER_NONE, number);
        }
        if (other->stage == ACTOR_ENDED) {
            other->stage = ACTOR_JOINED;
            return maker_emit(k, a, EVENT_JOIN, ORDER_NONE, number);
        }
    }
    return false;
}

static void owe(struct actor *a, enum event_kind kind, unsigned object)
{
    a->duties[a->duty_count++] = (struct duty){kind, object};
}

/* A random one of the locks the thread holds exclusively; SHAPE_OBJECTS if there is none. */
static unsigned pick_held(struct maker *k, const struct actor *a)
{
    unsigned start = pick(k, k->shape->locks);

    for (unsigned i = 0; i < k->shape->locks; i++) {
        unsigned lock = (start + i) % k->shape->locks;
        if (a->exclusive[lock] > 0)
            return lock;
    }
    return SHAPE_OBJECTS;
}

/* waitpre(c) and the rest of the wait as duties; an unusual wait has no lock. */
static bool make_wait(struct maker *k, struct actor *a, unsigned condition)
{
    unsigned lock = pick_held(k, a);

    if (a->duty_count > 0)
        return false;
    if (lock == SHAPE_OBJECTS && !odd(k))
        return make_lock(k, a);
    owe(a, EVENT_WAIT_POST, condition);
    if (lock != SHAPE_OBJECTS) {
        owe(a, EVENT_ACQUIRE, lock);
        owe(a, EVENT_RELEASE, lock);
    }
    a->woken = false;
    return maker_emit(k, a, EVENT_WAIT_PRE, ORDER_NONE, condition);
}

static bool anybody_waits(const struct maker *k)
{
    for (unsigned i = 0; i < k->actor_count; i++) {
        const struct actor *a = &k->actors[i];
        if (a->duty_count > 0 && a->duties[0].kind == EVENT_WAIT_POST && !a->woken)
            return true;
    }
    return false;
}

bool make_condition(struct maker *k, struct actor *a)
{
    unsigned condition = pick(k, k->shape->conditions);

    if (chance(k, anybody_waits(k) ? 30 : 90))
        return make_wait(k, a, condition);
    for (unsigned i = 0; i < k->actor_count; i++)
        k->actors[i].woken = true;
    return maker_emit(k, a, chance(k, 60) ? EVENT_NOTIFY : EVENT_NOTIFY_ALL, ORDER_NONE, condition);
}

bool make_barrier(struct maker *k, struct actor *a)
{
    unsigned barrier = pick(k, k->shape->barriers);

    if (a->duty_count > 0)
        return false;
    owe(a, EVENT_BARRIER_EXIT, barrier);
    return maker_emit(k, a, EVENT_BARRIER_ENTER, ORDER_NONE, barrier);
}

bool make_semaphore(struct maker *k, struct actor *a)
{
    unsigned semaphore = pick(k, k->shape->semaphores);
    bool used = k->used[semaphore];

    k->used[semaphore] = true;
    if (!used && k->shape->grounds > 0 && chance(k, 30))
        return maker_emit(k, a, EVENT_SEM_INIT, ORDER_NONE, semaphore);
    if (k->tokens[semaphore] > 0 && chance(k, 60)) {
        k->tokens[semaphore]--;
        return maker_emit(k, a, EVENT_SEM_WAIT, ORDER_NONE, semaphore);
    }
    k->tokens[semaphore]++;
    return maker_emit(k, a, EVENT_POST, ORDER_NONE, semaphore);
}

/* The next event of a wait or barrier; now and then the thread is slow, and slower before it was woken. */
bool make_duty(struct maker *k, struct actor *a)
{
    struct duty duty = a->duties[a->duty_count - 1];

    if (duty.kind == EVENT_ACQUIRE && !a->woken && chance(k, 80))
        return false;
    if (duty.kind == EVENT_BARRIER_EXIT && chance(k, 60))
        return false;
    if (duty.kind == EVENT_ACQUIRE && !free_for(k, a, duty.object, true))
        return false;
    a->duty_count--;
    if (duty.kind == EVENT_ACQUIRE)
        a->exclusive[duty.object]++;
    if (duty.kind == EVENT_RELEASE)
        a->exclusive[duty.object]--;
    return maker_emit(k, a, duty.kind, ORDER_NONE, duty.object);
}
