/* Inputs from outside: recorded, and given to the program again when a run is repeated. */
#pragma once
#include "runtime/runtime.h"

/* The value a thread gets now: the next one of its kind that a script has for it, else `live`; recorded either
 * way. */
uint64_t input_take(enum input_kind kind, uint64_t live);

/* Notes what was read, by its sum; something else than a script has for it is counted as another input. `fd`
 * may be -1. With the turn. */
void input_read(int fd, const void *bytes, size_t length, uintptr_t pc);

/* The same for one character, or EOF: each of the first few, then lines. */
void input_character(int fd, int character, uintptr_t pc);

/* The process that the program means by this number: what it was told is its own may be another's by now. */
pid_t input_real_process(pid_t pid);

/* follow_script.c: the next value of this kind that the script has for the thread. */
bool script_input(struct thread *self, enum input_kind kind, uint64_t *value);

/* The same, without taking it. */
bool script_next_input(const struct thread *thread, enum input_kind kind, uint64_t *value);

/* Whether the script says when handlers of signals run. */
bool script_has_signals(void);
