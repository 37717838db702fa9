/* Blocks of the heap from one pass to the next: the n-th one allocated in one pass is the n-th in the other.
 * See heap_blocks.c. The caller has the turn. */
#pragma once
#include "runtime/runtime.h"

/* A block is allocated; a block was resized in place. */
void blocks_begin(uint64_t address, size_t length);
void blocks_resize(uint64_t address, size_t length);

/* It is freed. */
void heap_blocks_end(uint64_t address);
