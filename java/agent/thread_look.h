/* A look at all threads of the machine: which of them wait without a time-out, and whether another could do something.
 *
 * Threads by which the machine serves the program (references, signals, compiling, what runs virtual threads) count only
 * while they run code of the program or of the JDK. */
#pragma once
#include <jvmti.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { WAITERS_MOST = 256 };

/* A thread that waits without a time-out. */
struct waiting {
    jthread thread;
    char name[256];
    jint state;
    jobject object; /* the monitor it wants or waits on; or what it is parked for; NULL: not known */
    jobject owner;  /* the thread that holds it, or NULL */
    bool
        polls; /* it waits for a notify, for which our runtime looks again and again: the log says of which object */
};

struct thread_look {
    struct waiting waiters[WAITERS_MOST];
    int count;
    bool moves; /* somebody does not wait, or waits with a time-out */
    bool keeps; /* the machine does not end by itself: it waits for the end of one of these threads */
};

/* By the thread that will look. */
bool thread_look_start(jvmtiEnv *machine, JNIEnv *env);

/* The look's references are local ones. */
void thread_look(JNIEnv *env, struct thread_look *look);

/* Counts the thread among those that wait, as one that polls. */
void thread_look_polls(JNIEnv *env, struct thread_look *look, jthread thread);

void name_of_thread(JNIEnv *env, jthread thread, char *to, size_t room);

/* Whether the process has threads that the machine does not know: native code has started them, and they may call the
 * program at any time. */
bool has_native_threads(JNIEnv *env);

/* Circles of threads that wait for each other's locks (thread_circle.c): a number for all of them, equal as long as they are
 * the same; 0: there is none. */
uint64_t thread_circle(JNIEnv *env, const struct thread_look *look);
bool is_on_circle(JNIEnv *env, const struct thread_look *look, const struct waiting *start);
