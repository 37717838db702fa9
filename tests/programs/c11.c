/* expect: race=no nondet=yes deadlock=no */
/* C11 threads: thrd, mtx, cnd, call_once, tss. */
#include <stdio.h>
#include <stdlib.h>
#include <threads.h>

static mtx_t lock;
static cnd_t changed;
static once_flag once = ONCE_FLAG_INIT;
static tss_t key;
static int turns, made;

static void make(void)
{
    made = 1;
}

static int work(void *number)
{
    call_once(&once, make);
    tss_set(key, malloc(4));
    mtx_lock(&lock);
    turns += made;
    cnd_signal(&changed);
    mtx_unlock(&lock);
    return *(int *)number;
}

int main(void)
{
    thrd_t threads[2];
    int numbers[2] = {3, 4}, results[2] = {0, 0};

    mtx_init(&lock, mtx_plain);
    cnd_init(&changed);
    tss_create(&key, free);
    for (int i = 0; i < 2; i++)
        thrd_create(&threads[i], work, &numbers[i]);
    mtx_lock(&lock);
    while (turns < 2)
        cnd_wait(&changed, &lock);
    mtx_unlock(&lock);
    for (int i = 0; i < 2; i++)
        thrd_join(threads[i], &results[i]);
    printf("%d %d %d\n", results[0], results[1], turns);
    tss_delete(key);
    mtx_destroy(&lock);
    cnd_destroy(&changed);
    return results[0] + results[1] != 7;
}
