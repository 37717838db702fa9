/* The recorder's side of a recording: starts the program, empties the ring, ends slices that do not end. */
#include "record/collect/collect.h"
#include "base/memory.h"
#include "base/temporary.h"
#include "record/binary.h"
#include "record/collect/pace.h"
#include "record/patience.h"
#include "record/program.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    SESSION_FD = 199, /* the session's descriptor in the program; every run uses three digits */
    SHADOW_FD = 198,
    SCRIPT_FD = 197,
    LOG_FD = 196,            /* where Valgrind's messages go */
    LOOK_MILLISECONDS = 1,   /* between two looks, and twice as long after each that found nothing, */
    LOOK_MOST = 8,           /* up to this: the program fills the ring in a multiple of it */
    SLICE_MILLISECONDS = 40, /* after this time an unfinished slice is examined and perhaps ended */
    STUCK_MILLISECONDS = 10000,
    ABANDON_MILLISECONDS = 1000, /* a confined program may wait for what somebody does who sees its output */
    UNSEEN_MILLISECONDS = 3000,  /* then somebody may wonder why nothing is shown */
    DEADLOCK_MILLISECONDS = 300, /* how long all threads have to wait for each other */
    DEADLOCK_LOOK_MILLISECONDS = 50,
    CANNOT_RUN = 127,
};

static uint64_t milliseconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* Passes the session to the program under a descriptor number that the program is unlikely to use itself. */
static enum status check_limits(struct error *err)
{
    struct rlimit files;

    if (getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur <= SESSION_FD)
        return fail(err, HEDDLE_IO, "the limit of open files (ulimit -n) is %llu; recording needs %d",
                    (unsigned long long)files.rlim_cur, SESSION_FD + 1);
    return HEDDLE_OK;
}

static enum status make_session(struct collection *c, int *fd, struct error *err)
{
    struct session *session;

    *fd = temporary_memory("the session", sizeof *session, err);
    if (*fd < 0)
        return err->status;
    session = mmap(NULL, sizeof *session, PROT_READ | PROT_WRITE, MAP_SHARED, *fd, 0);
    if (session == MAP_FAILED)
        return fail(err, HEDDLE_IO, "cannot allocate memory for the session: %s", strerror(errno));
    session->magic = SESSION_MAGIC;
    session->bytes = sizeof *session;
    session->seed = c->seed;
    session->mode = c->mode;
    session->policy = c->policy;
    session->real_time = c->real_time;
    session->grounds = c->grounds;
    session->stacks = c->stacks;
    session->shadow_fd = SHADOW_FD;
    session->trial = c->trial;
    session->tentative = c->confined && c->trial;
    session->confined = c->confined != NULL;
    session->script_fd = c->script_fd ? SCRIPT_FD : 0;
    session->effects = c->effects;
    session->realtime = c->realtime;
    session->monotonic = c->monotonic;
    session->steady = c->steady;
    session->leaps_count = c->leaps_count;
    if (c->leaps_count)
        memcpy(session->leaps, c->leaps, c->leaps_count * sizeof *c->leaps);
    session->held = c->started != NULL;
    c->session = session;
    return HEDDLE_OK;
}

/* The folders of our libraries, OpenMP's first, before those the user asked for. */
static void set_library_path(const char *folder)
{
    const char *old = getenv("LD_LIBRARY_PATH");
    size_t room = 2 * strlen(folder) + strlen("/openmp") + (old ? strlen(old) : 0) + 3;
    char *path = memory_new(room, 1);

    snprintf(path, room, "%s/openmp:%s%s%s", folder, folder, old && *old ? ":" : "", old ? old : "");
    setenv("LD_LIBRARY_PATH", path, 1);
    free(path);
}

/* Python cannot load our library late, together with an extension: it has no room for its thread-local variables then. */
static void preload_runtime(const char *folder)
{
    const char *old = getenv("LD_PRELOAD");
    size_t room = strlen(folder) + sizeof "/libheddle-rt.so:" + (old ? strlen(old) : 0);
    char *list = memory_new(room, 1);

    snprintf(list, room, "%s/libheddle-rt.so%s%s", folder, old && *old ? ":" : "", old ? old : "");
    setenv("LD_PRELOAD", list, 1);
    setenv("PYTHONHASHSEED", "0", 0); /* the order of sets must not differ from run to run */
    free(list);
}

