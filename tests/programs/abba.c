/* expect: race=no deadlock=yes */
/* The same two locks in two orders, with waiting: the plain deadlock, reached through a lock that was tried
 * first. */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;
static int balance;

static void *there(void *unused)
{
    while (pthread_mutex_trylock(&first) != 0)
        ;
    pthread_mutex_lock(&second);
    balance++;
    pthread_mutex_unlock(&second);
    pthread_mutex_unlock(&first);
    return unused;
}

static void *back(void *unused)
{
    pthread_mutex_lock(&second);
    pthread_mutex_lock(&first);
    balance--;
    pthread_mutex_unlock(&first);
    pthread_mutex_unlock(&second);
    return unused;
}

int main(void)
{
    pthread_t threads[2];

    pthread_create(&threads[0], NULL, there, NULL);
    pthread_create(&threads[1], NULL, back, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    printf("%d\n", balance);
    return 0;
}
