/* expect: race=no assertion=yes */
/* A deque for stealing work: its owner takes from the bottom, thieves from the top. For the last item the owner does not ask
 * the thieves: both may get it. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

enum { ITEMS = 4, THIEVES = 2 };

static atomic_int top, bottom, taken[ITEMS];

static void take(int item)
{
    assert(atomic_fetch_add(&taken[item], 1) == 0);
}

static void *thief(void *arg)
{
    for (int tries = 0; tries < 3; tries++) {
        int first = atomic_load(&top), end = atomic_load(&bottom);
        if (first < end && atomic_compare_exchange_strong(&top, &first, first + 1))
            take(first);
    }
    return arg;
}

/* Takes the youngest item, if there is one left. */
static int pop(void)
{
    int last = atomic_fetch_sub(&bottom, 1) - 1;

    if (atomic_load(&top) <= last)
        return last;
    atomic_store(&bottom, last + 1);
    return -1;
}

int main(void)
{
    pthread_t thieves[THIEVES];
    int item;

    atomic_store(&bottom, ITEMS);
    for (int i = 0; i < THIEVES; i++)
        pthread_create(&thieves[i], NULL, thief, NULL);
    while ((item = pop()) >= 0)
        take(item);
    for (int i = 0; i < THIEVES; i++)
        pthread_join(thieves[i], NULL);
    puts("worked");
    return 0;
}
