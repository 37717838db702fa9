/* What calls of the JDK mean for exploring. */
#include "record/deeds/java_walk.h"

#include <string.h>

/* Methods of locks that show nothing of what other threads do. */
static bool shows_nothing(const char *name)
{
    static const char *const names[] = {"newCondition", "isHeldByCurrentThread",
                                        "getHoldCount", "readLock",
                                        "writeLock",    "hashCode",
                                        "equals",       "isFair",
                                        "getClass",     NULL};

    for (const char *const *n = names; *n; n++)
        if (strcmp(*n, name) == 0)
            return true;
    return false;
}

static const char *method_of(const struct java_walk *w, const struct java_record *r)
{
    return java_text(w->c->list, java_site(w->c->list, r->site)->name);
}

static const char *descriptor_of(const struct java_walk *w, const struct java_record *r)
{
    return java_text(w->c->list, java_site(w->c->list, r->site)->descriptor);
}

void walk_acquire(struct java_walk *w, const struct java_record *r, uint64_t lock)
{
    struct walked_thread *t = &w->threads[java_thread_of(r)];

    for (unsigned i = 0; i < t->held_count; i++)
        if (t->held[i].lock == lock) {
            t->held[i].depth++;
            return;
        }
    if (t->held_count == LOCKS_MOST) {
        walk_miss(w, "a thread that holds more than %d locks", LOCKS_MOST);
        return;
    }
    t->held[t->held_count].lock = lock;
    t->held[t->held_count++].depth = 1;
}

static uint32_t depth_of(const struct walked_thread *t, uint64_t lock)
{
    for (unsigned i = 0; i < t->held_count; i++)
        if (t->held[i].lock == lock)
            return t->held[i].depth;
    return 0;
}

void walk_release(struct java_walk *w, const struct java_record *r, uint64_t lock)
{
    struct walked_thread *t = &w->threads[java_thread_of(r)];

    for (unsigned i = 0; i < t->held_count; i++)
        if (t->held[i].lock == lock) {
            if (--t->held[i].depth == 0)
                t->held[i] = t->held[--t->held_count];
            return;
        }
    walk_miss(w, "a lock is released by a thread that does not hold it");
}

/* The lock of a call, or the monitor that is waited on. */
static uint64_t lock_of(struct java_walk *w, const struct java_record *r, const struct java_action *a)
{
    return a->monitor ? place_of_object(w, "monitor", r->object, java_thread_of(r))
                      : place_of_object(w, "lock", a->lock, java_thread_of(r));
}

static uint64_t condition_of(struct java_walk *w, const struct java_record *r, const struct java_action *a)
{
    return place_of_object(w, a->monitor ? "waiters" : "condition", r->object, java_thread_of(r));
}

/* Of a semaphore, a latch or a barrier. */
static uint64_t count_of(struct java_walk *w, const struct java_record *r, const struct java_action *a)
{
    return place_of_object(w, "count", a->object, java_thread_of(r));
}

void walk_contents(struct java_walk *w, const struct java_record *r, uint32_t object, bool changes)
{
    struct deed *d = walk_add(w, r, changes ? MOVE_ATOMIC : MOVE_READ,
                              place_of_object(w, "contents", object, java_thread_of(r)));

    d->move.length = 8;
    d->changes = changes;
    guard_use(w, object, java_thread_of(r), changes);
}

static void release_all(struct java_walk *w, const struct java_record *r, uint64_t lock, uint32_t depth)
{
    for (; depth > 0; depth--) {
        walk_add(w, r, MOVE_RELEASE, lock);
        walk_release(w, r, lock);
    }
}

