/* Labels of what a thread keeps in memory of its own, in a pass that does not record accesses to it.
 *
 * Only pages with a label somewhere have entries. Of a granule that the thread owns, a bit of its mark says whether a word of it
 * may have one, so that most accesses need not look. Where there are too many of them, every word counts as made of
 * all that was read. */
#pragma once
#include "runtime/grounds/label_hooks.h"

/* The label of the bytes, without further bits; what is put into them. */
uint32_t taint_read(uint64_t address, uint64_t length);
void taint_write(uint64_t address, uint64_t length, uint32_t label);

/* The same of bytes within a granule of the thread's own. Where it has no label, hooks need not ask again. */
uint32_t taint_read_own(uint64_t address, unsigned size);
void taint_write_own(uint64_t address, unsigned size, uint32_t label);

/* Has hooks ask for the next read, whatever the mark of what is read; only where its mark says so. */
void taint_ask(void);
void taint_begin(void);

/* The thread ends. */
void taint_forget(void);
