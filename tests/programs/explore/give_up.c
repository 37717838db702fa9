/* A thread looks for a flag some rounds long, then gives up: it ends (e), ends the process (x), crashes (c), takes a lock (l), prints (p),
 * or writes (w), after which it looks once more. It sees the flag the first time, the second time, …, or never. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

static atomic_int flag, given_up;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *set(void *unused)
{
    flag = 1;
    return unused;
}

static void give_up(char how)
{
    switch (how) {
    case 'e':
        pthread_exit(NULL);
    case 'x':
        _Exit(0);
    case 'c':
        abort();
    case 'l':
        pthread_mutex_lock(&lock);
        break;
    case 'p':
        puts("given up");
        break;
    default:
        given_up = 1;
    }
}

int main(int argc, char **argv)
{
    int rounds = argc > 2 ? atoi(argv[2]) : 4, i = 0;
    char how = *(argc > 1 ? argv[1] : "e");
    pthread_t thread;

    pthread_create(&thread, NULL, set, NULL);
    while (!flag && i < rounds)
        if (++i == rounds)
            give_up(how);
    pthread_join(thread, NULL);
    return 0;
}
