/* Watches blocked threads: a step whose thread waits at its position is over; a thread that does not arrive is
 * a divergence; a program in which no thread can move is ended. */
#include "gate_parts.h"
#include "tell_waits.h"

#include <assert.h>
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
    LOOKS_ALL = 40,             /* … between two looks at threads that do not follow the script */
    LOOKS_EXIT = 3000,          /* the process is being ended, by hooks that may need other threads */
};

static bool can_look; /* at all threads of the machine */

/* Counts looks in which nothing happened. */
static void count_look(void)
{
    uint64_t sum = 0;

    for (uint32_t i = 1; i < JAVA_GATE_THREADS; i++)
        if (gate.members[i])
            sum += gate_begun(gate.members[i]);
    assert(sum >= gate.records); /* threads only go on */
    if (sum != gate.records)
        gate.looks = 0;
    gate.records = sum;
    gate.looks++;
}

/* A step may end with a thread that asks for a lock which it does not get: in a call, one record earlier. */
static bool asks_in_vain(const struct gate_member *m, const struct script_step *step)
{
    return step->kind == STEP_ATTEMPT && gate_begun(m) + 1 == step->position && gate_slot(m)->in_call;
}

/* A thread that has looked and was not notified needs another one that goes on; m may be NULL. */
static unsigned looks_stuck(const struct gate_member *m)
{
    bool waits = m && gate_slot(m)->waiting == 1 && gate_waits_in_vain(m);

    return gate.shared->explores || waits ? LOOKS_EXPLORED : LOOKS_STUCK;
}

/* The thread may also be blocked by one that is held in the middle of an operation such as loading a class. */
static unsigned looks_blocked(const struct gate_member *m)
{
    return gate_slot(m)->waiting || !gate_somebody_runs(m) ? LOOKS_BLOCKED : LOOKS_ASLEEP;
}

/* Whether the threads that wait do so forever: no other thread of the machine could do anything for them, or they hold each
 * other's locks. */
static bool nobody_helps(JNIEnv *env)
{
    static struct thread_look look;
    bool none;

    if (!can_look || (*env)->PushLocalFrame(env, 1024) != 0)
        return false;
    thread_look(env, &look);
    none = (!look.moves && look.keeps && !has_native_threads(env)) || thread_circle(env, &look) != 0;
    (*env)->PopLocalFrame(env, NULL);
    return none;
}

/* Whether what the step waits for does not come: nobody could bring it, or it takes too long. */
static bool waits_too_long(JNIEnv *env, const struct gate_member *m)
{
    if (gate.looks > LOOKS_OUTSIDE)
        return true;
    return gate.looks > looks_stuck(m) && gate.looks % LOOKS_ALL == 0 && !gate_somebody_moves() &&
           nobody_helps(env);
}

