/* Time. */
#pragma once

/* Seconds since some moment of the past, however the clock on the wall is set. */
double seconds_now(void);

/* Processor time of the calling thread. */
double thread_seconds(void);
