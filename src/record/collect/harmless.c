/* Confines a program by a filter for system calls, which the kernel applies before it does anything. */
#include "record/collect/harmless.h"
#include "record/program.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <termios.h>
#include <unistd.h>

#ifdef __x86_64__

enum { INSTRUCTIONS = 2048, OTHER_INTERFACE = 0x40000000 };

struct filter {
    struct sock_filter code[INSTRUCTIONS];
    unsigned short count;
};

/* Permitted whatever their arguments are. */
static const int permitted[] = {
    SYS_close,
    SYS_stat,
    SYS_fstat,
    SYS_lstat,
    SYS_newfstatat,
    SYS_statx,
    SYS_statfs,
    SYS_fstatfs,
    SYS_access,
    SYS_faccessat,
    SYS_readlink,
    SYS_readlinkat,
    SYS_getcwd,
    SYS_chdir,
    SYS_fchdir,
    SYS_getdents,
    SYS_getdents64,
    SYS_fadvise64,
    SYS_readahead,
    SYS_lseek,
    SYS_poll,
    SYS_ppoll,
    SYS_select,
    SYS_pselect6,
    SYS_epoll_create,
    SYS_epoll_create1,
    SYS_epoll_ctl,
    SYS_epoll_wait,
    SYS_epoll_pwait,
    SYS_pipe,
    SYS_pipe2,
    SYS_eventfd,
    SYS_eventfd2,
    SYS_signalfd,
    SYS_signalfd4,
    SYS_timerfd_create,
    SYS_timerfd_settime,
    SYS_timerfd_gettime,
    SYS_memfd_create,
    SYS_socketpair,
    SYS_shutdown,
    SYS_getsockname,
    SYS_getpeername,
    SYS_setsockopt,
    SYS_getsockopt,
    SYS_mprotect,
    SYS_munmap,
    SYS_mremap,
    SYS_brk,
    SYS_madvise,
    SYS_mincore,
    SYS_msync,
    SYS_mlock,
    SYS_munlock,
    SYS_mlockall,
    SYS_munlockall,
    SYS_mlock2,
    SYS_membarrier,
    SYS_rt_sigaction,
    SYS_rt_sigprocmask,
    SYS_rt_sigreturn,
    SYS_rt_sigpending,
    SYS_rt_sigtimedwait,
    SYS_rt_sigsuspend,
    SYS_sigaltstack,
    SYS_pause,
    SYS_alarm,
    SYS_getitimer,
    SYS_setitimer,
    SYS_timer_create,
    SYS_timer_settime,
    SYS_timer_gettime,
    SYS_timer_getoverrun,
    SYS_timer_delete,
    SYS_nanosleep,
    SYS_clock_nanosleep,
    SYS_clock_gettime,
    SYS_clock_getres,
    SYS_gettimeofday,
    SYS_time,
    SYS_times,
    SYS_getrusage,
    SYS_sysinfo,
    SYS_uname,
    SYS_getcpu,
    SYS_getrandom,
    SYS_getpid,
    SYS_getppid,
    SYS_gettid,
    SYS_getpgrp,
    SYS_getpgid,
    SYS_getsid,
    SYS_getuid,
    SYS_geteuid,
    SYS_getgid,
    SYS_getegid,
    SYS_getresuid,
    SYS_getresgid,
    SYS_getgroups,
    SYS_capget,
    SYS_getpriority,
    SYS_getrlimit,
    SYS_setrlimit,
    SYS_umask,
    SYS_sched_yield,
    SYS_sched_getaffinity,
    SYS_sched_setaffinity,
    SYS_sched_getparam,
    SYS_sched_getscheduler,
    SYS_sched_get_priority_max,
    SYS_sched_get_priority_min,
    SYS_futex,
    SYS_set_robust_list,
    SYS_get_robust_list,
    SYS_set_tid_address,
    SYS_restart_syscall,
    SYS_arch_prctl,
    SYS_prctl,
    SYS_rseq,
    SYS_personality,
    SYS_wait4,
    SYS_waitid,
    SYS_exit,
    SYS_exit_group,
};

/* Permitted unless an argument is a guarded descriptor: bits by argument. */
static const struct {
    int call;
    unsigned descriptors;
} guarding[] = {
    {SYS_read, 1},      {SYS_readv, 1},     {SYS_pread64, 1},      {SYS_preadv, 1},
    {SYS_preadv2, 1},   {SYS_recvfrom, 1},  {SYS_recvmsg, 1},      {SYS_recvmmsg, 1},
    {SYS_write, 1},     {SYS_writev, 1},    {SYS_pwrite64, 1},     {SYS_pwritev, 1},
    {SYS_pwritev2, 1},  {SYS_sendto, 1},    {SYS_sendmsg, 1},      {SYS_sendmmsg, 1},
    {SYS_dup, 1},       {SYS_dup2, 1 | 2},  {SYS_dup3, 1 | 2},     {SYS_fcntl, 1},
    {SYS_vmsplice, 1},  {SYS_tee, 1 | 2},   {SYS_splice, 1 | 4},   {SYS_copy_file_range, 1 | 4},
    {SYS_ftruncate, 1}, {SYS_fallocate, 1}, {SYS_fsync, 1},        {SYS_fdatasync, 1},
    {SYS_flock, 1},     {SYS_mmap, 1 << 4}, {SYS_sendfile, 1 | 2},
};

