/* What is known of the functions that programs call.
 *
 * A wrapper of the runtime that is missing here makes the test `effects` fail. A function of another library that
 * is missing makes an exploration incomplete when it is called while two threads live. */
#include "runtime/effects/effects.h"
#include "runtime/runtime.h"

#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <time.h>

#define NAMES(...) ((const char *const[]){__VA_ARGS__, NULL})
#define TEXT(n)    (1u << ((n)-1))

/* What the n-th argument points to. */
#define READS(n, type)  .looked = (n), .looked_bytes = sizeof(type)
#define WRITES(n, type) .result = (n), .bytes = sizeof(type)

/* Functions of which the same is known. */
struct group {
    struct effect effect; /* without a name */
    const char *const *names;
};

static const struct group groups[] = {
    /* Threads and synchronization: the wrappers record them. */
    {{.kind = EFFECT_NONE},
     NAMES("pthread_create", "pthread_join", "pthread_tryjoin_np", "pthread_detach", "pthread_mutex_init",
           "pthread_mutex_destroy", "pthread_mutex_lock", "pthread_mutex_trylock", "pthread_mutex_timedlock",
           "pthread_mutex_clocklock", "pthread_mutex_unlock", "pthread_mutex_consistent", "pthread_rwlock_init",
           "pthread_rwlock_destroy", "pthread_rwlock_rdlock", "pthread_rwlock_tryrdlock",
           "pthread_rwlock_timedrdlock", "pthread_rwlock_clockrdlock", "pthread_rwlock_wrlock",
           "pthread_rwlock_trywrlock", "pthread_rwlock_timedwrlock", "pthread_rwlock_clockwrlock",
           "pthread_rwlock_unlock", "pthread_spin_init", "pthread_spin_destroy", "pthread_spin_lock",
           "pthread_spin_trylock", "pthread_spin_unlock", "pthread_cond_init", "pthread_cond_destroy",
           "pthread_cond_wait", "pthread_cond_timedwait", "pthread_cond_clockwait", "pthread_cond_signal",
           "pthread_cond_broadcast", "pthread_barrier_init", "pthread_barrier_destroy", "pthread_barrier_wait",
           "pthread_once", "call_once", "sem_init", "sem_destroy", "sem_wait", "sem_trywait", "sem_timedwait",
           "sem_clockwait", "sem_post", "sem_getvalue", "mtx_init", "mtx_destroy", "mtx_lock", "mtx_trylock",
           "mtx_timedlock", "mtx_unlock", "cnd_init", "cnd_destroy", "cnd_wait", "cnd_timedwait", "cnd_signal",
           "cnd_broadcast", "thrd_create", "thrd_join", "thrd_detach", "thrd_exit", "thrd_current",
           "thrd_equal", "thrd_sleep", "thrd_yield")},
    {{.kind = EFFECT_LOCKS, .handle = 1}, NAMES("flockfile", "ftrylockfile", "funlockfile")},

    /* The same for memory and texts. */
    {{.kind = EFFECT_NONE},
     NAMES("malloc", "calloc", "realloc", "reallocarray", "free", "aligned_alloc", "memalign", "posix_memalign",
           "valloc", "pvalloc", "malloc_usable_size", "memcpy", "memmove", "mempcpy", "memset", "memcmp",
           "memchr", "memrchr", "rawmemchr", "memmem", "memccpy", "bcmp", "bcopy", "bzero", "explicit_bzero",
           "swab", "index", "rindex", "strcasecmp", "strcat", "strchr", "strchrnul", "strcmp", "strcpy",
           "strcspn", "strdup", "strlen", "strncasecmp", "strncat", "strncmp", "strncpy", "strndup", "strnlen",
           "strpbrk", "strrchr", "strsep", "strspn", "strstr", "strtok", "strtok_r", "stpcpy", "stpncpy",
           "strtod", "strtof", "strtol", "strtoll", "strtoul", "strtoull", "atof", "atoi", "atol", "atoll",
           "wcscpy", "wcslen", "wmemcpy", "wmemmove", "wmempcpy", "wmemset", "qsort", "qsort_r", "bsearch",
           "snprintf", "sprintf", "vsnprintf", "vsprintf", "asprintf", "vasprintf", "sscanf", "vsscanf",
           "__isoc99_sscanf", "__isoc99_vsscanf", "__memcpy_chk", "__memmove_chk", "__mempcpy_chk",
           "__memset_chk", "__stpcpy_chk", "__strcat_chk", "__strcpy_chk", "__strncat_chk", "__strncpy_chk",
           "__snprintf_chk", "__sprintf_chk", "__vsnprintf_chk", "__vsprintf_chk", "__asprintf_chk",
           "__vasprintf_chk")},

    /* Standard output, and what ends the process. */
    {{.kind = EFFECT_NONE},
     NAMES("printf", "vprintf", "puts", "putchar", "putchar_unlocked", "__printf_chk", "__vprintf_chk", "exit",
           "_exit", "_Exit", "quick_exit", "abort", "__assert_fail", "__stack_chk_fail")},

    /* Time passes by scheduling; what clocks show, and what nobody can foresee, is input. */
    {{.kind = EFFECT_NONE},
     NAMES("sleep", "usleep", "nanosleep", "clock_nanosleep", "sched_yield", "clock", "clock_gettime",
           "gettimeofday", "time", "timespec_get", "difftime", "getpid", "getrandom", "getentropy",
           "arc4random", "arc4random_buf", "arc4random_uniform")},

    /* What is the thread's own, or the same for all. */
    {{.kind = EFFECT_NONE},
     NAMES("pthread_self", "pthread_equal", "pthread_exit", "pthread_getspecific", "pthread_setspecific",
           "pthread_testcancel", "pthread_setconcurrency", "tss_get", "tss_set", "sysconf", "get_nprocs",
           "get_nprocs_conf", "getpagesize", "gettid", "getppid", "getuid", "geteuid", "getgid", "getegid",
           "getauxval", "abs", "labs", "llabs", "div", "ldiv", "lldiv", "isalnum", "isalpha", "isblank",
           "iscntrl", "isdigit", "isgraph", "islower", "isprint", "ispunct", "isspace", "isupper", "isxdigit",
           "tolower", "toupper", "strerror", "strsignal", "_setjmp", "setjmp", "sigsetjmp", "__sigsetjmp",
           "longjmp", "siglongjmp", "_longjmp", "__longjmp_chk", "htonl", "htons", "ntohl", "ntohs", "ffs",
           "ffsl", "ffsll", "fegetround", "fesetround", "feclearexcept", "fetestexcept", "__fdelt_chk")},

    /* The same, of memory that the program hands over. */
    {{.kind = EFFECT_NONE, READS(1, pthread_attr_t), WRITES(1, pthread_attr_t)},
     NAMES("pthread_attr_setstacksize", "pthread_attr_setdetachstate", "pthread_attr_setscope")},
    {{.kind = EFFECT_NONE, WRITES(1, pthread_attr_t)}, NAMES("pthread_attr_init", "pthread_attr_destroy")},
    {{.kind = EFFECT_NONE, READS(1, pthread_attr_t), WRITES(2, size_t)}, NAMES("pthread_attr_getstacksize")},
    {{.kind = EFFECT_NONE, READS(1, pthread_attr_t), WRITES(2, int)}, NAMES("pthread_attr_getdetachstate")},
    {{.kind = EFFECT_NONE, WRITES(1, int)},
     NAMES("pthread_mutexattr_init", "pthread_mutexattr_destroy", "pthread_mutexattr_settype",
           "pthread_mutexattr_setrobust", "pthread_mutexattr_setprotocol", "pthread_mutexattr_setpshared",
           "pthread_condattr_init", "pthread_condattr_destroy", "pthread_condattr_setclock",
           "pthread_barrierattr_init", "pthread_barrierattr_destroy")},
    {{.kind = EFFECT_NONE, WRITES(1, pthread_rwlockattr_t)},
     NAMES("pthread_rwlockattr_init", "pthread_rwlockattr_destroy", "pthread_rwlockattr_setkind_np")},
    {{.kind = EFFECT_NONE, WRITES(1, sigset_t)}, NAMES("sigemptyset", "sigfillset")},
    {{.kind = EFFECT_NONE, READS(1, sigset_t), WRITES(1, sigset_t)}, NAMES("sigaddset", "sigdelset")},
    {{.kind = EFFECT_NONE, READS(1, sigset_t)}, NAMES("sigismember")},
    {{.kind = EFFECT_NONE, READS(2, sigset_t), WRITES(3, sigset_t)}, NAMES("pthread_sigmask", "sigprocmask")},
    {{.kind = EFFECT_NONE, WRITES(2, int)}, NAMES("pthread_setcanceltype", "pthread_setcancelstate")},
    {{.kind = EFFECT_NONE, WRITES(2, struct timespec)}, NAMES("clock_getres")},
    {{.kind = EFFECT_NONE, .texts = TEXT(2)}, NAMES("pthread_setname_np")},

    /* Streams: the standard ones are output, the others are files. */
    {{.kind = EFFECT_STREAM, .handle = 1, .inside = true},
     NAMES("fprintf", "vfprintf", "__fprintf_chk", "__vfprintf_chk", "fflush", "fflush_unlocked")},
    {{.kind = EFFECT_STREAM, .handle = 1}, NAMES("__overflow")},
    {{.kind = EFFECT_STREAM, .handle = 2, .inside = true},
     NAMES("fputc", "fputc_unlocked", "putc", "putc_unlocked", "fputs", "fputs_unlocked")},
    {{.kind = EFFECT_STREAM, .handle = 4, .inside = true}, NAMES("fwrite", "fwrite_unlocked")},
    {{.kind = EFFECT_CHANGES, .part = PART_FILES, .inside = true},
     NAMES("getc", "getc_unlocked", "getchar", "getchar_unlocked", "fgetc", "fgetc_unlocked", "fgets",
           "fgets_unlocked", "fread", "fread_unlocked", "getdelim", "__getdelim", "getline", "__fgets_chk",
           "__fgets_unlocked_chk", "__fread_chk", "__fread_unlocked_chk", "__isoc99_fscanf", "__isoc99_scanf")},
    {{.kind = EFFECT_CHANGES, .part = PART_FILES},
     NAMES("ungetc", "__uflow", "fseek", "fseeko", "ftell", "ftello", "rewind", "fdopen", "fileno", "feof",
           "ferror", "clearerr", "feof_unlocked", "ferror_unlocked", "fileno_unlocked", "tmpfile")},
    {{.kind = EFFECT_CHANGES, .part = PART_FILES, .texts = TEXT(1) | TEXT(2)},
     NAMES("fopen", "fopen64", "rename", "link", "symlink")},
    {{.kind = EFFECT_CLOSES_STREAM, .part = PART_FILES, .handle = 1, .inside = true}, NAMES("fclose")},
    {{.kind = EFFECT_CLOSES_STREAM, .part = PART_FILES, .handle = 3, .texts = TEXT(1) | TEXT(2)},
     NAMES("freopen")},
    {{.kind = EFFECT_BUFFERS, .handle = 1}, NAMES("fmemopen", "open_memstream", "open_wmemstream")},
    {{.kind = EFFECT_BUFFERS, .handle = 2}, NAMES("setvbuf", "setbuf", "setbuffer")},

    /* Descriptors and files by name. */
    {{.kind = EFFECT_OUTPUT, .handle = 1, .inside = true}, NAMES("write", "writev")},
    {{.kind = EFFECT_CHANGES, .part = PART_FILES, .inside = true},
     NAMES("read", "readv", "pread", "pwrite", "__read_chk", "__pread_chk")},
    {{.kind = EFFECT_CLOSES, .part = PART_FILES, .handle = 1, .inside = true}, NAMES("close")},
    {{.kind = EFFECT_CLOSES, .part = PART_FILES, .handle = 2}, NAMES("dup2", "dup3")},
    {{.kind = EFFECT_LIVELY}, NAMES("preadv2", "pwritev2")},
    {{.kind = EFFECT_CHANGES, .part = PART_FILES},
     NAMES("dup", "lseek", "ftruncate", "fsync", "fdatasync", "sync", "fchdir", "umask", "fchmod", "isatty",
           "memfd_create", "posix_fallocate", "closedir", "dirfd", "rewinddir")},
    {{.kind = EFFECT_CHANGES, .part = PART_FILES, .texts = TEXT(1)},
     NAMES("open", "open64", "creat", "__open_2", "mkdir", "rmdir", "unlink", "remove", "chdir", "chmod",
           "truncate", "opendir", "mkfifo")},
    {{.kind = EFFECT_CHANGES, .part = PART_FILES, .texts = TEXT(1) | TEXT(3)}, NAMES("symlinkat")},
    {{.kind = EFFECT_CHANGES, .part = PART_FILES, .texts = TEXT(2) | TEXT(4)}, NAMES("linkat", "renameat")},
    {{.kind = EFFECT_LIVELY}, NAMES("flock", "fcntl", "fcntl64")},
    {{.kind = EFFECT_CHANGES, .part = PART_FILES, .texts = TEXT(2)},
     NAMES("openat", "__openat_2", "mkdirat", "unlinkat", "fchmodat")},
    {{.kind = EFFECT_LOOKS, .part = PART_FILES, .texts = TEXT(1)}, NAMES("access", "euidaccess")},
    {{.kind = EFFECT_LOOKS, .part = PART_FILES, .texts = TEXT(2)}, NAMES("faccessat")},
    {{.kind = EFFECT_LOOKS, .part = PART_FILES, .texts = TEXT(1), .result = 2, .bytes = 144},
     NAMES("stat", "lstat")},
    {{.kind = EFFECT_LOOKS, .part = PART_FILES, .result = 2, .bytes = 144}, NAMES("fstat")},
    {{.kind = EFFECT_LOOKS, .part = PART_FILES, .texts = TEXT(2), .result = 3, .bytes = 144}, NAMES("fstatat")},
    {{.kind = EFFECT_LOOKS, .part = PART_FILES, .texts = TEXT(1), .result = 2, .length = 3}, NAMES("readlink")},
    {{.kind = EFFECT_LOOKS, .part = PART_FILES, .result = 1, .length = 2}, NAMES("getcwd")},

    /* Environment, random numbers, what the process has one of. */
    {{.kind = EFFECT_LOOKS, .part = PART_ENVIRONMENT, .texts = TEXT(1)}, NAMES("getenv", "secure_getenv")},
    {{.kind = EFFECT_EXPORTS, .part = PART_ENVIRONMENT, .texts = TEXT(1)}, NAMES("putenv", "unsetenv")},
    {{.kind = EFFECT_EXPORTS, .part = PART_ENVIRONMENT, .texts = TEXT(1) | TEXT(2)}, NAMES("setenv")},
    {{.kind = EFFECT_EXPORTS, .part = PART_ENVIRONMENT}, NAMES("clearenv")},
    {{.kind = EFFECT_CHANGES, .part = PART_RANDOM}, NAMES("rand", "random", "srand", "srandom")},
    {{.kind = EFFECT_LIVELY},
     NAMES("lrand48", "mrand48", "drand48", "srand48")}, /* no lock keeps their state */
    {{.kind = EFFECT_NONE, READS(1, unsigned), WRITES(1, unsigned)}, NAMES("rand_r")},
    {{.kind = EFFECT_CHANGES, .part = PART_PROCESS},
     NAMES("atexit", "on_exit", "at_quick_exit", "__cxa_atexit", "pthread_key_create", "tss_create")},
    {{.kind = EFFECT_LIVELY}, NAMES("pthread_key_delete", "tss_delete")}, /* keys count when threads end */
    {{.kind = EFFECT_LIVELY},
     NAMES("pthread_setaffinity_np", "pthread_getaffinity_np", "sched_getaffinity", "sched_setaffinity",
           "pthread_setschedparam", "pthread_getschedparam", "strerror_r")},
    {{.kind = EFFECT_LOOKS, .part = PART_ENVIRONMENT, READS(1, time_t), WRITES(2, struct tm)},
     NAMES("localtime_r")},
    {{.kind = EFFECT_NONE, READS(1, time_t), WRITES(2, struct tm)}, NAMES("gmtime_r")},

    /* Memory that other processes, or other addresses of this one, may share. */
    {{.kind = EFFECT_MAPS}, NAMES("mmap")},
    {{.kind = EFFECT_MOVES}, NAMES("mremap")},
    {{.kind = EFFECT_LIVELY}, NAMES("mprotect", "munmap", "madvise", "msync", "brk", "sbrk")},
    {{.kind = EFFECT_ALWAYS}, NAMES("shmat", "shmdt")},

    /* System calls by number. */
    {{.kind = EFFECT_FUTEX}, NAMES("syscall")},

    /* Threads that are looked at or ended from outside. */
    {{.kind = EFFECT_LIVELY},
     NAMES("pthread_timedjoin_np", "pthread_clockjoin_np", "pthread_cancel", "pthread_kill",
           "pthread_sigqueue")},

    /* Signals and timers. */
    {{.kind = EFFECT_LIVELY},
     NAMES("signal", "sigaction", "sigwait", "sigwaitinfo", "sigtimedwait", "sigsuspend", "sigqueue", "pause")},
    {{.kind = EFFECT_ALWAYS},
     NAMES("kill", "raise", "alarm", "setitimer", "timer_create", "timer_settime", "timerfd_settime",
           "signalfd")},

    /* Pipes, sockets, queues and what waits for them. */
    {{.kind = EFFECT_LIVELY},
     NAMES("pipe", "pipe2", "socketpair", "accept", "accept4", "connect", "shutdown", "send", "sendto",
           "sendmsg", "sendmmsg", "recv", "recvfrom", "recvmsg", "recvmmsg", "__recv_chk", "__recvfrom_chk",
           "sendfile", "splice", "tee", "vmsplice", "eventfd", "eventfd_read", "eventfd_write", "poll", "ppoll",
           "__poll_chk", "__ppoll_chk", "select", "pselect", "epoll_ctl", "epoll_wait", "epoll_pwait")},
    {{.kind = EFFECT_ALWAYS},
     NAMES("aio_return", "aio_return64", "aio_suspend", "aio_suspend64", "mq_send", "mq_receive", "mq_notify",
           "msgsnd", "msgrcv", "semop", "semtimedop", "sem_open", "sem_close")},

    /* Other processes, other programs, code that is found by name. */
    {{.kind = EFFECT_LIVELY}, NAMES("wait", "waitpid", "waitid", "system")},
    {{.kind = EFFECT_ALWAYS},
     NAMES("fork", "vfork", "popen", "posix_spawn", "posix_spawnp", "execl", "execle", "execlp", "execv",
           "execve", "execveat", "execvp", "execvpe", "fexecve", "dlopen", "dlclose", "dlsym", "clone")},

    /* Atomics that compilers leave to a library: the wrappers record them. */
    {{.kind = EFFECT_NONE},
     NAMES("__atomic_load", "__atomic_store", "__atomic_exchange", "__atomic_compare_exchange",
           "__atomic_load_16", "__atomic_store_16", "__atomic_exchange_16", "__atomic_compare_exchange_16",
           "__atomic_fetch_add_16", "__atomic_fetch_sub_16", "__atomic_fetch_and_16", "__atomic_fetch_or_16",
           "__atomic_fetch_xor_16", "__atomic_fetch_nand_16", "__atomic_add_fetch_16", "__atomic_sub_fetch_16",
           "__atomic_and_fetch_16", "__atomic_or_fetch_16", "__atomic_xor_fetch_16", "__atomic_nand_fetch_16")},
};

