/* Clocks, sleeping, yielding. */
#include "runtime/sched/timing.h"
#include "runtime/io/inputs.h"
#include "runtime/sched/clock_leaps.h"
#include "runtime/sched/policy.h"
#include "runtime/sched/sched_state.h"
#include "runtime/shared/real.h"
#include "runtime/shared/touching.h"
#include "runtime/system.h"

#include <errno.h>
#include <sys/time.h>
#include <threads.h>
#include <unistd.h>

enum {
    SECOND = 1000000000,
    LOOK_NANOSECONDS = 40, /* what asking for the time costs natively */
    /* A thread that has hardly done anything since it asked last waits for the time: more of it passes, as it does natively while
     * other threads work on other processors. */
    WAIT_ACCESSES = 16,
    WAIT_NANOSECONDS = 1000
};

static uint64_t realtime_start, monotonic_start;

void timing_start(struct session *session)
{
    if (session->realtime == 0 || rt.real_time) {
        session->realtime = system_clock(CLOCK_REALTIME);
        session->monotonic = system_clock(CLOCK_MONOTONIC);
    }
    realtime_start = session->realtime;
    monotonic_start = session->monotonic;
    clock_leaps_start();
}

bool timing_valid(const struct timespec *time)
{
    return time && time->tv_sec >= 0 && time->tv_nsec >= 0 && time->tv_nsec < SECOND;
}

static bool clock_start(clockid_t clock, uint64_t *start)
{
    switch (clock) {
    case CLOCK_REALTIME:
    case CLOCK_REALTIME_COARSE:
    case CLOCK_TAI:
        *start = realtime_start;
        return true;
    case CLOCK_MONOTONIC:
    case CLOCK_MONOTONIC_RAW:
    case CLOCK_MONOTONIC_COARSE:
    case CLOCK_BOOTTIME:
        *start = monotonic_start;
        return true;
    case CLOCK_PROCESS_CPUTIME_ID:
    case CLOCK_THREAD_CPUTIME_ID:
        *start = 0;
        return !rt.real_time;
    default: /* of another process or thread, or a device */
        return false;
    }
}

uint64_t timing_deadline(clockid_t clock, const struct timespec *at)
{
    uint64_t start = 0, when;

    if (!at)
        return TIME_NEVER;
    rt.session->clock_used = 1;
    if (!timing_valid(at) || !clock_start(clock, &start))
        return 0;
    INVARIANT(start == realtime_start || start == monotonic_start || start == 0);
    when = (uint64_t)at->tv_sec * SECOND + (uint64_t)at->tv_nsec;
    return when > start ? when - start : 0;
}

uint64_t timing_after(const struct timespec *delay)
{
    return sched_now() +
           (timing_valid(delay) ? (uint64_t)delay->tv_sec * SECOND + (uint64_t)delay->tv_nsec : 0);
}

struct timespec timing_outside(clockid_t clock, const struct timespec *at)
{
    uint64_t deadline = timing_deadline(clock, at), now = sched_now(),
             then = system_clock(clock) + (deadline > now ? deadline - now : 0);

    if (rt.real_time)
        return *at;
    return (struct timespec){.tv_sec = (time_t)(then / SECOND), .tv_nsec = (long)(then % SECOND)};
}

void timing_over(uint64_t deadline)
{
    uint64_t now = sched_now();

    INVARIANT(local.turn);
    if (!rt.real_time && now < deadline)
        rt.virtual_ += deadline - now;
}

static uint64_t look_duration(struct thread *self)
{
    uint64_t position = sched_position(), done = position - self->looked;

    self->looked = position;
    return done <= WAIT_ACCESSES ? WAIT_NANOSECONDS : LOOK_NANOSECONDS;
}

/* Whether the recorder provides this clock; then `*now` is set to what the program gets. */
static bool told_time(clockid_t clock, uint64_t *now)
{
    uint64_t start;

    if (!rt.ready || !recording() || local.inside || !local.self || !clock_start(clock, &start))
        return false;
    local.inside = true;
    sched_take_turn();
    local.inside = false;
    if (start) /* processor time begins at 0 */
        rt.session->clock_used = 1;
    if (!rt.real_time)
        rt.virtual_ += look_duration(local.self) + clock_leap();
    *now = input_take(INPUT_CLOCK, rt.real_time ? system_clock(clock) : start + sched_now());
    return true;
}

/* Before the program's memory gets what a function says of the time. */
static void touch_time(const void *to, size_t length, uintptr_t pc)
{
    if (to && touch_seen(pc, length))
        touch_write(to, length, pc);
}

static int get_time(clockid_t clock, struct timespec *time, uintptr_t pc)
{
    struct timespec shown;
    uint64_t now;

    if (!told_time(clock, &now)) {
        if (system_call(SYS_clock_gettime, clock, (long)&shown, 0, 0, 0, 0) != 0) {
            errno = EINVAL;
            return -1;
        }
        now = (uint64_t)shown.tv_sec * SECOND + (uint64_t)shown.tv_nsec;
        if (clock == CLOCK_PROCESS_CPUTIME_ID || clock == CLOCK_THREAD_CPUTIME_ID)
            now = input_take(INPUT_CLOCK, now); /* the same again when a run is repeated */
    }
    touch_time(time, sizeof *time, pc);
    time->tv_sec = (time_t)(now / SECOND);
    time->tv_nsec = (long)(now % SECOND);
    return 0;
}

