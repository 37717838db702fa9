/* expect: race=no nondet=no deadlock=no unordered=no */
/* An event counter tells that data is there: one that adds up, one that is a semaphore, one that was
 * duplicated. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <unistd.h>

static int sums, tokens, copies;
static int first, second, third;

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
    return unused;
}

int main(void)
{
    pthread_t thread;
    uint64_t got = 0;
    int total, copy;

    sums = eventfd(0, 0);
    tokens = eventfd(0, EFD_SEMAPHORE);
    copies = eventfd(0, 0);
    copy = dup(copies);
    pthread_create(&thread, NULL, fill, NULL);
    if (read(sums, &got, sizeof got) != sizeof got)
        return 1;
    total = first;
    eventfd_read(tokens, &got);
    eventfd_read(tokens, &got);
    total += second;
    eventfd_read(copy, &got);
    total += third;
    pthread_join(thread, NULL);
    printf("%d\n", total);
    return total != 18;
}
