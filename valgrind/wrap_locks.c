/* Mutexes, reader-writer locks, spin locks. C11's go through the functions of POSIX, in glibc. */
/* This file is part of the Valgrind tool of Heddle, a program of its own.
 * Copyright (C) 2026 The Heddle authors. Free software under the GNU General Public License, version 2 or (at
 * your option) any later version; without any warranty. See COPYING. */
#include "wrap.h"

INLINE struct wrapped_call lock_call(const void *lock, unsigned long way)
{
    HEDDLE_TELL(HEDDLE_LOCK, lock, way, 0);
    return (struct wrapped_call){HEDDLE_LOCKED, 2, {(unsigned long)lock, way, ECANCELED}};
}

/* int function(lock) and int function(lock, time), int function(lock, clock, time) */
#define LOCK(name, way)                                                                                        \
    WRAP(int, name, (void *lock))                                                                              \
    {                                                                                                          \
        OrigFn real;                                                                                           \
        int error;                                                                                             \
        VALGRIND_GET_ORIG_FN(real);                                                                            \
        struct wrapped_call call = lock_call(lock, way);                                                       \
        CALL_FN_W_W(error, real, lock);                                                                        \
        call_result(&call, (unsigned long)error);                                                              \
        call_end(&call);                                                                                       \
        return error;                                                                                          \
    }

#define LOCK_UNTIL(name, way)                                                                                  \
    WRAP(int, name, (void *lock, const void *time))                                                            \
    {                                                                                                          \
        OrigFn real;                                                                                           \
        int error;                                                                                             \
        VALGRIND_GET_ORIG_FN(real);                                                                            \
        struct wrapped_call call = lock_call(lock, (way) | HEDDLE_WAY_TIMED);                                  \
        CALL_FN_W_WW(error, real, lock, time);                                                                 \
        call_result(&call, (unsigned long)error);                                                              \
        call_end(&call);                                                                                       \
        return error;                                                                                          \
    }

#define LOCK_BY_CLOCK(name, way)                                                                               \
    WRAP(int, name, (void *lock, long clock, const void *time))                                                \
    {                                                                                                          \
        OrigFn real;                                                                                           \
        int error;                                                                                             \
        VALGRIND_GET_ORIG_FN(real);                                                                            \
        struct wrapped_call call = lock_call(lock, (way) | HEDDLE_WAY_TIMED);                                  \
        CALL_FN_W_WWW(error, real, lock, clock, time);                                                         \
        call_result(&call, (unsigned long)error);                                                              \
        call_end(&call);                                                                                       \
        return error;                                                                                          \
    }

#define UNLOCK(name, request)                                                                                  \
    WRAP(int, name, (void *lock))                                                                              \
    {                                                                                                          \
        OrigFn real;                                                                                           \
        int error;                                                                                             \
        VALGRIND_GET_ORIG_FN(real);                                                                            \
        HEDDLE_TELL(request, lock, 0, 0);                                                                      \
        struct wrapped_call call = {HEDDLE_UNLOCKED, 1, {(unsigned long)lock, ECANCELED, 0}};                  \
        CALL_FN_W_W(error, real, lock);                                                                        \
        call_result(&call, (unsigned long)error);                                                              \
        call_end(&call);                                                                                       \
        return error;                                                                                          \
    }

/* Initialisation is reported before it happens, destruction after it: in between the lock is unused. */
#define MAKE(name)                                                                                             \
    WRAP(int, name, (void *lock, const void *attributes))                                                      \
    {                                                                                                          \
        OrigFn real;                                                                                           \
        int error;                                                                                             \
        VALGRIND_GET_ORIG_FN(real);                                                                            \
        HEDDLE_TELL(HEDDLE_NEW, lock, 0, 0);                                                                   \
        CALL_FN_W_WW(error, real, lock, attributes);                                                           \
        return error;                                                                                          \
    }

#define DESTROY(name)                                                                                          \
    WRAP(int, name, (void *lock))                                                                              \
    {                                                                                                          \
        OrigFn real;                                                                                           \
        int error;                                                                                             \
        VALGRIND_GET_ORIG_FN(real);                                                                            \
        CALL_FN_W_W(error, real, lock);                                                                        \
        if (error == 0)                                                                                        \
            HEDDLE_TELL(HEDDLE_NEW, lock, 0, 0);                                                               \
        return error;                                                                                          \
    }

MAKE(pthreadZumutexZuinit)
DESTROY(pthreadZumutexZudestroy)
LOCK(pthreadZumutexZulock, HEDDLE_WAY_MUTEX)
LOCK(pthreadZumutexZutrylock, HEDDLE_WAY_MUTEX | HEDDLE_WAY_TRY)
LOCK_UNTIL(pthreadZumutexZutimedlock, HEDDLE_WAY_MUTEX)
LOCK_BY_CLOCK(pthreadZumutexZuclocklock, HEDDLE_WAY_MUTEX)
UNLOCK(pthreadZumutexZuunlock, HEDDLE_UNLOCK)

MAKE(pthreadZurwlockZuinit)
DESTROY(pthreadZurwlockZudestroy)
LOCK(pthreadZurwlockZuwrlock, 0)
LOCK(pthreadZurwlockZutrywrlock, HEDDLE_WAY_TRY)
LOCK_UNTIL(pthreadZurwlockZutimedwrlock, 0)
LOCK_BY_CLOCK(pthreadZurwlockZuclockwrlock, 0)
LOCK(pthreadZurwlockZurdlock, HEDDLE_WAY_SHARED)
LOCK(pthreadZurwlockZutryrdlock, HEDDLE_WAY_SHARED | HEDDLE_WAY_TRY)
LOCK_UNTIL(pthreadZurwlockZutimedrdlock, HEDDLE_WAY_SHARED)
LOCK_BY_CLOCK(pthreadZurwlockZuclockrdlock, HEDDLE_WAY_SHARED)
UNLOCK(pthreadZurwlockZuunlock, HEDDLE_UNLOCK)

/* A stream that a thread locks for a while. */
WRAP(void, flockfile, (void *stream))
{
    OrigFn real;

    VALGRIND_GET_ORIG_FN(real);
    struct wrapped_call call = lock_call(stream, 0);
    CALL_FN_v_W(real, stream);
    call_result(&call, 0);
    call_end(&call);
}

WRAP(int, ftrylockfile, (void *stream))
{
    OrigFn real;
    int error;

    VALGRIND_GET_ORIG_FN(real);
    struct wrapped_call call = lock_call(stream, HEDDLE_WAY_TRY);
    CALL_FN_W_W(error, real, stream);
    call_result(&call, error ? EBUSY : 0);
    call_end(&call);
    return error;
}

WRAP(void, funlockfile, (void *stream))
{
    OrigFn real;

    VALGRIND_GET_ORIG_FN(real);
    HEDDLE_TELL(HEDDLE_UNLOCK, stream, 0, 0);
    CALL_FN_v_W(real, stream);
    HEDDLE_TELL(HEDDLE_UNLOCKED, stream, 0, 0);
}

/* glibc has one function under the names pthread_spin_unlock and pthread_spin_init. */
LOCK(pthreadZuspinZulock, 0)
LOCK(pthreadZuspinZutrylock, HEDDLE_WAY_TRY)
UNLOCK(pthreadZuspinZuunlock, HEDDLE_SPIN_SET)
