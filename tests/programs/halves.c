/* expect: race=no deadlock=no */
/* A flag that is stored as a whole, and one half of which is a variable of its own before and after. Whoever saw the flag set
 * comes after all of the store. Of the sum, too, both halves change at once. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static union {
    _Atomic int flag;
    struct {
        short low, high;
    } half;
} set, sum;
static int data;

static void *tell(void *unused)
{
    data = 1;
    atomic_store(&set.flag, 1);
    atomic_fetch_add(&sum.flag, 3);
    return unused;
}

int main(void)
{
    pthread_t thread;

    set.half.high = sum.half.high = 0;
    pthread_create(&thread, NULL, tell, NULL);
    while (!atomic_load(&set.flag))
        ;
    assert(set.half.high == 0 && data == 1);
    set.half.high = 5;
    data = 2;
    while (atomic_load(&sum.flag) != 3)
        ;
    sum.half.high = 6;
    data = 3;
    pthread_join(thread, NULL);
    return 0;
}
