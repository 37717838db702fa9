/* expect: race=no unordered=no deadlock=no stale=no */
/* Items are replaced under a lock, again and again in the same places of the heap. Most of them nobody else ever looks at; those
 * that others do look at come later, at addresses that private ones had before. */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROUNDS = 60 };

struct item {
    long value, other;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct item *current;

static void *replace(void *unused)
{
    for (int i = 1; i < ROUNDS; i++) {
        struct item *item = malloc(sizeof *item), *old;
        item->value = i;
        pthread_mutex_lock(&lock);
        old = current;
        current = item;
        pthread_mutex_unlock(&lock);
        free(old);
        if (i % 3 == 0)
            sched_yield();
    }
    return unused;
}

int main(void)
{
    pthread_t thread;
    long sum = 0;

    pthread_create(&thread, NULL, replace, NULL);
    for (int i = 0; i < ROUNDS; i++) {
        pthread_mutex_lock(&lock);
        if (current && i % 3 == 0)
            sum += current->value;
        pthread_mutex_unlock(&lock);
        if (i % 2 == 0)
            sched_yield();
    }
    pthread_join(thread, NULL);
    printf("%d\n", sum >= 0);
    free(current);
    return 0;
}
