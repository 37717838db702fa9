/* What tests that run along schedules need of the virtual machine and of the system (runtime/heddle/runtime/Turns.java). */
#pragma once
#include <jvmti.h>
#include <stdbool.h>

/* Brings the runtime into the machine. */
bool turns_start(jvmtiEnv *machine, JNIEnv *env);

/* Rewrites those classes of the JDK that wait, tell the time or start threads and are loaded already. */
void turns_hook_loaded(jvmtiEnv *machine, JNIEnv *env);

/* In a new thread, before anything else: one of a test waits for its turn. */
void JNICALL turns_thread_starts(jvmtiEnv *jvmti, JNIEnv *env, jthread thread);
