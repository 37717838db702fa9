/* A script determines which thread runs up to which point (session.h): the scheduler asks here while it
 * follows one. */
#pragma once
#include "runtime/runtime.h"

bool script_open(int fd);

/* With the scheduler's lock: the thread that is to run now. `*chosen` is NULL while that thread has not
 * returned from outside the scheduler's control. False: the script leaves the choice open. */
bool script_pick(struct thread **chosen);

/* Whether the script holds the thread back. */
bool script_holds(const struct thread *thread);

/* With the scheduler's lock, when no thread can run: abandons the script if it is the reason. */
bool script_release(void);

/* The thread has got the turn: the position up to which the script lets it run. */
uint64_t script_end(const struct thread *self);

/* With the scheduler's lock: of the threads blocked on the key, the one that an exact script runs first; NULL:
 * it runs none of them. */
struct thread *script_waiter(const void *key);

/* The running thread is about to make its next step: a debugger may stop here. */
void script_resumed(void);

/* The running thread is about to write these bytes; the hook is charged. */
void script_note_write(const void *at, size_t length, uintptr_t pc);

/* RECORD_COPIES if the read whose hook returns to `pc` is of the same copy as the write that was hooked just before; else 0. */
uint64_t script_copies(uintptr_t pc);

/* Whether its last write, hooked just before the access it is about to make, is done: then it may stop here. */
bool script_write_done(void);

/* The number of a new thread created by `parent`, which is NULL for the first thread and for unknown creators. */
uint32_t script_number(struct thread *parent);
void script_discard(struct thread *parent);

/* Before and after an event of this kind of the running thread, where a script orders events. */
void script_before(unsigned kind);
void script_before_either(unsigned kind, unsigned other);
void script_after(unsigned kind);
