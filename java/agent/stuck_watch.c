/* Watching for threads that wait forever: looks at all threads a few times a second. */
#include "stuck_watch.h"
#include "hook_sites.h"
#include "runtime/protocol/java_log.h"
#include "runtime_classes.h"
#include "thread_look.h"

#include <assert.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

enum {
    LOOK_MILLISECONDS = 250,
    LOOKS_CYCLE = 4,    /* in which the same threads wait in a circle before that is believed */
    LOOKS_STOPPED = 16, /* in which nobody moves before the machine is ended */
    FRAMES_MOST = 64,
};

static struct {
    jvmtiEnv *machine;
    void (*tell)(const struct bytes *);
    const struct java_log_header *log;
    void (*ended)(JNIEnv *);
    jclass identity;
    jmethodID number_of;
    struct thread_look look;
    uint64_t last_progress;
    unsigned quiet;        /* looks at which nobody moved */
    uint64_t circle;       /* the circle at the last look, … */
    unsigned circle_looks; /* … and at how many it was the same */
    bool told;
} watch;

/* "Obs.java:7 Obs.main": the innermost frame of the program's own. */
static void waited_place(JNIEnv *env, jthread thread, char *to, size_t room)
{
    jvmtiFrameInfo frames[FRAMES_MOST];
    jint count = 0;

    *to = '\0';
    if ((*watch.machine)->GetStackTrace(watch.machine, thread, 0, FRAMES_MOST, frames, &count) !=
        JVMTI_ERROR_NONE)
        return;
    for (jint i = 0; i < count && !*to; i++) {
        char *class = NULL, *method = NULL, *source = NULL;
        jvmtiLineNumberEntry *lines = NULL;
        jint lines_count = 0, line = 0;
        jclass owner = NULL;

        (*watch.machine)->GetMethodDeclaringClass(watch.machine, frames[i].method, &owner);
        if (!owner ||
            (*watch.machine)->GetClassSignature(watch.machine, owner, &class, NULL) != JVMTI_ERROR_NONE)
            continue;
        bool own = strncmp(class, "Ljava/", 6) != 0 && strncmp(class, "Ljdk/", 5) != 0 &&
                   strncmp(class, "Lsun/", 5) != 0 && strncmp(class, "Lheddle/runtime/", 16) != 0;
        if (own && (*watch.machine)->GetMethodName(watch.machine, frames[i].method, &method, NULL, NULL) ==
                       JVMTI_ERROR_NONE) {
            (*watch.machine)->GetSourceFileName(watch.machine, owner, &source);
            (*watch.machine)->GetLineNumberTable(watch.machine, frames[i].method, &lines_count, &lines);
            for (jint k = 0; k < lines_count; k++)
                if (lines[k].start_location <= frames[i].location)
                    line = lines[k].line_number;
            for (char *at = class; *at; at++)
                *at = (char)(*at == '/' ? '.' : *at == ';' ? '\0' : *at);
            snprintf(to, room, "%s:%d %s.%s", source ? source : "?", (int)line, class + 1, method);
        }
        (*watch.machine)->Deallocate(watch.machine, (unsigned char *)class);
        (*watch.machine)->Deallocate(watch.machine, (unsigned char *)method);
        (*watch.machine)->Deallocate(watch.machine, (unsigned char *)source);
        (*watch.machine)->Deallocate(watch.machine, (unsigned char *)lines);
        (*env)->DeleteLocalRef(env, owner);
    }
}

/* The class of what it waits for, without the JDK's inner classes: "java.util.concurrent.CountDownLatch". */
static void class_of(JNIEnv *env, jobject object, char *to, size_t room)
{
    jclass class = object ? (*env)->GetObjectClass(env, object) : NULL;
    char *signature = NULL;

    *to = '\0';
    if (!class ||
        (*watch.machine)->GetClassSignature(watch.machine, class, &signature, NULL) != JVMTI_ERROR_NONE)
        return;
    for (char *at = signature; *at; at++)
        *at = (char)(*at == '/' ? '.' : *at == ';' || *at == '$' ? '\0' : *at);
    snprintf(to, room, "%s", signature + (*signature == 'L'));
    (*watch.machine)->Deallocate(watch.machine, (unsigned char *)signature);
}