/* Beginnings of names: the C++ library and what compilers call. */
static const struct {
    const char *beginning;
    struct effect effect;
} families[] = {
    {"_ZNSt13random_device", {.kind = EFFECT_LIVELY}},
    {"_ZNSt6locale", {.kind = EFFECT_LIVELY}},
    {"_ZNSt10filesystem", {.kind = EFFECT_LIVELY}},
    {"_ZNSt13basic_filebuf", {.kind = EFFECT_LIVELY}},
    {"_ZNSt13basic_fstream", {.kind = EFFECT_LIVELY}},
    {"_ZNSt14basic_ifstream", {.kind = EFFECT_LIVELY}},
    {"_ZNSt14basic_ofstream", {.kind = EFFECT_LIVELY}},
    {"_ZSt3cin", {.kind = EFFECT_LIVELY}},
    {"_ZNSi", {.kind = EFFECT_LIVELY}}, /* istream */
    {"_ZStrs", {.kind = EFFECT_LIVELY}},
    {"_ZSt7getline", {.kind = EFFECT_LIVELY}},
    {"_ZNSt8ios_base15sync_with_stdio", {.kind = EFFECT_ALWAYS}}, /* streams have their own buffers then */
    {"_ZNSoC", {.kind = EFFECT_NONE}}, /* ostream: made and destroyed by one thread */
    {"_ZNSoD", {.kind = EFFECT_NONE}},
    {"_ZNSo6sentry", {.kind = EFFECT_NONE}},                   /* no ostream itself */
    {"_ZNSolsEPSt15basic_streambuf", {.kind = EFFECT_LIVELY}}, /* prints what another stream holds */
    {"_ZNSo", {.kind = EFFECT_INSERTS}},
    {"_ZStlsIw", {.kind = EFFECT_LIVELY}},
    {"_ZStls", {.kind = EFFECT_INSERTS}},
    {"_ZSt16__ostream_insertIw", {.kind = EFFECT_LIVELY}},
    {"_ZSt16__ostream_insert", {.kind = EFFECT_INSERTS}},
    {"_ZSt4endlIw", {.kind = EFFECT_LIVELY}},
    {"_ZSt4endl", {.kind = EFFECT_INSERTS}},
    {"_ZNSt13basic_ostreamIw", {.kind = EFFECT_LIVELY}},
    {"_ZNSt9basic_iosIcSt11char_traitsIcEE5clear", {.kind = EFFECT_STATES}},
    {"_ZSt15set_new_handler", {.kind = EFFECT_LIVELY}},
    {"_ZSt13set_terminate", {.kind = EFFECT_LIVELY}},
    {"_ZSt11_Hash_bytes", {.kind = EFFECT_NONE, .looked = 1, .looked_length = 2}},
    {"_ZSt8to_chars", {.kind = EFFECT_LIVELY}},
    {"_ZSt10from_chars", {.kind = EFFECT_LIVELY}},
    {"_Z", {.kind = EFFECT_NONE}},
    {"__cxa_", {.kind = EFFECT_NONE}},
    {"__gxx_", {.kind = EFFECT_NONE}},
    {"__dynamic_cast", {.kind = EFFECT_NONE}},
    {"_Unwind_", {.kind = EFFECT_NONE}},
    {"_ITM_", {.kind = EFFECT_NONE}},
    {"__gmon_start__", {.kind = EFFECT_NONE}},
    {"__libc_start_main", {.kind = EFFECT_NONE}},
    {"__errno_location", {.kind = EFFECT_NONE}},
    {"__ctype_", {.kind = EFFECT_NONE}},
    {"__tls_get_addr", {.kind = EFFECT_NONE}},
    {"__emutls_", {.kind = EFFECT_NONE}},
};