/* Runs in the child, just before the program starts. Reports a failure through the pipe. */
static void start_program(const struct collection *c, int session_fd, int report_fd, const sigset_t *signals,
                          pid_t recorder)
{
    char *const *command = c->binary ? binary_command(c->program, LOG_FD) : c->program;
    char number[8];
    int error, old = personality(0xffffffff);

    if (old >= 0)
        personality((unsigned long)old | ADDR_NO_RANDOMIZE);
    snprintf(number, sizeof number, "%d", SESSION_FD);
    if (c->binary) {
        setenv(SESSION_BINARY_VARIABLE, number, 1);
        setenv("VALGRIND_LIB", c->binary, 1);
        dup2(c->log_fd, LOG_FD);
    } else {
        setenv(SESSION_VARIABLE, number, 1);
        set_library_path(c->libraries);
        if (program_is_python(c->program[0]))
            preload_runtime(c->libraries);
        if (c->effects)
            setenv(SESSION_BIND_VARIABLE, SESSION_BIND_VALUE, 0);
    }
    dup2(session_fd, SESSION_FD);
    if (c->shadow_fd >= 0)
        dup2(c->shadow_fd, SHADOW_FD);
    if (c->input_fd >= 0)
        dup2(c->input_fd, STDIN_FILENO);
    else if (c->feed->fd >= 0)
        dup2(c->feed->fd, STDIN_FILENO);
    if (c->script_fd)
        dup2(c->script_fd, SCRIPT_FD);
    if (c->outputs) {
        dup2(c->outputs[0].fd, STDOUT_FILENO);
        dup2(c->outputs[1].fd, STDERR_FILENO);
    }
    if (c->silent) {
        int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
        dup2(null, STDOUT_FILENO);
        dup2(null, STDERR_FILENO);
    }
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* nobody would end its waits */
    if (getppid() != recorder)        /* it is gone already, and would leave no trace */
        _exit(CANNOT_RUN);
    sigprocmask(SIG_SETMASK, signals, NULL);
    if (c->confined) {
        harmless_exec(c->confined, command);
        signal(SIGSYS, SIG_DFL); /* no confined run is possible: as if it had been ended */
        raise(SIGSYS);
    }
    execvp(command[0], command);
    error = errno;
    if (write(report_fd, &error, sizeof error) < 0)
        _exit(CANNOT_RUN);
    _exit(CANNOT_RUN);
}

/* Checks that the program exists: Valgrind would report a missing one late and in its own words. */
static int missing_program(const struct collection *c)
{
    const char *program = c->program[0];

    return c->binary && strchr(program, '/') && access(program, X_OK) != 0 ? errno : 0;
}

static enum status launch(struct collection *c, int session_fd, const sigset_t *signals, pid_t *pid,
                          struct error *err)
{
    int ends[2], error = missing_program(c);
    pid_t recorder = getpid();

    if (error)
        return fail(err, HEDDLE_BAD_USAGE, "%s: cannot be run: %s", c->program[0], strerror(error));
    if (pipe2(ends, O_CLOEXEC) != 0)
        return fail(err, HEDDLE_IO, "cannot create a pipe: %s", strerror(errno));
    *pid = fork();
    if (*pid == 0)
        start_program(c, session_fd, ends[1], signals, recorder);
    close(ends[1]);
    if (*pid < 0) {
        close(ends[0]);
        return fail(err, HEDDLE_IO, "cannot fork: %s", strerror(errno));
    }
    ssize_t got = read(ends[0], &error, sizeof error);
    close(ends[0]);
    if (got == sizeof error) {
        waitpid(*pid, NULL, 0);
        return fail(err, HEDDLE_BAD_USAGE, "%s: cannot be run: %s", c->program[0], strerror(error));
    }
    return HEDDLE_OK;
}

static void take_chunk(struct collection *c, const struct record *chunk)
{
    uint64_t changes = *c->changes;

    c->take(c->to, chunk, SESSION_CHUNK);
    c->idle = *c->changes == changes ? c->idle + SESSION_CHUNK : 0;
}

/* Takes all complete chunks; returns whether there was one. */
static bool take_chunks(struct collection *c)
{
    struct session *session = c->session;
    uint64_t consumed = session_load(&session->consumed);
    uint64_t produced = session_load(&session->produced);
    bool any = consumed < produced;

    while (consumed < produced) {
        struct record *chunk = session->ring[consumed % SESSION_CHUNKS];
        if (!c->too_many)
            take_chunk(c, chunk);
        c->too_many |=
            (c->most && (consumed + 1) * SESSION_CHUNK >= c->most) || (c->looks && c->idle >= c->looks);
        memset(chunk, 0, sizeof session->ring[0]);
        session_store(&session->consumed, ++consumed);
        syscall(SYS_futex, &session->consumed, FUTEX_WAKE, 1, NULL, NULL, 0);
    }
    return any;
}

/* The chunk the program was filling when it ended. */
static void take_rest(struct collection *c)
{
    const struct record *chunk;
    size_t count = 0;

    take_chunks(c);
    if (c->too_many)
        return;
    chunk = c->session->ring[session_load(&c->session->consumed) % SESSION_CHUNKS];
    while (count < SESSION_CHUNK && chunk[count].word != 0)
        count++;
    c->take(c->to, chunk, count);
}

