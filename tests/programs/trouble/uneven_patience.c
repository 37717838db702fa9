/* A thread looks for a flag some rounds long, then gives up: after fourteen rounds, but after four when the program runs for the
 * second time. It counts its runs by system calls that no recorder sees. */
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>

static atomic_int flag, given_up, count;

static long call(long number, long a, long b, long c)
{
    long result;

    __asm__ volatile("syscall" : "=a"(result) : "0"(number), "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory");
    return result;
}

__attribute__((no_sanitize("thread"))) static long earlier_runs(void)
{
    char bytes[64];
    long file = call(SYS_open, (long)"runs", O_RDWR | O_CREAT | O_APPEND, 0644);
    long runs = call(SYS_read, file, (long)bytes, sizeof bytes);

    call(SYS_write, file, (long)"+", 1);
    call(SYS_close, file, 0, 0);
    return runs;
}

static void *set(void *unused)
{
    flag = 1;
    return unused;
}

static void *add(void *unused)
{
    count++;
    return unused;
}

int main(void)
{
    int rounds = earlier_runs() == 1 ? 4 : 14;
    pthread_t threads[3];

    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, i < 2 ? add : set, NULL);
    for (int i = 0; !flag && i < rounds; i++)
        if (i == rounds - 1)
            given_up = 1;
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