/* The lock is given up however often it is held; the last time after the wait has begun. */
static void begin_wait(struct java_walk *w, const struct java_record *r, const struct java_action *a)
{
    struct walked_thread *t = &w->threads[java_thread_of(r)];
    uint64_t lock = lock_of(w, r, a);

    if (strcmp(descriptor_of(w, r), "()V") != 0)
        walk_miss(w, "waits with a time-out (%.200s)", method_of(w, r));
    t->wait_depth = depth_of(t, lock);
    if (t->wait_depth == 0) {
        walk_miss(w, "a thread waits without holding the lock");
        return;
    }
    release_all(w, r, lock, t->wait_depth - 1);
    walk_add(w, r, MOVE_WAIT, condition_of(w, r, a));
    ++*map_at(&w->waiting, condition_of(w, r, a));
    release_all(w, r, lock, 1);
}

/* Waits do not end by themselves: where one did, the schedule was not followed. */
static void end_wait(struct java_walk *w, const struct java_record *r, const struct java_action *a)
{
    struct walked_thread *t = &w->threads[java_thread_of(r)];
    uint64_t lock = lock_of(w, r, a), condition = condition_of(w, r, a);

    if (map_get(&w->notified, condition) == 0) {
        w->reader->to->impossible |= strcmp(descriptor_of(w, r), "()V") == 0;
    } else {
        --*map_at(&w->notified, condition);
        --*map_at(&w->waiting, condition);
    }
    for (uint32_t i = 0; i < t->wait_depth; i++) {
        walk_add(w, r, i ? MOVE_ACQUIRE : MOVE_WAKE, lock)->result = i ? 1 : 0;
        walk_acquire(w, r, lock);
    }
    walk_add(w, r, MOVE_WOKEN, condition);
}

static void notify(struct java_walk *w, const struct java_record *r, const struct java_action *a)
{
    uint32_t waiting = map_get(&w->waiting, condition_of(w, r, a));
    uint32_t *notified = map_at(&w->notified, condition_of(w, r, a));

    if (*notified < waiting)
        *notified = a->effect == EFFECT_NOTIFY ? *notified + 1 : waiting;
    if (depth_of(&w->threads[java_thread_of(r)], lock_of(w, r, a)) == 0)
        walk_miss(w, "a thread notifies without holding the lock");
    walk_add(w, r, a->effect == EFFECT_NOTIFY ? MOVE_NOTIFY : MOVE_NOTIFY_ALL, condition_of(w, r, a));
}

static void enter_barrier(struct java_walk *w, const struct java_record *r, const struct java_action *a)
{
    struct walked_object *o = &w->objects[a->object];
    struct walked_thread *t = &w->threads[java_thread_of(r)];
    struct deed *d = walk_add(w, r, MOVE_ENTER, count_of(w, r, a));

    if (strcmp(descriptor_of(w, r), "()I") != 0)
        walk_miss(w, "waits with a time-out (%.200s)", method_of(w, r));
    d->move.value = 1;
    d->result = t->arrival = o->parties ? o->entered++ % o->parties : 0;
}

static void leave_barrier(struct java_walk *w, const struct java_record *r, const struct java_action *a)
{
    const struct walked_object *o = &w->objects[a->object];

    walk_add(w, r, MOVE_LEAVE, count_of(w, r, a));
    if (o->parties != w->threads[java_thread_of(r)].arrival + r->value + 1)
        walk_miss(w, "a barrier that threads reach in another order than was recorded");
}

/* Calls on objects that are not instrumented inside, of which more is known than that they were called. */
static void call_opaque(struct java_walk *w, const struct java_record *r, const struct java_action *a)
{
    unsigned family = w->c->objects[r->object].family;
    bool latch = family == FAMILY_LATCH && !w->c->objects[r->object].derived;
    const char *name = method_of(w, r);

    if (latch && strcmp(name, "countDown") == 0)
        walk_add(w, r, MOVE_COUNT_DOWN, count_of(w, r, a));
    else if (w->c->objects[r->object].thread || w->objects[r->object].started)
        walk_miss(w, "%.200s of a thread", name);
    else if (family == FAMILY_PLAIN || family == FAMILY_OTHER || family == FAMILY_CONCURRENT ||
             family == FAMILY_FUTURE)
        walk_contents(w, r, a->object, true);
    else if (!latch || strcmp(name, "await") != 0)
        walk_miss(w, "%.200s of a %.100s", name, walk_type(w, r->object));
    else if (strcmp(descriptor_of(w, r), "()V") != 0)
        walk_miss(w, "waits with a time-out (%.200s)", name);
}

