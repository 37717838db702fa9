/* Functions that are called in several ways: from two places, again and again, by a library, by a signal, after
 * a jump, on stacks of their own. With an argument the process kills itself in the middle. */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>

static int counter, jumped, compared, handled, alone, elsewhere, last;
static jmp_buf place;
static ucontext_t home, away;

static void touch(void)
{
    counter++;
}

static void once(void)
{
    touch();
}

static void again(int times)
{
    if (times > 0)
        again(times - 1);
    else
        touch();
}

static void jump(int depth)
{
    if (depth > 0)
        jump(depth - 1);
    longjmp(place, 1);
}

static void after_jump(void)
{
    jumped++;
}

static int compare(const void *a, const void *b)
{
    compared++;
    return *(const int *)a - *(const int *)b;
}

static void sort(void)
{
    int numbers[] = {2, 1};

    qsort(numbers, 2, sizeof *numbers, compare);
}

static void handler(int number)
{
    if (number == SIGUSR1)
        handled++;
    else
        alone++;
}

static void in_away(void)
{
    elsewhere++;
}

static void go_away(void)
{
    swapcontext(&home, &away);
}

static void after_library_call(void)
{
    last += atoi("1");
}

static void odd_ways(void)
{
    static char signal_stack[1 << 16], other_stack[1 << 16];
    stack_t stack = {.ss_sp = signal_stack, .ss_size = sizeof signal_stack};

    if (setjmp(place) == 0)
        jump(3);
    after_jump();
    sort();
    raise(SIGUSR1);
    sigaltstack(&stack, NULL);
    raise(SIGUSR2);
    getcontext(&away);
    away.uc_stack.ss_sp = other_stack;
    away.uc_stack.ss_size = sizeof other_stack;
    away.uc_link = &home;
    makecontext(&away, in_away, 0);
    go_away();
    after_library_call();
}

static void *left(void *unused)
{
    once();
    odd_ways();
    return unused;
}

static void *right(void *unused)
{
    again(3);
    return unused;
}

int main(int count, char **arguments)
{
    struct sigaction normal = {.sa_handler = handler}, other = {.sa_handler = handler, .sa_flags = SA_ONSTACK};
    pthread_t a, b;

    (void)arguments;
    sigaction(SIGUSR1, &normal, NULL);
    sigaction(SIGUSR2, &other, NULL);
    pthread_create(&a, NULL, left, NULL);
    pthread_create(&b, NULL, right, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    if (count > 1)
        raise(SIGKILL);
    return counter + jumped + compared + handled + alone + elsewhere + last == 8 ? 0 : 1;
}
