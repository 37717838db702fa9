/* Clocks and deadlines as the program sees them: they follow the scheduler's clock. */
#pragma once
#include "runtime/runtime.h"

#include <time.h>

/* The clocks go on from where the session says, or from now. */
void timing_start(struct session *session);

/* Absolute and relative times on the scheduler's clock. A NULL or malformed time is never and now. */
uint64_t timing_deadline(clockid_t clock, const struct timespec *at);
uint64_t timing_after(const struct timespec *delay);

/* When that time of the program's clock comes by the system's, if all goes on from now at the same pace. */
struct timespec timing_outside(clockid_t clock, const struct timespec *at);

/* The system has found that the deadline is over: the scheduler's clock goes on to it. */
void timing_over(uint64_t deadline);

bool timing_valid(const struct timespec *time);
