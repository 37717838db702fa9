/* Begins and ends recording: finds the session, fixes what must be the same in every run. */
#include "runtime/sched/follow_script.h"
#include "runtime/sched/placement.h"
#include "runtime/sched/policy.h"
#include "runtime/sched/sched.h"
#include "runtime/sched/timing.h"
#include "runtime/shadow.h"
#include "runtime/shared/real.h"
#include "runtime/system.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <time.h>
#include <ucontext.h>

_Thread_local struct local local;
_Thread_local struct hot_words hot; /* the program's own comes first, if it has one */
_Thread_local uintptr_t hot_lowest;
struct runtime rt;

extern char **environ;

/* The entry of the environment that begins so, or NULL. */
static char **find_variable(const char *beginning)
{
    for (char **entry = environ; entry && *entry; entry++)
        if (text_begins(*entry, beginning))
            return entry;
    return NULL;
}

static void remove_variable(char **entry)
{
    for (; entry && *entry; entry++)
        entry[0] = entry[1];
}

/* A user who starts a program with more privileges must not influence what it does. */
static bool has_other_rights(void)
{
    return getauxval(AT_SECURE) != 0;
}

/* The descriptor named in the environment, or -1; the variable is removed, so that programs started from
 * here run unrecorded. */
static int take_descriptor(void)
{
    static const char name[] = SESSION_VARIABLE "=";
    int fd = -1;

    char **entry = find_variable(name);

    for (const char *p = entry ? *entry + sizeof name - 1 : ""; *p >= '0' && *p <= '9'; p++)
        fd = (fd < 0 ? 0 : fd * 10) + (*p - '0');
    remove_variable(entry);
    remove_variable(find_variable(SESSION_BIND_VARIABLE "=" SESSION_BIND_VALUE));
    return fd;
}

static void on_preempt(int number, siginfo_t *info, void *context)
{
    const ucontext_t *where = context;

    (void)number;
    (void)info;
    if (recording())
        sched_preempted((uintptr_t)where->uc_mcontext.gregs[REG_RIP]);
}

static void catch_preemption(void)
{
    struct sigaction action = {.sa_sigaction = on_preempt, .sa_flags = SA_SIGINFO | SA_RESTART};
    sigset_t ours;

    sigemptyset(&ours);
    sigaddset(&ours, SESSION_PREEMPT);
    real.sigaction(SESSION_PREEMPT, &action, NULL);
    real.pthread_sigmask(SIG_UNBLOCK, &ours, NULL);
}

static bool open_session(int fd)
{
    struct session *session = system_map(sizeof *session, MAP_SHARED, fd, 0);
    uint32_t nobody = 0;

    if (!session || session->magic != SESSION_MAGIC || session->bytes != sizeof *session)
        return false;
    rt.session = session;
    system_call(SYS_close, fd, 0, 0, 0, 0, 0);
    if (!__atomic_compare_exchange_n(&session->pid, &nobody, system_pid(), false, __ATOMIC_ACQ_REL,
                                     __ATOMIC_ACQUIRE)) {
        session_add(&session->refused, 1);
        return false;
    }
    return true;
}

/* Until the recorder has left a trace that loads, nothing of the program happens; a recorder that is gone is not
 * waited for. */
static void await_announcement(const struct session *session)
{
    struct timespec moment = {.tv_nsec = 10000000};

    for (int i = 0; i < 100 && session_load(&session->held) != 0; i++)
        system_futex_wait_shared(&session->held, 1, &moment);
}

void runtime_start(void)
{
    static bool started;
    int fd;

    if (started || !environ) /* before the C library is set up there is nothing to record */
        return;
    started = true;
    real_find();
    system_parent_lives();
    fd = take_descriptor();
    if (fd >= 0 && !has_other_rights() && open_session(fd)) {
        struct session *session = rt.session;
        await_announcement(session);
        if ((session->mode != SESSION_ALL || session->trial) && !shadow_open((int)session->shadow_fd)) {
            system_print("heddle: not enough address space for --two-pass: record with --one-pass\n");
            system_exit(1);
        }
        if (session->script_fd && !script_open((int)session->script_fd)) {
            system_print("heddle: cannot map the schedule\n");
            system_exit(1);
        }
        rt.grounds = session->grounds;
        rt.stacks = session->stacks;
        rt.real_time = session->real_time && !session->script_fd;
        rt.next = session->ring[0];
        rt.limit = rt.next + SESSION_CHUNK;
        rt.start = system_clock(CLOCK_MONOTONIC);
        timing_start(session);
        policy_start(session->seed);
        rt.exploring = session->effects;
        local.inside = true;
        catch_preemption(); /* before there is a turn that the recorder could find too long */
        process_start();
        rt.mode = session->mode;
        rt.trial = session->trial != 0;
        sched_start();
        modules_log();
        thread_watch_end();
        thread_log_main();
        placement_narrow();
        local.inside = false;
    }
    rt.ready = true;
}

void runtime_stop(void)
{
    static struct record nowhere[SESSION_CHUNK];

    rt.mode = SESSION_OFF;
    local.turn = false;
    hot.budget = 0;
    hot.floor = INT32_MAX;
    rt.trial = false;
    rt.pending = NULL;
    rt.next = nowhere;
    rt.limit = nowhere + SESSION_CHUNK;
}

__attribute__((constructor(101))) static void start_early(void)
{
    runtime_start();
}
