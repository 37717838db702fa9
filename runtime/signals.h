/* Signals between threads of the program: what a handler or a wait for a signal does comes after it was sent.
 */
#pragma once
#include "runtime.h"

/* A wait for signals returned with this one. */
void signal_received(int number, uintptr_t pc);

/* At the entry of synchronization calls: signals that came while the thread was in the runtime. */
void signals_catch_up(uintptr_t pc);
