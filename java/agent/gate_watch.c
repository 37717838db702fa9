/* Looking after threads that block: a step whose thread waits at its position is over; a thread that does not
 * come is a divergence; a program in which nothing can move any more is ended. */
#include "gate_parts.h"

#include <signal.h>
#include <time.h>
#include <unistd.h>

enum {
    LOOK_NANOSECONDS = 1000000,
    LOOKS_BLOCKED = 3,          /* after which a thread that was seen blocked is believed to be */
    LOOKS_IDLE = 100,           /* after the script: without a record, before others have their turn */
    LOOKS_EXPLORED_IDLE = 4000, /* the same where that makes a run useless */
    LOOKS_STUCK = 1500,         /* the thread whose turn it is waits for something that does not come */
    LOOKS_EXPLORED = 200,       /* the same where a run that went another way is made again */
    LOOKS_ASLEEP = 500,         /* it has done what it had to and sleeps */
    LOOKS_SLEEP = 60000,        /* it sleeps before that */
    LOOKS_OUTSIDE = 10000,      /* … or runs and does not come to its next record */
    LOOKS_DEADLOCKED = 400,     /* nobody can move */
    LOOKS_EXIT = 3000,          /* the process is being ended, by hooks that may need other threads */
};

static jvmtiEnv *machine;

enum condition { RUNS, SLEEPS, BLOCKED, DEAD };

/* Nothing is told of threads any more once the machine ends: they count as running, and keep their turn. */
static jint state_of(const struct member *m)
{
    jint state = 0;
    jvmtiError error = (*machine)->GetThreadState(machine, m->thread, &state);

    return error == JVMTI_ERROR_NONE || error == JVMTI_ERROR_WRONG_PHASE ? state
                                                                         : JVMTI_THREAD_STATE_TERMINATED;
}

static bool machine_ends(void)
{
    jvmtiPhase phase;

    return (*machine)->GetPhase(machine, &phase) == JVMTI_ERROR_NONE && phase == JVMTI_PHASE_DEAD;
}

/* A thread asleep will come back; one in a call with a time-out may need others for it. */
static enum condition condition_of(const struct member *m)
{
    jint state = state_of(m);

    if (state & JVMTI_THREAD_STATE_TERMINATED)
        return DEAD;
    if (gate_slot(m)->busy)
        return RUNS;
    if (gate_slot(m)->waiting)
        return BLOCKED;
    if (state & (JVMTI_THREAD_STATE_BLOCKED_ON_MONITOR_ENTER | JVMTI_THREAD_STATE_WAITING_INDEFINITELY))
        return BLOCKED;
    if (state & JVMTI_THREAD_STATE_WAITING_WITH_TIMEOUT)
        return gate_slot(m)->in_call ? BLOCKED : SLEEPS;
    return RUNS;
}

/* Counts looks in which nothing happened. */
static void count_look(void)
{
    uint64_t sum = 0;

    for (uint32_t i = 1; i < JAVA_GATE_THREADS; i++)
        if (gate.members[i])
            sum += gate_begun(gate.members[i]);
    if (sum != gate.records)
        gate.looks = 0;
    gate.records = sum;
    gate.looks++;
}

/* Whether some thread that is not at the gate could still do something. */
static bool somebody_moves(void)
{
    for (uint32_t i = 1; i < JAVA_GATE_THREADS; i++) {
        const struct member *m = gate.members[i];
        enum condition c = m && !m->asks ? condition_of(m) : DEAD;
        if (c == RUNS || c == SLEEPS)
            return true;
    }
    return false;
}

/* A step may end with a thread that asks for a lock which it does not get: in a call, one record earlier. */
static bool asks_in_vain(const struct member *m, const struct script_step *step)
{
    return step->kind == STEP_ATTEMPT && gate_begun(m) + 1 == step->position && gate_slot(m)->in_call;
}

static unsigned looks_stuck(void)
{
    return gate.shared->explores ? LOOKS_EXPLORED : LOOKS_STUCK;
}

