/* The recorder for programs that are not instrumented: Valgrind with a tool of our own. */
#pragma once
#include "runtime/protocol/session.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Whether Valgrind and the tool, in a folder next to the runtime's libraries, are installed. `folder` is set
 * to the folder to pass to Valgrind. */
bool binary_recorder(const char *libraries, char *folder, size_t room);

/* The command that runs the program under the tool; its messages go to the descriptor. The array is the
 * caller's to free, not what is in it. */
char *const *binary_command(char *const *program, int log_fd);

/* Whether every thread of the process waits for another one. */
bool binary_deadlocked(const struct session *session, pid_t pid);