struct watch {
    uint64_t beat, accesses;
    uint32_t turn;
    uint64_t changes, changed; /* how many, and when their number last grew */
    uint64_t since;            /* when the running slice was first seen */
    struct pace pace;          /* of it */
    uint64_t begun;            /* when the run did */
    uint64_t moved;            /* when the number of accesses last changed */
    struct patience patience;
    uint64_t looked;       /* when a deadlock was last looked for */
    uint64_t waiting_beat; /* the beat when all threads were first seen to wait */
    uint64_t waiting;      /* since when they do; 0: they do not */
    bool told;
};

/* Under Valgrind, threads block in the kernel. If every thread keeps waiting for another one, the program is
 * deadlocked. */
static void look_for_deadlock(struct collection *c, struct watch *w, pid_t pid)
{
    struct session *session = c->session;
    uint64_t now = milliseconds(), beat = session_load(&session->beat);

    if (!c->binary || now - w->looked < DEADLOCK_LOOK_MILLISECONDS)
        return;
    w->looked = now;
    if (!binary_deadlocked(session, pid) || (w->waiting && beat != w->waiting_beat)) {
        w->waiting = 0;
    } else if (!w->waiting) {
        w->waiting = now;
        w->waiting_beat = beat;
    } else if (now - w->waiting > DEADLOCK_MILLISECONDS) {
        session_store(&session->deadlock, 1);
        kill(pid, SIGKILL);
    }
}

/* Kills the program that was started and the one that is recorded. */
static void kill_all(const struct collection *c, pid_t pid)
{
    pid_t recorded = (pid_t)session_load(&c->session->pid);

    kill(pid, SIGKILL);
    if (recorded && recorded != pid)
        kill(recorded, SIGKILL);
}

/* A process that has ended and is not waited for yet. */
static bool has_ended(pid_t pid)
{
    siginfo_t about = {0};

    return waitid(P_PID, (id_t)pid, &about, WEXITED | WNOHANG | WNOWAIT) == 0 && about.si_pid == pid;
}

/* Ends a slice that lasts too long; reports a program in which nothing has moved for long. */
static void watch_over(struct collection *c, struct watch *w, pid_t pid)
{
    struct session *session = c->session;
    uint64_t now = milliseconds(), beat = session_load(&session->beat),
             accesses = session_load(&session->accesses);
    bool gone = session_load(&session->exec); /* it called exec: the new program is left alone */
    uint32_t turn = gone ? 0 : session_load(&session->turn), recorded = session_load(&session->pid);

    if (has_ended(pid))
        return;
    if (accesses != w->accesses || !recorded || gone) {
        w->accesses = accesses;
        w->moved = now;
    }
    if (beat != w->beat || turn != w->turn || turn == 0) {
        w->beat = beat;
        w->turn = turn;
        w->since = now;
        pace_begin(&w->pace);
    } else if (now - w->since >= SLICE_MILLISECONDS && recorded) {
        if (pace_over(&w->pace, (pid_t)recorded, (pid_t)turn, session_load(&session->cut) > 0) &&
            pace_heard((pid_t)recorded, SESSION_PREEMPT))
            syscall(SYS_tgkill, recorded, turn, SESSION_PREEMPT);
        w->since = now - SLICE_MILLISECONDS / 2;
    }
    if (c->confined && now - w->moved > ABANDON_MILLISECONDS && !c->abandoned) {
        c->abandoned = true;
        kill_all(c, pid);
    }
    if (c->unseen && now - w->begun > UNSEEN_MILLISECONDS) {
        note_add(c->unseen, NOTE_NEWS,
                 "the program runs unseen first, to find out what its threads share; --one-pass prevents that");
        c->unseen = NULL;
    }
    if (now - w->moved > STUCK_MILLISECONDS && !w->told) {
        c->stuck(c->to, session, "nothing has moved for a while");
        w->told = true;
    }
    if (*c->changes != w->changes || c->mode != SESSION_ALL || w->told || gone ||
        session_load(&session->gave_up)) {
        w->changes = *c->changes;
        w->changed = now;
    } else if (now - w->changed > STUCK_MILLISECONDS && now - w->moved <= STUCK_MILLISECONDS) {
        c->stuck(c->to, session, "all threads busy-wait, and nothing changes");
        w->told = true;
    }
    if (!c->timed_out && patience_over(&w->patience, recorded ? (pid_t)recorded : pid, now)) {
        c->stuck(c->to, session, "the time is up");
        c->timed_out = true;
        c->starved = patience_starved(&w->patience, now);
        kill_all(c, pid);
    }
}

/* Whether a script that was run is over but the program it started is not. */
static bool outlives(const struct collection *c, pid_t pid)
{
    pid_t recorded = (pid_t)session_load(&c->session->pid);

    return recorded != 0 && recorded != pid && kill(recorded, 0) == 0;
}

