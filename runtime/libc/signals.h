/* Signals between threads of the program: what a handler or a wait for a signal does comes after it was sent.
 */
#pragma once
#include "runtime/runtime.h"
#include "runtime/shared/channels.h" /* signal_received */

enum { SIGNALS = 65 };

/* What a handler with these flags does to the call that its thread waits in. */
static inline uint32_t handler_interrupts(int flags)
{
    return flags & SA_RESTART ? INTERRUPT_SOME : INTERRUPT_SOME | INTERRUPT_ALL;
}

/* Whether a function of the program handles the signal, and how. */
bool signals_handled(int number, struct sigaction *action);

/* Sends a signal to a thread, or with NULL to the one that the kernel would choose, without asking the kernel: so the receiver
 * gets it at a place that depends on the schedule only. False: the kernel has to. With the turn. */
bool signals_send(struct thread *thread, const siginfo_t *info);

/* The calling thread ends: signals go to others from here on. */
void signals_end(void);

/* The calling thread's mask may be another one. */
void signals_mask_changed(void);

/* What was read from a descriptor, which may be one that signals come by; one that is closed. With the turn. */
void signals_read(int fd, const void *bytes, size_t length, uintptr_t pc);
void signals_closed(int fd);