static void look_at_step(JNIEnv *env)
{
    assert(gate.at < gate.script->step_count && gate.steps[gate.at].thread < gate.script->thread_count);
    const struct script_step *step = &gate.steps[gate.at];
    struct gate_member *m = gate.member_of[step->thread];
    bool reached;

    if (gate.looks == 1)
        gate_note_polls();
    if (!m) {
        if (waits_too_long(env, m))
            gate_over(SCRIPT_DIVERGED, TROUBLE_NO_THREAD);
        return;
    }
    if (m->asks)
        return;
    reached = gate_begun(m) >= step->position || asks_in_vain(m, step);
    switch (gate_condition(m)) {
    case DEAD:
        if (reached)
            gate_step_over();
        else
            gate_over(SCRIPT_DIVERGED, TROUBLE_ENDED);
        break;
    case BLOCKED:
        if (reached && gate.looks > looks_blocked(m))
            gate_step_over();
        else if (!reached && waits_too_long(env, m))
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

/* What the thread waits for without a time-out: JAVA_STUCK_…, or 0. */
static uint32_t stuck_at(const struct gate_member *m)
{
    bool timed = gate_slot(m)->waiting
                     ? gate_slot(m)->waiting == 2
                     : gate_machine_state(m->thread) & JVMTI_THREAD_STATE_WAITING_WITH_TIMEOUT;

    if (timed || m->asks || gate_condition(m) != BLOCKED)
        return 0;
    return gate_wants_lock(m) ? JAVA_STUCK_LOCK : JAVA_STUCK_WAIT;
}

/* Whether no thread that follows the script can do anything, and some wait. */
static bool members_wait(void)
{
    bool some = false, all = true;

    for (uint32_t i = 1; i < JAVA_GATE_THREADS; i++) {
        const struct gate_member *m = gate.members[i];
        if (!m)
            continue;
        gate_slot(m)->stuck = stuck_at(m);
        some |= gate_slot(m)->stuck != 0;
        all &= gate_slot(m)->stuck != 0 || gate_condition(m) == DEAD;
    }
    return some && all && !gate_somebody_starts();
}

/* Tells of all threads that wait, those whose waits our runtime looks after as well. */
static void tell_all_waits(JNIEnv *env)
{
    static struct thread_look look;

    if ((*env)->PushLocalFrame(env, 1024) != 0)
        return;
    thread_look(env, &look);
    for (uint32_t i = 1; i < JAVA_GATE_THREADS; i++)
        if (gate.members[i] && gate_slot(gate.members[i])->waiting == 1)
            thread_look_polls(env, &look, gate.members[i]->thread);
    tell_waits(env, &look);
    (*env)->PopLocalFrame(env, NULL);
}

/* Ends a machine in which every thread waits. That must hold at every look, and waiting threads must have checked their own
 * condition meanwhile. */
static void look_for_deadlock(JNIEnv *env)
{
    assert(gate.shared->over); /* of the script, which holds threads back on purpose */
    if (gate.looks <= LOOKS_BLOCKED || !members_wait() || (gate.quiet % LOOKS_ALL == 0 && !nobody_helps(env))) {
        gate.quiet = 0;
        return;
    }
    if (gate.quiet++ == 0)
        gate_note_polls();
    if (gate.quiet <= LOOKS_DEADLOCKED || !gate_all_wait_in_vain() || !nobody_helps(env))
        return;
    tell_all_waits(env);
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
    return c == BLOCKED ? looks_blocked(gate.current) : LOOKS_BLOCKED;
}

static void look_at_turn(JNIEnv *env)
{
    struct gate_member *m = gate.current, *next;
    enum condition c = m && !m->asks ? gate_condition(m) : RUNS;

    look_for_deadlock(env);
    if (m && m->asks)
        return;
    if (m && c != DEAD && gate.looks <= looks_idle(c))
        return;
    next = gate_next(m ? m->order : UINT32_MAX);
    assert(!next || next->asks);
    gate.shared->strayed |= m && next && c == RUNS;
    if (next)
        gate_turn(next);
    else if (m && c != RUNS)
        gate.current = NULL;
}

static void JNICALL watch(jvmtiEnv *jvmti, JNIEnv *env, void *argument)
{
    const struct timespec pause = {.tv_nsec = LOOK_NANOSECONDS};

    (void)argument;
    can_look = thread_look_start(jvmti, env);
    while (!gate_machine_ends()) {
        nanosleep(&pause, NULL);
        pthread_mutex_lock(&gate.mutex);
        count_look();
        if (gate.shared->over)
            look_at_turn(env);
        else if (gate.at < gate.script->step_count)
            look_at_step(env);
        else
            gate_settle();
        pthread_mutex_unlock(&gate.mutex);
    }
}

bool gate_start(jvmtiEnv *jvmti, JNIEnv *env, void (*tell)(const struct bytes *))
{
    jclass class = (*env)->FindClass(env, "java/lang/Thread");
    jmethodID make = class ? (*env)->GetMethodID(env, class, "<init>", "(Ljava/lang/String;)V") : NULL;
    jstring name = (*env)->NewStringUTF(env, "heddle gate");
    jobject thread = make && name ? (*env)->NewObject(env, class, make, name) : NULL;

    gate_threads_start(jvmti);
    return thread && tell_waits_start(jvmti, env, tell) &&
           (*jvmti)->RunAgentThread(jvmti, thread, watch, NULL, JVMTI_THREAD_MAX_PRIORITY) == JVMTI_ERROR_NONE;
}