static bool interrupts(int signal)
{
    return signal == SIGTERM || signal == SIGINT || signal == SIGQUIT || signal == SIGHUP;
}

/* Passes a signal on that was sent to the recorder. One that a program may wait for is kept for the run that is seen. */
static void pass_signal(struct collection *c, pid_t pid, int signal, uint64_t elapsed)
{
    bool users = signal == SIGUSR1 || signal == SIGUSR2;

    if (users && c->confined) {
        c->late_signal = signal;
        c->late_by = elapsed;
        c->abandoned = true;
        kill_all(c, pid);
    } else if (users || signal == SIGTERM || signal == SIGHUP) {
        kill(pid, signal);
    }
    if (!c->confined && c->late_signal && elapsed >= c->late_by) {
        kill(pid, c->late_signal);
        c->late_signal = 0;
    }
}

/* How long to wait for a signal before the next look. What passes through the recorder is not held up. */
static long next_look(const struct collection *c, bool any, long last)
{
    if (any)
        return 0;
    if (last == 0 || c->feed->fd >= 0 || c->outputs)
        return LOOK_MILLISECONDS;
    return last < LOOK_MOST ? 2 * last : LOOK_MOST;
}

static void wait_for_end(struct collection *c, pid_t pid, const sigset_t *awaited)
{
    struct timespec at_once = {0};
    long look = 0;
    uint64_t now = milliseconds();
    struct watch watch = {.begun = now, .changed = now, .since = now, .moved = now};

    patience_begin(&watch.patience, c->timeout, c->longest, now);
    for (bool ended = false;;) {
        bool any = take_chunks(c);
        feed_step(c->feed);
        printed_step(c->outputs);
        ended = ended || waitpid(pid, &c->status, WNOHANG) == pid;
        if (ended && !outlives(c, pid))
            break;
        watch_over(c, &watch, pid);
        if (!ended)
            look_for_deadlock(c, &watch, pid);
        look = next_look(c, any, look);
        int signal = sigtimedwait(awaited, NULL, &(struct timespec){.tv_nsec = look * 1000000L});
        c->interrupted |= interrupts(signal);
        if (!ended)
            pass_signal(c, pid, signal, milliseconds() - now);
        if (c->impatient && c->interrupted)
            kill_all(c, pid);
    }
    take_rest(c);
    /* A signal that ended the program must not end the recorder, unless a caller with many runs asks for
     * that. */
    for (int signal; (signal = sigtimedwait(awaited, NULL, &at_once)) > 0;)
        c->interrupted |= c->impatient && interrupts(signal);
}

/* The first line of what Valgrind said, without its mark. */
static void take_trouble(struct collection *c)
{
    ssize_t length = pread(c->log_fd, c->trouble, sizeof c->trouble - 1, 0);
    char *text = c->trouble;

    c->trouble[length > 0 ? length : 0] = '\0';
    if (*text == '=')
        text = strchr(text, ' ') ? strchr(text, ' ') + 1 : text;
    memmove(c->trouble, text, strlen(text) + 1);
    c->trouble[strcspn(c->trouble, "\n")] = '\0';
    close(c->log_fd);
}

enum status collection_run(struct collection *c, struct error *err)
{
    sigset_t awaited, before;
    enum status status;
    pid_t pid = -1;
    int fd;

    /* Signals from the terminal reach the program directly; the recorder stays to write the trace. */
    sigemptyset(&awaited);
    for (const int *s = (const int[]){SIGCHLD, SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGUSR1, SIGUSR2, 0}; *s; s++)
        sigaddset(&awaited, *s);
    c->idle = 0;
    c->too_many = false;
    status = check_limits(err);
    if (status == HEDDLE_OK)
        status = make_session(c, &fd, err);
    if (status != HEDDLE_OK)
        return status;
    c->log_fd = c->binary ? memfd_create("heddle-log", MFD_CLOEXEC) : -1;
    sigprocmask(SIG_BLOCK, &awaited, &before);
    feed_step(c->feed); /* passes on the input that is already available */
    status = launch(c, fd, &before, &pid, err);
    close(fd);
    if (status == HEDDLE_OK && c->started)
        c->started(c->started_to);
    session_store(&c->session->held, 0);
    syscall(SYS_futex, &c->session->held, FUTEX_WAKE, 1, NULL, NULL, 0);
    if (status == HEDDLE_OK)
        wait_for_end(c, pid, &awaited);
    if (c->binary)
        take_trouble(c);
    sigprocmask(SIG_SETMASK, &before, NULL);
    return status;
}

void collection_end(struct collection *c)
{
    if (c->session)
        munmap(c->session, sizeof *c->session);
    c->session = NULL;
}
