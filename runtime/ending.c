/* The end of the process, as a place where a script can let others go on first. Without a script nothing happens
 * here: the thread that ends the process just does. */
#include "real.h"
#include "sched.h"

#include <assert.h>
#include <stdlib.h>
#include <unistd.h>

/* The thread has done all that the script's step asks for, and is about to end the process: that is not part of
 * the step. */
static void let_others_go_on(void)
{
    if (!rt.ready || !recording() || !rt.scripted || local.inside || !local.turn || hot.budget > 0)
        return;
    local.inside = true;
    log_settle();
    sched_yield_turn();
    local.inside = false;
}

__attribute__((destructor(101))) static void at_exit(void)
{
    let_others_go_on();
}

EXPORT void abort(void)
{
    let_others_go_on();
    if (!real.abort)
        real_find();
    real.abort();
    __builtin_unreachable();
}

EXPORT void __assert_fail(const char *assertion, const char *file, unsigned line, const char *function)
{
    let_others_go_on();
    if (!real.__assert_fail)
        real_find();
    real.__assert_fail(assertion, file, line, function);
    __builtin_unreachable();
}

EXPORT void _exit(int status)
{
    let_others_go_on();
    if (!real._exit)
        real_find();
    real._exit(status);
    __builtin_unreachable();
}
