/* When handlers of signals run: between two operations of their thread, at a place that the trace records and a
 * script repeats.
 *
 * A signal that arrives is kept until its thread comes to such a place: before an access, before or after a
 * call, or in a call that waits. A place is four times the position of the thread, plus how far the
 * operation is that the position counts. */
#pragma once
#include "runtime/runtime.h"

/* What has arrived. */
struct arrival {
    struct sigaction action; /* the program's, as it was then */
    siginfo_t info;
};

enum handler_place {
    BEFORE_OPERATION,       /* or in the wait that it is */
    AFTER_INTERRUPTION = 2, /* after a call that the signal may have ended */
    AFTER_OPERATION = 3,
};

/* Keeps a signal for the thread; false when there are too many. May be called in a handler; if it is kept for
 * another thread, with the turn. */
bool handlers_keep(struct thread *thread, const struct arrival *arrival);

/* The calling thread is at such a place, outside of the runtime: runs what is due. */
void handlers_run(enum handler_place place);

/* It is in a wait, inside the runtime, with the turn. */
void handlers_run_in_wait(void);

/* It may have to wait. If a script has a handler run in that wait, it runs now: there may be nothing to wait for this time. For
 * waits that a signal does not end. */
void handlers_before_wait(void);

/* It is in a call that the scheduler does not see, and the signal has just come. */
void handlers_run_outside(const struct arrival *arrival);

/* Whether the calling thread has to ask at each place. */
bool handlers_pending(const struct thread *self);

/* The thread ends. */
void handlers_forget(struct thread *thread);

/* With the scheduler's lock: whether the script, or what has arrived, ends the wait that the thread is in. */
bool handlers_end_wait(struct thread *thread);

/* Whether the script says when handlers run. */
bool handlers_scripted(void);
