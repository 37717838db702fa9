/* expect: race=no deadlock=no */
/* Try and timed forms, a recursive and an error-checking mutex, a spin lock. */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>

static pthread_mutex_t plain = PTHREAD_MUTEX_INITIALIZER, recursive, checking;
static pthread_spinlock_t spin;
static int counter, tries, spun;

static void *work(void *unused)
{
    struct timespec limit;

    for (int i = 0; i < 3; i++) {
        if (pthread_mutex_trylock(&plain) == 0) {
            tries++;
            pthread_mutex_unlock(&plain);
        }
        clock_gettime(CLOCK_REALTIME, &limit);
        limit.tv_sec += 1;
        if (pthread_mutex_timedlock(&checking, &limit) == 0) {
            if (pthread_mutex_lock(&checking) != EDEADLK)
                puts("not checked");
            pthread_mutex_unlock(&checking);
        }
        pthread_mutex_lock(&recursive);
        pthread_mutex_lock(&recursive);
        counter++;
        pthread_mutex_unlock(&recursive);
        counter++;
        pthread_mutex_unlock(&recursive);
        pthread_spin_lock(&spin);
        spun++;
        pthread_spin_unlock(&spin);
    }
    return unused;
}

int main(void)
{
    pthread_mutexattr_t kind;
    pthread_t threads[2];

    pthread_mutexattr_init(&kind);
    pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&recursive, &kind);
    pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&checking, &kind);
    pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
    if (pthread_mutex_unlock(&checking) != EPERM)
        puts("unlocked by a stranger");
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    printf("%d\n", counter);
    return counter != 12;
}
