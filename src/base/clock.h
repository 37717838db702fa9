/* Time. */
#pragma once

/* Seconds since some moment of the past, however the clock on the wall is set. */
double seconds_now(void);

/* Processor time of all threads of the process. */
double process_seconds(void);
