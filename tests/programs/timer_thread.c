/* expect: race=no deadlock=no */
/* A timer that the C library tells of in threads of its own; an alarm, whose handler runs in another thread. */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/time.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t told;
static int step = 1, total;

static void on_time(union sigval value)
{
    pthread_mutex_lock(&lock);
    total += step + *(int *)value.sival_ptr;
    pthread_mutex_unlock(&lock);
    sem_post(&told);
}

static int alarmed;

static void on_alarm(int number)
{
    static char byte;

    byte = (char)(alarmed + number);
    (void)byte;
    sem_post(&told);
}

static void *idle(void *unused)
{
    sigset_t alarm_only;

    sigemptyset(&alarm_only);
    sigaddset(&alarm_only, SIGALRM);
    pthread_sigmask(SIG_UNBLOCK, &alarm_only, NULL);
    while (sem_wait(&told) != 0)
        ;
    return unused;
}

static void set_alarm(void)
{
    struct itimerval soon = {.it_value.tv_usec = 1000};
    sigset_t alarm_only;
    pthread_t thread;

    sigemptyset(&alarm_only);
    sigaddset(&alarm_only, SIGALRM);
    pthread_sigmask(SIG_BLOCK, &alarm_only, NULL);
    signal(SIGALRM, on_alarm);
    pthread_create(&thread, NULL, idle, NULL);
    alarmed = 1;
    setitimer(ITIMER_REAL, &soon, NULL);
    pthread_join(thread, NULL);
}

int main(void)
{
    static int more;
    struct sigevent event = {
        .sigev_notify = SIGEV_THREAD, .sigev_notify_function = on_time, .sigev_value.sival_ptr = &more};
    struct itimerspec soon = {.it_value.tv_nsec = 1000000, .it_interval.tv_nsec = 3000000};
    timer_t timer;

    sem_init(&told, 0, 0);
    step = 2;
    assert(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
    more = 3;
    assert(timer_settime(timer, 0, &soon, NULL) == 0);
    for (int i = 0; i < 3; i++)
        sem_wait(&told);
    timer_delete(timer);
    while (sem_trywait(&told) == 0)
        ;
    set_alarm();
    pthread_mutex_lock(&lock);
    assert(total >= 15);
    pthread_mutex_unlock(&lock);
    return 0;
}
