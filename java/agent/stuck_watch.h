/* Watches a machine that runs freely: records when threads wait for each other's monitors, or when all of them
 * wait, and ends a machine in which no thread can continue. */
#pragma once
#include "bytes.h"

#include <jvmti.h>

/* Starts the thread that watches; `tell` appends entries to the list of names, `progress` grows with the log. */
bool stuck_watch_start(jvmtiEnv *machine, JNIEnv *env, void (*tell)(const struct bytes *entries),
                       const uint64_t *progress);
