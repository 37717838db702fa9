/* Conditions, barriers, semaphores and what is done once. */
/* This file is part of the Valgrind tool of Heddle, a program of its own.
 * Copyright (C) 2026 The Heddle authors. Free software under the GNU General Public License, version 2 or (at
 * your option) any later version; without any warranty. See COPYING. */
#include "descriptor_calls.h"
#include "requests.h"
#include "wrapped_calls.h"

enum { CANCELLED = 125 };

/* Where glibc keeps what, in bytes. */
enum { CONDITION_FLAGS = 36, SEMAPHORE_SHARED = 8 };

/* Threads that are in the queue of the condition by now: its count of waiters, its first word, which they
 * increment while they hold the mutex, has changed. */
static void flush_waiters(Addr condition)
{
    for (UInt i = 0; i < guest_count(); i++) {
        struct guest *g = guest_at(i);
        if (g && g->condition == condition && g->pending_count > 0 && *(const ULong *)condition != g->sequence)
            pending_flush(g);
    }
}

void wait_pre(struct guest *g, const UWord *a)
{
    g->condition = a[1];
    g->sequence = *(const ULong *)a[1];
    pending_add(g, RECORD_WAIT_PRE, a[1], g->call_pc);
    pending_add(g, RECORD_RELEASE, a[2], g->call_pc);
    guest_waits(g, (UInt)a[3], WAIT_CONDITION, a[1], 0, grind_word_at(a[1], CONDITION_FLAGS) & 1);
}

void wait_post(struct guest *g, const UWord *a)
{
    Bool waited = took_it(a[3]) || a[3] == TIMED_OUT || a[3] == CANCELLED || g->pending_count == 0;

    g->condition = 0;
    settle_pending(g, waited);
    if (!waited)
        return;
    flush_all(RECORD_NOTIFY, a[1]);
    flush_all(RECORD_NOTIFY_ALL, a[1]);
    grind_take_lock(g, a[2], 0, g->call_pc);
    effect(g, RECORD_WAIT_POST, a[1], g->call_pc);
}

void notify_pre(struct guest *g, const UWord *a)
{
    flush_waiters(a[1]);
    pending_add(g, a[2] ? RECORD_NOTIFY_ALL : RECORD_NOTIFY, a[1], g->call_pc);
}

void notify_post(struct guest *g, const UWord *a)
{
    if (g->pending_count > 0)
        flush_waiters(a[1]);
    pending_flush(g);
}

void barrier_pre(struct guest *g, const UWord *a)
{
    pending_add(g, RECORD_BARRIER_ENTER, a[1], g->call_pc);
    guest_waits(g, 0, WAIT_BARRIER, a[1], 0, grind_object_at(a[1])->needed == 0);
}

/* The first thread to leave shows that the barrier is full: those that came first have arrived. */
void barrier_post(struct guest *g, const UWord *a)
{
    struct grind_object *o = grind_object_at(a[1]);

    if (g->pending_count > 0) {
        o->entered = 0;
        pending_flush(g);
        for (struct guest *other; (o->needed == 0 || o->entered < o->needed) &&
                                  (other = first_pending(RECORD_BARRIER_ENTER, a[1])) != NULL;)
            pending_flush(other);
    }
    effect(g, RECORD_BARRIER_EXIT, a[1], g->call_pc);
}

/* The value of a semaphore whose initialisation was not seen is read from its first word. */
static struct grind_object *semaphore_at(Addr at)
{
    struct grind_object *o = grind_object_at(at);

    if (o->tokens < 0)
        o->tokens = *(const Int *)at;
    return o;
}

void down_pre(struct guest *g, const UWord *a)
{
    semaphore_at(a[1]);
    guest_waits(g, (UInt)a[2], WAIT_SEMAPHORE, a[1], 0, grind_word_at(a[1], SEMAPHORE_SHARED) != 0);
}

void down_post(struct guest *g, const UWord *a)
{
    struct guest *giver;

    if (a[2] != 0)
        return;
    if (semaphore_at(a[1])->tokens == 0 && (giver = first_pending(RECORD_POST, a[1])) != NULL)
        pending_flush(giver);
    effect(g, RECORD_SEM_WAIT, a[1], g->call_pc);
}

void up_pre(struct guest *g, const UWord *a)
{
    semaphore_at(a[1]);
    pending_add(g, RECORD_POST, a[1], g->call_pc);
}

/* The thread that began before is not done: it gave up, by an exception that the tool did not see. The next
 * one comes after it. */
void once_begin(struct guest *g, Addr address)
{
    UInt before = grind_object_at(address)->runner;

    for (UInt i = 0; i < guest_count() && before != g->id + 1; i++) {
        struct guest *other = guest_at(i);
        if (!other || other->id + 1 != before)
            continue;
        channels_act(other);
        struct channel_call given_up = call_note(g->call_pc);
        channels_act(g);
        call_after(given_up, g->call_pc);
    }
    grind_object_at(address)->runner = g->id + 1;
}

void once_end(Addr address)
{
    grind_object_at(address)->runner = 0;
}

void once_post(struct guest *g, const UWord *a)
{
    if (a[2]) {
        pending_flush(g);
        return;
    }
    flush_all(RECORD_ONCE_DONE, a[1]);
    effect(g, RECORD_ONCE_SEEN, a[1], g->call_pc);
}

/* The thread that releases its share last comes after all the others. */
void wait_let_go(struct guest *g, Addr address, Bool others, Addr pc)
{
    struct grind_object *o = grind_object_at(address);

    channels_act(g);
    call_after(o->given_up, pc);
    if (others)
        o->given_up = call_note(pc);
    else
        o->given_up.number = 0;
}
