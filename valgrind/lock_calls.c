/* Locks: acquired, released, attempts that failed. */
/* This file is part of the Valgrind tool of Heddle, a program of its own.
 * Copyright (C) 2026 The Heddle authors. Free software under the GNU General Public License, version 2 or (at
 * your option) any later version; without any warranty. See COPYING. */
#include "requests.h"
#include "wrapped_calls.h"

#include "pub_tool_libcbase.h"

enum { BUSY = 16 };

/* Where glibc keeps what, in bytes. */
enum {
    MUTEX_OWNER = 8,
    MUTEX_KIND = 16,
    MUTEX_ROBUST = 16,
    MUTEX_SHARED = 128, /* in the kind: with other processes */
};

static Bool any_robust; /* mutexes, ever */

/* A call that does not wait forever could have given up instead: the record says so. */
void grind_take_lock(struct guest *g, Addr lock, UInt way, Addr pc)
{
    flush_all(RECORD_RELEASE, lock);
    flush_all(RECORD_SHARED_RELEASE, lock);
    effect_with(g, way & HEDDLE_WAY_SHARED ? RECORD_SHARED_ACQUIRE : RECORD_ACQUIRE, lock, pc,
                (way & (HEDDLE_WAY_TRY | HEDDLE_WAY_TIMED)) != 0);
    if (way & HEDDLE_WAY_MUTEX && grind_word_at(lock, MUTEX_KIND) & MUTEX_ROBUST)
        grind_object_at(lock)->robust = any_robust = True;
}

void locks_end_thread(struct guest *g)
{
    struct grind_object *o;

    while (any_robust && (o = object_held_by(g->id)) != NULL)
        effect(g, RECORD_RELEASE, o->key, g->call_pc);
}

/* The thread that has the lock although that is not logged yet: the only one that is about to take it, or
 * the one that the mutex names. */
static struct guest *unseen_holder(const struct guest *other, Addr lock)
{
    UInt named = other->wants_way & HEDDLE_WAY_MUTEX ? grind_word_at(lock, MUTEX_OWNER) : 0;
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
    const struct grind_object *o = grind_object_at(lock);

    if (o->owner == 0 && o->readers == 0) {
        struct guest *holder = unseen_holder(g, lock);
        if (!holder)
            return;
        grind_take_lock(holder, lock, holder->wants_way, holder->wants_pc);
        holder->got = True;
    }
    log_record(g, RECORD_TRY_FAIL, lock, 0, pc & RECORD_ADDRESS, 0);
}

void lock_pre(struct guest *g, const UWord *a)
{
    g->wants = a[1];
    g->wants_way = (UInt)a[2];
    g->wants_pc = g->call_pc;
    g->got = False;
    guest_waits(g, (UInt)a[2], WAIT_LOCK, a[1], grind_object_at(a[1])->owner,
                (a[2] & HEDDLE_WAY_MUTEX) && (grind_word_at(a[1], MUTEX_KIND) & MUTEX_SHARED));
}

void lock_post(struct guest *g, const UWord *a)
{
    if (took_it(a[3]) && !g->got)
        grind_take_lock(g, a[1], (UInt)a[2], g->call_pc);
    else if (a[3] == BUSY || a[3] == TIMED_OUT)
        fail_to_take(g, a[1], g->call_pc);
    g->wants = 0;
}

void unlock_pre(struct guest *g, const UWord *a)
{
    const struct grind_object *o = grind_object_at(a[1]);

    pending_add(g, o->owner == 0 && o->readers > 0 ? RECORD_SHARED_RELEASE : RECORD_RELEASE, a[1], g->call_pc);
}

void spin_set(struct guest *g, const UWord *a)
{
    const struct grind_object *o = grind_object_at(a[1]);

    if (o->owner) {
        pending_add(g, RECORD_RELEASE, a[1], g->call_pc);
    } else {
        object_renew(a[1]);
        log_record(g, RECORD_NEW, a[1], 0, g->call_pc & RECORD_ADDRESS, 0);
    }
}
