/* Processes, and what waits for signals. */
#include "runtime/libc/signals.h"
#include "runtime/sched/placement.h"
#include "runtime/sched/sched.h"
#include "runtime/shared/channels.h"
#include "runtime/shared/real.h"
#include "runtime/system.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/wait.h>
#include <unistd.h>

/* A fork runs the program's own handlers, which take locks and access memory like any of its code. Ours are
 * registered first, so that they run last before the fork and first after it. */
static _Thread_local bool forking;

static void before_fork(void)
{
    forking = rt.ready && recording() && !local.inside && local.self;
    if (!forking)
        return;
    local.inside = true;
    sched_take_turn();
    log_settle();
}

static void after_fork(void)
{
    if (!forking)
        return;
    session_add(&rt.session->forks, 1);
    local.inside = forking = false;
}

/* A child process goes on alone and unrecorded; its memory is a copy, the session is not its own. */
static void in_child(void)
{
    if (!forking)
        return;
    runtime_stop();
    placement_widen();
    local.inside = forking = false;
    sched_forked();
}

void process_start(void)
{
    pthread_atfork(before_fork, after_fork, in_child);
}

EXPORT pid_t fork(void)
{
    if (!real.fork)
        real_find();
    if (sync_enter(CALLER)) {
        channel_forks(CALLER);
        sync_leave();
    }
    return real.fork();
}

/* A child that shares our memory would be mistaken for the thread that created it. */
EXPORT pid_t vfork(void)
{
    return fork();
}

/* Runs a call that may block where the scheduler cannot see it; errno is the call's. `received`: the signal it
 * returned with, 0: none. */
#define OUTSIDE(result, call, received)                                                                        \
    do {                                                                                                       \
        int error;                                                                                             \
        sched_outside();                                                                                       \
        local.inside = false;                                                                                  \
        result = call;                                                                                         \
        error = errno;                                                                                         \
        local.inside = true;                                                                                   \
        sched_inside();                                                                                        \
        signal_received(received, CALLER);                                                                     \
        sync_leave();                                                                                          \
        errno = error;                                                                                         \
    } while (0)

EXPORT pid_t wait(int *status)
{
    pid_t pid;

    if (!sync_enter(CALLER))
        return real.wait(status);
    OUTSIDE(pid, real.wait(status), 0);
    return pid;
}

EXPORT pid_t waitpid(pid_t which, int *status, int flags)
{
    pid_t pid;

    if (flags & WNOHANG || !sync_enter(CALLER))
        return real.waitpid(which, status, flags);
    OUTSIDE(pid, real.waitpid(which, status, flags), 0);
    return pid;
}

EXPORT int waitid(idtype_t type, id_t which, siginfo_t *info, int flags)
{
    int result;

    if (flags & WNOHANG || !sync_enter(CALLER))
        return real.waitid(type, which, info, flags);
    OUTSIDE(result, real.waitid(type, which, info, flags), 0);
    return result;
}

EXPORT int system(const char *command)
{
    int result;

    if (!command || !sync_enter(CALLER))
        return real.system(command);
    channel_forks(CALLER);
    session_add(&rt.session->forks, 1);
    placement_widen();
    OUTSIDE(result, real.system(command), 0);
    placement_narrow();
    return result;
}

/* Other ways to start a process, none of which blocks for long. */
#define SPAWN(type, name, parameters, arguments)                                                               \
    EXPORT type name parameters                                                                                \
    {                                                                                                          \
        bool counted = rt.ready && recording();                                                                \
        type result;                                                                                           \
        if (!real.name)                                                                                        \
            real_find();                                                                                       \
        if (sync_enter(CALLER)) {                                                                              \
            channel_forks(CALLER);                                                                             \
            sync_leave();                                                                                      \
        }                                                                                                      \
        if (counted) {                                                                                         \
            session_add(&rt.session->forks, 1);                                                                \
            placement_widen();                                                                                 \
        }                                                                                                      \
        result = real.name arguments;                                                                          \
        if (counted)                                                                                           \
            placement_narrow();                                                                                \
        return result;                                                                                         \
    }

SPAWN(FILE *, popen, (const char *command, const char *type), (command, type))
SPAWN(int, posix_spawn,
      (pid_t *restrict pid, const char *restrict path, const posix_spawn_file_actions_t *restrict actions,
       const posix_spawnattr_t *restrict attributes, char *const *restrict argv, char *const *restrict envp),
      (pid, path, actions, attributes, argv, envp))
SPAWN(int, posix_spawnp,
      (pid_t *restrict pid, const char *restrict file, const posix_spawn_file_actions_t *restrict actions,
       const posix_spawnattr_t *restrict attributes, char *const *restrict argv, char *const *restrict envp),
      (pid, file, actions, attributes, argv, envp))

EXPORT int sigwait(const sigset_t *set, int *number)
{
    int result;

    if (!sync_enter(CALLER))
        return real.sigwait(set, number);
    OUTSIDE(result, real.sigwait(set, number), result == 0 ? *number : 0);
    return result;
}

EXPORT int sigwaitinfo(const sigset_t *set, siginfo_t *info)
{
    int result;

    if (!sync_enter(CALLER))
        return real.sigwaitinfo(set, info);
    OUTSIDE(result, real.sigwaitinfo(set, info), result);
    return result;
}

EXPORT int sigtimedwait(const sigset_t *set, siginfo_t *info, const struct timespec *limit)
{
    int result;

    if (!sync_enter(CALLER))
        return real.sigtimedwait(set, info, limit);
    OUTSIDE(result, real.sigtimedwait(set, info, limit), result);
    return result;
}

EXPORT int sigsuspend(const sigset_t *mask)
{
    int result;

    if (!sync_enter(CALLER))
        return real.sigsuspend(mask);
    OUTSIDE(result, real.sigsuspend(mask), 0);
    return result;
}

EXPORT int pause(void)
{
    int result;

    if (!sync_enter(CALLER))
        return real.pause();
    OUTSIDE(result, real.pause(), 0);
    return result;
}

/* The signal that ends slices is not to be blocked or taken. */
static int set_mask(int (*set_real)(int, const sigset_t *, sigset_t *), int how, const sigset_t *set,
                    sigset_t *old)
{
    sigset_t ours;
    int result;

    if (!set || how == SIG_UNBLOCK || !recording()) {
        result = set_real(how, set, old);
    } else {
        ours = *set;
        sigdelset(&ours, SESSION_PREEMPT);
        result = set_real(how, &ours, old);
    }
    signals_mask_changed();
    return result;
}

EXPORT int pthread_sigmask(int how, const sigset_t *set, sigset_t *old)
{
    if (!real.pthread_sigmask)
        real_find();
    return set_mask(real.pthread_sigmask, how, set, old);
}

EXPORT int sigprocmask(int how, const sigset_t *set, sigset_t *old)
{
    if (!real.sigprocmask)
        real_find();
    return set_mask(real.sigprocmask, how, set, old);
}
