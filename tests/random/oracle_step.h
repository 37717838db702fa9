/* One step of a run: the empty run, and a run with one event more. Private to the oracle. */
#pragma once
#include "random/oracle_runs.h"

/* The state of the empty run; prepares what the search knows of grounds and values. */
struct run_state state_first(struct search *search);

/* The state after `event`, the next of a thread that is ready. */
struct run_state state_after(struct search *search, const struct run_state *s, size_t event);
