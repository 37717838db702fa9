/* A counter under a lock: many orders, one result. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int counter, rounds = 1;

static void *count(void *unused)
{
    for (int i = 0; i < rounds; i++) {
        pthread_mutex_lock(&lock);
        counter++;
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

int main(int count_of, char **words)
{
    int threads = count_of > 1 ? atoi(words[1]) : 2;
    pthread_t thread[200];

    rounds = count_of > 2 ? atoi(words[2]) : 1;
    for (int i = 0; i < threads; i++)
        pthread_create(&thread[i], NULL, count, NULL);
    for (int i = 0; i < threads; i++)
        pthread_join(thread[i], NULL);
    printf("%d\n", counter);
    return 0;
}
