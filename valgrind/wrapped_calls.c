/* Calls of the program, put in the order in which they took effect: which call is which, and threads made and
 * joined. Only the outermost of the calls that a thread is in counts. */
/* This file is part of the Valgrind tool of Heddle, a program of its own.
 * Copyright (C) 2026 The Heddle authors. Free software under the GNU General Public License, version 2 or (at
 * your option) any later version; without any warranty. See COPYING. */
#include "wrapped_calls.h"
#include "descriptor_calls.h"
#include "requests.h"

static void make_new(struct guest *g, const UWord *a)
{
    object_renew(a[1]);
    if (a[0] == HEDDLE_BARRIER_NEW)
        grind_object_at(a[1])->needed = (UInt)a[2];
    if (a[0] == HEDDLE_SEMAPHORE_NEW)
        grind_object_at(a[1])->tokens = (Int)a[2];
    log_record(g, RECORD_NEW, a[1], 0, g->call_pc & RECORD_ADDRESS, 0);
    if (a[0] == HEDDLE_SEMAPHORE_NEW)
        log_record(g, RECORD_SEM_INIT, a[1], 0, g->call_pc & RECORD_ADDRESS, (UInt)a[2]);
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
    Bool begun = thread_find(a[1], &id);

    guest_waits(g, (UInt)a[2], WAIT_JOIN, a[1], begun ? id + 1 : 0, False); /* else see thread_begin */
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
        once_end(a[1]);
        pending_add(g, RECORD_ONCE_DONE, a[1], g->call_pc);
        g->pending[g->pending_count - 1].value = 1; /* code of the compiler's looks at it */
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
        settle_pending(g, a[2] == 0);
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
        if (a[3])
            once_begin(g, a[1]);
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
        if (g->depth == 0)
            once_begin(g, a[1]);
        return;
    }
    if (g->depth++ == 0) {
        g->call_pc = modules_caller(tid); /* the function may have made calls of its own */
        once_end(a[1]);
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
    case HEDDLE_QUIET:
        g->depth++;
        return True;
    case HEDDLE_QUIET_OVER:
        g->depth -= g->depth > 0;
        return True;
    case HEDDLE_ONCE_RUN:
    case HEDDLE_ONCE_RAN:
        once_function(tid, g, a);
        return True;
    case HEDDLE_CHANGE:
        log_record(g, RECORD_RMW, a[1], sizeof(Int),
                   (modules_caller(tid) & RECORD_ADDRESS) | (ULong)__ATOMIC_ACQ_REL << 48 | RECORD_VALUED,
                   a[2]);
        return True;
    case HEDDLE_VARIABLE:
        if (g->depth == 0) {
            channels_act(g);
            variables_noted((const char *)a[1], a[2] != 0, caller_of(tid, a));
        }
        return True;
    case HEDDLE_LET_GO:
        wait_let_go(g, a[1], a[2] != 0, caller_of(tid, a));
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
