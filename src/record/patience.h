/* When the time of a program that runs is up.
 *
 * On a busy machine a program may wait for a processor most of the time, and a hang must not be confused with that. So time in which the
 * program is runnable and does not run can be left out, up to a limit in real time. */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct patience {
    uint64_t limit, longest; /* milliseconds, as below */
    uint64_t start, looked;  /* when the program began, and was last looked at */
    uint64_t used;           /* processor time until then, in milliseconds */
    uint64_t starved;        /* milliseconds that are left out */
};

/* What `longest` may be for a program that gets so many seconds: thirty times as much. */
unsigned patience_longest(unsigned limit);

/* The program begins now. `limit`: seconds until its time is up, 0: never. `longest`: seconds of real time after which it is up in any case;
 * if that is not more than `limit`, all time counts. */
void patience_begin(struct patience *patience, unsigned limit, unsigned longest, uint64_t now);

/* Whether the time of the process is up at `now`, in milliseconds. To be called again and again. */
bool patience_over(struct patience *patience, pid_t process, uint64_t now);

/* Once it is up: whether that is only due to `longest`. */
bool patience_starved(const struct patience *patience, uint64_t now);
