/* expect: race=no unordered=no deadlock=no stuck=no */
/* Stacks that lie in a frame: two contexts run the same functions, deeper and deeper, and go on in turns with the function whose
 * variables their stacks are. Each of them has another thread change its variables, and waits for it. */
#define _GNU_SOURCE
#include <alloca.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <ucontext.h>

enum { ROUNDS = 6, STACK = 1 << 16 };

static sem_t asked, answered;
static int *question, total;
static ucontext_t contexts[3];
static int now;

static void *answer(void *unused)
{
    for (;;) {
        sem_wait(&asked);
        if (!question)
            return unused;
        *question += 1;
        sem_post(&answered);
    }
}

static __attribute__((noinline)) void ask(int *number)
{
    question = number;
    sem_post(&asked);
    if (number)
        sem_wait(&answered);
}

static __attribute__((noinline)) void ask_about_own(int count)
{
    int numbers[8] = {0}, *more = alloca((size_t)count * sizeof *more);

    numbers[3] = more[0] = count;
    ask(&numbers[3]);
    ask(more);
    total += numbers[3] + more[0];
}

static __attribute__((noinline)) void go_on_in(int other)
{
    int here = now;

    now = other;
    swapcontext(&contexts[here], &contexts[other]);
}

static __attribute__((noinline)) void descend(int depth)
{
    int before = depth, after = 0;

    ask(&before);
    ask_about_own(depth + 1);
    if (depth > 0)
        descend(depth - 1);
    go_on_in(depth % 2 ? 0 : 3 - now);
    ask(&after);
    total += before + after;
}

static void run(void)
{
    for (;;)
        descend(3);
}

static __attribute__((noinline)) void rounds(void)
{
    _Alignas(16) char stacks[2][STACK];
    int kept = 0;

    for (int i = 1; i <= 2; i++) {
        getcontext(&contexts[i]);
        contexts[i].uc_stack.ss_sp = stacks[i - 1];
        contexts[i].uc_stack.ss_size = STACK;
        makecontext(&contexts[i], run, 0);
    }
    now = 0;
    for (int i = 0; i < ROUNDS; i++) {
        int round = i;
        ask(&kept);
        go_on_in(1 + i % 2);
        ask(&round);
        ask_about_own(i + 1);
        total += round + kept;
    }
}

int main(void)
{
    pthread_t thread;

    sem_init(&asked, 0, 0);
    sem_init(&answered, 0, 0);
    pthread_create(&thread, NULL, answer, NULL);
    rounds();
    ask_about_own(2);
    rounds();
    ask(NULL);
    pthread_join(thread, NULL);
    printf("%d\n", total);
    return 0;
}
