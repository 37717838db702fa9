/* Watching for threads that wait forever: looks at all threads a few times a second. */
#include "stuck_watch.h"
#include "hook_sites.h"
#include "runtime/protocol/java_log.h"
#include "runtime_classes.h"

#include <assert.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

enum {
    LOOK_MILLISECONDS = 250,
    LOOKS_CYCLE = 4,    /* in which the same threads wait in a circle before that is believed */
    LOOKS_STOPPED = 16, /* in which nobody moves before the machine is ended */
    FRAMES_MOST = 64,
    WAITERS_MOST = 256,
};

/* A thread that waits without a time-out. */
struct waiting {
    jthread thread;
    char name[256];
    jint state;
    jobject object; /* the monitor it wants or waits on; or what it is parked for; NULL: not known */
    jobject owner;  /* the thread that holds it, or NULL */
};

struct thread_look {
    struct waiting waiters[WAITERS_MOST];
    int count;
    bool moves; /* somebody does not wait */
};

static struct {
    jvmtiEnv *machine;
    void (*tell)(const struct bytes *);
    const struct java_log_header *log;
    void (*ended)(JNIEnv *);
    jclass identity, support, synchronizer;
    jmethodID number_of, blocker_of, owner_of;
    struct thread_look look;
    uint64_t last_progress;
    unsigned quiet;        /* looks at which nobody moved */
    uint64_t circle;       /* the circle at the last look, … */
    unsigned circle_looks; /* … and at how many it was the same */
    bool told;
} watch;

/* Threads of the machine itself, which never stop the program from ending or going on. */
static bool is_machine_thread(const char *name)
{
    static const char *const names[] = {"Reference Handler",
                                        "Finalizer",
                                        "Signal Dispatcher",
                                        "Common-Cleaner",
                                        "Attach Listener",
                                        "Notification Thread",
                                        "DestroyJavaVM",
                                        "Service Thread",
                                        "Monitor Deflation Thread",
                                        "heddle watch",
                                        NULL};

    for (const char *const *n = names; *n; n++)
        if (strcmp(name, *n) == 0)
            return true;
    return strstr(name, "CompilerThread") != NULL;
}

static void name_of(JNIEnv *env, jthread thread, char *to, size_t room)
{
    jvmtiThreadInfo info = {0};

    snprintf(to, room, "%s", "");
    if (!thread || (*watch.machine)->GetThreadInfo(watch.machine, thread, &info) != JVMTI_ERROR_NONE)
        return;
    snprintf(to, room, "%s", info.name ? info.name : "");
    if (info.name)
        (*watch.machine)->Deallocate(watch.machine, (unsigned char *)info.name);
    if (info.thread_group)
        (*env)->DeleteLocalRef(env, info.thread_group);
    if (info.context_class_loader)
        (*env)->DeleteLocalRef(env, info.context_class_loader);
}

/* The result of a call into the machine; NULL if the call failed. */
static jobject given(JNIEnv *env, jobject result)
{
    if (!(*env)->ExceptionCheck(env))
        return result;
    (*env)->ExceptionClear(env);
    return NULL;
}

/* Which thread holds a monitor, or a lock of the JDK that knows its owner. */
static jobject owner_of(JNIEnv *env, jobject object, bool monitor)
{
    jvmtiMonitorUsage usage = {0};

    if (!object)
        return NULL;
    if (monitor) {
        if ((*watch.machine)->GetObjectMonitorUsage(watch.machine, object, &usage) != JVMTI_ERROR_NONE)
            return NULL;
        (*watch.machine)->Deallocate(watch.machine, (unsigned char *)usage.waiters);
        (*watch.machine)->Deallocate(watch.machine, (unsigned char *)usage.notify_waiters);
        return usage.owner;
    }
    if (!(*env)->IsInstanceOf(env, object, watch.synchronizer))
        return NULL;
    return given(env, (*env)->CallObjectMethod(env, object, watch.owner_of));
}

static void add_waiter(JNIEnv *env, jthread thread, const char *name, jint state)
{
    struct waiting *w = &watch.look.waiters[watch.look.count];
    bool enters = state & JVMTI_THREAD_STATE_BLOCKED_ON_MONITOR_ENTER;

    if (watch.look.count == WAITERS_MOST)
        return;
    *w = (struct waiting){.thread = thread, .state = state};
    snprintf(w->name, sizeof w->name, "%s", name);
    if (state & JVMTI_THREAD_STATE_PARKED)
        w->object = given(env, (*env)->CallStaticObjectMethod(env, watch.support, watch.blocker_of, thread));
    else
        (*watch.machine)->GetCurrentContendedMonitor(watch.machine, thread, &w->object);
    if (enters || state & JVMTI_THREAD_STATE_PARKED)
        w->owner = owner_of(env, w->object, enters);
    watch.look.count++;
    assert(watch.look.count <= WAITERS_MOST);
}

/* Local references of this look are freed with its frame. */
static void look_at_threads(JNIEnv *env)
{
    const jint waits = JVMTI_THREAD_STATE_BLOCKED_ON_MONITOR_ENTER | JVMTI_THREAD_STATE_WAITING_INDEFINITELY;
    jthread *threads = NULL;
    jint count = 0;

    watch.look.count = 0;
    watch.look.moves = (*watch.machine)->GetAllThreads(watch.machine, &count, &threads) != JVMTI_ERROR_NONE;
    for (jint i = 0; i < count; i++) {
        char name[256];
        jint state = 0;

        name_of(env, threads[i], name, sizeof name);
        if (is_machine_thread(name))
            continue;
        if ((*watch.machine)->GetThreadState(watch.machine, threads[i], &state) == JVMTI_ERROR_NONE &&
            state & waits)
            add_waiter(env, threads[i], name, state);
        else if (!(state & JVMTI_THREAD_STATE_TERMINATED))
            watch.look.moves = true;
    }
    if (threads)
        (*watch.machine)->Deallocate(watch.machine, (unsigned char *)threads);
}

