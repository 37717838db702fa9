/* The state of the gate, for its files: gate.c lets threads go on, gate_watch.c looks after those that block,
 * gate_threads.c knows what they are doing. */
#pragma once
#include "gate.h"
#include "runtime/protocol/java_log.h"
#include "runtime/protocol/session.h"

#include <pthread.h>
#include <stddef.h>

/* A thread that follows the script. */
struct gate_member {
    jobject thread;
    uint32_t number; /* in the log */
    uint32_t script; /* in the script; UINT32_MAX: not known there */
    uint32_t order;  /* its rank after the end of the script */
    uint32_t forks;
    pthread_cond_t go;
    bool asks;                    /* waits at the gate, … */
    uint64_t wants;               /* … to make this record */
    uint64_t inputs[INPUT_KINDS]; /* where its next input of a kind is, plus one; 0: not looked for yet */
    long system_number;           /* 0: a virtual thread, which the system does not know */
    uint64_t polled;              /* of its polls: those made before nobody could move any more */
};

/* A thread about to be started. */
struct forked {
    jobject thread;
    uint32_t script, order;
    bool met;
};

struct gate {
    pthread_mutex_t mutex;
    struct java_gate *shared;
    const struct script *script;
    const struct script_thread *threads;
    const struct script_step *steps;
    const struct script_input *inputs;
    struct gate_member **member_of; /* by number in the script */
    struct gate_member *members[JAVA_GATE_THREADS];
    struct forked *forked;
    size_t forked_count, forked_capacity;
    uint32_t unknown;            /* threads that are not in the script */
    uint64_t at;                 /* steps done */
    struct gate_member *current; /* after the script: the thread that has the turn */
    unsigned looks;              /* since something happened */
    unsigned quiet;              /* consecutive checks in which no thread could move */
    uint64_t records;            /* made in all, when last looked at */
    uint64_t random;             /* of what is drawn */
};
extern struct gate gate;

static inline struct java_gate_thread *gate_slot(const struct gate_member *m)
{
    return &gate.shared->threads[m->number];
}

static inline uint64_t gate_begun(const struct gate_member *m)
{
    return __atomic_load_n(&gate_slot(m)->begun, __ATOMIC_ACQUIRE);
}

/* All with the mutex held. */
void gate_settle(void);    /* lets the thread of the current step go */
void gate_step_over(void); /* the current step is over */
void gate_over(enum script_state state, enum script_trouble trouble);
void gate_turn(struct gate_member *m); /* after the script: its turn, or nobody's */
struct gate_member *gate_next(
    uint32_t order); /* the next thread that asks, after this one or drawn; NULL: none */

/* gate_threads.c */
enum condition { RUNS, SLEEPS, BLOCKED, DEAD };

void gate_threads_start(jvmtiEnv *jvmti);
bool gate_machine_ends(void);
bool gate_is_virtual(JNIEnv *env, jobject thread);
jint gate_machine_state(jobject thread); /* as JVMTI tells it */
enum condition gate_condition(const struct gate_member *m);
bool gate_somebody_starts(void);                        /* a thread on its way to its first record */
bool gate_somebody_moves(void);                         /* one that is not at the gate and could do something */
bool gate_somebody_runs(const struct gate_member *but); /* the same, and has a processor or waits for one */
void gate_note_polls(void);                             /* of threads in waits, for the next two: */
/* It has looked since and found no reason to go on, or cannot reacquire its lock. */
bool gate_waits_in_vain(const struct gate_member *m);
bool gate_all_wait_in_vain(void);
bool gate_wants_lock(const struct gate_member *m); /* a monitor, or parked in a call that has not returned */
