/* System calls without libc: no errno, no cancellation point, not interposable. Errors are negative. */
#pragma once
#include <linux/futex.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>

struct timespec;

static inline long system_call(long number, long a, long b, long c, long d, long e, long f)
{
    long result;
    register long r10 __asm__("r10") = d;
    register long r8 __asm__("r8") = e;
    register long r9 __asm__("r9") = f;

    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return result;
}

static inline long system_futex_wait(const uint32_t *word, uint32_t value)
{
    return system_call(SYS_futex, (long)word, FUTEX_WAIT_PRIVATE, value, 0, 0, 0);
}

static inline void system_futex_wake(const uint32_t *word, int count)
{
    system_call(SYS_futex, (long)word, FUTEX_WAKE_PRIVATE, count, 0, 0, 0);
}

static inline long system_futex_wait_shared(const uint32_t *word, uint32_t value, const struct timespec *limit)
{
    return system_call(SYS_futex, (long)word, FUTEX_WAIT, value, (long)limit, 0, 0);
}

uint32_t system_tid(void);
uint32_t system_pid(void);
int system_parent_lives(void);
uint64_t system_clock(int clock);                                  /* nanoseconds */
void *system_map(size_t length, int flags, int fd, size_t offset); /* NULL: no memory */
void system_print(const char *text);                               /* on standard error */
void system_exit(int status) __attribute__((noreturn));
