/* Two threads that meet in the middle of an access, or where no hook sees it. The argument says how. */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

struct large {
    int parts[12];
};

static struct large copied, source;
static unsigned char bytes[64];
static __int128 pair;
static long double number;
static struct {
    unsigned low : 4, high : 4;
} fields;
static volatile struct {
    unsigned first : 20, second : 12;
} kept;
static int counter, first, second, ready;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static sem_t semaphore;

static void copy(void)
{
    copied = source;
}

static void look_at_copy(void)
{
    first = copied.parts[0];
    second = copied.parts[11];
}

static void copy_locked(void)
{
    pthread_mutex_lock(&lock);
    copied = source;
    pthread_mutex_unlock(&lock);
}

static void look_locked(void)
{
    pthread_mutex_lock(&lock);
    look_at_copy();
    pthread_mutex_unlock(&lock);
}

static void publish(void)
{
    copied = source;
    __atomic_store_n(&ready, 1, __ATOMIC_RELEASE);
}

static void look_published(void)
{
    if (__atomic_load_n(&ready, __ATOMIC_ACQUIRE))
        look_at_copy();
}

static void set_bytes(void)
{
    memset(bytes, 'A', sizeof bytes);
}

static void look_at_bytes(void)
{
    first = bytes[0];
    second = bytes[63];
}

static void set_pair(void)
{
    pair = ((__int128)1 << 64) | 1;
}

static void look_at_pair(void)
{
    __int128 seen = pair;

    first = (int)seen;
    second = (int)(seen >> 64);
}

static void set_number(void)
{
    number = 1.5L;
}

static void look_at_number(void)
{
    first = number == 1.5L;
}

static void set_low(void)
{
    fields.low = 1;
}

static void set_high(void)
{
    fields.high = 1;
}

static void look_at_fields(void)
{
    first = fields.low;
    second = fields.high;
}

static void set_first(void)
{
    kept.first = 1;
}

static void set_second(void)
{
    kept.second = 1;
}

static void look_at_kept(void)
{
    first = (int)kept.first;
    second = (int)kept.second;
}

static void assemble(void)
{
    __asm__ volatile("lock incl %0" : "+m"(counter));
}

static void look_at_counter(void)
{
    first = counter;
}

static void hold(void)
{
    pthread_mutex_lock(&lock);
    counter = 1;
    counter = 2;
    pthread_mutex_unlock(&lock);
    sem_post(&semaphore);
}

static void soon(struct timespec *at)
{
    clock_gettime(CLOCK_REALTIME, at);
    at->tv_sec++;
}

static void lock_for_a_time(void)
{
    struct timespec end;

    soon(&end);
    first = pthread_mutex_timedlock(&lock, &end) != 0;
    if (!first) {
        second = counter;
        pthread_mutex_unlock(&lock);
    }
}

static void take_for_a_time(void)
{
    struct timespec end;

    soon(&end);
    first = sem_timedwait(&semaphore, &end) != 0;
}

static void tell(void)
{
    pthread_mutex_lock(&lock);
    counter = 1;
    pthread_cond_signal(&condition);
    pthread_mutex_unlock(&lock);
}

static void wait_for_a_time(void)
{
    struct timespec end;

    soon(&end);
    pthread_mutex_lock(&lock);
    if (!counter)
        first = pthread_cond_timedwait(&condition, &lock, &end) != 0;
    second = counter;
    pthread_mutex_unlock(&lock);
}

static void nothing(void)
{
}

static const struct scene {
    const char *name;
    void (*thread)(void), (*main)(void), (*after)(void);
} scenes[] = {
    {"structure", copy, look_at_copy, nothing},
    {"structure-locked", copy_locked, look_locked, nothing},
    {"structure-published", publish, look_published, nothing},
    {"structure-joined", copy, nothing, look_at_copy},
    {"bytes", set_bytes, look_at_bytes, nothing},
    {"pair", set_pair, look_at_pair, nothing},
    {"number", set_number, look_at_number, nothing},
    {"bit-fields", set_low, set_high, look_at_fields},
    {"volatile-bit-fields", set_first, set_second, look_at_kept},
    {"assembly", assemble, look_at_counter, nothing},
    {"timed-lock", hold, lock_for_a_time, nothing},
    {"timed-semaphore", hold, take_for_a_time, nothing},
    {"timed-wait", tell, wait_for_a_time, nothing},
};

static void *run(void *scene)
{
    ((const struct scene *)scene)->thread();
    return NULL;
}

int main(int argc, char **argv)
{
    for (int i = 0; i < 12; i++)
        source.parts[i] = 5;
    sem_init(&semaphore, 0, 0);
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++)
        if (argc > 1 && strcmp(argv[1], scenes[i].name) == 0) {
            pthread_t other;
            pthread_create(&other, NULL, run, (void *)&scenes[i]);
            scenes[i].main();
            pthread_join(other, NULL);
            scenes[i].after();
            printf("%d %d\n", first, second);
            return 0;
        }
    return 1;
}
