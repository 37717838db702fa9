/* Threads that wait by looking again and again. */
#pragma once
#include <stdint.h>

/* The calling thread has read `value` at `at`, atomically, and did nothing else. If that is what it did shortly before
 * as well, another thread has to run, or time has to pass, before it can see something else: its slice ends. */
void spinning_notice(const void *at, uintptr_t pc, uint64_t value);
