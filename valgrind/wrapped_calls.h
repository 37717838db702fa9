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
#pragma once
#include "tool.h"

enum { TIMED_OUT = 110, OWNER_DIED = 130 };

static inline UInt grind_word_at(Addr object, UInt offset)
{
    return *(const UInt *)(object + offset);
}

static inline Bool took_it(UWord error)
{
    return error == 0 || error == OWNER_DIED;
}

/* pending.c: logs a synchronization, with the record's value. */
void effect_with(struct guest *g, UInt kind, Addr at, Addr pc, ULong value);
void effect(struct guest *g, UInt kind, Addr at, Addr pc);
/* The thread with such a pending event that entered its call first, or NULL. */
struct guest *first_pending(UInt kind, Addr object);
void flush_all(UInt kind, Addr object);
/* What was pending happened, or did not. */
void settle_pending(struct guest *g, Bool happened);

/* Each takes the values of its request (requests.h), before or after the call. */
/* lock_calls.c */
void grind_take_lock(struct guest *g, Addr lock, UInt way, Addr pc);
void lock_pre(struct guest *g, const UWord *a);
void lock_post(struct guest *g, const UWord *a);
void unlock_pre(struct guest *g, const UWord *a);
void spin_set(struct guest *g, const UWord *a);

/* waits.c */
void wait_pre(struct guest *g, const UWord *a);
void wait_post(struct guest *g, const UWord *a);
void notify_pre(struct guest *g, const UWord *a);
void notify_post(struct guest *g, const UWord *a);
void barrier_pre(struct guest *g, const UWord *a);
void barrier_post(struct guest *g, const UWord *a);
void down_pre(struct guest *g, const UWord *a);
void down_post(struct guest *g, const UWord *a);
void up_pre(struct guest *g, const UWord *a);
void once_begin(struct guest *g, Addr address);
void wait_let_go(struct guest *g, Addr address, Bool others, Addr pc);
void once_end(Addr address);
void once_post(struct guest *g, const UWord *a);