EXPORT int clock_gettime(clockid_t clock, struct timespec *time)
{
    return get_time(clock, time, CALLER);
}

EXPORT clock_t clock(void)
{
    struct timespec now = {0};

    if (get_time(CLOCK_PROCESS_CPUTIME_ID, &now, 0) != 0)
        return (clock_t)-1;
    return (clock_t)(now.tv_sec * CLOCKS_PER_SEC + now.tv_nsec / (SECOND / CLOCKS_PER_SEC));
}

EXPORT int timespec_get(struct timespec *time, int base)
{
    if (base != TIME_UTC)
        return 0;
    get_time(CLOCK_REALTIME, time, CALLER);
    return base;
}

EXPORT int gettimeofday(struct timeval *restrict time, void *restrict zone)
{
    uint64_t now;
    bool told = told_time(CLOCK_REALTIME, &now);

    touch_time(time, sizeof *time, CALLER);
    if (!told)
        return real.gettimeofday ? real.gettimeofday(time, zone) : -1;
    time->tv_sec = (time_t)(now / SECOND);
    time->tv_usec = (suseconds_t)(now % SECOND / 1000);
    return 0;
}

EXPORT time_t time(time_t *to)
{
    struct timespec now = {0};

    get_time(CLOCK_REALTIME, &now, 0);
    if (to) {
        touch_time(to, sizeof *to, CALLER);
        *to = now.tv_sec;
    }
    return now.tv_sec;
}

/* Sleeps until the deadline; returns what is left when something woke the thread before. */
static uint64_t sleep_until(uint64_t deadline)
{
    uint64_t now;

    policy_demote(local.self);
    while (sched_sleep(deadline) == WAKE_CANCEL)
        sync_cancellation_point(); /* it is disabled, or the thread does not come back */
    INVARIANT(local.turn);
    now = sched_now();
    if (local.self->interrupted && now >= deadline)
        return 1; /* both at once: the handler's signal was sent while others could run */
    return now < deadline ? deadline - now : 0;
}

static int sleep_for(const struct timespec *delay, struct timespec *rest)
{
    uint64_t left = sleep_until(timing_after(delay));

    if (left == 0)
        return 0;
    if (rest)
        *rest = (struct timespec){.tv_sec = (time_t)(left / SECOND), .tv_nsec = (long)(left % SECOND)};
    return EINTR;
}

EXPORT int nanosleep(const struct timespec *delay, struct timespec *rest)
{
    int error;

    if (!timing_valid(delay) || !sync_enter(CALLER))
        return real.nanosleep(delay, rest);
    error = sleep_for(delay, rest);
    sync_leave();
    if (error)
        errno = error;
    return error ? -1 : 0;
}

EXPORT int clock_nanosleep(clockid_t clock, int flags, const struct timespec *delay, struct timespec *rest)
{
    uint64_t start;
    int error = 0;

    if (!timing_valid(delay) || !clock_start(clock, &start) || !sync_enter(CALLER))
        return real.clock_nanosleep(clock, flags, delay, rest);
    if (flags & TIMER_ABSTIME)
        error = sleep_until(timing_deadline(clock, delay)) ? EINTR : 0;
    else
        error = sleep_for(delay, rest);
    sync_leave();
    return error;
}

EXPORT unsigned sleep(unsigned seconds)
{
    struct timespec delay = {.tv_sec = seconds}, rest = {0};

    if (!sync_enter(CALLER))
        return real.sleep(seconds);
    sleep_for(&delay, &rest);
    sync_leave();
    return (unsigned)rest.tv_sec;
}

EXPORT int usleep(useconds_t microseconds)
{
    struct timespec delay = {.tv_sec = microseconds / 1000000, .tv_nsec = microseconds % 1000000 * 1000L};
    int error;

    if (!sync_enter(CALLER))
        return real.usleep(microseconds);
    error = sleep_for(&delay, NULL);
    sync_leave();
    if (error)
        errno = error;
    return error ? -1 : 0;
}

EXPORT int thrd_sleep(const struct timespec *delay, struct timespec *rest)
{
    int error;

    if (!timing_valid(delay) || !sync_enter(CALLER))
        return real.thrd_sleep(delay, rest);
    error = sleep_for(delay, rest);
    sync_leave();
    return error ? -1 : 0;
}

static void yield(uintptr_t pc)
{
    if (!sync_enter(pc))
        return;
    policy_demote(local.self);
    sched_yield_turn();
    sync_leave();
}

EXPORT int sched_yield(void)
{
    yield(CALLER);
    return recording() ? 0 : (int)system_call(SYS_sched_yield, 0, 0, 0, 0, 0, 0);
}

EXPORT void thrd_yield(void)
{
    yield(CALLER);
    if (!recording())
        system_call(SYS_sched_yield, 0, 0, 0, 0, 0, 0);
}
