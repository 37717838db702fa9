/* What the preloaded library asks of the tool: the calls of the program, before and after they are made.
 *
 * A thread can lose its turn between a call and what it asks before or after it; the tool puts the events of
 * several threads in order (wrapped_calls.c). */
/* This file is part of the Valgrind tool of Heddle, a program of its own.
 * Copyright (C) 2026 The Heddle authors. Free software under the GNU General Public License, version 2 or (at
 * your option) any later version; without any warranty. See COPYING. */
#pragma once
#include <valgrind/valgrind.h>

enum heddle_request {
    HEDDLE_CREATE = VG_USERREQ_TOOL_BASE('H', 'D'), /* start function, argument */
    HEDDLE_CREATED,                                 /* after the call */
    HEDDLE_BEGIN,          /* in the new thread: its handle; gives the start function */
    HEDDLE_ARGUMENT,       /* gives its argument */
    HEDDLE_JOIN,           /* handle, enum heddle_way */
    HEDDLE_JOINED,         /* handle, error */
    HEDDLE_LOCK,           /* lock, enum heddle_way */
    HEDDLE_LOCKED,         /* lock, enum heddle_way, error */
    HEDDLE_UNLOCK,         /* lock */
    HEDDLE_UNLOCKED,       /* lock, error */
    HEDDLE_NEW,            /* a lock or condition that is made or destroyed */
    HEDDLE_SPIN_SET,       /* spin lock, unlocked or made: one function does both */
    HEDDLE_WAIT,           /* condition, mutex, enum heddle_way */
    HEDDLE_WAITED,         /* condition, mutex, error */
    HEDDLE_NOTIFY,         /* condition, whether all */
    HEDDLE_NOTIFIED,       /* condition */
    HEDDLE_BARRIER_NEW,    /* barrier, how many threads it waits for */
    HEDDLE_ARRIVE,         /* barrier */
    HEDDLE_LEAVE,          /* barrier */
    HEDDLE_SEMAPHORE_NEW,  /* semaphore, value */
    HEDDLE_DOWN,           /* semaphore, enum heddle_way */
    HEDDLE_DOWNED,         /* semaphore, error */
    HEDDLE_UP,             /* semaphore */
    HEDDLE_UPPED,          /* semaphore, error */
    HEDDLE_ONCE,           /* what is done once */
    HEDDLE_ONCE_RUN,       /* this thread does it: its function begins */
    HEDDLE_ONCE_RAN,       /* … and ended; again what is done once */
    HEDDLE_ONCE_PASSED,    /* the call is over: what, whether this thread did it, whether it is to do it now */
    HEDDLE_GUARD_RELEASE,  /* a function-local static is initialised */
    HEDDLE_GUARD_RELEASED, /* after the call */
    HEDDLE_COPY,           /* to, from, length, caller: copies as memmove does; gives whether it did */
    HEDDLE_FILL,           /* to, byte, length, caller: the same for memset */
    HEDDLE_READ,           /* address, length, caller */
    HEDDLE_WROTE,          /* address, length, caller */
    HEDDLE_CHANGE,         /* address of an int that a library is about to change, new value */
    HEDDLE_LET_GO,         /* what a thread gives up its share in, whether others have one */
    HEDDLE_QUIET,          /* the calls that follow are not the program's */
    HEDDLE_QUIET_OVER,     /* … until here */
    HEDDLE_STREAM_WROTE,   /* descriptor, nothing, caller */
    HEDDLE_STREAM_READ,    /* the same */
    HEDDLE_VARIABLE,       /* of the environment: its name, NULL: all of them; whether it is changed */
};

/* How a call waits. */
enum heddle_way {
    HEDDLE_WAY_SHARED = 1, /* as a reader */
    HEDDLE_WAY_TRY = 2,    /* not at all */
    HEDDLE_WAY_TIMED = 4,  /* until a time */
    HEDDLE_WAY_MUTEX = 8,  /* for a mutex */
};

/* The last value is where the wrapper was called from, when it is asked in the wrapper itself. */
#define HEDDLE_ASK(request, a, b, c, d)                                                                        \
    VALGRIND_DO_CLIENT_REQUEST_EXPR(0, request, (unsigned long)(a), (unsigned long)(b), (unsigned long)(c),    \
                                    (unsigned long)(d), (unsigned long)__builtin_return_address(0))
#define HEDDLE_TELL(request, a, b, c) ((void)HEDDLE_ASK(request, a, b, c, 0))
