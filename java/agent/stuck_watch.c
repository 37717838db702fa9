/* Watching for threads that wait forever: looks at all threads a few times a second. */
#include "stuck_watch.h"
#include "runtime/protocol/java_log.h"
#include "runtime_classes.h"
#include "tell_waits.h"

#include <assert.h>
#include <signal.h>
#include <unistd.h>

enum {
    LOOK_MILLISECONDS = 250,
    LOOKS_CYCLE = 4,    /* in which the same threads wait in a circle before that is believed */
    LOOKS_STOPPED = 16, /* in which nobody moves before the machine is ended */
};

static struct {
    jvmtiEnv *machine;
    const struct java_log_header *log;
    void (*ended)(JNIEnv *);
    struct thread_look look;
    uint64_t last_progress;
    unsigned quiet;        /* looks at which nobody moved */
    uint64_t circle;       /* the circle at the last look, … */
    unsigned circle_looks; /* … and at how many it was the same */
    bool told;
} watch;

static void judge(JNIEnv *env)
{
    uint64_t circle = thread_circle(env, &watch.look);

    watch.circle_looks = circle == 0 ? 0 : circle == watch.circle ? watch.circle_looks + 1 : 1;
    watch.circle = circle;
    watch.quiet = !watch.look.moves && watch.look.keeps && watch.look.count > 0 &&
                          watch.log->next == watch.last_progress &&
                          !watch.log->ended /* nothing tells us any more who moves between two looks */
                      ? watch.quiet + 1
                      : 0;
    watch.last_progress = watch.log->next;
    if (watch.quiet >= LOOKS_STOPPED && has_native_threads(env))
        watch.quiet = 0;
    if (!watch.told && (watch.circle_looks >= LOOKS_CYCLE || watch.quiet >= LOOKS_STOPPED)) {
        tell_waits(env, &watch.look);
        watch.told = true;
    }
    if (watch.quiet >= LOOKS_STOPPED)
        kill(getpid(), SIGKILL);
}

/* A machine that ends waits some time for threads that are in native code, as this one would be in a sleep of the system's. */
static bool pause_watch(jrawMonitorID monitor)
{
    if ((*watch.machine)->RawMonitorEnter(watch.machine, monitor) != JVMTI_ERROR_NONE)
        return false;
    (*watch.machine)->RawMonitorWait(watch.machine, monitor, LOOK_MILLISECONDS);
    return (*watch.machine)->RawMonitorExit(watch.machine, monitor) == JVMTI_ERROR_NONE;
}

static void JNICALL watch_threads(jvmtiEnv *jvmti, JNIEnv *env, void *argument)
{
    jrawMonitorID monitor;
    jvmtiPhase phase;

    (void)argument;
    if (!thread_look_start(jvmti, env) ||
        (*jvmti)->CreateRawMonitor(jvmti, "heddle watch", &monitor) != JVMTI_ERROR_NONE)
        return;
    while ((*jvmti)->GetPhase(jvmti, &phase) == JVMTI_ERROR_NONE && phase == JVMTI_PHASE_LIVE &&
           pause_watch(monitor)) {
        if ((*env)->PushLocalFrame(env, 1024) != 0)
            return;
        if (watch.log->ended && watch.ended) {
            watch.ended(env);
            watch.ended = NULL;
        }
        thread_look(env, &watch.look);
        judge(env);
        (*env)->PopLocalFrame(env, NULL);
    }
}

bool stuck_watch_start(jvmtiEnv *machine, JNIEnv *env, void (*tell)(const struct bytes *),
                       const struct java_log_header *log, void (*ended)(JNIEnv *env))
{
    jclass class = (*env)->FindClass(env, "java/lang/Thread");
    jmethodID make = class ? (*env)->GetMethodID(env, class, "<init>", "(Ljava/lang/String;)V") : NULL;
    jstring name = (*env)->NewStringUTF(env, "heddle watch");
    jobject thread = make && name ? (*env)->NewObject(env, class, make, name) : NULL;

    watch.machine = machine;
    watch.log = log;
    watch.ended = ended;
    return thread && tell_waits_start(machine, env, tell) &&
           (*machine)->RunAgentThread(machine, thread, watch_threads, NULL, JVMTI_THREAD_NORM_PRIORITY) ==
               JVMTI_ERROR_NONE;
}
