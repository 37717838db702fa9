/* System calls without libc. */
#include "runtime/system.h"
#include "runtime/runtime.h"

#include <signal.h>
#include <sys/mman.h>
#include <time.h>

static uint32_t parent;

uint32_t system_tid(void)
{
    return (uint32_t)system_call(SYS_gettid, 0, 0, 0, 0, 0, 0);
}

uint32_t system_pid(void)
{
    return (uint32_t)system_call(SYS_getpid, 0, 0, 0, 0, 0, 0);
}

/* The first call remembers the parent: when that changes, the recorder is gone. */
int system_parent_lives(void)
{
    uint32_t now = (uint32_t)system_call(SYS_getppid, 0, 0, 0, 0, 0, 0);

    if (parent == 0)
        parent = now;
    return now == parent;
}

uint64_t system_clock(int clock)
{
    struct timespec now = {0};

    if (system_call(SYS_clock_gettime, clock, (long)&now, 0, 0, 0, 0) != 0)
        return 0;
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* The runtime's memory is far from the program's, which so has the same addresses in every run, whatever the
 * runtime needs. */
void *system_map(size_t length, int flags, int fd, size_t offset)
{
    static uintptr_t next = SHADOW_BASE + SHADOW_BYTES;
    long at;

    length = (length + 4095) & ~(size_t)4095;
    at = system_call(SYS_mmap, (long)next, (long)length, PROT_READ | PROT_WRITE, flags | MAP_FIXED_NOREPLACE,
                     fd, (long)offset);
    if (at < 0 && at > -4096)
        return NULL;
    next += length;
    return (void *)at;
}

void system_print(const char *text)
{
    system_call(SYS_write, 2, (long)text, (long)text_length(text), 0, 0, 0);
}

void invariant_broken(const char *which)
{
    system_print("heddle: an invariant of the runtime does not hold: ");
    system_print(which);
    system_call(SYS_kill, system_pid(), SIGABRT, 0, 0, 0, 0);
    system_exit(1);
}

void system_exit(int status)
{
    for (;;)
        system_call(SYS_exit_group, status, 0, 0, 0, 0, 0);
}
