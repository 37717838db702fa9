/* Runs that the crew makes before the search asks for them. */
#pragma once
#include "explore/state_search.h"

/* The search is about to make its awaited runs: tells other ranks what has got a number since the last time. */
void ahead_begin(struct state_search *search);

/* Gives idle workers the next of them, from this one on, that are needed as far as is known now. */
void ahead_fill(struct state_search *search, size_t from);

/* Takes the run that the crew has made or makes; waits for it. False: it has to be made here. */
bool ahead_take(struct state_search *search, struct awaited *awaited, struct explored_run *run);

/* The crew for the exploration, or NULL when one process is enough. Ranks other than 0 serve until it is over; they get NULL. */
struct crew *ahead_crew(struct explorer *explorer);
