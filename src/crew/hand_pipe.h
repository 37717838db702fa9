/* The connection between a rank and its hand, as the rank sees it: neither end ever waits for the other to read. */
#pragma once
#include "base/buffer.h"

#include <stdbool.h>
#include <sys/types.h>

struct hand_pipe {
    pid_t pid; /* of the hand; 0: it is gone */
    int connection;
    struct buffer in, out; /* what came, and what is not sent yet */
    size_t sent;           /* of `out` */
};

/* Starts the process; false with `errno`. */
bool hand_pipe_open(struct hand_pipe *pipe, void (*work)(void *context, int connection), void *context);

/* Kills it. */
void hand_pipe_close(struct hand_pipe *pipe);

/* Puts a message into the queue. */
void hand_pipe_send(struct hand_pipe *pipe, const void *bytes, size_t length);

/* A message that has come, to be freed; false: none. Sends what is in the queue, too. When the hand is gone, `pid` is 0 after the
 * last message. */
bool hand_pipe_receive(struct hand_pipe *pipe, unsigned char **bytes, size_t *length);