static void put_code(struct filter *f, unsigned short code, uint32_t operand, uint8_t when, uint8_t otherwise)
{
    if (f->count < INSTRUCTIONS)
        f->code[f->count++] = (struct sock_filter){code, when, otherwise, operand};
}

static void answer(struct filter *f, uint32_t result)
{
    put_code(f, BPF_RET | BPF_K, result, 0, 0);
}

static void load(struct filter *f, size_t offset)
{
    put_code(f, BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, 0, 0);
}

static void load_argument(struct filter *f, unsigned which)
{
    load(f, offsetof(struct seccomp_data, args) + which * sizeof(uint64_t));
}

/* What follows up to `end_call` is for this call; it leaves by an answer. */
static unsigned short begin_call(struct filter *f, int call)
{
    load(f, offsetof(struct seccomp_data, nr));
    put_code(f, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)call, 0, 0);
    return f->count;
}

static void end_call(struct filter *f, unsigned short begin)
{
    f->code[begin - 1].jf = (uint8_t)(f->count - begin);
}

/* Permits a call if the bits of an argument that `mask` names are as `wanted`. */
static void permit_if(struct filter *f, int call, unsigned which, uint32_t mask, uint32_t wanted)
{
    unsigned short begin = begin_call(f, call);

    load_argument(f, which);
    put_code(f, BPF_ALU | BPF_AND | BPF_K, mask, 0, 0);
    put_code(f, BPF_JMP | BPF_JEQ | BPF_K, wanted, 0, 1);
    answer(f, SECCOMP_RET_ALLOW);
    answer(f, SECCOMP_RET_KILL_PROCESS);
    end_call(f, begin);
}

static void permit_unguarded(struct filter *f, const struct harmless *plan, int call, unsigned descriptors)
{
    unsigned short begin = begin_call(f, call);

    for (unsigned which = 0; descriptors >> which; which++) {
        if (!(descriptors >> which & 1))
            continue;
        load_argument(f, which);
        for (size_t i = 0; i < plan->guarded_count; i++) {
            put_code(f, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)plan->guarded[i], 0, 1);
            answer(f, SECCOMP_RET_KILL_PROCESS);
        }
    }
    answer(f, SECCOMP_RET_ALLOW);
    end_call(f, begin);
}

/* Looking at a terminal or a descriptor; other requests may change a device. */
static void permit_requests(struct filter *f)
{
    static const unsigned long requests[] = {TCGETS, TIOCGWINSZ, FIONREAD, FIOCLEX, FIONCLEX};
    unsigned short begin = begin_call(f, SYS_ioctl);

    load_argument(f, 1);
    for (size_t i = 0; i < sizeof requests / sizeof *requests; i++) {
        put_code(f, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)requests[i], 0, 1);
        answer(f, SECCOMP_RET_ALLOW);
    }
    answer(f, SECCOMP_RET_KILL_PROCESS);
    end_call(f, begin);
}

/* The call that starts the program itself is known by the addresses of its arguments, which nobody has afterwards. */
static void permit_start(struct filter *f, const struct harmless *plan, char *const *program)
{
    uint64_t words[2] = {(uint64_t)(uintptr_t)plan->path, (uint64_t)(uintptr_t)program};
    unsigned short begin = begin_call(f, SYS_execve);

    for (unsigned i = 0; i < 2; i++) {
        load_argument(f, i);
        put_code(f, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)words[i], 1, 0);
        answer(f, SECCOMP_RET_KILL_PROCESS);
        load(f, offsetof(struct seccomp_data, args) + i * sizeof(uint64_t) + sizeof(uint32_t));
        put_code(f, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)(words[i] >> 32), 1, 0);
        answer(f, SECCOMP_RET_KILL_PROCESS);
    }
    answer(f, SECCOMP_RET_ALLOW);
    end_call(f, begin);
}

