/* Labels of what a thread keeps in memory of its own, in a pass that does not record accesses to it.
 *
 * Only pages with a label somewhere have entries. Where there are too many of them, every word counts as made of
 * all that was read. */
#pragma once
#include "runtime/grounds/label_hooks.h"

/* The label of the bytes, without further bits; what is put into them. */
uint32_t taint_read(uint64_t address, uint64_t length);
void taint_write(uint64_t address, uint64_t length, uint32_t label);

/* The thread ends. */
void taint_forget(void);
