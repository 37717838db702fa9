/* expect: race=no unordered=no deadlock=no stuck=no */
/* Threads use variables of functions that are left, or that other stacks lie in, in unusual ways: by a jump, by an exception, by
 * the end of the thread, for a handler on a stack of its own, for another context. All of them wait for each other. */
#include <alloca.h>
#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <new>
#include <pthread.h>
#include <semaphore.h>
#include <ucontext.h>

struct Parcel {
    int value;
    sem_t done;

    explicit Parcel(int value) : value(value)
    {
        sem_init(&done, 0, 0);
    }
    ~Parcel()
    {
        sem_destroy(&done);
    }
};

static void *increment(void *to)
{
    auto *parcel = static_cast<Parcel *>(to);

    parcel->value++;
    sem_post(&parcel->done);
    return nullptr;
}

static void hand_over(Parcel *parcel)
{
    pthread_t thread;

    pthread_create(&thread, nullptr, increment, parcel);
    pthread_detach(thread);
}

static void wait_for(Parcel *parcel)
{
    sem_wait(&parcel->done);
}

static jmp_buf back;

static __attribute__((noinline)) void jump(int count)
{
    int sized[count];
    Parcel *parcel = new (alloca(sizeof *parcel)) Parcel(count);

    sized[0] = count;
    hand_over(parcel);
    wait_for(parcel);
    longjmp(back, parcel->value + sized[0]);
}

static __attribute__((noinline)) void throw_it(int value)
{
    Parcel parcel(value);

    hand_over(&parcel);
    wait_for(&parcel);
    throw parcel.value;
}

static void *leave(void *)
{
    Parcel parcel(3);

    hand_over(&parcel);
    wait_for(&parcel);
    pthread_exit(reinterpret_cast<void *>(static_cast<long>(parcel.value)));
}

static ucontext_t here, there;
static int sum;

static __attribute__((noinline)) void deeper(int value)
{
    Parcel parcel(value);

    hand_over(&parcel);
    wait_for(&parcel);
    sum += parcel.value;
}

static void beside()
{
    deeper(7);
    swapcontext(&there, &here);
    deeper(9);
}

static __attribute__((noinline)) void switch_over(int value)
{
    Parcel parcel(value); /* below the other context's stack, but alive while that runs */

    hand_over(&parcel);
    swapcontext(&here, &there);
    wait_for(&parcel);
    sum += parcel.value;
}

static void on_signal(int)
{
    deeper(11);
}

static __attribute__((noinline)) void interrupted(int value)
{
    Parcel parcel(value);

    hand_over(&parcel);
    raise(SIGUSR1);
    wait_for(&parcel);
    sum += parcel.value;
}

int main()
{
    alignas(16) char context_stack[1 << 16], signal_stack[1 << 16];
    struct sigaction action = {};
    stack_t other = {};
    pthread_t thread;
    void *result;
    int jumped = setjmp(back);

    if (jumped == 0)
        jump(4);
    sum += jumped;
    try {
        throw_it(5);
    } catch (int value) {
        sum += value;
    }
    pthread_create(&thread, nullptr, leave, nullptr);
    pthread_join(thread, &result);
    getcontext(&there);
    there.uc_stack.ss_sp = context_stack;
    there.uc_stack.ss_size = sizeof context_stack;
    there.uc_link = &here;
    makecontext(&there, beside, 0);
    switch_over(6);
    switch_over(8);
    other.ss_sp = signal_stack;
    other.ss_size = sizeof signal_stack;
    sigaltstack(&other, nullptr);
    action.sa_handler = on_signal;
    action.sa_flags = SA_ONSTACK;
    sigaction(SIGUSR1, &action, nullptr);
    interrupted(10);
    std::printf("%d\n", sum);
    return 0;
}
