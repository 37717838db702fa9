/* Circles of threads that wait for each other's locks. */
#include "thread_look_parts.h"

static jclass support, synchronizer;
static jmethodID get_blocker, get_owner;

bool thread_circle_start(JNIEnv *env)
{
    jclass blocks = (*env)->FindClass(env, "java/util/concurrent/locks/LockSupport");
    jclass owned = (*env)->FindClass(env, "java/util/concurrent/locks/AbstractOwnableSynchronizer");

    if (!blocks || !owned)
        return false;
    support = (*env)->NewGlobalRef(env, blocks);
    synchronizer = (*env)->NewGlobalRef(env, owned);
    get_blocker =
        (*env)->GetStaticMethodID(env, blocks, "getBlocker", "(Ljava/lang/Thread;)Ljava/lang/Object;");
    get_owner = (*env)->GetMethodID(env, owned, "getExclusiveOwnerThread", "()Ljava/lang/Thread;");
    return get_blocker && get_owner;
}

/* The result of a call into the machine; NULL if the call failed. */
static jobject given(JNIEnv *env, jobject result)
{
    if (!(*env)->ExceptionCheck(env))
        return result;
    (*env)->ExceptionClear(env);
    return NULL;
}

jobject waited_object(JNIEnv *env, jthread thread, jint state)
{
    jobject object = NULL;

    if (state & JVMTI_THREAD_STATE_PARKED)
        return given(env, (*env)->CallStaticObjectMethod(env, support, get_blocker, thread));
    (*looks_machine)->GetCurrentContendedMonitor(looks_machine, thread, &object);
    return object;
}

/* Of a monitor that it wants, or of a lock of the JDK that knows its owner. */
jobject waited_owner(JNIEnv *env, jobject object, jint state)
{
    jvmtiMonitorUsage usage = {0};

    if (!object)
        return NULL;
    if (state & JVMTI_THREAD_STATE_BLOCKED_ON_MONITOR_ENTER) {
        if ((*looks_machine)->GetObjectMonitorUsage(looks_machine, object, &usage) != JVMTI_ERROR_NONE)
            return NULL;
        (*looks_machine)->Deallocate(looks_machine, (unsigned char *)usage.waiters);
        (*looks_machine)->Deallocate(looks_machine, (unsigned char *)usage.notify_waiters);
        return usage.owner;
    }
    if (!(state & JVMTI_THREAD_STATE_PARKED) || !(*env)->IsInstanceOf(env, object, synchronizer))
        return NULL;
    return given(env, (*env)->CallObjectMethod(env, object, get_owner));
}

static const struct waiting *waiter_of(JNIEnv *env, const struct thread_look *look, jobject thread)
{
    for (int i = 0; thread && i < look->count; i++)
        if ((*env)->IsSameObject(env, look->waiters[i].thread, thread))
            return &look->waiters[i];
    return NULL;
}

bool is_on_circle(JNIEnv *env, const struct thread_look *look, const struct waiting *start)
{
    const struct waiting *at = start;

    for (int steps = 0; steps <= look->count; steps++) {
        at = waiter_of(env, look, at->owner);
        if (!at || at == start)
            return at != NULL;
    }
    return false;
}

/* Whether a thread of a circle still waits for the same object, held by the same thread: threads are looked at one after the
 * other, and an earlier wait may be over. */
static bool still_waits(JNIEnv *env, const struct waiting *w)
{
    jobject object = waited_object(env, w->thread, w->state);

    return (*env)->IsSameObject(env, object, w->object) &&
           (*env)->IsSameObject(env, waited_owner(env, object, w->state), w->owner);
}

uint64_t thread_circle(JNIEnv *env, const struct thread_look *look)
{
    uint64_t sum = 0;

    for (int i = 0; i < look->count; i++) {
        const struct waiting *w = &look->waiters[i];
        jint thread = 0, object = 0;
        if (!is_on_circle(env, look, w))
            continue;
        if (!still_waits(env, w))
            return 0;
        (*looks_machine)->GetObjectHashCode(looks_machine, w->thread, &thread);
        (*looks_machine)->GetObjectHashCode(looks_machine, w->object, &object);
        sum = sum * 31 + (uint64_t)(uint32_t)thread * 7 + (uint32_t)object + 1;
    }
    return sum;
}
