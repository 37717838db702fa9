/* Calls from code that uses no registers of vectors, which code in the place of hooks needs to be kept, to code that may. */
#pragma once
#include "runtime/runtime.h"

#if defined(__x86_64__)
uint32_t kept_labelled_read(uint64_t address, unsigned size, uintptr_t pc);
void kept_labelled_write(uint64_t address, unsigned size, uint32_t label, uintptr_t pc);
void kept_next_chunk(void);
void *kept_map(size_t length, int flags, int fd, size_t offset);
#else
#define kept_next_chunk log_next_chunk
#define kept_map        system_map
#endif
