/* expect: race=no unordered=no deadlock=no stuck=no stale=no */
/* Threads use variables of a function that leaves only when they are done with them: it waits on a condition, a semaphore and a
 * barrier that are variables of its own, too, for a flag, or for the end of the thread. */
#include <alloca.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>

struct job {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int input, result, done;
};

static void *answer(void *job)
{
    struct job *j = job;

    pthread_mutex_lock(&j->lock);
    j->result = j->input + 1;
    j->done = 1;
    pthread_cond_signal(&j->changed);
    pthread_mutex_unlock(&j->lock);
    return NULL;
}

static __attribute__((noinline)) int ask(int input)
{
    struct job j = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, input, 0, 0};
    pthread_t thread;

    pthread_create(&thread, NULL, answer, &j);
    pthread_detach(thread);
    pthread_mutex_lock(&j.lock);
    while (!j.done)
        pthread_cond_wait(&j.changed, &j.lock);
    pthread_mutex_unlock(&j.lock);
    return j.result;
}

struct posted {
    sem_t ready;
    int value;
};

static void *post(void *posted)
{
    struct posted *p = posted;

    p->value = 7;
    sem_post(&p->ready);
    return NULL;
}

static __attribute__((noinline)) int take(void)
{
    struct posted p = {.value = 0};
    pthread_t thread;

    sem_init(&p.ready, 0, 0);
    pthread_create(&thread, NULL, post, &p);
    pthread_detach(thread);
    sem_wait(&p.ready);
    return p.value;
}

struct flagged {
    int value;
    atomic_int set;
};

static void *set(void *flagged)
{
    struct flagged *f = flagged;

    f->value = 3;
    atomic_store(&f->set, 1);
    return NULL;
}

static __attribute__((noinline)) int look(void)
{
    struct flagged f = {0, 0};
    pthread_t thread;

    pthread_create(&thread, NULL, set, &f);
    pthread_detach(thread);
    while (!atomic_load(&f.set))
        ;
    return f.value;
}

static void *twice(void *number)
{
    *(int *)number *= 2;
    return NULL;
}

/* Of variable size, and from alloca. */
static __attribute__((noinline)) int share(int count)
{
    int sum = 0;

    for (int i = 1; i < 3; i++) {
        int numbers[count], *more = alloca((size_t)count * sizeof *more);
        pthread_t thread, other;

        numbers[1] = i;
        more[1] = i;
        pthread_create(&thread, NULL, twice, &numbers[1]);
        pthread_create(&other, NULL, twice, &more[1]);
        pthread_join(thread, NULL);
        pthread_join(other, NULL);
        sum += numbers[1] + more[1];
    }
    return sum;
}

int main(void)
{
    int sum = ask(1) + take() + look() + share(8);

    for (int i = 1; i < 3; i++) {
        int number = i;
        pthread_t thread;
        pthread_create(&thread, NULL, twice, &number);
        pthread_join(thread, NULL);
        sum += number;
    }
    printf("%d\n", sum);
    return 0;
}
