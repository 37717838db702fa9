/* Addresses of a recorded program as people know them: places in the source, functions, global variables. */
#pragma once
#include "record/symbols/locals.h"
#include "record/symbols/sites.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct symbols;

/* What was read from a program's files is kept when the symbols are freed: most often the next ones are for
 * the same program, run again. */
struct symbols *symbols_new(void);
void symbols_free(struct symbols *symbols);

/* A file that was loaded, and where. */
void symbols_module(struct symbols *symbols, const char *path, uint64_t base);

/* The calls of hooks for plain accesses in the files' code, each by the address it returns to. Calls that go through a table, as those of
 * shared libraries do, are not found. */
typedef void hook_call(void *to, uint64_t pc);
void symbols_hook_calls(struct symbols *symbols, hook_call *take, void *to);

/* Whether the call that returns to `pc` is in a library of the system, such as the C library. */
bool symbols_in_system(struct symbols *symbols, uint64_t pc);

/* "queue.c:41 push" for the call that returns to `pc`. Always gives some text. */
void symbols_place(struct symbols *symbols, uint64_t pc, char *to, size_t room);

/* Where the function was called that symbols_place names, if it was inlined: "queue.c:52 fill"; `outer` 1:
 * where that one was, and so on. `*first`: the line on which the calling function begins; 0 when unknown. False when it was not
 * inlined. */
bool symbols_inlined_call(struct symbols *symbols, uint64_t pc, unsigned outer, char *to, size_t room,
                          uint32_t *first);

/* The line on which the function that symbols_place names begins; 0 when unknown. */
uint32_t symbols_first_line(struct symbols *symbols, uint64_t pc);

/* "queue.c:41" alone, or "" when the source is not known. */
void symbols_line(struct symbols *symbols, uint64_t pc, char *to, size_t room);

/* The same, for a call in a function of the system's headers that was inlined: where that was called. */
void symbols_origin(struct symbols *symbols, uint64_t pc, char *to, size_t room);

/* The function that begins at or holds the address; "" when unknown. */
void symbols_function(struct symbols *symbols, uint64_t address, char *to, size_t room);

/* "account.balance", "items[3]" for `length` bytes (0: a whole object) in a global variable; false when there
 * is none. */
bool symbols_variable(struct symbols *symbols, uint64_t address, uint64_t length, char *to, size_t room,
                      struct spelling *spelling);

/* Whether the type of a global variable, or the part of it that is `length` bytes, is known; then whether it is
 * atomic. */
bool symbols_type(struct symbols *symbols, uint64_t address, uint64_t length, bool *atomic);

/* What the global pointer at the address points to, by its type; false when there is none. */
bool symbols_pointer(struct symbols *symbols, uint64_t address, Dwarf_Die *pointed);

/* "main: counter" for bytes in the frame of a call; false when no variable is known to be there. */
bool symbols_local(struct symbols *symbols, const struct scope_frame *frame, uint64_t address, uint64_t length,
                   char *to, size_t room, struct spelling *spelling);

/* Whether the function keeps its frame pointer, the way compilers lay frames out, at the call that returns to `pc`. */
bool symbols_keeps_frame(struct symbols *symbols, uint64_t pc);

/* Which object the access that returns to `pc` touches a part of, by its type; NULL when nothing is said of it. Valid until the
 * next call. */
const struct site *symbols_site(struct symbols *symbols, uint64_t pc);
const struct site_type *symbols_site_type(const struct symbols *symbols, uint32_t type);

/* The type of the objects that a block is for which the call that returns to `pc` asked for, if an allocator of the C++ library
 * made it. */
bool symbols_allocated(struct symbols *symbols, uint64_t pc, Dwarf_Die *type);

/* Where the code of the function begins that the address is in, whatever was inlined there; 0: unknown. */
uint64_t symbols_entry(struct symbols *symbols, uint64_t address);
