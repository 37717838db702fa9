/* Locks on files: what other parts of the runtime tell of descriptors. */
#pragma once
#include <stdint.h>

/* The program is about to close the descriptor, which gives back the locks on its file. With the turn. */
void file_locks_closed(int fd, uintptr_t pc);
