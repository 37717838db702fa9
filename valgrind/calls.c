/* Calls of the program, put in the order in which they took effect.
 *
 * A call takes effect somewhere between what is asked before it and after it, and other threads may run in
 * between. What gives something to others (a release, a post, a notification) is pending from before the call,
 * and logged when somebody is seen to have got it, or the call is over. What takes something is logged when the
 * call is over, or when somebody is seen to have failed because of it. A thread does nothing else in the
 * meantime, so its own events stay in order. */
/* This file is part of the Valgrind tool of Heddle, a program of its own.
 * Copyright (C) 2026 The Heddle authors. Free software under the GNU General Public License, version 2 or (at
 * your option) any later version; without any warranty. See COPYING. */
#include "requests.h"
#include "tool.h"

#include "pub_tool_libcbase.h"

enum { BUSY = 16, TIMED_OUT = 110, CANCELLED = 125, OWNER_DIED = 130 };

/* Where glibc keeps what, in bytes. */
enum {
    MUTEX_OWNER = 8,
    MUTEX_KIND = 16,
    MUTEX_SHARED = 128, /* in the kind: with other processes */
    CONDITION_FLAGS = 36,
    SEMAPHORE_SHARED = 8,
};

static UInt word_at(Addr object, UInt offset)
{
    return *(const UInt *)(object + offset);
}

static Bool took_it(UWord error)
{
    return error == 0 || error == OWNER_DIED;
}

/* Logs a synchronization and keeps account of who has what. `value` is the record's. */
static void effect_with(struct guest *g, UInt kind, Addr at, Addr pc, ULong value)
{
    struct object *o = object_at(at);

    switch (kind) {
    case RECORD_ACQUIRE:
        o->depth = o->owner == g->id + 1 ? o->depth + 1 : 1;
        o->owner = g->id + 1;
        break;
    case RECORD_RELEASE:
        if (o->depth > 0 && --o->depth == 0)
            o->owner = 0;
        break;
    case RECORD_SHARED_ACQUIRE:
        o->readers++;
        break;
    case RECORD_SHARED_RELEASE:
        o->readers -= o->readers > 0;
        break;
    case RECORD_POST:
        o->tokens++;
        break;
    case RECORD_SEM_WAIT:
        o->tokens -= o->tokens > 0;
        break;
    case RECORD_BARRIER_ENTER:
        o->entered++;
        break;
    default:
        break;
    }
    log_record(g, kind, at, 0, pc & RECORD_ADDRESS, value);
}

static void effect(struct guest *g, UInt kind, Addr at, Addr pc)
{
    effect_with(g, kind, at, pc, 0);
}

void pending_add(struct guest *g, UInt kind, Addr object, Addr pc)
{
    if (g->pending_count == PENDING)
        pending_flush(g);
    g->pending[g->pending_count++] = (struct pending){kind, object, pc};
}

void pending_flush(struct guest *g)
{
    for (UInt i = 0; i < g->pending_count; i++)
        effect(g, g->pending[i].kind, g->pending[i].object, g->pending[i].pc);
    g->pending_count = 0;
}

static Bool has_pending(const struct guest *g, UInt kind, Addr object)
{
    for (UInt i = 0; i < g->pending_count; i++)
        if (g->pending[i].kind == kind && g->pending[i].object == object)
            return True;
    return False;
}

/* The thread with such a pending event that entered its call first, or NULL. */
static struct guest *first_pending(UInt kind, Addr object)
{
    struct guest *first = NULL;

    for (UInt i = 0; i < guest_count(); i++) {
        struct guest *g = guest_at(i);
        if (g && has_pending(g, kind, object) && (!first || g->announced < first->announced))
            first = g;
    }
    return first;
}

static void flush_all(UInt kind, Addr object)
{
    for (struct guest *g; (g = first_pending(kind, object)) != NULL;)
        pending_flush(g);
}

/* A call that does not wait for ever could have given up instead: the record says so. */
static void take_lock(struct guest *g, Addr lock, UInt way, Addr pc)
{
    flush_all(RECORD_RELEASE, lock);
    flush_all(RECORD_SHARED_RELEASE, lock);
    effect_with(g, way & HEDDLE_WAY_SHARED ? RECORD_SHARED_ACQUIRE : RECORD_ACQUIRE, lock, pc,
                (way & (HEDDLE_WAY_TRY | HEDDLE_WAY_TIMED)) != 0);
}

