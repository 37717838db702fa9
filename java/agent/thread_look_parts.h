/* What the files of looks at threads share. */
#pragma once
#include "thread_look.h"

enum { THREAD_WAITS = JVMTI_THREAD_STATE_BLOCKED_ON_MONITOR_ENTER | JVMTI_THREAD_STATE_WAITING_INDEFINITELY };

extern jvmtiEnv *looks_machine;

bool thread_circle_start(JNIEnv *env);

/* What a thread in this state waits for, and the thread that holds it; each may be NULL. */
jobject waited_object(JNIEnv *env, jthread thread, jint state);
jobject waited_owner(JNIEnv *env, jobject object, jint state);
