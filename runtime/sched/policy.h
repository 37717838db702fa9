/* Chooses which thread runs next, and for how long. All choices come from the seed. */
#pragma once
#include "runtime/runtime.h"

void policy_start(uint64_t seed);

/* One of the candidates, which are in the order of their numbers; `current` had the turn last. */
struct thread *policy_choose(struct thread *const *candidates, unsigned count, const struct thread *current);

/* Whether, at the last choice, all threads that can run stay away for a long time. */
bool policy_takes_long(void);

/* Accesses until the next choice. */
int32_t policy_slice(void);

/* A new thread; a thread that gave up its turn voluntarily (it yields, sleeps or spins). */
void policy_admit(struct thread *thread);
void policy_demote(struct thread *thread);

/* Where priorities count, the thread goes on until it waits or is preempted. */
void policy_favour(struct thread *thread);
