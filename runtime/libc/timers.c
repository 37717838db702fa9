/* Timers and other requests to be notified, by a signal or in a thread that the C library creates itself.
 *
 * A handler, or such a thread, comes after every call that requested it. While such a thread may be created,
 * no state is a deadlock. */
#include "runtime/sched/sched.h"
#include "runtime/shared/channels.h"
#include "runtime/shared/real.h"

#include <errno.h>
#include <mqueue.h>
#include <signal.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static struct channel_call last_asked; /* for a thread */
static uint64_t signals;               /* that some timer sends: bits */

/* Requests are ordered: the last one stands for all. */
static void asked(uintptr_t pc)
{
    call_after(last_asked, pc);
    last_asked = call_note(pc);
}

void timers_told(void)
{
    call_after(last_asked, 0);
}

EXPORT int timer_create(clockid_t clock, struct sigevent *restrict event, timer_t *restrict timer)
{
    int way = event ? event->sigev_notify : SIGEV_SIGNAL, number = event ? event->sigev_signo : SIGALRM;

    if (!real.timer_create)
        real_find();
    if (way != SIGEV_NONE && sync_enter(CALLER)) {
        if (way == SIGEV_THREAD)
            rt.helpers = true;
        else if (number > 0 && number <= 64)
            signals |= UINT64_C(1) << (number - 1);
        sync_leave();
    }
    return real.timer_create(clock, event, timer);
}

/* It does not matter which timer it is: any of them may be the one that expires. */
EXPORT int timer_settime(timer_t timer, int flags, const struct itimerspec *restrict value,
                         struct itimerspec *restrict old)
{
    if (!real.timer_settime)
        real_find();
    if (sync_enter(CALLER)) {
        if (rt.helpers)
            asked(CALLER);
        for (int number = 1; number <= 64; number++)
            if (signals >> (number - 1) & 1)
                signal_sent(number, CALLER);
        sync_leave();
    }
    return real.timer_settime(timer, flags, value, old);
}

EXPORT int timerfd_settime(int fd, int flags, const struct itimerspec *value, struct itimerspec *old)
{
    if (!real.timerfd_settime)
        real_find();
    if (sync_enter(CALLER)) {
        watch_set(WATCH_TIMER, fd, (uint64_t)fd, CALLER);
        sync_leave();
    }
    return real.timerfd_settime(fd, flags, value, old);
}

static void sending(int number, uintptr_t pc)
{
    if (!sync_enter(pc))
        return;
    signal_sent(number, pc);
    sync_leave();
}

EXPORT unsigned alarm(unsigned seconds)
{
    if (!real.alarm)
        real_find();
    sending(SIGALRM, CALLER);
    return real.alarm(seconds);
}

EXPORT int setitimer(__itimer_which_t which, const struct itimerval *restrict value,
                     struct itimerval *restrict old)
{
    if (!real.setitimer)
        real_find();
    sending(which == ITIMER_REAL ? SIGALRM : which == ITIMER_VIRTUAL ? SIGVTALRM : SIGPROF, CALLER);
    return real.setitimer(which, value, old);
}

EXPORT int mq_notify(mqd_t queue, const struct sigevent *event)
{
    if (!real.mq_notify)
        real_find();
    if (event && event->sigev_notify == SIGEV_THREAD && sync_enter(CALLER)) {
        asked(CALLER);
        rt.helpers = true;
        sync_leave();
    }
    return real.mq_notify(queue, event);
}
