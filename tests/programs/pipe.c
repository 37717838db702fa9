/* expect: race=no nondet=no deadlock=no */
/* What comes out of a pipe or a socket was put in before: the data behind it are ordered. */
#include <pthread.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

static int ends[2], sockets[2];
static int shared;

static void *reader(void *unused)
{
    char byte;

    if (read(ends[0], &byte, 1) == 1)
        shared = shared * 2 + byte;
    if (send(sockets[1], &byte, 1, 0) != 1)
        puts("lost");
    return unused;
}

int main(void)
{
    pthread_t thread;
    char byte = 1;

    if (pipe(ends) != 0 || socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) != 0)
        return 1;
    pthread_create(&thread, NULL, reader, NULL);
    shared = 20;
    if (write(ends[1], &byte, 1) != 1 || recv(sockets[0], &byte, 1, 0) != 1)
        return 1;
    printf("%d\n", shared);
    pthread_join(thread, NULL);
    return shared != 41;
}
