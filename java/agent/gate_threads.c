/* The state of threads, for the gate: the virtual machine reports what they wait for, the system whether they
 * have been woken since. */
#include "gate_parts.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static jvmtiEnv *machine;

void gate_threads_start(jvmtiEnv *jvmti)
{
    machine = jvmti;
}

/* Machines before JDK 21 have no such class. */
bool gate_is_virtual(JNIEnv *env, jobject thread)
{
    jclass class = (*env)->FindClass(env, "java/lang/BaseVirtualThread");
    bool is = class && (*env)->IsInstanceOf(env, thread, class);

    if (class)
        (*env)->DeleteLocalRef(env, class);
    else
        (*env)->ExceptionClear(env);
    return is;
}

bool gate_machine_ends(void)
{
    jvmtiPhase phase;

    return (*machine)->GetPhase(machine, &phase) == JVMTI_ERROR_NONE && phase == JVMTI_PHASE_DEAD;
}

/* When the machine ends it no longer reports thread states: threads count as running and keep their turn. */
jint gate_machine_state(jobject thread)
{
    jint state = 0;
    jvmtiError error = (*machine)->GetThreadState(machine, thread, &state);

    return error == JVMTI_ERROR_NONE || error == JVMTI_ERROR_WRONG_PHASE ? state
                                                                         : JVMTI_THREAD_STATE_TERMINATED;
}

/* The machine reports a thread as blocked until it runs again, which on a busy system may be long after it
 * was woken: it may only wait for a processor. If the system cannot tell, the machine's answer stands. */
static bool is_asleep(const struct gate_member *m)
{
    char path[64], text[512];
    const char *end;
    ssize_t length;
    int fd;

    if (!m->system_number)
        return true;
    snprintf(path, sizeof path, "/proc/self/task/%ld/stat", m->system_number);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return true;
    length = read(fd, text, sizeof text - 1);
    close(fd);
    if (length <= 0)
        return true;
    text[length] = '\0';
    end = strrchr(text, ')'); /* of the thread's name; its state follows */
    return !end || end[1] != ' ' || end[2] == 'S';
}

/* A sleeping thread will come back; one in a call with a time-out may depend on others. */
enum condition gate_condition(const struct gate_member *m)
{
    jint state = gate_machine_state(m->thread);
    enum condition c = RUNS;

    if (state & JVMTI_THREAD_STATE_TERMINATED)
        return DEAD;
    if (gate_slot(m)->busy)
        return RUNS;
    if (gate_slot(m)->waiting)
        return BLOCKED;
    if (state & (JVMTI_THREAD_STATE_BLOCKED_ON_MONITOR_ENTER | JVMTI_THREAD_STATE_WAITING_INDEFINITELY))
        c = BLOCKED;
    else if (state & JVMTI_THREAD_STATE_WAITING_WITH_TIMEOUT)
        c = gate_slot(m)->in_call ? BLOCKED : SLEEPS;
    return c == BLOCKED && !is_asleep(m) ? RUNS : c;
}

bool gate_somebody_starts(void)
{
    for (size_t i = 0; i < gate.forked_count; i++) {
        jint state = gate.forked[i].met ? 0 : gate_machine_state(gate.forked[i].thread);
        if (state & JVMTI_THREAD_STATE_ALIVE &&
            !(state & (JVMTI_THREAD_STATE_BLOCKED_ON_MONITOR_ENTER | JVMTI_THREAD_STATE_WAITING_INDEFINITELY)))
            return true;
    }
    return false;
}

bool gate_somebody_moves(void)
{
    for (uint32_t i = 1; i < JAVA_GATE_THREADS; i++) {
        const struct gate_member *m = gate.members[i];
        enum condition c = m && !m->asks ? gate_condition(m) : DEAD;
        if (c == RUNS || c == SLEEPS)
            return true;
    }
    return gate_somebody_starts();
}

bool gate_somebody_runs(const struct gate_member *but)
{
    for (uint32_t i = 1; i < JAVA_GATE_THREADS; i++) {
        const struct gate_member *m = gate.members[i];
        if (m && m != but && !m->asks && gate_condition(m) == RUNS && !is_asleep(m))
            return true;
    }
    return gate_somebody_starts();
}

static uint64_t polls_of(const struct gate_member *m)
{
    return __atomic_load_n(&gate_slot(m)->polls, __ATOMIC_ACQUIRE);
}

bool gate_waits_in_vain(const struct gate_member *m)
{
    jint state = gate_machine_state(m->thread);

    return polls_of(m) >= m->polled + 2 ||
           (state & (JVMTI_THREAD_STATE_BLOCKED_ON_MONITOR_ENTER | JVMTI_THREAD_STATE_WAITING_INDEFINITELY) &&
            is_asleep(m));
}

bool gate_all_wait_in_vain(void)
{
    for (uint32_t i = 1; i < JAVA_GATE_THREADS; i++) {
        const struct gate_member *m = gate.members[i];
        if (m && gate_slot(m)->waiting && gate_condition(m) != DEAD && !gate_waits_in_vain(m))
            return false;
    }
    return true;
}

void gate_note_polls(void)
{
    for (uint32_t i = 1; i < JAVA_GATE_THREADS; i++)
        if (gate.members[i])
            gate.members[i]->polled = polls_of(gate.members[i]);
}

bool gate_wants_lock(const struct gate_member *m)
{
    jint state = gate_machine_state(m->thread);

    return (state & JVMTI_THREAD_STATE_BLOCKED_ON_MONITOR_ENTER) ||
           ((state & JVMTI_THREAD_STATE_PARKED) && (state & JVMTI_THREAD_STATE_WAITING_INDEFINITELY) &&
            gate_slot(m)->in_call && !gate_slot(m)->waiting);
}
