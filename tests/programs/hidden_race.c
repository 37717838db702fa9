/* expect: race=yes deadlock=no */
/* A race that the order of two lock sections hides: when the writer's comes first, it seems to hand the message
 * over. Nothing makes it come first but the reader's sleep. */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int message, writes, reads;

static void *writer(void *unused)
{
    message = 42;
    pthread_mutex_lock(&lock);
    writes++;
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *reader(void *unused)
{
    usleep(100000);
    pthread_mutex_lock(&lock);
    reads++;
    pthread_mutex_unlock(&lock);
    printf("%d\n", message);
    return unused;
}

int main(void)
{
    pthread_t first, second;

    pthread_create(&first, NULL, writer, NULL);
    pthread_create(&second, NULL, reader, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