/* Who has the lock although it is not logged yet: the only one that is about to take it, or the one that the
 * mutex names. */
static struct guest *unseen_holder(const struct guest *other, Addr lock)
{
    UInt named = other->wants_way & HEDDLE_WAY_MUTEX ? word_at(lock, MUTEX_OWNER) : 0;
    struct guest *found = NULL;
    UInt candidates = 0;

    for (UInt i = 0; i < guest_count(); i++) {
        struct guest *g = guest_at(i);
        if (!g || g == other || g->wants != lock || g->got)
            continue;
        if (g->process == named)
            return g;
        found = g;
        candidates++;
    }
    return candidates == 1 ? found : NULL;
}

static void fail_to_take(struct guest *g, Addr lock, Addr pc)
{
    const struct object *o = object_at(lock);

    if (o->owner == 0 && o->readers == 0) {
        struct guest *holder = unseen_holder(g, lock);
        if (!holder)
            return;
        take_lock(holder, lock, holder->wants_way, holder->wants_pc);
        holder->got = True;
    }
    log_record(g, RECORD_TRY_FAIL, lock, 0, pc & RECORD_ADDRESS, 0);
}

static void lock_pre(struct guest *g, const UWord *a)
{
    g->wants = a[1];
    g->wants_way = (UInt)a[2];
    g->wants_pc = g->call_pc;
    g->got = False;
    guest_waits(g, (UInt)a[2], WAIT_LOCK, a[1], object_at(a[1])->owner,
                (a[2] & HEDDLE_WAY_MUTEX) && (word_at(a[1], MUTEX_KIND) & MUTEX_SHARED));
}

static void lock_post(struct guest *g, const UWord *a)
{
    if (took_it(a[3]) && !g->got)
        take_lock(g, a[1], (UInt)a[2], g->call_pc);
    else if (a[3] == BUSY || a[3] == TIMED_OUT)
        fail_to_take(g, a[1], g->call_pc);
    g->wants = 0;
}

static void unlock_pre(struct guest *g, const UWord *a)
{
    const struct object *o = object_at(a[1]);

    pending_add(g, o->owner == 0 && o->readers > 0 ? RECORD_SHARED_RELEASE : RECORD_RELEASE, a[1], g->call_pc);
}

/* What was pending happened, or did not. */
static void settle(struct guest *g, Bool happened)
{
    if (happened)
        pending_flush(g);
    g->pending_count = 0;
}

static void spin_set(struct guest *g, const UWord *a)
{
    const struct object *o = object_at(a[1]);

    if (o->owner) {
        pending_add(g, RECORD_RELEASE, a[1], g->call_pc);
    } else {
        object_renew(a[1]);
        log_record(g, RECORD_NEW, a[1], 0, g->call_pc & RECORD_ADDRESS, 0);
    }
}

/* Threads that are in the queue of the condition by now: its count of waiters, which is its first word and
 * which they raise while they hold the mutex, has changed. */
static void flush_waiters(Addr condition)
{
    for (UInt i = 0; i < guest_count(); i++) {
        struct guest *g = guest_at(i);
        if (g && g->condition == condition && g->pending_count > 0 && *(const ULong *)condition != g->sequence)
            pending_flush(g);
    }
}

static void wait_pre(struct guest *g, const UWord *a)
{
    g->condition = a[1];
    g->sequence = *(const ULong *)a[1];
    pending_add(g, RECORD_WAIT_PRE, a[1], g->call_pc);
    pending_add(g, RECORD_RELEASE, a[2], g->call_pc);
    guest_waits(g, (UInt)a[3], WAIT_CONDITION, a[1], 0, word_at(a[1], CONDITION_FLAGS) & 1);
}

static void wait_post(struct guest *g, const UWord *a)
{
    Bool waited = took_it(a[3]) || a[3] == TIMED_OUT || a[3] == CANCELLED || g->pending_count == 0;

    g->condition = 0;
    settle(g, waited);
    if (!waited)
        return;
    flush_all(RECORD_NOTIFY, a[1]);
    flush_all(RECORD_NOTIFY_ALL, a[1]);
    take_lock(g, a[2], 0, g->call_pc);
    effect(g, RECORD_WAIT_POST, a[1], g->call_pc);
}

