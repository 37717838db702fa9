/* expect: race=no nondet=no deadlock=no unordered=no */
/* An event counter tells that data is there: one that adds up, one that is a semaphore, one that was
 * duplicated, two that are semaphores and are only looked at. */
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

static int sums, tokens, copies, polled, watched;
static int first, second, third, fourth, fifth;

static void *fill(void *unused)
{
    uint64_t one = 1;

    first = 5;
    if (write(sums, &one, sizeof one) != sizeof one)
        return NULL;
    second = 6;
    eventfd_write(tokens, 2);
    third = 7;
    eventfd_write(copies, 3);
    fourth = 8;
    eventfd_write(polled, 2);
    fifth = 9;
    eventfd_write(watched, 2);
    return unused;
}

int main(void)
{
    pthread_t thread;
    uint64_t got = 0;
    struct epoll_event event = {.events = EPOLLIN};
    struct pollfd one;
    int total, copy, epoll;

    sums = eventfd(0, 0);
    tokens = eventfd(0, EFD_SEMAPHORE);
    copies = eventfd(0, 0);
    copy = dup(copies);
    polled = eventfd(0, EFD_SEMAPHORE);
    watched = eventfd(0, EFD_SEMAPHORE);
    epoll = epoll_create1(0);
    epoll_ctl(epoll, EPOLL_CTL_ADD, watched, &event);
    pthread_create(&thread, NULL, fill, NULL);
    if (read(sums, &got, sizeof got) != sizeof got)
        return 1;
    total = first;
    eventfd_read(tokens, &got);
    eventfd_read(tokens, &got);
    total += second;
    eventfd_read(copy, &got);
    total += third;
    one = (struct pollfd){.fd = polled, .events = POLLIN};
    poll(&one, 1, -1);
    total += fourth;
    epoll_wait(epoll, &event, 1, -1);
    total += fifth;
    pthread_join(thread, NULL);
    printf("%d\n", total);
    return total != 35;
}
