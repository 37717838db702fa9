/* The clock counts accesses and calls. A program that spends its time where there are no hooks, and works until
 * some time is over, would hardly ever end. So at a look at the clock, what the processor did beyond the most that
 * hooks can have cost counts as well. That is no part of a run that the seed determines: it happens only where the
 * program asks for the time, which is an input, and only in large steps. Passes after the first repeat them. */
#include "runtime/sched/clock_leaps.h"
#include "runtime/runtime.h"
#include "runtime/system.h"

#include <time.h>

enum {
    HOOK_NANOSECONDS = 1000,
    LEAP_NANOSECONDS = 50000000
}; /* no hook costs more; shorter leaps are not made */

static uint64_t started; /* processor time then */
static uint64_t leapt;   /* nanoseconds, in all leaps */
static uint64_t looks;
static uint32_t next_leap;
static bool repeats; /* the leaps are those of an earlier pass */

void clock_leaps_start(void)
{
    started = system_clock(CLOCK_PROCESS_CPUTIME_ID);
    leapt = 0;
    looks = 0;
    next_leap = 0;
    repeats = rt.session->leaps_count > 0;
}

static uint64_t accesses_so_far(void)
{
    return rt.accesses + (uint64_t)(rt.slice - (hot.budget > 0 ? hot.budget : 0));
}

static uint64_t repeat_leap(const struct session *session)
{
    if (next_leap == session->leaps_count || session->leaps[next_leap].look != looks)
        return 0;
    return session->leaps[next_leap++].nanoseconds;
}

uint64_t clock_leap(void)
{
    struct session *session = rt.session;
    uint64_t used, hooks, leap;

    INVARIANT(local.turn);
    if (session->steady || rt.scripted || rt.real_time)
        return 0;
    looks++;
    if (repeats)
        return repeat_leap(session);
    used = system_clock(CLOCK_PROCESS_CPUTIME_ID) - started;
    hooks = accesses_so_far() * HOOK_NANOSECONDS;
    if (used < hooks || used - hooks < leapt + LEAP_NANOSECONDS || session->leaps_count == SESSION_LEAPS)
        return 0;
    leap = used - hooks - leapt;
    leapt += leap;
    session->leaps[session->leaps_count] = (struct clock_leap){.look = looks, .nanoseconds = leap};
    session_store(&session->leaps_count, session->leaps_count + 1);
    return leap;
}