static void notify_pre(struct guest *g, const UWord *a)
{
    flush_waiters(a[1]);
    pending_add(g, a[2] ? RECORD_NOTIFY_ALL : RECORD_NOTIFY, a[1], g->call_pc);
}

static void notify_post(struct guest *g, const UWord *a)
{
    if (g->pending_count > 0)
        flush_waiters(a[1]);
    pending_flush(g);
}

static void barrier_pre(struct guest *g, const UWord *a)
{
    pending_add(g, RECORD_BARRIER_ENTER, a[1], g->call_pc);
    guest_waits(g, 0, WAIT_BARRIER, a[1], 0, object_at(a[1])->needed == 0);
}

/* The first to leave shows that the barrier is full: those who came first have arrived. */
static void barrier_post(struct guest *g, const UWord *a)
{
    struct object *o = object_at(a[1]);

    if (g->pending_count > 0) {
        o->entered = 0;
        pending_flush(g);
        for (struct guest *other; (o->needed == 0 || o->entered < o->needed) &&
                                  (other = first_pending(RECORD_BARRIER_ENTER, a[1])) != NULL;)
            pending_flush(other);
    }
    effect(g, RECORD_BARRIER_EXIT, a[1], g->call_pc);
}

/* A semaphore that was not seen made is asked for its value, which is its first word. */
static struct object *semaphore_at(Addr at)
{
    struct object *o = object_at(at);

    if (o->tokens < 0)
        o->tokens = *(const Int *)at;
    return o;
}

static void down_pre(struct guest *g, const UWord *a)
{
    semaphore_at(a[1]);
    guest_waits(g, (UInt)a[2], WAIT_SEMAPHORE, a[1], 0, word_at(a[1], SEMAPHORE_SHARED) != 0);
}

static void down_post(struct guest *g, const UWord *a)
{
    struct guest *giver;

    if (a[2] != 0)
        return;
    if (semaphore_at(a[1])->tokens == 0 && (giver = first_pending(RECORD_POST, a[1])) != NULL)
        pending_flush(giver);
    effect(g, RECORD_SEM_WAIT, a[1], g->call_pc);
}

static void up_pre(struct guest *g, const UWord *a)
{
    semaphore_at(a[1]);
    pending_add(g, RECORD_POST, a[1], g->call_pc);
}

static void once_post(struct guest *g, const UWord *a)
{
    if (a[2]) {
        pending_flush(g);
        return;
    }
    flush_all(RECORD_ONCE_DONE, a[1]);
    effect(g, RECORD_ONCE_SEEN, a[1], g->call_pc);
}

static void make_new(struct guest *g, const UWord *a)
{
    object_renew(a[1]);
    if (a[0] == HEDDLE_BARRIER_NEW)
        object_at(a[1])->needed = (UInt)a[2];
    if (a[0] == HEDDLE_SEMAPHORE_NEW)
        object_at(a[1])->tokens = (Int)a[2];
    log_record(g, RECORD_NEW, a[1], 0, g->call_pc & RECORD_ADDRESS, 0);
}

static void create_pre(struct guest *g, const UWord *a)
{
    g->creating = True;
    g->start = a[1];
    g->argument = a[2];
}

static void join_pre(struct guest *g, const UWord *a)
{
    UInt id = 0;

    if (thread_find(a[1], &id))
        guest_waits(g, (UInt)a[2], WAIT_JOIN, a[1], id + 1, False);
}

static void join_post(struct guest *g, const UWord *a)
{
    UInt id;

    if (a[2] != 0 || !thread_find(a[1], &id))
        return;
    thread_forget(a[1]);
    log_record(g, RECORD_JOIN, 0, 0, g->call_pc & RECORD_ADDRESS, id);
}

