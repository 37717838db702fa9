/* What is noted of threads: which of them somebody else looks after; and the virtual ones, which the machine does not list. */
#pragma once
#include <jvmti.h>
#include <stdbool.h>
#include <stddef.h>

/* Asks the machine to tell of virtual threads, if it has such. Before it starts. */
bool thread_notes_start(jvmtiEnv *machine, const jvmtiEventCallbacks *calls, bool virtual);

/* Somebody looks after the thread: whether it moves is no matter for looks at all threads. */
void claim_thread(jthread thread);
bool thread_is_claimed(jthread thread);

/* The virtual threads that run or wait: local references, in an array that the caller frees; NULL: they are too many. */
jthread *virtual_threads(JNIEnv *env, size_t *count);
