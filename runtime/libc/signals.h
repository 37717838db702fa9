/* Signals between threads of the program: what a handler or a wait for a signal does comes after it was sent.
 */
#pragma once
#include "runtime/shared/channels.h" /* signal_received */

/* At the entry of synchronization calls: signals that came while the thread was in the runtime. */
void signals_catch_up(uintptr_t pc);

/* What was read from a descriptor, which may be one that signals come by; one that is closed. With the turn. */
void signals_read(int fd, const void *bytes, size_t length, uintptr_t pc);
void signals_closed(int fd);
