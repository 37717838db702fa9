/* The scheduler: one thread has the turn, the others wait for it or run ahead.
 *
 * A thread's position is the number of accesses it has done (calls count as some); a slice lets it get so much
 * further. What others may see is done within the slice that holds its position, by the thread that has the
 * turn. What no other thread can see may be done earlier: a thread that runs ahead through private memory does
 * not wait, and slices that it has passed already end as soon as they begin. So the order of all that is
 * recorded depends on the seed and the program, not on which thread ran ahead, or whether any did.
 *
 * A thread gives the turn up at the end of its slice, when it blocks, sleeps or polls, when it goes outside
 * (into a system call that may block, or uninstrumented code), and when it ends. The policy chooses the next
 * thread. Time is counted in accesses unless real time was asked for: when no thread can run, it jumps to the
 * first deadline. When no thread can ever run again, that is a deadlock, and it is reported. */
#pragma once
#include "runtime/runtime.h"

/* The first thread, with the turn. */
void sched_start(void);

/* A slot for a thread to be made; NULL when there are too many. It may run once sched_admit was called. */
struct thread *sched_new(void);
void sched_admit(struct thread *thread);
void sched_discard(struct thread *thread);

/* In a new thread, first of all: waits for the first turn. */
void sched_begin(struct thread *self);

/* Gives up the turn for good. */
void sched_end(void);

/* Before the process ends: others may have the turn, and those that never had it get it, as the policy
 * chooses. */
void sched_let_begin(void);

/* The end of a slice. */
void sched_yield_turn(void);

/* Waits until sched_wake of the key, or the deadline, or whatever else ends a wait. */
enum wake sched_block(enum wait_reason reason, const void *key, uint64_t deadline);

/* Wakes up to `count` threads that are blocked on the key, the longest waiting first; returns how many. */
unsigned sched_wake(const void *key, unsigned count);

/* Ends the wait of a thread that is to be cancelled. */
void sched_cancel(struct thread *thread);

/* Lets up to `count` threads that are blocked on the key wait for the other one instead; returns how many. */
unsigned sched_move(const void *key, unsigned count, const void *other);

/* Waits until the deadline; something else may end it before. */
enum wake sched_sleep(uint64_t deadline);

/* Waits until one of the descriptors is ready, or the deadline, or whatever else ends a wait. */
enum wake sched_poll(struct pollfd *fds, unsigned count, uint64_t deadline);

/* In a signal handler that interrupted the runtime: ends the wait that the thread is in, or comes to before it
 * leaves, if a handler ends such. */
void sched_interrupt(uint32_t how);

/* Around a call that may block outside the scheduler's control. */
void sched_outside(void);
void sched_inside(void);

/* Makes sure the calling thread is known and has the turn, in the slice that holds its position: for an act
 * that needs it in every pass; for an access, which may be marked in one only. With `late` 1 the position is
 * that of the access before. */
void sched_take_turn(void);
void sched_take_turn_at(unsigned late);

/* The budget is used up, in memory that is the thread's own: gives up the turn if the slice is over, and runs
 * on. */
void sched_run_ahead(void);

/* Makes the accesses of the running slice count already. */
void sched_count(void);

/* Ends the running slice at the position where it is. */
void sched_cut_slice(void);

/* In the handler of SESSION_PREEMPT: the slice does not end by itself. `pc` is where the thread is. */
void sched_preempted(uintptr_t pc);

/* Nanoseconds since the start, on the scheduler's clock. */
uint64_t sched_now(void);

struct thread *sched_find(pthread_t handle);

/* In the child of a fork: only the caller is left, and nothing is recorded. */
void sched_forked(void);

/* sync.c: at the entry of every wrapper of a synchronization call. False: the wrapper is to call the real
 * function and nothing else. True: the thread has the turn until sync_leave. `pc` is the caller's. */
bool sync_enter(uintptr_t pc);
void sync_leave(void);

/* Acts on a pending cancellation, before and after the wait of a wrapper that is a cancellation point. */
void sync_cancellation_point(void);
