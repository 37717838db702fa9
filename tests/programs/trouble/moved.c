/* What goes through pipes without a read or a write: vmsplice puts it in, tee copies it on. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/uio.h>
#include <unistd.h>

static int near[2], far[2], data;

static void *give(void *unused)
{
    struct iovec part = {"x", 1};

    data = 5;
    if (vmsplice(near[1], &part, 1, 0) != 1)
        abort();
    return unused;
}

static void *copy(void *unused)
{
    if (tee(near[0], far[1], 1, 0) != 1)
        abort();
    return unused;
}

int main(void)
{
    pthread_t giver, copier;
    char byte;
    struct iovec part = {&byte, 1};

    if (pipe(near) != 0 || pipe(far) != 0)
        return 1;
    pthread_create(&copier, NULL, copy, NULL);
    pthread_create(&giver, NULL, give, NULL);
    if (vmsplice(far[0], &part, 1, 0) != 1)
        return 1;
    printf("%d\n", data);
    pthread_join(copier, NULL);
    pthread_join(giver, NULL);
    return 0;
}
