/* Notes of threads, kept in the machine's storage for agents. */
#include "thread_notes.h"
#include "base/memory.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum {
    VIRTUAL_MOST = 65536,
    /* Since JDK 21; headers of older ones do not know them. */
    FIRST_EVENT = 50,
    VIRTUAL_START = 87,
    VIRTUAL_END = 88,
    EVENTS_END = 89,
};

struct note {
    jobject thread; /* of virtual ones: a reference; else NULL */
    size_t at;      /* … and its place in the list */
    bool claimed;
};

static struct {
    jvmtiEnv *machine;
    pthread_mutex_t mutex;
    struct note **virtual;
    size_t virtual_count, virtual_capacity;
} notes = {.mutex = PTHREAD_MUTEX_INITIALIZER};

static struct note *note_of(jthread thread)
{
    void *note = NULL;

    return (*notes.machine)->GetThreadLocalStorage(notes.machine, thread, &note) == JVMTI_ERROR_NONE ? note
                                                                                                     : NULL;
}

static struct note *make_note(jthread thread)
{
    struct note *note = note_of(thread);

    if (note)
        return note;
    note = memory_new(1, sizeof *note);
    (*notes.machine)->SetThreadLocalStorage(notes.machine, thread, note);
    return note;
}

static void JNICALL virtual_starts(jvmtiEnv *jvmti, JNIEnv *env, jthread thread)
{
    struct note *note = make_note(thread);

    (void)jvmti;
    pthread_mutex_lock(&notes.mutex);
    note->thread = (*env)->NewGlobalRef(env, thread);
    note->at = notes.virtual_count;
    ARRAY_PUSH(&notes, virtual, note);
    pthread_mutex_unlock(&notes.mutex);
}

static void JNICALL virtual_ends(jvmtiEnv *jvmti, JNIEnv *env, jthread thread)
{
    struct note *note = note_of(thread), *last;

    if (!note || !note->thread)
        return;
    pthread_mutex_lock(&notes.mutex);
    assert(notes.virtual[note->at] == note);
    last = notes.virtual[--notes.virtual_count];
    notes.virtual[note->at] = last;
    last->at = note->at;
    pthread_mutex_unlock(&notes.mutex);
    (*env)->DeleteGlobalRef(env, note->thread);
    (*jvmti)->SetThreadLocalStorage(jvmti, thread, NULL);
    free(note);
}

/* Callbacks are a table of functions by event; this one may be larger than the headers say. */
bool thread_notes_start(jvmtiEnv *machine, const jvmtiEventCallbacks *calls, bool virtual)
{
    static void (*table[EVENTS_END - FIRST_EVENT])(void);
    size_t known = sizeof *calls < sizeof table ? sizeof *calls : sizeof table;

    notes.machine = machine;
    memcpy(table, calls, known);
    if (!virtual)
        return (*machine)->SetEventCallbacks(machine, calls, sizeof *calls) == JVMTI_ERROR_NONE;
    table[VIRTUAL_START - FIRST_EVENT] = (void (*)(void))virtual_starts;
    table[VIRTUAL_END - FIRST_EVENT] = (void (*)(void))virtual_ends;
    return (*machine)->SetEventCallbacks(machine, (const jvmtiEventCallbacks *)(const void *)table,
                                         sizeof table) == JVMTI_ERROR_NONE &&
           (*machine)->SetEventNotificationMode(machine, JVMTI_ENABLE, (jvmtiEvent)VIRTUAL_START, NULL) ==
               JVMTI_ERROR_NONE &&
           (*machine)->SetEventNotificationMode(machine, JVMTI_ENABLE, (jvmtiEvent)VIRTUAL_END, NULL) ==
               JVMTI_ERROR_NONE;
}

void claim_thread(jthread thread)
{
    make_note(thread)->claimed = true;
}

bool thread_is_claimed(jthread thread)
{
    const struct note *note = note_of(thread);

    return note && note->claimed;
}

/* Threads are looked at without the mutex: one that starts or ends meanwhile must not wait for whoever looks. */
jthread *virtual_threads(JNIEnv *env, size_t *count)
{
    jthread *list = NULL;

    pthread_mutex_lock(&notes.mutex);
    *count = notes.virtual_count;
    if (*count <= VIRTUAL_MOST && (*env)->EnsureLocalCapacity(env, (jint)*count + 1) == 0) {
        list = memory_new(*count + 1, sizeof *list);
        for (size_t i = 0; i < *count; i++)
            list[i] = (*env)->NewLocalRef(env, notes.virtual[i] -> thread);
    }
    pthread_mutex_unlock(&notes.mutex);
    return list;
}
