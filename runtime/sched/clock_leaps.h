/* Lets the clock keep up with work that no hook counts: uninstrumented code and system calls. */
#pragma once
#include <stdint.h>

/* In the first thread, before the program starts. */
void clock_leaps_start(void);

/* By how many nanoseconds the clock leaps before the program looks at it. With the turn. */
uint64_t clock_leap(void);
