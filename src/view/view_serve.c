/* The server of `heddle view`: a few connections on the loopback interface, each with one request and little time. */
#include "base/memory.h"
#include "view/view.h"

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum {
    CONNECTIONS_MOST = 16,
    ASK_WITHIN = 5,    /* seconds for a request to arrive */
    ANSWER_WITHIN = 20 /* … and for its answer to be taken */
};

struct connection {
    int fd; /* 0: none */
    bool answering;
    time_t until;
    char asked[HTTP_REQUEST_MOST];
    size_t asked_count;
    struct buffer answer;
    size_t sent;
};

static time_t whole_seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec;
}

int view_listen(struct view *view, struct error *err)
{
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons((uint16_t)view->port),
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

    if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof address) != 0 ||
        listen(fd, CONNECTIONS_MOST) != 0 || getsockname(fd, (struct sockaddr *)&address, &length) != 0) {
        fail(err, HEDDLE_IO, "cannot listen on 127.0.0.1, port %u: %s", view->port, strerror(errno));
        if (fd >= 0)
            close(fd);
        return -1;
    }
    view->port = ntohs(address.sin_port);
    return fd;
}

static void drop(struct connection *c)
{
    close(c->fd);
    buffer_free(&c->answer);
    *c = (struct connection){0};
}

static void start_answer(struct view *view, struct connection *c)
{
    struct http_request request;
    int status;

    switch (http_parse(c->asked, c->asked_count, &request, &status)) {
    case HTTP_MORE:
        return;
    case HTTP_BAD:
        view_refuse(status, &c->answer);
        break;
    case HTTP_WHOLE:
        view_answer(view, &request, &c->answer);
        break;
    }
    c->answering = true;
    c->until = whole_seconds() + ANSWER_WITHIN;
}

/* Reads what there is; drops a connection that has ended. */
static void hear(struct view *view, struct connection *c)
{
    ssize_t got = recv(c->fd, c->asked + c->asked_count, sizeof c->asked - c->asked_count, 0);

    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (got <= 0) {
        drop(c);
        return;
    }
    c->asked_count += (size_t)got;
    start_answer(view, c);
}

static void speak(struct connection *c)
{
    ssize_t put = send(c->fd, c->answer.text + c->sent, c->answer.text_count - c->sent, MSG_NOSIGNAL);

    if (put < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (put > 0)
        c->sent += (size_t)put;
    if (put <= 0 || c->sent == c->answer.text_count) {
        shutdown(c->fd, SHUT_WR);
        drop(c);
    }
}

static void accept_one(struct connection *connections, int listener)
{
    for (size_t i = 0; i < CONNECTIONS_MOST; i++) {
        if (connections[i].fd)
            continue;
        int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
        if (fd >= 0) {
            connections[i].fd = fd;
            connections[i].until = whole_seconds() + ASK_WITHIN;
        }
        return;
    }
}

void view_serve(struct view *view, int listener, stop_flag *stop)
{
    struct connection *connections = memory_new(CONNECTIONS_MOST, sizeof *connections);

    while (!*stop) {
        struct pollfd fds[CONNECTIONS_MOST + 1] = {0};
        bool full = true;

        for (size_t i = 0; i < CONNECTIONS_MOST; i++) {
            struct connection *c = &connections[i];
            if (c->fd && whole_seconds() >= c->until)
                drop(c);
            fds[i] = (struct pollfd){.fd = c->fd ? c->fd : -1, .events = c->answering ? POLLOUT : POLLIN};
            full &= c->fd != 0;
        }
        fds[CONNECTIONS_MOST] = (struct pollfd){.fd = full ? -1 : listener, .events = POLLIN};
        if (poll(fds, CONNECTIONS_MOST + 1, 1000) <= 0)
            continue;
        for (size_t i = 0; i < CONNECTIONS_MOST; i++)
            if (fds[i].fd >= 0 && fds[i].revents) {
                if (connections[i].answering)
                    speak(&connections[i]);
                else
                    hear(view, &connections[i]);
            }
        if (fds[CONNECTIONS_MOST].revents)
            accept_one(connections, listener);
    }
    for (size_t i = 0; i < CONNECTIONS_MOST; i++)
        if (connections[i].fd)
            drop(&connections[i]);
    free(connections);
}
