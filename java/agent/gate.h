/* The gate: makes the threads of a machine follow a script.
 *
 * Before each of its records a thread asks whether it may proceed. The thread of the current step may, up to the
 * step's position; a step is over when its thread asks for more, ends, or blocks at the position. After the
 * last step one thread runs at a time until it blocks, so that the rest of a run mostly goes the same way, too.
 */
#pragma once
#include "bytes.h"

#include <jvmti.h>
#include <stdbool.h>
#include <stdint.h>

/* Maps the script and makes the gate's file beside the log. */
bool gate_open(const char *folder, const char *script, bool explores, uint32_t drawn);

/* Address of the gate's file in memory; 0: there is none. */
jlong gate_address(void);

/* Starts the thread that watches blocked threads; `tell` appends entries to the list of names. */
bool gate_start(jvmtiEnv *machine, JNIEnv *env, void (*tell)(const struct bytes *entries));

/* A thread with its number in the log; one that starts another, before it does. */
void gate_meet(JNIEnv *env, jthread thread, jint number);
void JNICALL gate_forks(JNIEnv *env, jclass self, jint maker, jthread child);

/* Returns when the thread may make its record of that ordinal. */
void JNICALL gate_pass(JNIEnv *env, jclass self, jint number, jlong ordinal);

/* What the thread learned from outside when the script was recorded, or else what it learns now. */
jlong JNICALL gate_input(JNIEnv *env, jclass self, jint number, jint kind, jlong live);

/* The machine ends. */
void gate_end(void);
