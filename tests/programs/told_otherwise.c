/* expect: race=no unordered=no deadlock=no */
/* A thread learns by other ways that data is there: of a file that is watched, on a terminal that the program has made, from a futex
 * that is woken by an operation on another one. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/inotify.h>
#include <sys/syscall.h>
#include <unistd.h>

static char path[64];
static int terminal, first, second, third;
static atomic_int told, other;

static void *give(void *unused)
{
    int file = open(path, O_WRONLY);

    first = 5;
    if (write(file, "x", 1) != 1)
        abort();
    close(file);
    second = 6;
    if (write(terminal, "x\n", 2) != 2)
        abort();
    third = 7;
    atomic_store(&told, 1);
    syscall(SYS_futex, &other, FUTEX_WAKE_OP, 1, 1L, &told, FUTEX_OP(FUTEX_OP_SET, 1, FUTEX_OP_CMP_EQ, 1));
    return unused;
}

int main(void)
{
    pthread_t thread;
    char bytes[4096];
    int total, watch = inotify_init(), end;

    snprintf(path, sizeof path, "told_otherwise.%ld", (long)getpid());
    close(open(path, O_CREAT | O_RDWR, 0600));
    inotify_add_watch(watch, path, IN_MODIFY);
    terminal = posix_openpt(O_RDWR | O_NOCTTY);
    if (terminal < 0 || grantpt(terminal) != 0 || unlockpt(terminal) != 0)
        return 1;
    end = open(ptsname(terminal), O_RDWR | O_NOCTTY);
    pthread_create(&thread, NULL, give, NULL);
    if (read(watch, bytes, sizeof bytes) <= 0)
        return 1;
    total = first;
    if (read(end, bytes, sizeof bytes) <= 0)
        return 1;
    total += second;
    while (!atomic_load(&told))
        syscall(SYS_futex, &told, FUTEX_WAIT, 0, NULL, NULL, 0);
    total += third;
    pthread_join(thread, NULL);
    unlink(path);
    printf("%d\n", total);
    return total != 18;
}