static bool is_await(const struct java_walk *w, const struct java_record *r)
{
    const struct java_object *o = &w->c->objects[r->object];

    return o->family == FAMILY_LATCH && !o->derived && strcmp(method_of(w, r), "await") == 0;
}

void walk_call(struct java_walk *w, const struct java_record *r)
{
    struct java_action a = java_action(w->c, r);
    uint64_t lock;

    if (a.shared && a.effect != EFFECT_NONE)
        walk_miss(w, "read locks, which wait for writers that wait");
    switch (a.effect) {
    case EFFECT_NONE:
        if (!shows_nothing(method_of(w, r)))
            walk_miss(w, "the result of %.200s of a lock", method_of(w, r));
        break;
    case EFFECT_START:
    case EFFECT_LOCK:
    case EFFECT_TRY_LOCK:
    case EFFECT_JOIN:
    case EFFECT_SEMAPHORE_WAIT:
    case EFFECT_SEMAPHORE_TRY:
        break;
    case EFFECT_UNLOCK:
        lock = lock_of(w, r, &a);
        walk_add(w, r, MOVE_RELEASE, lock);
        walk_release(w, r, lock);
        break;
    case EFFECT_WAIT:
        begin_wait(w, r, &a);
        break;
    case EFFECT_NOTIFY:
    case EFFECT_NOTIFY_ALL:
        notify(w, r, &a);
        break;
    case EFFECT_POST:
        walk_add(w, r, MOVE_POST, count_of(w, r, &a));
        break;
    case EFFECT_READS:
    case EFFECT_WRITES:
        if (!walk_alone(w, java_thread_of(r)) && strcmp(method_of(w, r), "toString") == 0 &&
            strstr(java_object_type(w->c, r->object), "StringBuilder") == NULL)
            walk_miss(w, "the text of a %.200s and all that it holds", walk_type(w, r->object));
        walk_contents(w, r, a.object, a.effect == EFFECT_WRITES);
        break;
    case EFFECT_OPAQUE:
    case EFFECT_LOOKS:
    case EFFECT_STEPS:
    case EFFECT_GIVES:
    case EFFECT_TAKES:
        call_opaque(w, r, &a);
        break;
    case EFFECT_BARRIER:
        enter_barrier(w, r, &a);
        break;
    case EFFECT_TRY_LOCK_TIMED:
        walk_miss(w, "waits with a time-out (%.200s)", method_of(w, r));
        break;
    default:
        walk_miss(w, "%.200s of a %.100s", method_of(w, r), walk_type(w, r->object));
        break;
    }
}

/* An attempt can only fail because of a thread that holds the lock or is about to report that it does. */
static bool somebody_has(struct java_walk *w, const struct java_record *r, uint64_t lock)
{
    for (uint32_t i = 1; i < w->c->threads_count; i++) {
        const struct walked_thread *t = &w->threads[i];
        if (i == java_thread_of(r))
            continue;
        if (depth_of(t, lock) > 0)
            return true;
        if (t->pending && java_kind_of(t->pending) == JAVA_CALL) {
            struct java_action a = java_action(w->c, t->pending);
            if ((a.effect == EFFECT_LOCK || a.effect == EFFECT_TRY_LOCK) && lock_of(w, t->pending, &a) == lock)
                return true;
        }
    }
    return false;
}

static void end_try(struct java_walk *w, const struct java_record *r, const struct java_action *a)
{
    uint64_t lock = lock_of(w, r, a);

    walk_add(w, r, MOVE_TRY, lock)->result = r->value != 0;
    if (r->value) {
        walk_acquire(w, r, lock);
    } else if (!somebody_has(w, r, lock)) {
        walk_miss(w, "attempts at locks that have conditions which threads wait for");
        w->reader->to->impossible = true;
    }
}

