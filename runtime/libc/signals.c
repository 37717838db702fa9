/* Signals: which thread sent which signal, and their handlers. */
#include "runtime/libc/signals.h"
#include "runtime/grounds/decisions.h"
#include "runtime/io/inputs.h"
#include "runtime/libc/handlers.h"
#include "runtime/sched/sched_state.h"
#include "runtime/shared/channels.h"
#include "runtime/shared/real.h"
#include "runtime/system.h"

#include <errno.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

static struct {
    struct sigaction action; /* the program's own */
    bool handled;            /* by a function of the program, through ours */
} signals[SIGNALS];

bool signals_handled(int number, struct sigaction *action)
{
    if (number <= 0 || number >= SIGNALS || !signals[number].handled)
        return false;
    *action = signals[number].action;
    return true;
}

void signals_mask_changed(void)
{
    if (local.self)
        real.pthread_sigmask(SIG_BLOCK, NULL, &local.self->mask);
}

void signals_end(void)
{
    sigset_t all;

    if (local.self->id == 0)
        return;
    sigfillset(&all);
    sigdelset(&all, SESSION_PREEMPT);
    real.pthread_sigmask(SIG_SETMASK, &all, &local.self->mask);
}

/* Signals that stand for what the thread itself does at this instruction: their handlers cannot wait. */
static bool is_immediate(int number, const siginfo_t *info)
{
    switch (number) {
    case SIGSEGV:
    case SIGBUS:
    case SIGFPE:
    case SIGILL:
    case SIGTRAP:
    case SIGSYS:
        return !info || info->si_code > 0;
    case SIGABRT:
        return true;
    default:
        return false;
    }
}

static bool takes(const struct thread *t, int number)
{
    return t->tid && t->state != STATE_OUTSIDE && t->state != STATE_ENDED && t->state != STATE_FREE &&
           sigismember(&t->mask, number) == 0;
}

/* The kernel prefers the first thread. */
static struct thread *receiver(int number)
{
    for (unsigned i = 0; i < sched.live_count; i++)
        if (takes(sched.live[i], number))
            return sched.live[i];
    return NULL;
}

bool signals_send(struct thread *t, const siginfo_t *info)
{
    struct arrival arrival = {.info = *info};
    int number = info->si_signo;

    INVARIANT(local.turn && local.inside);
    if (!signals_handled(number, &arrival.action) || is_immediate(number, NULL) ||
        ((unsigned)arrival.action.sa_flags & SA_RESETHAND))
        return false;
    t = t ? t : receiver(number);
    if (!t || !takes(t, number) || !handlers_keep(t, &arrival))
        return false;
    if (t == local.self)
        local.due = true;
    return true;
}

/* A signal that stands for what its thread does. The write that the handler interrupted is not done yet: its value
 * is unknown. */
static void before_immediate(int number, uintptr_t pc)
{
    int error = errno;

    if (!rt.ready || !recording() || !local.self || local.inside)
        return;
    if (rt.turn == local.self)
        rt.pending = NULL;
    if (sync_enter(pc)) {
        signal_received(number, pc);
        sync_leave();
    }
    errno = error;
}

static void run_at_once(const struct arrival *a, void *context)
{
    int number = a->info.si_signo;
    siginfo_t info = a->info;

    struct ground_words words = grounds_put_away();
    before_immediate(number, (uintptr_t)a->action.sa_handler + 1);
    if (a->action.sa_flags & SA_SIGINFO)
        a->action.sa_sigaction(number, &info, context);
    else
        a->action.sa_handler(number);
    grounds_put_back(&words);
}

static void on_signal(int number, siginfo_t *info, void *context)
{
    struct arrival arrival = {.info = *info};

    INVARIANT(number > 0 && number < SIGNALS);
    arrival.action = signals[number].action;
    if ((unsigned)arrival.action.sa_flags & SA_RESETHAND) { /* the kernel has done so */
        signals[number].handled = false;
        signals[number].action = (struct sigaction){.sa_handler = SIG_DFL};
    }
    if (is_immediate(number, info) || !rt.ready || !recording() || !local.self) {
        run_at_once(&arrival, context);
    } else if (local.outside && !handlers_scripted()) {
        handlers_run_outside(&arrival);
    } else {
        sigdelset(&local.self->mask,
                  number); /* a handler that was left by siglongjmp blocks nothing any more */
        sigdelset(&local.self->held_back, number);
        handlers_keep(local.self, &arrival);
        local.due = true;
        if (local.inside && !handlers_scripted())
            sched_interrupt(handler_interrupts(arrival.action.sa_flags));
    }
}

/* From now on a script may have something to run in this thread, too. */
static void now_handled(int number, bool function)
{
    signals[number].handled = function;
    if (function && local.self)
        local.due = handlers_pending(local.self);
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
            now_handled(number, function);
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

/* Before a signal is sent to a thread, or to the process (NULL). Whether that is all: otherwise the kernel is to send it. */
static bool sending(struct thread *to, int number, int code, union sigval value, uintptr_t pc)
{
    siginfo_t info = {0};
    bool sent;

    if (number <= 0 || number >= SIGNALS || !sync_enter(pc))
        return false;
    signal_sent(number, pc);
    info.si_signo = number;
    info.si_code = code;
    info.si_pid = (pid_t)system_pid();
    info.si_uid = getuid();
    info.si_value = value;
    sent = signals_send(to, &info);
    sync_leave();
    return sent;
}

static const union sigval nothing;

EXPORT int pthread_kill(pthread_t thread, int number)
{
    struct thread *to;

    if (!real.pthread_kill)
        real_find();
    to = rt.ready && recording() ? sched_find(thread) : NULL;
    if (!to || to->state == STATE_ENDED)
        return real.pthread_kill(thread, number);
    return sending(to, number, SI_TKILL, nothing, CALLER) ? 0 : real.pthread_kill(thread, number);
}

EXPORT int pthread_sigqueue(pthread_t thread, int number, const union sigval value)
{
    struct thread *to;

    if (!real.pthread_sigqueue)
        real_find();
    to = rt.ready && recording() ? sched_find(thread) : NULL;
    if (!to || to->state == STATE_ENDED)
        return real.pthread_sigqueue(thread, number, value);
    return sending(to, number, SI_QUEUE, value, CALLER) ? 0 : real.pthread_sigqueue(thread, number, value);
}

EXPORT int kill(pid_t pid, int number)
{
    if (!real.kill)
        real_find();
    pid = input_real_process(pid);
    if (pid == (pid_t)system_pid() && sending(NULL, number, SI_USER, nothing, CALLER))
        return 0;
    return real.kill(pid, number);
}

EXPORT int raise(int number)
{
    if (!real.raise)
        real_find();
    return local.self && sending(local.self, number, SI_TKILL, nothing, CALLER) ? 0 : real.raise(number);
}

EXPORT int sigqueue(pid_t pid, int number, const union sigval value)
{
    if (!real.sigqueue)
        real_find();
    pid = input_real_process(pid);
    if (pid == (pid_t)system_pid() && sending(NULL, number, SI_QUEUE, value, CALLER))
        return 0;
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
