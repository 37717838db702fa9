/* Tells which threads wait forever: the machine's own words for it, as entries of the list of names. */
#include "tell_waits.h"
#include "hook_sites.h"
#include "runtime/protocol/java_log.h"

#include <stdio.h>
#include <string.h>

enum { FRAMES_MOST = 64 };

static struct {
    jvmtiEnv *machine;
    void (*tell)(const struct bytes *);
    jclass identity;
    jmethodID number_of;
} telling;

/* "Obs.java:7 Obs.main": the innermost frame of the program's own. */
static void waited_place(JNIEnv *env, jthread thread, char *to, size_t room)
{
    jvmtiFrameInfo frames[FRAMES_MOST];
    jint count = 0;

    *to = '\0';
    if ((*telling.machine)->GetStackTrace(telling.machine, thread, 0, FRAMES_MOST, frames, &count) !=
        JVMTI_ERROR_NONE)
        return;
    for (jint i = 0; i < count && !*to; i++) {
        char *class = NULL, *method = NULL, *source = NULL;
        jvmtiLineNumberEntry *lines = NULL;
        jint lines_count = 0, line = 0;
        jclass owner = NULL;

        (*telling.machine)->GetMethodDeclaringClass(telling.machine, frames[i].method, &owner);
        if (!owner ||
            (*telling.machine)->GetClassSignature(telling.machine, owner, &class, NULL) != JVMTI_ERROR_NONE)
            continue;
        bool own = strncmp(class, "Ljava/", 6) != 0 && strncmp(class, "Ljdk/", 5) != 0 &&
                   strncmp(class, "Lsun/", 5) != 0 && strncmp(class, "Lheddle/runtime/", 16) != 0;
        if (own && (*telling.machine)->GetMethodName(telling.machine, frames[i].method, &method, NULL, NULL) ==
                       JVMTI_ERROR_NONE) {
            (*telling.machine)->GetSourceFileName(telling.machine, owner, &source);
            (*telling.machine)->GetLineNumberTable(telling.machine, frames[i].method, &lines_count, &lines);
            for (jint k = 0; k < lines_count; k++)
                if (lines[k].start_location <= frames[i].location)
                    line = lines[k].line_number;
            for (char *at = class; *at; at++)
                *at = (char)(*at == '/' ? '.' : *at == ';' ? '\0' : *at);
            snprintf(to, room, "%s:%d %s.%s", source ? source : "?", (int)line, class + 1, method);
        }
        (*telling.machine)->Deallocate(telling.machine, (unsigned char *)class);
        (*telling.machine)->Deallocate(telling.machine, (unsigned char *)method);
        (*telling.machine)->Deallocate(telling.machine, (unsigned char *)source);
        (*telling.machine)->Deallocate(telling.machine, (unsigned char *)lines);
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
        (*telling.machine)->GetClassSignature(telling.machine, class, &signature, NULL) != JVMTI_ERROR_NONE)
        return;
    for (char *at = signature; *at; at++)
        *at = (char)(*at == '/' ? '.' : *at == ';' || *at == '$' ? '\0' : *at);
    snprintf(to, room, "%s", signature + (*signature == 'L'));
    (*telling.machine)->Deallocate(telling.machine, (unsigned char *)signature);
}

static enum java_wait waited_kind(JNIEnv *env, const struct waiting *w)
{
    jclass thread = (*env)->FindClass(env, "java/lang/Thread");

    if (w->polls)
        return JAVA_WAIT_NOTIFY;
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
    jint number = object ? (*env)->CallStaticIntMethod(env, telling.identity, telling.number_of, object, 0) : 0;

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
    telling.tell(&entry);
    bytes_free(&entry);
}

void tell_waits(JNIEnv *env, const struct thread_look *look)
{
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < look->count; i++)
            if (is_on_circle(env, look, &look->waiters[i]) == (pass == 0))
                tell_waiter(env, &look->waiters[i]);
}

bool tell_waits_start(jvmtiEnv *machine, JNIEnv *env, void (*tell)(const struct bytes *))
{
    jclass identity = (*env)->FindClass(env, "heddle/runtime/Identity");

    if (!identity)
        return false;
    telling.machine = machine;
    telling.tell = tell;
    telling.identity = (*env)->NewGlobalRef(env, identity);
    telling.number_of = (*env)->GetStaticMethodID(env, identity, "of", "(Ljava/lang/Object;I)I");
    return telling.number_of != NULL;
}
