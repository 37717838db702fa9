/* The scheduler's own state, for its files: sched.c has the turn, sched_slices.c how long it lasts,
 * sched_threads.c who there is. */
#pragma once
#include "runtime/sched/sched.h"

struct sched {
    struct thread pool[SESSION_THREADS];
    struct thread *live[SESSION_THREADS]; /* not ended, in the order of their numbers */
    unsigned live_count, pool_used;
    struct thread *idler;  /* the thread that waits for time and descriptors while nobody has the turn */
    struct thread *roused; /* to be woken with the next unlock */
    uint32_t word;         /* lock: 0 free, 1 taken, 2 taken and waited for */
    uint32_t ending;       /* tid of a thread that gave up its last turn, 0: none */
};

extern struct sched sched;

/* Around everything that threads without the turn change, too. */
void sched_lock(void);
void sched_unlock(void);

/* With the lock. */
void sched_set_state(struct thread *t, enum thread_state state);
void sched_set_turn(struct thread *t);
void sched_make_runnable(struct thread *t, enum wake wake);

/* Ends the wait of a thread for which a signal has come, or comes by the script now, so that its handler can run. With the
 * lock. */
bool sched_heed_signal(struct thread *t);

/* Gives the turn to `t`, for a slice. With the lock. */
void sched_grant(struct thread *t);

/* The slice of a thread that has run past its end is over. With the lock. */
void sched_spend(struct thread *t);

/* Chooses the thread that runs after `self`, which has given up the turn. With the lock. */
void sched_pass_on(struct thread *self);

/* Waits for the turn; the lock is held at the call and released at the return. */
void sched_wait_turn(struct thread *self);

/* Changes the state of the running thread and waits for its next turn. */
void sched_switch_away(struct thread *self, enum thread_state state);

/* The calling thread has the turn and takes notice; the end of that. */
void sched_open_slice(struct thread *self);
void sched_close_slice(void);

/* How far the calling thread has come. */
static inline uint64_t sched_position(void)
{
    return local.limit - (uint64_t)(int64_t)hot.budget;
}

/* Whether the process has threads that the scheduler does not know: libraries create them for work of their own, and may call the
 * program back in one. */
bool sched_has_unknown_threads(void);
