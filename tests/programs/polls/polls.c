/* Threads that wait by looking again and again: workers that look at most so often before they look elsewhere, two
 * that hand over to each other, a lock of one bit, and one that counts its looks. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { LOOKS = 2000, ROUNDS = 20 };

static atomic_int pending[2], stop, whose, ready;
static atomic_flag bit = ATOMIC_FLAG_INIT;
static int data, looks;

static void *worker(void *number)
{
    atomic_int *mine = &pending[(long)number];

    while (!atomic_load(&stop)) {
        for (int i = 0; i < LOOKS && !atomic_load(mine); i++)
            ;
        if (!atomic_load(mine))
            continue;
        data++; /* the other one may do so, too, once this one was told that it is done */
        atomic_store(mine, 0);
    }
    return NULL;
}

static void hand_out(void)
{
    for (int round = 0; round < ROUNDS; round++) {
        usleep(2000);
        for (int i = 0; i < 2; i++)
            atomic_store(&pending[i], 1);
        for (int i = 0; i < 2; i++)
            while (atomic_load(&pending[i]))
                ;
    }
    atomic_store(&stop, 1);
}

static void *hand_over(void *number)
{
    int me = (int)(long)number;

    for (int i = 0; i < ROUNDS; i++) {
        while (atomic_load(&whose) != me)
            ;
        data += i;
        atomic_store(&whose, !me);
    }
    return NULL;
}

static void *lock_bit(void *unused)
{
    for (int i = 0; i < ROUNDS; i++) {
        while (atomic_flag_test_and_set(&bit))
            ;
        data += i;
        atomic_flag_clear(&bit);
    }
    return unused;
}

/* How often it looked decides what it does. */
static void *count_looks(void *number)
{
    int count = 0;

    if (number) {
        usleep(100);
        data = 1;
        atomic_store(&ready, 1);
        return NULL;
    }
    while (!atomic_load(&ready))
        count++;
    if (count > 3)
        looks = data;
    return NULL;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void *(*work)(void *);
    } ways[] = {{"workers", worker}, {"over", hand_over}, {"bit", lock_bit}, {"count", count_looks}};
    pthread_t threads[2];

    for (unsigned way = 0; argc > 1 && way < sizeof ways / sizeof *ways; way++) {
        if (strcmp(argv[1], ways[way].name) != 0)
            continue;
        for (long i = 0; i < 2; i++)
            pthread_create(&threads[i], NULL, ways[way].work, (void *)i);
        if (ways[way].work == worker)
            hand_out();
        for (int i = 0; i < 2; i++)
            pthread_join(threads[i], NULL);
    }
    printf("%d\n", data);
    return 0;
}
