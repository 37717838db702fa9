/* expect: race=no deadlock=no unordered=no */
/* poll, select and epoll as signals: what they report was written before, though nothing is read. */
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <unistd.h>

static int ends[3][2], values[3];

static void *fill(void *unused)
{
    for (int i = 0; i < 3; i++) {
        values[i] = i + 1;
        if (write(ends[i][1], "x", 1) != 1)
            return NULL;
    }
    return unused;
}

int main(void)
{
    struct epoll_event event = {.events = EPOLLIN};
    struct pollfd one = {.events = POLLIN};
    pthread_t thread;
    fd_set set;
    int sum = 0, queue = epoll_create1(0);

    for (int i = 0; i < 3; i++)
        if (pipe(ends[i]) != 0)
            return 1;
    epoll_ctl(queue, EPOLL_CTL_ADD, ends[2][0], &event);
    pthread_create(&thread, NULL, fill, NULL);
    one.fd = ends[0][0];
    while (poll(&one, 1, 1000) < 1)
        ;
    sum += values[0];
    FD_ZERO(&set);
    FD_SET(ends[1][0], &set);
    if (select(ends[1][0] + 1, &set, NULL, NULL, NULL) == 1)
        sum += values[1];
    if (epoll_wait(queue, &event, 1, -1) == 1)
        sum += values[2];
    pthread_join(thread, NULL);
    printf("%d\n", sum);
    return sum != 6;
}
