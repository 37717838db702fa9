/* expect: race=no deadlock=no */
/* Readers share, the writer is alone; try forms included. */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int pair[2];

static void *reader(void *unused)
{
    for (int i = 0; i < 3; i++) {
        if (i == 1 && pthread_rwlock_tryrdlock(&lock) == EBUSY)
            continue;
        if (i != 1)
            pthread_rwlock_rdlock(&lock);
        if (pair[0] != pair[1])
            puts("torn");
        pthread_rwlock_unlock(&lock);
    }
    return unused;
}

static void *writer(void *unused)
{
    for (int i = 0; i < 3; i++) {
        pthread_rwlock_wrlock(&lock);
        pair[0]++;
        pair[1]++;
        pthread_rwlock_unlock(&lock);
    }
    return unused;
}

int main(void)
{
    pthread_t threads[3];

    pthread_create(&threads[0], NULL, reader, NULL);
    pthread_create(&threads[1], NULL, writer, NULL);
    pthread_create(&threads[2], NULL, reader, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    puts("read");
    return 0;
}