static const struct waiting *waiter_of(JNIEnv *env, jobject thread)
{
    for (int i = 0; thread && i < watch.look.count; i++)
        if ((*env)->IsSameObject(env, watch.look.waiters[i].thread, thread))
            return &watch.look.waiters[i];
    return NULL;
}

/* Whether the thread waits, through others, for what it holds itself. */
static bool is_on_circle(JNIEnv *env, const struct waiting *start)
{
    const struct waiting *at = start;

    for (int steps = 0; steps <= watch.look.count; steps++) {
        at = waiter_of(env, at->owner);
        if (!at || at == start)
            return at != NULL;
    }
    return false;
}

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

static void tell_waiter(JNIEnv *env, const struct waiting *w)
{
    enum java_wait kind = waited_kind(env, w);
    struct bytes entry = {0};
    char what[512], holder[256], place[1024];
    jint number = 0;
    size_t at;

    if (kind == JAVA_WAIT_JOIN)
        name_of(env, w->object, what, sizeof what);
    else
        class_of(env, w->object, what, sizeof what);
    if (w->object && !(w->state & JVMTI_THREAD_STATE_PARKED))
        number = (*env)->CallStaticIntMethod(env, watch.identity, watch.number_of, w->object, 0);
    if ((*env)->ExceptionCheck(env))
        (*env)->ExceptionClear(env);
    name_of(env, w->owner, holder, sizeof holder);
    waited_place(env, w->thread, place, sizeof place);
    list_begin(&entry, JAVA_ENTRY_WAIT, &at);
    list_u4(&entry, (uint32_t)kind);
    list_u4(&entry, (uint32_t)number);
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
            if (is_on_circle(env, &watch.look.waiters[i]) == (pass == 0))
                tell_waiter(env, &watch.look.waiters[i]);
    watch.told = true;
}

/* Whether a thread of a cycle still waits for the same object, held by the same thread: threads are looked
 * at one after the other, and an earlier wait may be over. */
static bool still_waits(JNIEnv *env, const struct waiting *w)
{
    bool parked = w->state & JVMTI_THREAD_STATE_PARKED;
    jobject object = NULL;

    if (parked)
        object = given(env, (*env)->CallStaticObjectMethod(env, watch.support, watch.blocker_of, w->thread));
    else
        (*watch.machine)->GetCurrentContendedMonitor(watch.machine, w->thread, &object);
    return (*env)->IsSameObject(env, object, w->object) &&
           (*env)->IsSameObject(env, owner_of(env, object, !parked), w->owner);
}

/* A number for the threads that wait in a cycle and what they wait for, equal as long as they do; 0: none. */
static uint64_t circle_now(JNIEnv *env)
{
    uint64_t sum = 0;

    for (int i = 0; i < watch.look.count; i++) {
        const struct waiting *w = &watch.look.waiters[i];
        jint thread = 0, object = 0;
        if (!is_on_circle(env, w))
            continue;
        if (!still_waits(env, w))
            return 0;
        (*watch.machine)->GetObjectHashCode(watch.machine, w->thread, &thread);
        (*watch.machine)->GetObjectHashCode(watch.machine, w->object, &object);
        sum = sum * 31 + (uint64_t)(uint32_t)thread * 7 + (uint32_t)object + 1;
    }
    return sum;
}

static void judge(JNIEnv *env)
{
    uint64_t circle = circle_now(env);

    watch.circle_looks = circle == 0 ? 0 : circle == watch.circle ? watch.circle_looks + 1 : 1;
    watch.circle = circle;
    watch.quiet = !watch.look.moves && watch.look.count > 0 && watch.log->next == watch.last_progress &&
                          !watch.log->ended /* nothing tells us any more who moves between two looks */
                      ? watch.quiet + 1
                      : 0;
    watch.last_progress = watch.log->next;
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
    if ((*jvmti)->CreateRawMonitor(jvmti, "heddle watch", &monitor) != JVMTI_ERROR_NONE)
        return;
    while ((*jvmti)->GetPhase(jvmti, &phase) == JVMTI_ERROR_NONE && phase == JVMTI_PHASE_LIVE &&
           pause_watch(monitor)) {
        if ((*env)->PushLocalFrame(env, 1024) != 0)
            return;
        if (watch.log->ended && watch.ended) {
            watch.ended(env);
            watch.ended = NULL;
        }
        look_at_threads(env);
        judge(env);
        (*env)->PopLocalFrame(env, NULL);
    }
}

static bool find_methods(JNIEnv *env)
{
    jclass identity = (*env)->FindClass(env, "heddle/runtime/Identity");
    jclass support = (*env)->FindClass(env, "java/util/concurrent/locks/LockSupport");
    jclass owned = (*env)->FindClass(env, "java/util/concurrent/locks/AbstractOwnableSynchronizer");

    if (!identity || !support || !owned)
        return false;
    watch.identity = (*env)->NewGlobalRef(env, identity);
    watch.support = (*env)->NewGlobalRef(env, support);
    watch.synchronizer = (*env)->NewGlobalRef(env, owned);
    watch.number_of = (*env)->GetStaticMethodID(env, identity, "of", "(Ljava/lang/Object;I)I");
    watch.blocker_of =
        (*env)->GetStaticMethodID(env, support, "getBlocker", "(Ljava/lang/Thread;)Ljava/lang/Object;");
    watch.owner_of = (*env)->GetMethodID(env, owned, "getExclusiveOwnerThread", "()Ljava/lang/Thread;");
    return watch.number_of && watch.blocker_of && watch.owner_of;
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
