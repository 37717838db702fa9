/* Tells of threads that wait forever: for what, who holds it, and where. */
#pragma once
#include "bytes.h"
#include "thread_look.h"

/* `tell` appends entries to the list of names. */
bool tell_waits_start(jvmtiEnv *machine, JNIEnv *env, void (*tell)(const struct bytes *entries));

/* Those that the look has seen waiting, the ones on a circle first. */
void tell_waits(JNIEnv *env, const struct thread_look *look);
