/* Which threads of the machine wait, and which could do something. */
#include "thread_look_parts.h"
#include "thread_notes.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

jvmtiEnv *looks_machine;
static jthread own; /* the thread that looks */

/* What a thread says of itself. */
struct description {
    char name[256], group[256], class[256];
    bool daemon;
};

bool thread_look_start(jvmtiEnv *machine, JNIEnv *env)
{
    jthread self = NULL;

    looks_machine = machine;
    if ((*machine)->GetCurrentThread(machine, &self) != JVMTI_ERROR_NONE)
        return false;
    own = (*env)->NewGlobalRef(env, self);
    return thread_circle_start(env);
}

static void take_text(char *text, char *to, size_t room)
{
    snprintf(to, room, "%s", text ? text : "");
    (*looks_machine)->Deallocate(looks_machine, (unsigned char *)text);
}

static void describe(JNIEnv *env, jthread thread, struct description *d)
{
    jvmtiThreadGroupInfo group = {0};
    jvmtiThreadInfo info = {0};
    char *class = NULL;

    *d = (struct description){.daemon = true};
    if (!thread || (*looks_machine)->GetThreadInfo(looks_machine, thread, &info) != JVMTI_ERROR_NONE)
        return;
    d->daemon = info.is_daemon;
    take_text(info.name, d->name, sizeof d->name);
    if (info.thread_group &&
        (*looks_machine)->GetThreadGroupInfo(looks_machine, info.thread_group, &group) == JVMTI_ERROR_NONE)
        take_text(group.name, d->group, sizeof d->group);
    if ((*looks_machine)->GetClassSignature(looks_machine, (*env)->GetObjectClass(env, thread), &class, NULL) ==
        JVMTI_ERROR_NONE)
        take_text(class, d->class, sizeof d->class);
}

void name_of_thread(JNIEnv *env, jthread thread, char *to, size_t room)
{
    struct description d;

    describe(env, thread, &d);
    snprintf(to, room, "%s", d.name);
}

/* Whether the thread is in a method that is not native. */
static bool runs_code(jthread thread)
{
    jvmtiFrameInfo frame;
    jboolean native = JNI_FALSE;
    jint count = 0;

    return (*looks_machine)->GetStackTrace(looks_machine, thread, 0, 1, &frame, &count) == JVMTI_ERROR_NONE &&
           count > 0 &&
           (*looks_machine)->IsMethodNative(looks_machine, frame.method, &native) == JVMTI_ERROR_NONE &&
           !native;
}

static bool is_among(const char *name, const char *const *list)
{
    while (*list && strcmp(name, *list) != 0)
        list++;
    return *list != NULL;
}

/* Whether the thread belongs to the machine and has nothing to do. What runs virtual threads, and wakes those whose time is
 * over, does nothing that these do not show themselves. */
static bool is_idle_servant(const struct description *d, jthread thread, jint state)
{
    static const char *const groups[] = {"system", "InnocuousThreadGroup", NULL};
    static const char *const names[] = {"Reference Handler",
                                        "Signal Dispatcher",
                                        "Attach Listener",
                                        "Notification Thread",
                                        "Service Thread",
                                        "Monitor Deflation Thread",
                                        NULL};

    if (strcmp(d->class, "Ljdk/internal/misc/CarrierThread;") == 0)
        return true;
    if (strcmp(d->name, "DestroyJavaVM") == 0) /* it waits for the others' end */
        return !(state & (THREAD_WAITS | JVMTI_THREAD_STATE_WAITING)) && !runs_code(thread);
    if (d->daemon && strncmp(d->name, "surefire-forkedjvm-", 19) == 0) /* around tests that Maven runs */
        return true;
    if (!is_among(d->group, groups))
        return false;
    if (strcmp(d->name, "Finalizer") == 0) /* it runs methods of the program */
        return state & JVMTI_THREAD_STATE_WAITING_INDEFINITELY;
    if (strcmp(d->name, "Common-Cleaner") == 0)
        return state & JVMTI_THREAD_STATE_WAITING;
    if (strncmp(d->name, "VirtualThread-un", 16) == 0) /* …parker, …blocker */
        return true;
    return is_among(d->name, names) &&
           (state & JVMTI_THREAD_STATE_WAITING || (!(state & THREAD_WAITS) && !runs_code(thread)));
}

static void add_waiter(JNIEnv *env, struct thread_look *look, jthread thread, const char *name, jint state)
{
    struct waiting *w = &look->waiters[look->count];

    if (look->count == WAITERS_MOST)
        return;
    *w = (struct waiting){.thread = thread, .state = state};
    snprintf(w->name, sizeof w->name, "%s", name);
    w->object = waited_object(env, thread, state);
    w->owner = waited_owner(env, w->object, state);
    look->count++;
    assert(look->count <= WAITERS_MOST);
}

static void look_at(JNIEnv *env, struct thread_look *look, jthread thread)
{
    struct description d;
    jint state = 0;

    if ((*looks_machine)->GetThreadState(looks_machine, thread, &state) != JVMTI_ERROR_NONE)
        state = JVMTI_THREAD_STATE_RUNNABLE;
    describe(env, thread, &d);
    if (state & JVMTI_THREAD_STATE_TERMINATED || (*env)->IsSameObject(env, thread, own) ||
        is_idle_servant(&d, thread, state))
        return;
    look->keeps |= !d.daemon;
    if (state & THREAD_WAITS)
        add_waiter(env, look, thread, d.name, state);
    else
        look->moves |= !thread_is_claimed(thread);
}

void thread_look_polls(JNIEnv *env, struct thread_look *look, jthread thread)
{
    int at = 0;

    while (at < look->count && !(*env)->IsSameObject(env, look->waiters[at].thread, thread))
        at++;
    if (at == WAITERS_MOST)
        return;
    look->waiters[at] = (struct waiting){.thread = thread, .polls = true};
    name_of_thread(env, thread, look->waiters[at].name, sizeof look->waiters[at].name);
    look->count += at == look->count;
}

static void look_at_virtual(JNIEnv *env, struct thread_look *look)
{
    size_t count;
    jthread *threads = virtual_threads(env, &count);

    look->moves |= !threads;
    for (size_t i = 0; threads && i < count && !look->moves; i++)
        look_at(env, look, threads[i]);
    free(threads);
}

void thread_look(JNIEnv *env, struct thread_look *look)
{
    jthread *threads = NULL;
    jint count = 0;

    look->count = 0;
    look->keeps = false;
    look->moves = (*looks_machine)->GetAllThreads(looks_machine, &count, &threads) != JVMTI_ERROR_NONE;
    for (jint i = 0; i < count; i++)
        look_at(env, look, threads[i]);
    look_at_virtual(env, look);
    if (threads)
        (*looks_machine)->Deallocate(looks_machine, (unsigned char *)threads);
}
