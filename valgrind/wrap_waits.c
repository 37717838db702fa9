/* Conditions, barriers, semaphores. A thread that is cancelled leaves a wait by unwinding. */
/* This file is part of the Valgrind tool of Heddle, a program of its own.
 * Copyright (C) 2026 The Heddle authors. Free software under the GNU General Public License, version 2 or (at
 * your option) any later version; without any warranty. See COPYING. */
#include "wrap.h"

#include <pthread.h>

INLINE struct wrapped_call wait_call(const void *condition, const void *mutex, unsigned long way)
{
    HEDDLE_TELL(HEDDLE_WAIT, condition, mutex, way);
    return (struct wrapped_call){HEDDLE_WAITED, 2, {(unsigned long)condition, (unsigned long)mutex, ECANCELED}};
}

WRAP(int, pthreadZucondZuinit, (void *condition, const void *attributes))
{
    OrigFn real;
    int error;

    VALGRIND_GET_ORIG_FN(real);
    HEDDLE_TELL(HEDDLE_NEW, condition, 0, 0);
    CALL_FN_W_WW(error, real, condition, attributes);
    return error;
}

WRAP(int, pthreadZucondZuwait, (void *condition, void *mutex))
{
    OrigFn real;
    int error;

    VALGRIND_GET_ORIG_FN(real);
    struct wrapped_call call = wait_call(condition, mutex, 0);
    pthread_cleanup_push(call_end, &call);
    CALL_FN_W_WW(error, real, condition, mutex);
    call_result(&call, (unsigned long)error);
    pthread_cleanup_pop(1);
    return error;
}

WRAP(int, pthreadZucondZutimedwait, (void *condition, void *mutex, const void *time))
{
    OrigFn real;
    int error;

    VALGRIND_GET_ORIG_FN(real);
    struct wrapped_call call = wait_call(condition, mutex, HEDDLE_WAY_TIMED);
    pthread_cleanup_push(call_end, &call);
    CALL_FN_W_WWW(error, real, condition, mutex, time);
    call_result(&call, (unsigned long)error);
    pthread_cleanup_pop(1);
    return error;
}

WRAP(int, pthreadZucondZuclockwait, (void *condition, void *mutex, long clock, const void *time))
{
    OrigFn real;
    int error;

    VALGRIND_GET_ORIG_FN(real);
    struct wrapped_call call = wait_call(condition, mutex, HEDDLE_WAY_TIMED);
    pthread_cleanup_push(call_end, &call);
    CALL_FN_W_WWWW(error, real, condition, mutex, clock, time);
    call_result(&call, (unsigned long)error);
    pthread_cleanup_pop(1);
    return error;
}

#define NOTIFY(name, all)                                                                                      \
    WRAP(int, name, (void *condition))                                                                         \
    {                                                                                                          \
        OrigFn real;                                                                                           \
        int error;                                                                                             \
        VALGRIND_GET_ORIG_FN(real);                                                                            \
        HEDDLE_TELL(HEDDLE_NOTIFY, condition, all, 0);                                                         \
        CALL_FN_W_W(error, real, condition);                                                                   \
        HEDDLE_TELL(HEDDLE_NOTIFIED, condition, 0, 0);                                                         \
        return error;                                                                                          \
    }

NOTIFY(pthreadZucondZusignal, 0)
NOTIFY(pthreadZucondZubroadcast, 1)

/* Whether other processes may come to the barrier, too. */
static int is_shared(const void *attributes)
{
    int shared = PTHREAD_PROCESS_PRIVATE;

    if (attributes)
        pthread_barrierattr_getpshared(attributes, &shared);
    return shared == PTHREAD_PROCESS_SHARED;
}

WRAP(int, pthreadZubarrierZuinit, (void *barrier, const void *attributes, unsigned long count))
{
    OrigFn real;
    int error;

    VALGRIND_GET_ORIG_FN(real);
    CALL_FN_W_WWW(error, real, barrier, attributes, count);
    if (error == 0)
        HEDDLE_TELL(HEDDLE_BARRIER_NEW, barrier, is_shared(attributes) ? 0 : (unsigned)count, 0);
    return error;
}

WRAP(int, pthreadZubarrierZuwait, (void *barrier))
{
    OrigFn real;
    int error;

    VALGRIND_GET_ORIG_FN(real);
    HEDDLE_TELL(HEDDLE_ARRIVE, barrier, 0, 0);
    CALL_FN_W_W(error, real, barrier);
    HEDDLE_TELL(HEDDLE_LEAVE, barrier, 0, 0);
    return error;
}

WRAP(int, semZuinit, (void *semaphore, long shared, unsigned long value))
{
    OrigFn real;
    int error;

    VALGRIND_GET_ORIG_FN(real);
    CALL_FN_W_WWW(error, real, semaphore, shared, value);
    if (error == 0)
        HEDDLE_TELL(HEDDLE_SEMAPHORE_NEW, semaphore, (unsigned)value, 0);
    return error;
}

INLINE struct wrapped_call down_call(const void *semaphore, unsigned long way)
{
    HEDDLE_TELL(HEDDLE_DOWN, semaphore, way, 0);
    return (struct wrapped_call){HEDDLE_DOWNED, 1, {(unsigned long)semaphore, ECANCELED, 0}};
}

#define DOWN(name, way)                                                                                        \
    WRAP(int, name, (void *semaphore))                                                                         \
    {                                                                                                          \
        OrigFn real;                                                                                           \
        int error;                                                                                             \
        VALGRIND_GET_ORIG_FN(real);                                                                            \
        struct wrapped_call call = down_call(semaphore, way);                                                  \
        pthread_cleanup_push(call_end, &call);                                                                 \
        CALL_FN_W_W(error, real, semaphore);                                                                   \
        call_result(&call, (unsigned long)error);                                                              \
        pthread_cleanup_pop(1);                                                                                \
        return error;                                                                                          \
    }

DOWN(semZuwait, 0)
DOWN(semZutrywait, HEDDLE_WAY_TRY)

WRAP(int, semZutimedwait, (void *semaphore, const void *time))
{
    OrigFn real;
    int error;

    VALGRIND_GET_ORIG_FN(real);
    struct wrapped_call call = down_call(semaphore, HEDDLE_WAY_TIMED);
    pthread_cleanup_push(call_end, &call);
    CALL_FN_W_WW(error, real, semaphore, time);
    call_result(&call, (unsigned long)error);
    pthread_cleanup_pop(1);
    return error;
}

WRAP(int, semZuclockwait, (void *semaphore, long clock, const void *time))
{
    OrigFn real;
    int error;

    VALGRIND_GET_ORIG_FN(real);
    struct wrapped_call call = down_call(semaphore, HEDDLE_WAY_TIMED);
    pthread_cleanup_push(call_end, &call);
    CALL_FN_W_WWW(error, real, semaphore, clock, time);
    call_result(&call, (unsigned long)error);
    pthread_cleanup_pop(1);
    return error;
}

WRAP(int, semZupost, (void *semaphore))
{
    OrigFn real;
    int error;

    VALGRIND_GET_ORIG_FN(real);
    HEDDLE_TELL(HEDDLE_UP, semaphore, 0, 0);
    CALL_FN_W_W(error, real, semaphore);
    HEDDLE_TELL(HEDDLE_UPPED, semaphore, error, 0);
    return error;
}
