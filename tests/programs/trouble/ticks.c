/* A timer whose threads come more often when a file named often is there. */
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t told;
static int total;

static void add(int n)
{
    pthread_mutex_lock(&lock);
    total += n;
    pthread_mutex_unlock(&lock);
}

static void on_time(union sigval unused)
{
    (void)unused;
    add(1);
    sem_post(&told);
}

int main(void)
{
    struct sigevent event = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = on_time};
    struct itimerspec soon = {.it_value.tv_nsec = 1000000};
    struct timespec pause = {.tv_nsec = 50000000};
    timer_t timer;

    int often = access("often", F_OK) == 0;

    if (often)
        soon.it_interval.tv_nsec = 1000000;
    sem_init(&told, 0, 0);
    timer_create(CLOCK_MONOTONIC, &event, &timer);
    timer_settime(timer, 0, &soon, NULL);
    syscall(SYS_nanosleep, &pause, NULL);
    add(2);
    for (int i = 0; i <= often; i++)
        sem_wait(&told);
    return 0;
}
