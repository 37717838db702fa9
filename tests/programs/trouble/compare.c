/* Compare-and-exchange of each size, successful and not, beside changes that cannot fail; two threads, one after the
 * other, so that all of it is shared. */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

struct wide {
    uint64_t low, high, more;
};

static _Atomic uint8_t small;
static _Atomic uint16_t middle;
static _Atomic uint32_t word;
static _Atomic uint64_t large;
static _Atomic struct wide widest; /* the compiler leaves it to a library */

static void *run(void *unused)
{
    uint8_t a = 0;
    uint16_t b = 0;
    uint32_t c = 0;
    uint64_t d = 0;
    struct wide e = {0, 0, 0}, one = {1, 1, 1};

    atomic_compare_exchange_strong(&small, &a, 1); /* succeeds in the first thread, fails in the second */
    atomic_compare_exchange_strong(&middle, &b, 1);
    while (!atomic_compare_exchange_weak(&word, &c, c + 1)) /* fails once and then succeeds in the second */
        ;
    atomic_compare_exchange_strong(&large, &d, 1);
    atomic_compare_exchange_strong(&widest, &e, one);
    atomic_fetch_add(&large, 2);
    atomic_exchange(&word, 7);
    return unused;
}

int main(void)
{
    pthread_t thread;

    for (int i = 0; i < 2; i++) {
        pthread_create(&thread, NULL, run, NULL);
        pthread_join(thread, NULL);
    }
    return 0;
}
