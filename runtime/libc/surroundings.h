/* Order between threads that meet outside their memory: in files, by the names of files, in the environment.
 *
 * What a call finds there decides what its thread does next. So in the trace a look comes after the changes before it, and a
 * change after the looks before it: in every run predicted from the trace each call finds what it found. Exploration
 * models the same calls in its own way (effects.h), and nothing is done here then; locks on files are ordered in any case
 * (file_locks.h). */
#pragma once
#include <stdbool.h>
#include <stdint.h>

/* The key of the content of the file behind a descriptor; 0: it is no regular file, or there was only one thread so far. */
uint64_t surroundings_content(int fd);

/* Whether a call of the program is to be put in order: then the thread has the turn until sync_leave. */
bool surroundings_begin(uintptr_t pc);

/* What was read from or written to the file behind a descriptor; nothing for what is no regular file. With the turn. */
void surroundings_read(int fd, uintptr_t pc);
void surroundings_wrote(int fd, uintptr_t pc);