static void before(struct guest *g, const UWord *a)
{
    switch (a[0]) {
    case HEDDLE_CREATE:
        create_pre(g, a);
        break;
    case HEDDLE_JOIN:
        join_pre(g, a);
        break;
    case HEDDLE_LOCK:
        lock_pre(g, a);
        break;
    case HEDDLE_UNLOCK:
        unlock_pre(g, a);
        break;
    case HEDDLE_SPIN_SET:
        spin_set(g, a);
        break;
    case HEDDLE_WAIT:
        wait_pre(g, a);
        break;
    case HEDDLE_NOTIFY:
        notify_pre(g, a);
        break;
    case HEDDLE_ARRIVE:
        barrier_pre(g, a);
        break;
    case HEDDLE_DOWN:
        down_pre(g, a);
        break;
    case HEDDLE_UP:
        up_pre(g, a);
        break;
    case HEDDLE_ONCE:
        guest_waits(g, 0, WAIT_ONCE, a[1], 0, False);
        break;
    case HEDDLE_GUARD_RELEASE:
        pending_add(g, RECORD_ONCE_DONE, a[1], g->call_pc);
        break;
    default:
        break;
    }
}

static void after(struct guest *g, const UWord *a)
{
    switch (a[0]) {
    case HEDDLE_CREATED:
        g->creating = False;
        break;
    case HEDDLE_JOINED:
        join_post(g, a);
        break;
    case HEDDLE_LOCKED:
        lock_post(g, a);
        break;
    case HEDDLE_UNLOCKED:
    case HEDDLE_UPPED:
        settle(g, a[2] == 0);
        break;
    case HEDDLE_WAITED:
        wait_post(g, a);
        break;
    case HEDDLE_NOTIFIED:
        notify_post(g, a);
        break;
    case HEDDLE_LEAVE:
        barrier_post(g, a);
        break;
    case HEDDLE_DOWNED:
        down_post(g, a);
        break;
    case HEDDLE_ONCE_PASSED:
        once_post(g, a);
        break;
    case HEDDLE_GUARD_RELEASED:
        pending_flush(g);
        break;
    default:
        break;
    }
    guest_state(g, STATE_RUNNING, WAIT_NONE, 0, 0);
}

static Bool begins_call(UWord request)
{
    switch (request) {
    case HEDDLE_CREATE:
    case HEDDLE_JOIN:
    case HEDDLE_LOCK:
    case HEDDLE_UNLOCK:
    case HEDDLE_SPIN_SET:
    case HEDDLE_WAIT:
    case HEDDLE_NOTIFY:
    case HEDDLE_ARRIVE:
    case HEDDLE_DOWN:
    case HEDDLE_UP:
    case HEDDLE_ONCE:
    case HEDDLE_GUARD_RELEASE:
        return True;
    default:
        return False;
    }
}

/* The function of something done once is the program's own code, in the middle of a call. */
static void once_function(ThreadId tid, struct guest *g, const UWord *a)
{
    if (a[0] == HEDDLE_ONCE_RUN) {
        g->depth--;
        guest_state(g, STATE_RUNNING, WAIT_NONE, 0, 0);
        return;
    }
    if (g->depth++ == 0) {
        g->call_pc = modules_caller(tid); /* the function may have made calls of its own */
        pending_add(g, RECORD_ONCE_DONE, a[1], g->call_pc);
    }
}

/* Where a call comes from: most come from the program itself, and need no look at the stack. */
static Addr caller_of(ThreadId tid, const UWord *a)
{
    return a[5] && !modules_is_system(a[5] - 1) ? a[5] : modules_caller(tid);
}

Bool calls_handle(ThreadId tid, UWord *a, UWord *result)
{
    struct guest *g = guest_of(tid);

    *result = 0;
    switch (a[0]) {
    case HEDDLE_BEGIN:
        thread_begin(tid, a[1]);
        *result = g->start;
        return True;
    case HEDDLE_ARGUMENT:
        *result = g->argument;
        return True;
    case HEDDLE_ONCE_RUN:
    case HEDDLE_ONCE_RAN:
        once_function(tid, g, a);
        return True;
    case HEDDLE_NEW:
    case HEDDLE_BARRIER_NEW:
    case HEDDLE_SEMAPHORE_NEW:
        if (g->depth == 0) {
            g->call_pc = caller_of(tid, a);
            make_new(g, a);
        }
        return True;
    default:
        break;
    }
    if (begins_call(a[0])) {
        if (g->depth++ == 0) {
            g->call_pc = caller_of(tid, a);
            g->announced = ++tool.announced;
            before(g, a);
        }
    } else if (g->depth > 0 && --g->depth == 0) {
        after(g, a);
    }
    return True;
}
