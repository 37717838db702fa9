/* Two things at once. */
#pragma once
#include <stdbool.h>

/* Runs both with this context, each to its end: at once, the first by a thread of its own, or one after the other. At once they must
 * not change what the other looks at. If memory is exhausted in one of them, it is for the caller, when both have ended. */
void both_run(bool at_once, void (*first)(void *context), void (*second)(void *context), void *context);
