/* expect: race=no assertion=yes */
/* A list of free items, taken by compare-and-exchange. An item that was taken and put back looks as if nothing had happened, but the one
 * after it is another: two threads get the same. With an argument the head also has a number that counts changes. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

enum { ITEMS = 3, ITEM = 0xff, CHANGE = 0x100 };

static unsigned counts; /* CHANGE, or 0 */
static atomic_uint head, next[ITEMS + 1];
static atomic_int owners[ITEMS + 1];

/* 0: there is none. */
static unsigned take(void)
{
    unsigned first = atomic_load(&head), then;

    do {
        if (!(first & ITEM))
            return 0;
        then = atomic_load(&next[first & ITEM]) | ((first & ~ITEM) + counts);
    } while (!atomic_compare_exchange_strong(&head, &first, then));
    return first & ITEM;
}

static void put(unsigned item)
{
    unsigned first = atomic_load(&head);

    do
        atomic_store(&next[item], first & ITEM);
    while (!atomic_compare_exchange_strong(&head, &first, item | ((first & ~ITEM) + counts)));
}

static void take_for_good(void)
{
    unsigned item = take();

    if (item)
        assert(atomic_fetch_add(&owners[item], 1) == 0);
}

static void *one(void *arg)
{
    take_for_good();
    return arg;
}

static void *other(void *arg)
{
    unsigned item = take();

    take_for_good();
    if (item)
        put(item);
    take_for_good();
    take_for_good();
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t threads[2];

    (void)argv;
    counts = argc > 1 ? CHANGE : 0;
    for (unsigned i = 1; i <= ITEMS; i++)
        put(i);
    pthread_create(&threads[0], NULL, one, NULL);
    pthread_create(&threads[1], NULL, other, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
