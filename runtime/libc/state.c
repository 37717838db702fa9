/* Functions with state or effects outside the program's own memory: done at the thread's turn, so that threads
 * that run ahead of it seed generators, and end the process, where every run does. */
#include "runtime/libc/last_words.h"
#include "runtime/sched/sched.h"
#include "runtime/shared/real.h"
#include "runtime/system.h"

#include <stdlib.h>

/* Waits for the turn, if there is anything to wait for. The child of a vfork has all that its parent has but
 * the turn. */
static void at_turn(void)
{
    if (!rt.ready || !recording() || local.inside || !local.self || rt.session->pid != system_pid())
        return;
    local.inside = true;
    sched_take_turn();
    local.inside = false;
}

#define AT_TURN(name)                                                                                          \
    do {                                                                                                       \
        if (!real.name)                                                                                        \
            real_find();                                                                                       \
        at_turn();                                                                                             \
    } while (0)

#define SEED(name, type)                                                                                       \
    EXPORT void name(type seed)                                                                                \
    {                                                                                                          \
        AT_TURN(name);                                                                                         \
        real.name(seed);                                                                                       \
    }

SEED(srand, unsigned)
SEED(srandom, unsigned)
SEED(srand48, long)

/* A thread that has finished its step of a script is about to end the process: that is not part of the step,
 * and others may have steps to make before. */
static void let_others_go_on(void)
{
    if (!rt.ready || !recording() || !rt.scripted || local.inside || !local.turn || hot.budget > 0)
        return;
    local.inside = true;
    log_settle();
    sched_yield_turn();
    local.inside = false;
}

void state_ends(void)
{
    if (!rt.ready || !recording() || local.inside || !local.self || local.self->ending)
        return;
    at_turn();
    local.self->ending = true;
    let_others_go_on();
    if (rt.scripted || !recording())
        return;
    local.inside = true;
    log_settle();
    sched_let_begin();
    local.inside = false;
}

/* What comes before the end of the process, in the order of turns, is in the log when it ends. */
#define END(name, parameters, arguments, words, before)                                                        \
    EXPORT void name parameters                                                                                \
    {                                                                                                          \
        AT_TURN(name);                                                                                         \
        words;                                                                                                 \
        before;                                                                                                \
        let_others_go_on();                                                                                    \
        real.name arguments;                                                                                   \
        __builtin_unreachable();                                                                               \
    }

END(exit, (int status), (status), (void)0, state_ends())
END(_exit, (int status), (status), (void)0, (void)0)
END(_Exit, (int status), (status), (void)0, (void)0)
END(quick_exit, (int status), (status), (void)0, (void)0)
END(abort, (void), (), last_words_abort(CALLER), (void)0)
END(__assert_fail, (const char *text, const char *file, unsigned line, const char *function),
    (text, file, line, function), last_words_assertion(text, file, line, function), (void)0)

/* `main` may end by returning, which calls none of these; libraries end after the programs that use them. */
__attribute__((destructor(101))) static void end_last(void)
{
    if (!rt.ready || !recording() || local.inside || !local.self)
        return;
    at_turn();
    let_others_go_on();
    local.inside = true; /* what still runs is the C library's */
    sched_count();
}
