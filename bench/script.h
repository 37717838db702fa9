/* Traces from scripts: each thread does its list of operations, a seeded random scheduler takes turns, locks
 * and waits block. What a thread does next does not depend on data. */
#pragma once
#include "trace/trace.h"

enum { SCRIPT_THREADS = 64 };

struct script;

struct script *script_new(uint64_t seed, const char *file);
void script_free(struct script *s);

/* Appends an operation to a thread's list; thread 0 is main. `line` is where it stands in the source. */
void script_access(struct script *s, unsigned thread, bool write, const char *object, unsigned number,
                   unsigned line);
void script_lock(struct script *s, unsigned thread, const char *object, unsigned number, unsigned line);
void script_unlock(struct script *s, unsigned thread, const char *object, unsigned number, unsigned line);

/* Waits on the condition, giving the lock back meanwhile; whoever is not notified wakes up by itself in the
 * end. */
void script_wait(struct script *s, unsigned thread, const char *condition, const char *lock, unsigned number,
                 unsigned line);
void script_notify(struct script *s, unsigned thread, const char *condition, unsigned number, unsigned line);
void script_begin(struct script *s, unsigned thread, unsigned line);
void script_end(struct script *s, unsigned thread, unsigned line);
void script_fork(struct script *s, unsigned thread, unsigned child, unsigned line);
void script_join(struct script *s, unsigned thread, unsigned child, unsigned line);

/* A number below `bound`; how many operations a thread has so far. */
unsigned script_roll(struct script *s, unsigned bound);
size_t script_length(const struct script *s, unsigned thread);

/* Runs all threads to their ends; the trace belongs to the script. */
const struct trace *script_run(struct script *s);
