/* Watches a machine that runs freely: records when threads wait for each other's monitors, or when all of them
 * wait, and ends a machine in which no thread can continue. */
#pragma once
#include "bytes.h"

#include <jvmti.h>

struct java_log_header;

/* Starts the thread that watches; `tell` appends entries to the list of names, the log shows whether anything is
 * recorded meanwhile.
 * `ended` is called once when nothing is recorded any more. */
bool stuck_watch_start(jvmtiEnv *machine, JNIEnv *env, void (*tell)(const struct bytes *entries),
                       const struct java_log_header *log, void (*ended)(JNIEnv *env));
