/* The functions around an address, from the inside out: those that were inlined there, then the one that holds
 * them. libdw's own way goes through the whole unit for each address; here that is done once for each unit. */
#pragma once
#include <elfutils/libdw.h>
#include <stdint.h>

struct scopes;

struct scopes *scopes_new(void);
void scopes_free(struct scopes *scopes);

/* `pc` is as the unit counts. Returns how many there are; `*functions` is the caller's to free. */
int scopes_around(struct scopes *scopes, Dwarf_Die *unit, uint64_t pc, Dwarf_Die **functions);

/* The same with the blocks of these functions among them. */
int scopes_and_blocks(struct scopes *scopes, Dwarf_Die *unit, uint64_t pc, Dwarf_Die **around);