static void end_join(struct java_walk *w, const struct java_record *r)
{
    uint32_t joined = w->c->objects[r->object].thread;
    struct walked_thread *other = &w->threads[joined];

    if (strcmp(method_of(w, r), "join") != 0 || strcmp(descriptor_of(w, r), "()V") != 0) {
        walk_miss(w, "%.200s of a thread, which depends on time", method_of(w, r));
        return;
    }
    if (joined == NO_THREAD || !other->known || r->value != 0) {
        walk_miss(w, "a join of a thread that was not started");
        return;
    }
    walk_add(w, r, MOVE_JOIN, other->number);
    if (w->threads[java_thread_of(r)].number == 0 && !other->joined) {
        other->joined = true;
        w->joined++;
    }
}

void walk_return(struct java_walk *w, const struct java_record *r, const struct java_record *call)
{
    struct java_action a = java_action(w->c, call);
    uint64_t lock;

    switch (a.effect) {
    case EFFECT_LOCK:
        lock = lock_of(w, r, &a);
        walk_add(w, r, MOVE_ACQUIRE, lock)->result = 1;
        walk_acquire(w, r, lock);
        break;
    case EFFECT_TRY_LOCK:
        end_try(w, r, &a);
        break;
    case EFFECT_WAIT:
        end_wait(w, r, &a);
        break;
    case EFFECT_JOIN:
        end_join(w, r);
        break;
    case EFFECT_SEMAPHORE_WAIT:
        walk_add(w, r, MOVE_TAKE, count_of(w, r, &a))->result = 1;
        break;
    case EFFECT_SEMAPHORE_TRY:
        if (strcmp(descriptor_of(w, r), "()Z") != 0)
            walk_miss(w, "waits with a time-out (%.200s)", method_of(w, r));
        walk_add(w, r, MOVE_TAKE_TRY, count_of(w, r, &a))->result = r->value != 0;
        break;
    case EFFECT_TAKES:
        if (is_await(w, call))
            walk_add(w, r, MOVE_AWAIT, count_of(w, r, &a));
        break;
    case EFFECT_BARRIER:
        leave_barrier(w, r, &a);
        break;
    default:
        break;
    }
}

bool walk_must_return(struct java_walk *w, const struct java_record *call)
{
    switch (java_action(w->c, call).effect) {
    case EFFECT_LOCK:
    case EFFECT_TRY_LOCK:
    case EFFECT_WAIT:
    case EFFECT_NOTIFY:
    case EFFECT_NOTIFY_ALL:
    case EFFECT_UNLOCK:
    case EFFECT_JOIN:
    case EFFECT_SEMAPHORE_WAIT:
    case EFFECT_SEMAPHORE_TRY:
    case EFFECT_POST:
    case EFFECT_BARRIER:
        return true;
    default:
        return is_await(w, call);
    }
}

bool walk_waits_in(struct java_walk *w, const struct java_record *call, struct move *stuck)
{
    struct java_action a = java_action(w->c, call);
    uint32_t joined = w->c->objects[call->object].thread;
    const struct walked_thread *t = &w->threads[java_thread_of(call)];

    switch (a.effect) {
    case EFFECT_LOCK:
        *stuck = (struct move){.kind = MOVE_STUCK, .value = STUCK_LOCK, .at = lock_of(w, call, &a)};
        return true;
    case EFFECT_SEMAPHORE_WAIT:
        *stuck = (struct move){.kind = MOVE_STUCK, .value = STUCK_SEMAPHORE, .at = count_of(w, call, &a)};
        return true;
    case EFFECT_JOIN:
        *stuck = (struct move){.kind = MOVE_STUCK, .value = STUCK_JOIN, .at = w->threads[joined].number};
        return joined != NO_THREAD && w->threads[joined].known;
    default: /* all is known of it */
        *stuck = (struct move){.kind = MOVE_AWAIT,
                               .ticks = (uint32_t)(t->records - t->told) + 1,
                               .pc = place_of_site(w, call->site),
                               .at = count_of(w, call, &a)};
        return is_await(w, call);
    }
}
