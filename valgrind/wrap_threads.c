/* Threads made and joined; things done once. A thread that is cancelled leaves a wait by unwinding. */
/* This file is part of the Valgrind tool of Heddle, a program of its own.
 * Copyright (C) 2026 The Heddle authors. Free software under the GNU General Public License, version 2 or (at
 * your option) any later version; without any warranty. See COPYING. */
#include "runtime/runtime.h"
#include "wrap.h"

/* The new thread asks the tool for its start function: nothing has to be kept in the program's memory. */
static void *begin(void *unused)
{
    void *(*start)(void *) = (void *(*)(void *))HEDDLE_ASK(HEDDLE_BEGIN, pthread_self(), 0, 0, 0);

    void *result;

    (void)unused;
    result = start((void *)HEDDLE_ASK(HEDDLE_ARGUMENT, 0, 0, 0, 0));
    __asm__ volatile(""); /* it comes back here: only its result decides how the thread ends (known_calls.c) */
    return result;
}

WRAP(int, pthreadZucreate, (pthread_t * handle, const void *attributes, void *start, void *argument))
{
    OrigFn real;
    int error;

    VALGRIND_GET_ORIG_FN(real);
    HEDDLE_TELL(HEDDLE_QUIET, 0, 0, 0);
    facets_fill();
    HEDDLE_TELL(HEDDLE_QUIET_OVER, 0, 0, 0);
    HEDDLE_TELL(HEDDLE_CREATE, start, argument, 0);
    CALL_FN_W_WWWW(error, real, handle, attributes, begin, NULL);
    HEDDLE_TELL(HEDDLE_CREATED, 0, 0, 0);
    return error;
}

INLINE struct wrapped_call join_call(unsigned long handle, unsigned long way)
{
    HEDDLE_TELL(HEDDLE_JOIN, handle, way, 0);
    return (struct wrapped_call){HEDDLE_JOINED, 1, {handle, ECANCELED, 0}};
}

#define JOIN(name, way)                                                                                        \
    WRAP(int, name, (unsigned long handle, void *result))                                                      \
    {                                                                                                          \
        OrigFn real;                                                                                           \
        int error;                                                                                             \
        VALGRIND_GET_ORIG_FN(real);                                                                            \
        struct wrapped_call call = join_call(handle, way);                                                     \
        pthread_cleanup_push(call_end, &call);                                                                 \
        CALL_FN_W_WW(error, real, handle, result);                                                             \
        call_result(&call, (unsigned long)error);                                                              \
        pthread_cleanup_pop(1);                                                                                \
        return error;                                                                                          \
    }

JOIN(pthreadZujoin, 0)
JOIN(pthreadZutryjoinZunp, HEDDLE_WAY_TRY)
JOIN(thrdZujoin, 0)

WRAP(int, pthreadZutimedjoinZunp, (unsigned long handle, void *result, const void *time))
{
    OrigFn real;
    int error;

    VALGRIND_GET_ORIG_FN(real);
    struct wrapped_call call = join_call(handle, HEDDLE_WAY_TIMED);
    pthread_cleanup_push(call_end, &call);
    CALL_FN_W_WWW(error, real, handle, result, time);
    call_result(&call, (unsigned long)error);
    pthread_cleanup_pop(1);
    return error;
}

WRAP(int, pthreadZuclockjoinZunp, (unsigned long handle, void *result, long clock, const void *time))
{
    OrigFn real;
    int error;

    VALGRIND_GET_ORIG_FN(real);
    struct wrapped_call call = join_call(handle, HEDDLE_WAY_TIMED);
    pthread_cleanup_push(call_end, &call);
    CALL_FN_W_WWWW(error, real, handle, result, clock, time);
    call_result(&call, (unsigned long)error);
    pthread_cleanup_pop(1);
    return error;
}

/* The function that is to be called once, on its way through the library. */
static _Thread_local struct once {
    void (*function)(void);
    void *control;
    int ran;
} once;

static void run_once(void)
{
    struct once mine = once; /* the function may do other things once */

    HEDDLE_TELL(HEDDLE_ONCE_RUN, mine.control, 0, 0);
    mine.function();
    HEDDLE_TELL(HEDDLE_ONCE_RAN, mine.control, 0, 0);
    mine.ran = 1;
    once = mine;
}

WRAP(int, pthreadZuonce, (void *control, void (*function)(void)))
{
    OrigFn real;
    int error;

    VALGRIND_GET_ORIG_FN(real);
    HEDDLE_TELL(HEDDLE_ONCE, control, 0, 0);
    once = (struct once){function, control, 0};
    CALL_FN_W_WW(error, real, control, run_once);
    HEDDLE_TELL(HEDDLE_ONCE_PASSED, control, once.ran, 0);
    once.ran = 0;
    return error;
}

/* The guard of a function-local static: whoever does not get it goes on because it is initialised. */
WRAP_CXX(int, ZuZucxaZuguardZuacquire, (void *guard))
{
    OrigFn real;
    int mine;

    VALGRIND_GET_ORIG_FN(real);
    HEDDLE_TELL(HEDDLE_ONCE, guard, 0, 0);
    CALL_FN_W_W(mine, real, guard);
    HEDDLE_TELL(HEDDLE_ONCE_PASSED, guard, mine, mine);
    return mine;
}

WRAP_CXX(void, ZuZucxaZuguardZurelease, (void *guard))
{
    OrigFn real;

    VALGRIND_GET_ORIG_FN(real);
    HEDDLE_TELL(HEDDLE_GUARD_RELEASE, guard, 0, 0);
    CALL_FN_v_W(real, guard);
    HEDDLE_TELL(HEDDLE_GUARD_RELEASED, guard, 0, 0);
}
