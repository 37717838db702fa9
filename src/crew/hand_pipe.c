/* Messages between a rank and its hand: a length, then the bytes. */
#include "crew/hand_pipe.h"
#include "base/memory.h"
#include "crew/crew.h"
#include "crew/hands.h"

#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

bool hand_pipe_open(struct hand_pipe *p, void (*work)(void *context, int connection), void *context)
{
    pid_t parent = getpid();
    int ends[2];

    *p = (struct hand_pipe){.connection = -1};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return false;
    fflush(NULL);
    p->pid = fork();
    if (p->pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        close(ends[0]);
        if (getppid() == parent)
            work(context, ends[1]);
        fflush(NULL);
        _exit(EXIT_SUCCESS);
    }
    close(ends[1]);
    p->connection = ends[0];
    if (p->pid > 0)
        return true;
    close(ends[0]);
    p->pid = 0;
    return false;
}

void hand_pipe_close(struct hand_pipe *p)
{
    if (p->pid) {
        kill(p->pid, SIGKILL);
        while (waitpid(p->pid, NULL, 0) < 0 && errno == EINTR)
            ;
        close(p->connection);
    }
    p->pid = 0;
    buffer_free(&p->in);
    buffer_free(&p->out);
}

void hand_pipe_send(struct hand_pipe *p, const void *bytes, size_t length)
{
    uint64_t size = length;

    if (p->sent == p->out.text_count)
        p->sent = p->out.text_count = 0;
    buffer_bytes(&p->out, (const char *)&size, sizeof size);
    if (length > 0)
        buffer_bytes(&p->out, bytes, length);
}

/* Sends and takes what can be without waiting; false: the hand is gone. */
static bool pump(struct hand_pipe *p)
{
    char part[1 << 16];
    ssize_t got;

    while (p->sent < p->out.text_count) {
        got = send(p->connection, p->out.text + p->sent, p->out.text_count - p->sent,
                   MSG_DONTWAIT | MSG_NOSIGNAL);
        if (got < 0)
            break; /* full, or gone: reading tells */
        p->sent += (size_t)got;
    }
    while ((got = recv(p->connection, part, sizeof part, MSG_DONTWAIT)) > 0)
        buffer_bytes(&p->in, part, (size_t)got);
    return got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR);
}

/* The first message of what has come. */
static bool take(struct hand_pipe *p, unsigned char **bytes, size_t *length)
{
    uint64_t size;

    if (p->in.text_count < sizeof size)
        return false;
    memcpy(&size, p->in.text, sizeof size);
    if (p->in.text_count - sizeof size < size)
        return false;
    *length = (size_t)size;
    *bytes = memory_new(*length + 1, 1);
    memcpy(*bytes, p->in.text + sizeof size, *length);
    p->in.text_count -= sizeof size + *length;
    memmove(p->in.text, p->in.text + sizeof size + *length, p->in.text_count);
    return true;
}

bool hand_pipe_receive(struct hand_pipe *p, unsigned char **bytes, size_t *length)
{
    assert(p->sent <= p->out.text_count);
    if (p->pid && !pump(p)) {
        while (waitpid(p->pid, NULL, 0) < 0 && errno == EINTR)
            ;
        close(p->connection);
        p->pid = 0;
    }
    return take(p, bytes, length);
}

static bool read_all(int connection, void *to, size_t length)
{
    for (size_t done = 0; done < length;) {
        ssize_t got = read(connection, (char *)to + done, length - done);
        if (got == 0 || (got < 0 && errno != EINTR))
            return false;
        done += got > 0 ? (size_t)got : 0;
    }
    return true;
}

bool hand_read(int connection, unsigned char **bytes, size_t *length)
{
    uint64_t size;

    if (!read_all(connection, &size, sizeof size))
        return false;
    *length = (size_t)size;
    *bytes = memory_new(*length + 1, 1);
    if (read_all(connection, *bytes, *length))
        return true;
    free(*bytes);
    return false;
}

void hand_write(int connection, const void *bytes, size_t length)
{
    uint64_t size = length;

    crew_write(connection, &size, sizeof size);
    crew_write(connection, bytes, length);
}
