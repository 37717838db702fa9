/* expect: race=no nondet=no deadlock=no unordered=no */
/* A request and its answer over TCP and over a unix socket, both ends in the program: what is behind them is
 * ordered. */
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static int request, answer, started;

static void *serve(void *data)
{
    int listener = *(int *)data, fd = accept(listener, NULL, NULL);
    char text[8];

    started += 10; /* after the connect */
    if (recv(fd, text, sizeof text, 0) > 0)
        answer = request * 2;
    if (send(fd, "done", 4, 0) != 4)
        puts("lost");
    close(fd);
    return NULL;
}

static void ask(int listener, const struct sockaddr *address, socklen_t length)
{
    int fd = socket(address->sa_family, SOCK_STREAM, 0);
    pthread_t thread;
    char text[8];

    pthread_create(&thread, NULL, serve, &listener);
    started++;
    if (connect(fd, address, length) != 0)
        puts("not connected");
    request = 21;
    if (write(fd, "ask", 3) != 3 || read(fd, text, sizeof text) <= 0)
        puts("no answer");
    printf("%d\n", answer);
    answer = 0;
    pthread_join(thread, NULL);
    close(fd);
    close(listener);
}

int main(void)
{
    struct sockaddr_in in = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct sockaddr_un un = {.sun_family = AF_UNIX};
    socklen_t length = sizeof in;
    int listener = socket(AF_INET, SOCK_STREAM, 0);

    if (bind(listener, (struct sockaddr *)&in, sizeof in) == 0 && listen(listener, 4) == 0 &&
        getsockname(listener, (struct sockaddr *)&in, &length) == 0)
        ask(listener, (struct sockaddr *)&in, sizeof in);
    snprintf(un.sun_path + 1, sizeof un.sun_path - 1, "heddle-test-%d", getpid());
    length = (socklen_t)(sizeof un.sun_family + 1 + strlen(un.sun_path + 1));
    listener = socket(AF_UNIX, SOCK_STREAM, 0);
    if (bind(listener, (struct sockaddr *)&un, length) == 0 && listen(listener, 4) == 0)
        ask(listener, (struct sockaddr *)&un, length);
    return started != 22;
}