static void look_at_step(void)
{
    const struct script_step *step = &gate.steps[gate.at];
    struct member *m = gate.member_of[step->thread];
    bool reached;

    if (!m) {
        if (gate.looks > (somebody_moves() ? LOOKS_OUTSIDE : looks_stuck()))
            gate_over(SCRIPT_DIVERGED, TROUBLE_NO_THREAD);
        return;
    }
    if (m->asks)
        return;
    reached = gate_begun(m) >= step->position || asks_in_vain(m, step);
    switch (condition_of(m)) {
    case DEAD:
        if (reached)
            gate_step_over();
        else
            gate_over(SCRIPT_DIVERGED, TROUBLE_ENDED);
        break;
    case BLOCKED:
        if (reached && gate.looks > LOOKS_BLOCKED)
            gate_step_over();
        else if (!reached && gate.looks > (somebody_moves() ? LOOKS_OUTSIDE : looks_stuck()))
            gate_over(SCRIPT_DIVERGED, TROUBLE_BLOCKED);
        break;
    case SLEEPS:
        if (reached && gate.looks > LOOKS_ASLEEP)
            gate_step_over();
        else if (gate.looks > LOOKS_SLEEP)
            gate_over(SCRIPT_DIVERGED, TROUBLE_OUTSIDE);
        break;
    case RUNS:
        gate.shared->strayed |= gate.looks > LOOKS_OUTSIDE;
        if (gate.looks > LOOKS_OUTSIDE && reached)
            gate_step_over();
        else if (gate.looks > LOOKS_OUTSIDE)
            gate_over(SCRIPT_DIVERGED, TROUBLE_OUTSIDE);
        break;
    }
    gate_settle();
}

/* Waits for a lock: a monitor, or parked in a call that has not returned. */
static bool wants_lock(const struct member *m)
{
    jint state = state_of(m);

    return (state & JVMTI_THREAD_STATE_BLOCKED_ON_MONITOR_ENTER) ||
           ((state & JVMTI_THREAD_STATE_PARKED) && (state & JVMTI_THREAD_STATE_WAITING_INDEFINITELY) &&
            gate_slot(m)->in_call && !gate_slot(m)->waiting);
}

/* Ends a machine in which every thread waits and at least two of them for locks; one that is explored, whatever
 * they wait for. */
static void look_for_deadlock(void)
{
    unsigned locked = 0, waiting = 0;

    if (gate.looks <= LOOKS_DEADLOCKED)
        return;
    for (uint32_t i = 1; i < JAVA_GATE_THREADS; i++) {
        const struct member *m = gate.members[i];
        enum condition c = m ? condition_of(m) : DEAD;
        if (c == DEAD)
            continue;
        if (c != BLOCKED || m->asks || gate_slot(m)->waiting == 2 ||
            (state_of(m) & JVMTI_THREAD_STATE_WAITING_WITH_TIMEOUT && !gate_slot(m)->waiting))
            return;
        gate_slot(m)->stuck = wants_lock(m);
        locked += gate_slot(m)->stuck;
        waiting++;
    }
    if (gate.shared->explores ? waiting == 0 : locked < 2)
        return;
    gate.shared->deadlock = 1;
    kill(getpid(), SIGKILL);
}

/* How long a thread keeps its turn without a record. */
static unsigned looks_idle(enum condition c)
{
    if (gate.shared->exits)
        return LOOKS_EXIT;
    if (c == RUNS)
        return gate.shared->explores ? LOOKS_EXPLORED_IDLE : LOOKS_IDLE;
    return LOOKS_BLOCKED;
}

static void look_at_turn(void)
{
    struct member *m = gate.current, *next;
    enum condition c = m && !m->asks ? condition_of(m) : RUNS;

    look_for_deadlock();
    if (m && m->asks)
        return;
    if (m && c != DEAD && gate.looks <= looks_idle(c))
        return;
    next = gate_next(m ? m->order : UINT32_MAX);
    gate.shared->strayed |= m && next && c == RUNS;
    if (next)
        gate_turn(next);
    else if (m && c != RUNS)
        gate.current = NULL;
}

static void JNICALL watch(jvmtiEnv *jvmti, JNIEnv *env, void *argument)
{
    const struct timespec pause = {.tv_nsec = LOOK_NANOSECONDS};

    (void)jvmti;
    (void)env;
    (void)argument;
    while (!machine_ends()) {
        nanosleep(&pause, NULL);
        pthread_mutex_lock(&gate.mutex);
        count_look();
        if (gate.shared->over)
            look_at_turn();
        else if (gate.at < gate.script->step_count)
            look_at_step();
        else
            gate_settle();
        pthread_mutex_unlock(&gate.mutex);
    }
}

bool gate_start(jvmtiEnv *jvmti, JNIEnv *env)
{
    jclass class = (*env)->FindClass(env, "java/lang/Thread");
    jmethodID make = class ? (*env)->GetMethodID(env, class, "<init>", "(Ljava/lang/String;)V") : NULL;
    jstring name = (*env)->NewStringUTF(env, "heddle gate");
    jobject thread = make && name ? (*env)->NewObject(env, class, make, name) : NULL;

    machine = jvmti;
    return thread &&
           (*jvmti)->RunAgentThread(jvmti, thread, watch, NULL, JVMTI_THREAD_MAX_PRIORITY) == JVMTI_ERROR_NONE;
}
