/* Addresses of a recorded program as people know them: places in the source, functions, global variables. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct symbols;

struct symbols *symbols_new(void);
void symbols_free(struct symbols *symbols);

/* A file that was loaded, and where. */
void symbols_module(struct symbols *symbols, const char *path, uint64_t base);

/* "queue.c:41 push" for the call that returns to `pc`. Always gives some text. */
void symbols_place(struct symbols *symbols, uint64_t pc, char *to, size_t room);

/* "queue.c:41" alone, or "" when the source is not known. */
void symbols_line(struct symbols *symbols, uint64_t pc, char *to, size_t room);

/* The function that begins at or holds the address; "" when unknown. */
void symbols_function(struct symbols *symbols, uint64_t address, char *to, size_t room);

/* "account.balance", "items[3]" for `length` bytes (0: a whole object) in a global variable; false when there
 * is none. */
bool symbols_variable(struct symbols *symbols, uint64_t address, uint64_t length, char *to, size_t room);

/* Whether the type of a global variable, or the part of it that is `length` bytes, is known; then whether it is
 * atomic. */
bool symbols_type(struct symbols *symbols, uint64_t address, uint64_t length, bool *atomic);
