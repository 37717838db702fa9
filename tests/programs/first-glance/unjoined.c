/* Two threads count while main goes on. BROKEN: nobody waits for them, and nothing protects the count. */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int count;

static void *add(void *unused)
{
#ifdef BROKEN
    count++; /* planted */
#else
    pthread_mutex_lock(&mutex);
    count++;
    pthread_mutex_unlock(&mutex);
#endif
    return unused;
}

int main(void)
{
    pthread_t threads[2];

    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, add, NULL);
#ifndef BROKEN
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
#endif
    pthread_mutex_lock(&mutex);
    puts("started");
    pthread_mutex_unlock(&mutex);
    return 0;
}
