/* Calls on descriptors at the scheduler: what the files that have some of them share. */
#pragma once
#include "runtime/runtime.h"

#include <sys/types.h>
#include <sys/uio.h>

/* Enters the scheduler for a call on a descriptor, and waits until it would not block; the call is then made at
 * the thread's turn. `flags` are those of recv and send, 0: none. False: it is to be made as it is, or not at
 * all. */
bool io_begin(int fd, short events, int flags, uintptr_t pc);

/* After io_begin said false: whether the call has ended without being made; errno says why. */
bool io_cut_short(void);

/* Parts of a vector up to `length` bytes in all; all of it. */
void io_touch_vector(const struct iovec *parts, int count, ssize_t length, bool write, uintptr_t pc);
size_t io_vector_length(const struct iovec *parts, size_t count);
