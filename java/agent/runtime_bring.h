/* Brings the runtime's classes into a virtual machine: defines them beside the JDK's own. */
#pragma once
#include <jvmti.h>
#include <stdbool.h>

bool define_runtime(JNIEnv *env);

/* Lets the runtime, of which `hooks` is a class, use the machine's unsafe accesses, as the JDK does itself. */
bool open_internals(jvmtiEnv *jvmti, JNIEnv *env, jclass hooks);
