/* What tests that run along schedules need of the virtual machine and of the system. */
#include "turn_machine.h"
#include "runtime_bring.h"
#include "turn_hooks.h"

#include <limits.h>
#include <linux/futex.h>
#include <sched.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

static cpu_set_t processors; /* of threads that are not pinned */

/* Threads that run one at a time hand their turn over much faster on one processor. */
static void JNICALL pin_thread(JNIEnv *env, jclass self, jint processor)
{
    cpu_set_t set;

    (void)env;
    (void)self;
    CPU_ZERO(&set);
    CPU_SET((size_t)processor, &set);
    sched_setaffinity(0, sizeof set, processor < 0 ? &processors : &set);
}

/* The processor that the calling thread is on; -1: unknown. */
static jint JNICALL current_processor(JNIEnv *env, jclass self)
{
    (void)env;
    (void)self;
    return sched_getaffinity(0, sizeof processors, &processors) == 0 ? sched_getcpu() : -1;
}

/* Sleeps while the word at the address is as it was seen; interrupts of Java threads do not end that. */
static void JNICALL rest(JNIEnv *env, jclass self, jlong address, jint seen)
{
    (void)env;
    (void)self;
    syscall(SYS_futex, (void *)(intptr_t)address, FUTEX_WAIT_PRIVATE, seen, NULL, NULL, 0);
}

static void JNICALL rouse(JNIEnv *env, jclass self, jlong address)
{
    (void)env;
    (void)self;
    syscall(SYS_futex, (void *)(intptr_t)address, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

static jclass turns_class;
static jmethodID turns_begin;

void JNICALL turns_thread_starts(jvmtiEnv *jvmti, JNIEnv *env, jthread thread)
{
    (void)jvmti;
    if (turns_begin)
        (*env)->CallStaticVoidMethod(env, turns_class, turns_begin, thread);
}

void turns_hook_loaded(jvmtiEnv *machine, JNIEnv *env)
{
    jclass *classes;
    jint count;

    if ((*machine)->GetLoadedClasses(machine, &count, &classes) != JVMTI_ERROR_NONE)
        return;
    for (jint i = 0; i < count; i++) {
        char *signature = NULL;
        if ((*machine)->GetClassSignature(machine, classes[i], &signature, NULL) == JVMTI_ERROR_NONE &&
            signature[0] == 'L' && !strchr(signature, '.') &&
            turns_in_jdk((struct span){(const uint8_t *)signature + 1, strlen(signature) - 2}))
            (*machine)->RetransformClasses(machine, 1, &classes[i]);
        (*machine)->Deallocate(machine, (unsigned char *)signature);
        (*env)->DeleteLocalRef(env, classes[i]);
    }
    (*machine)->Deallocate(machine, (unsigned char *)classes);
}

bool turns_start(jvmtiEnv *machine, JNIEnv *env)
{
    static JNINativeMethod natives[] = {{"pin", "(I)V", __extension__(void *) pin_thread},
                                        {"processor", "()I", __extension__(void *) current_processor},
                                        {"rest", "(JI)V", __extension__(void *) rest},
                                        {"rouse", "(J)V", __extension__(void *) rouse}};
    jclass class;

    if (!define_runtime(env))
        return false;
    class = (*env)->FindClass(env, RUNTIME_CLASS);
    if (!class || !open_internals(machine, env, class))
        return false;
    class = (*env)->FindClass(env, TURNS_CLASS);
    if (!class)
        return false;
    if ((*env)->RegisterNatives(env, class, natives, 4) != 0)
        return false;
    turns_class = (*env)->NewGlobalRef(env, class);
    turns_begin = (*env)->GetStaticMethodID(env, class, "begins", "(Ljava/lang/Thread;)V");
    return turns_begin && (*machine)->SetEventNotificationMode(machine, JVMTI_ENABLE, JVMTI_EVENT_THREAD_START,
                                                               NULL) == JVMTI_ERROR_NONE;
}