static enum java_wait waited_kind(JNIEnv *env, const struct waiting *w)
{
    jclass thread = (*env)->FindClass(env, "java/lang/Thread");

    if (w->state & JVMTI_THREAD_STATE_BLOCKED_ON_MONITOR_ENTER || w->owner)
        return JAVA_WAIT_LOCK;
    if (w->object && thread && (*env)->IsInstanceOf(env, w->object, thread))
        return JAVA_WAIT_JOIN;
    return w->state & JVMTI_THREAD_STATE_IN_OBJECT_WAIT ? JAVA_WAIT_NOTIFY : JAVA_WAIT_OTHER;
}

static void put_text(struct bytes *to, const char *text)
{
    list_text(to, (struct span){(const uint8_t *)text, strlen(text)});
}

/* The number of an object in the log; 0: none. */
static uint32_t number_of(JNIEnv *env, jobject object)
{
    jint number = object ? (*env)->CallStaticIntMethod(env, watch.identity, watch.number_of, object, 0) : 0;

    if ((*env)->ExceptionCheck(env)) {
        (*env)->ExceptionClear(env);
        return 0;
    }
    return (uint32_t)number;
}

static void tell_waiter(JNIEnv *env, const struct waiting *w)
{
    enum java_wait kind = waited_kind(env, w);
    struct bytes entry = {0};
    char what[512], holder[256], place[1024];
    size_t at;

    if (kind == JAVA_WAIT_JOIN)
        name_of_thread(env, w->object, what, sizeof what);
    else
        class_of(env, w->object, what, sizeof what);
    name_of_thread(env, w->owner, holder, sizeof holder);
    waited_place(env, w->thread, place, sizeof place);
    list_begin(&entry, JAVA_ENTRY_WAIT, &at);
    list_u4(&entry, (uint32_t)kind);
    list_u4(&entry, w->state & JVMTI_THREAD_STATE_PARKED ? 0 : number_of(env, w->object));
    list_u4(&entry, number_of(env, w->thread));
    put_text(&entry, w->name);
    put_text(&entry, what);
    put_text(&entry, holder);
    put_text(&entry, place);
    list_end(&entry, at);
    watch.tell(&entry);
    bytes_free(&entry);
}

/* Reports the waiting threads, those on a cycle first. */
static void tell_waiters(JNIEnv *env)
{
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < watch.look.count; i++)
            if (is_on_circle(env, &watch.look, &watch.look.waiters[i]) == (pass == 0))
                tell_waiter(env, &watch.look.waiters[i]);
    watch.told = true;
}

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
    if (!watch.told && (watch.circle_looks >= LOOKS_CYCLE || watch.quiet >= LOOKS_STOPPED))
        tell_waiters(env);
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

static bool find_methods(JNIEnv *env)
{
    jclass identity = (*env)->FindClass(env, "heddle/runtime/Identity");

    if (!identity)
        return false;
    watch.identity = (*env)->NewGlobalRef(env, identity);
    watch.number_of = (*env)->GetStaticMethodID(env, identity, "of", "(Ljava/lang/Object;I)I");
    return watch.number_of != NULL;
}

bool stuck_watch_start(jvmtiEnv *machine, JNIEnv *env, void (*tell)(const struct bytes *),
                       const struct java_log_header *log, void (*ended)(JNIEnv *env))
{
    jclass class = (*env)->FindClass(env, "java/lang/Thread");
    jmethodID make = class ? (*env)->GetMethodID(env, class, "<init>", "(Ljava/lang/String;)V") : NULL;
    jstring name = (*env)->NewStringUTF(env, "heddle watch");
    jobject thread = make && name ? (*env)->NewObject(env, class, make, name) : NULL;

    watch.machine = machine;
    watch.tell = tell;
    watch.log = log;
    watch.ended = ended;
    return thread && find_methods(env) &&
           (*machine)->RunAgentThread(machine, thread, watch_threads, NULL, JVMTI_THREAD_NORM_PRIORITY) ==
               JVMTI_ERROR_NONE;
}
