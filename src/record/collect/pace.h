/* When a slice that does not end by itself is ended from outside.
 *
 * A thread that runs uninstrumented code may return by itself; then the seed alone determines the run. If the
 * clock ends its slice, that is no longer so. So a running thread gets a long time, measured in its own
 * processor time, which does not depend on the load of the machine. A thread that sleeps in a system call
 * waits for another thread or for the outside, and gets a short time. */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct pace {
    bool began;        /* the thread was looked at in this slice */
    uint64_t at_first; /* its processor time then, in milliseconds */
};

/* Another slice has begun. */
void pace_begin(struct pace *pace);

/* Whether the slice of the thread, which has lasted for some time, is to be ended. `lost`: one was ended
 * before, so that there is nothing to be kept. */
bool pace_over(struct pace *pace, pid_t process, pid_t thread, bool lost);

/* Whether the process has a handler for the signal: without one, as after an exec, it would die of it. */
bool pace_heard(pid_t process, int signal);