static void compose(struct filter *f, const struct harmless *plan, char *const *program)
{
    const uint32_t writing = O_ACCMODE | O_CREAT | O_TRUNC | (O_TMPFILE & ~O_DIRECTORY),
                   pid = (uint32_t)getpid();
    unsigned short begin;

    load(f, offsetof(struct seccomp_data, arch));
    put_code(f, BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 1, 0);
    answer(f, SECCOMP_RET_KILL_PROCESS);
    load(f, offsetof(struct seccomp_data, nr));
    put_code(f, BPF_JMP | BPF_JGE | BPF_K, OTHER_INTERFACE, 0, 1);
    answer(f, SECCOMP_RET_KILL_PROCESS);
    for (size_t i = 0; i < sizeof guarding / sizeof *guarding; i++)
        permit_unguarded(f, plan, guarding[i].call, guarding[i].descriptors);
    load(f, offsetof(struct seccomp_data, nr));
    for (size_t i = 0; i < sizeof permitted / sizeof *permitted; i++) {
        put_code(f, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)permitted[i], 0, 1);
        answer(f, SECCOMP_RET_ALLOW);
    }
    permit_if(f, SYS_open, 1, writing, O_RDONLY);
    permit_if(f, SYS_openat, 2, writing, O_RDONLY);
    permit_if(f, SYS_clone, 0, CLONE_THREAD, CLONE_THREAD);
    permit_if(f, SYS_kill, 0, UINT32_MAX, pid);
    permit_if(f, SYS_tgkill, 0, UINT32_MAX, pid);
    permit_if(f, SYS_prlimit64, 0, UINT32_MAX, 0);
    permit_requests(f);
    permit_start(f, plan, program);
    begin = begin_call(f, SYS_clone3); /* its flags are in memory; the C library does without */
    answer(f, SECCOMP_RET_ERRNO | ENOSYS);
    end_call(f, begin);
    answer(f, SECCOMP_RET_KILL_PROCESS);
}

void harmless_exec(const struct harmless *plan, char *const *program)
{
    struct rlimit no_core = {1, 1}; /* 0 would still call a program that takes core dumps */
    struct filter f;
    struct sock_fprog all;

    f.count = 0;
    compose(&f, plan, program);
    all = (struct sock_fprog){.len = f.count, .filter = f.code};
    setrlimit(RLIMIT_CORE, &no_core);
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_SPEC_ALLOW, &all) != 0)
        return;
    execve(plan->path, program, environ);
}

static bool can_filter(void)
{
    uint32_t action = SECCOMP_RET_KILL_PROCESS;

    return syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
}

#else

void harmless_exec(const struct harmless *plan, char *const *program)
{
    (void)plan, (void)program;
    errno = ENOSYS;
}

static bool can_filter(void)
{
    return false;
}

#endif

/* What is read from it is gone: anything but files, folders and the null device. */
static bool is_consumed(const struct stat *about)
{
    return !S_ISREG(about->st_mode) && !S_ISDIR(about->st_mode) &&
           !(S_ISCHR(about->st_mode) && about->st_rdev == makedev(1, 3));
}

/* The descriptors that the program would inherit, standard output and error aside; false: too many. */
static bool guard_inherited(struct harmless *plan)
{
    DIR *all = opendir("/proc/self/fd");
    bool fits = all != NULL;

    for (const struct dirent *entry; all && (entry = readdir(all));) {
        int fd = atoi(entry->d_name), flags = fd > STDERR_FILENO ? fcntl(fd, F_GETFD) : -1;
        if (flags < 0 || flags & FD_CLOEXEC)
            continue;
        if (plan->guarded_count < HARMLESS_GUARDED)
            plan->guarded[plan->guarded_count++] = fd;
        else
            fits = false;
    }
    if (all)
        closedir(all);
    return fits;
}

/* Confined, it would not get the rights that come with its file. */
static bool gives_rights(const char *path)
{
    struct stat about;

    return stat(path, &about) != 0 || about.st_mode & (S_ISUID | S_ISGID) ||
           getxattr(path, "security.capability", NULL, 0) > 0;
}

bool harmless_plan(struct harmless *plan, char *const *program)
{
    struct stat about;
    struct program what;

    *plan = (struct harmless){0};
    if (!can_filter() || !program_find(program[0], plan->path, sizeof plan->path))
        return false;
    what = program_look(plan->path);
    if (!what.is_elf || !what.hooks || what.is_static || gives_rights(plan->path))
        return false;
    for (char *const *word = program + 1; *word; word++)
        if (stat(*word, &about) == 0 && is_consumed(&about))
            return false;
    if (fstat(STDIN_FILENO, &about) == 0 && is_consumed(&about))
        plan->guarded[plan->guarded_count++] = STDIN_FILENO;
    return guard_inherited(plan);
}

bool harmless_guards_input(const struct harmless *plan)
{
    return plan->guarded_count > 0 && plan->guarded[0] == STDIN_FILENO;
}

bool harmless_refused(int status)
{
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS;
}
