/* The recorder for programs without hooks: Valgrind with a tool of our own. */
#pragma once
#include "runtime/protocol/session.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Whether Valgrind is there and the tool, which is in a folder beside the runtime's libraries. `folder` becomes
 * what Valgrind is to be told. */
bool binary_recorder(const char *libraries, char *folder, size_t room);

/* The command that runs the program under the tool; its messages go to the descriptor. The array is the
 * caller's to free, not what is in it. */
char *const *binary_command(char *const *program, int log_fd);

/* Whether every thread of the process waits for another one. */
bool binary_deadlocked(const struct session *session, pid_t pid);
