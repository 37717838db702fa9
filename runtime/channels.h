/* Pipes, socket pairs and event counters inside the program: what is read came after it was written.
 *
 * A channel is a semaphore in the trace: a write posts, the first read that takes of what it wrote waits. */
#pragma once
#include "runtime.h"

void channel_wrote(int fd, size_t length, uintptr_t pc);
void channel_read(int fd, size_t length, uintptr_t pc);

/* The two ends of a socket pair. */
void channel_pair(int one, int other);
