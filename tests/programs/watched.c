/* expect: race=no deadlock=no */
/* What is handed over with a descriptor that another thread watches: a connection by epoll, a task by a timer.
 */
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

struct connection {
    int fd;
    int number;
};

static int watch, timer, task;

static void *serve(void *unused)
{
    struct epoll_event event;
    char byte;

    for (int i = 0; i < 2; i++) {
        assert(epoll_wait(watch, &event, 1, -1) == 1);
        struct connection *connection = event.data.ptr;
        assert(connection->number == 7 && read(connection->fd, &byte, 1) == 1);
        epoll_ctl(watch, EPOLL_CTL_DEL, connection->fd, NULL);
        free(connection);
    }
    return unused;
}

static void *run_task(void *unused)
{
    uint64_t times;

    assert(read(timer, &times, sizeof times) == sizeof times && times >= 1 && task == 5);
    return unused;
}

int main(void)
{
    struct itimerspec soon = {.it_value.tv_nsec = 1000000};
    pthread_t threads[2];
    int ends[2][2];

    watch = epoll_create1(0);
    timer = timerfd_create(CLOCK_MONOTONIC, 0);
    pthread_create(&threads[0], NULL, serve, NULL);
    pthread_create(&threads[1], NULL, run_task, NULL);
    for (int i = 0; i < 2; i++) {
        struct connection *connection = malloc(sizeof *connection);
        struct epoll_event event = {.events = EPOLLIN, .data.ptr = connection};
        assert(pipe(ends[i]) == 0 && write(ends[i][1], "x", 1) == 1);
        *connection = (struct connection){ends[i][0], 7};
        epoll_ctl(watch, EPOLL_CTL_ADD, ends[i][0], &event);
    }
    task = 5;
    timerfd_settime(timer, 0, &soon, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
