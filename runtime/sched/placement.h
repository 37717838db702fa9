/* Which processors the threads run on: see placement.c. */
#pragma once
#include "runtime/runtime.h"

/* At the start, and after placement_widen: one processor, until it pays to use more. */
void placement_narrow(void);
/* Before a process is started that is to run anywhere. */
void placement_widen(void);

/* A slice of so many accesses is over; a thread was woken for its turn. With the scheduler's lock or turn. */
void placement_count(uint64_t accesses);
void placement_count_switch(void);