static bool equal(const char *a, const char *b, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (a[i] != b[i])
            return false;
    return b[length] == '\0';
}

static const struct effect *find(const char *name, size_t length)
{
    for (size_t g = 0; g < sizeof groups / sizeof *groups; g++)
        for (const char *const *n = groups[g].names; *n; n++)
            if (equal(name, *n, length))
                return &groups[g].effect;
    return NULL;
}

/* Functions of numbers. */
static bool in_mathematics(const char *library)
{
    const char *base = library;

    for (const char *p = library; *p; p++)
        if (*p == '/')
            base = p + 1;
    return text_begins(base, "libm.so") || text_begins(base, "libmvec.so");
}

const struct effect *effect_of(const char *name, const char *library)
{
    static const struct effect none = {.kind = EFFECT_NONE}, unknown = {.kind = EFFECT_UNKNOWN};
    size_t length = text_length(name);
    const struct effect *e = find(name, length);

    if (!e && length > 2 && name[length - 2] == '6' && name[length - 1] == '4') /* large files */
        e = find(name, length - 2);
    if (e)
        return e;
    for (size_t i = 0; i < sizeof families / sizeof *families; i++)
        if (text_begins(name, families[i].beginning))
            return &families[i].effect;
    return in_mathematics(library) ? &none : &unknown;
}
