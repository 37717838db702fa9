/* Threads that wait at a futex, and one that wakes them: one, all, or one too early.
 * usage: futex one | all | early | timed */
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static int go, early, waits[2];
static const char *way;

static void *await(void *own)
{
    static const struct timespec second = {1, 0};

    while (!__atomic_load_n(&go, __ATOMIC_SEQ_CST))
        if (syscall(SYS_futex, &go, FUTEX_WAIT, 0, strcmp(way, "timed") == 0 ? &second : NULL, NULL, 0) == 0)
            ++*(int *)own;
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[2];
    long woken;

    way = argc > 1 ? argv[1] : "one";
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, await, &waits[i]);
    if (strcmp(way, "early") == 0)
        early = (int)syscall(SYS_futex, &go, FUTEX_WAKE, 1, NULL, NULL, 0);
    __atomic_store_n(&go, 1, __ATOMIC_SEQ_CST);
    woken = syscall(SYS_futex, &go, FUTEX_WAKE, strcmp(way, "all") == 0 ? INT_MAX : 1, NULL, NULL, 0);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    printf("%d %ld: %d %d\n", early, woken, waits[0], waits[1]);
    return 0;
}
