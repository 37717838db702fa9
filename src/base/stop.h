/* A request to stop: a signal handler or another thread sets it, workers poll it. */
#pragma once
#include <stdatomic.h>

typedef atomic_bool stop_flag;
_Static_assert(ATOMIC_BOOL_LOCK_FREE == 2, "signal handlers may set it");
