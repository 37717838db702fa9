/* Preloaded into a program that is recorded: each of its runs adds its processor seconds to the file that PASS_TIMES names. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* By system calls: the clock of the C library is the recorder's. */
__attribute__((destructor)) static void add_time(void)
{
    const char *path = getenv("PASS_TIMES");
    struct timespec used;
    char line[32];
    long fd;

    if (!path || strcmp(program_invocation_short_name, "heddle") == 0)
        return;
    syscall(SYS_clock_gettime, CLOCK_PROCESS_CPUTIME_ID, &used);
    snprintf(line, sizeof line, "%lld.%06ld\n", (long long)used.tv_sec, used.tv_nsec / 1000);
    fd = syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    if (fd >= 0 && syscall(SYS_write, fd, line, strlen(line)) > 0)
        syscall(SYS_close, fd);
}
