/* What was looked at may be gone when the change is made. The change looks again: a lock that is tested before it is set, a bit, a
 * counter that must not pass its limit. */
#include <pthread.h>
#include <stdatomic.h>

static atomic_int taken, bits, users;
static int count, claims;

static void lock(void)
{
    do
        while (atomic_load(&taken))
            ;
    while (atomic_exchange(&taken, 1));
}

static void *work(void *unused)
{
    lock();
    count++;
    atomic_store(&taken, 0);
    if (!(atomic_load(&bits) & 4) && !(atomic_fetch_or(&bits, 4) & 4))
        claims = 1;
    if (atomic_load(&users) < 1 && atomic_fetch_add(&users, 1) >= 1)
        atomic_fetch_sub(&users, 1);
    return unused;
}

int main(void)
{
    pthread_t threads[2];

    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return count != 2 || claims != 1;
}
