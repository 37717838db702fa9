/* Signals: which thread sent which signal, and their handlers. */
#include "runtime/libc/signals.h"
#include "runtime/grounds/decisions.h"
#include "runtime/io/inputs.h"
#include "runtime/sched/sched.h"
#include "runtime/shared/channels.h"
#include "runtime/shared/real.h"
#include "runtime/system.h"

#include <errno.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

enum { SIGNALS = 65 };

static struct {
    struct sigaction action; /* the program's own */
    bool handled;            /* by a function of the program, through ours */
} signals[SIGNALS];

/* Before a signal is sent. */
static void sending(int number, uintptr_t pc)
{
    if (number <= 0 || number >= SIGNALS || !sync_enter(pc))
        return;
    signal_sent(number, pc);
    sync_leave();
}

void signals_catch_up(uintptr_t pc)
{
    INVARIANT(local.turn);
    uint64_t came = __atomic_exchange_n(&local.self->signals, 0, __ATOMIC_RELAXED);

    for (int number = 1; number < SIGNALS; number++)
        if (came >> (number - 1) & 1)
            signal_received(number, pc);
}

/* The write that the handler interrupted is not done yet: its value is unknown. */
static void before_handler(int number, uintptr_t pc)
{
    int error = errno;

    if (!rt.ready || !recording() || !local.self)
        return;
    if (local.inside) {
        __atomic_fetch_or(&local.self->signals, UINT64_C(1) << (number - 1), __ATOMIC_RELAXED);
        sched_interrupt(signals[number].action.sa_flags & SA_RESTART ? INTERRUPT_SOME
                                                                     : INTERRUPT_SOME | INTERRUPT_ALL);
        return;
    }
    if (rt.turn == local.self)
        rt.pending = NULL;
    if (sync_enter(pc)) {
        signal_received(number, pc);
        sync_leave();
    }
    errno = error;
}

static void on_signal(int number, siginfo_t *info, void *context)
{
    const struct sigaction *action = &signals[number].action;
    uintptr_t pc =
        action->sa_flags & SA_SIGINFO ? (uintptr_t)action->sa_sigaction : (uintptr_t)action->sa_handler;

    INVARIANT(number > 0 && number < SIGNALS);
    struct ground_words kept = grounds_put_away();
    before_handler(number, pc + 1);
    if (action->sa_flags & SA_SIGINFO)
        action->sa_sigaction(number, info, context);
    else
        action->sa_handler(number);
    grounds_put_back(&kept);
}

static int set_action(int number, const struct sigaction *action, struct sigaction *old)
{
    struct sigaction before = number > 0 && number < SIGNALS ? signals[number].action : (struct sigaction){0};
    bool was_ours = number > 0 && number < SIGNALS && signals[number].handled, function;
    struct sigaction ours;
    int result;

    if (!action || number <= 0 || number >= SIGNALS) {
        result = real.sigaction(number, action, old);
    } else {
        function = action->sa_handler != SIG_DFL && action->sa_handler != SIG_IGN;
        ours = *action;
        signals[number].action = *action; /* before a signal can come */
        if (function) {
            ours.sa_sigaction = on_signal;
            ours.sa_flags |= SA_SIGINFO;
            rt.handlers = true;
        }
        result = real.sigaction(number, &ours, old);
        if (result == 0)
            signals[number].handled = function;
        else
            signals[number].action = before;
    }
    if (result == 0 && old && was_ours)
        *old = before;
    return result;
}

EXPORT int sigaction(int number, const struct sigaction *action, struct sigaction *old)
{
    if (!real.sigaction)
        real_find();
    if (recording() && action && number == SESSION_PREEMPT)
        return 0;
    return set_action(number, action, old);
}

EXPORT sighandler_t signal(int number, sighandler_t handler)
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART}, old;

    if (!real.sigaction)
        real_find();
    sigemptyset(&action.sa_mask);
    sigaddset(&action.sa_mask, number);
    if (recording() && number == SESSION_PREEMPT)
        return SIG_DFL;
    return set_action(number, &action, &old) == 0 ? old.sa_handler : SIG_ERR;
}

EXPORT int pthread_kill(pthread_t thread, int number)
{
    if (!real.pthread_kill)
        real_find();
    sending(number, CALLER);
    return real.pthread_kill(thread, number);
}

EXPORT int kill(pid_t pid, int number)
{
    if (!real.kill)
        real_find();
    pid = input_real_process(pid);
    if (pid == (pid_t)system_pid() || pid == 0)
        sending(number, CALLER);
    return real.kill(pid, number);
}

EXPORT int raise(int number)
{
    if (!real.raise)
        real_find();
    sending(number, CALLER);
    return real.raise(number);
}

EXPORT int sigqueue(pid_t pid, int number, const union sigval value)
{
    if (!real.sigqueue)
        real_find();
    pid = input_real_process(pid);
    if (pid == (pid_t)system_pid())
        sending(number, CALLER);
    return real.sigqueue(pid, number, value);
}

enum { FILES = 1024 };

static uint64_t signal_files[FILES / 64]; /* bits: descriptors that signals are read from */

EXPORT int signalfd(int fd, const sigset_t *mask, int flags)
{
    if (!real.signalfd)
        real_find();
    fd = real.signalfd(fd, mask, flags);
    if (fd >= 0 && fd < FILES)
        __atomic_fetch_or(&signal_files[fd / 64], UINT64_C(1) << fd % 64, __ATOMIC_RELAXED);
    return fd;
}

void signals_closed(int fd)
{
    if (fd >= 0 && fd < FILES)
        __atomic_fetch_and(&signal_files[fd / 64], ~(UINT64_C(1) << fd % 64), __ATOMIC_RELAXED);
}

void signals_read(int fd, const void *bytes, size_t length, uintptr_t pc)
{
    const struct signalfd_siginfo *came = bytes;

    if (fd < 0 || fd >= FILES || !(__atomic_load_n(&signal_files[fd / 64], __ATOMIC_RELAXED) >> fd % 64 & 1))
        return;
    for (; length >= sizeof *came; length -= sizeof *came, came++)
        signal_received((int)came->ssi_signo, pc);
}
