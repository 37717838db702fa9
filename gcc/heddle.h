/* The gcc plugin of Heddle: adds hooks where gcc's -fsanitize=thread leaves them out.
 *
 * Its pass runs right before the sanitizer's own and rewrites what that one overlooks into what it sees:
 *
 *     shared = give();        temporary = give(); shared = temporary;
 *     take(shared);           temporary = shared; take(temporary);
 *     <result>.x = 1;         hook(&<result>.x); <result>.x = 1;     where the result may be in shared memory
 *     __builtin_memcpy(…);    memcpy(…);                             of the library, never expanded
 *     *large = *other;        memmove(large, other, …);
 *     shared.bits = 1;        word = shared.word; word.bits = 1; shared.word = word;
 *     asm("…");               __heddle_assembly(); asm("…");
 *     { int local; … }        { int local; … __heddle_scope_end(&local, 4); } */
/* This file is part of the gcc plugin of Heddle, a program of its own.
 * Copyright (C) 2026 The Heddle authors. Free software under the GNU General Public License, version 3 or (at
 * your option) any later version; without any warranty. See COPYING. */
#pragma once
/* gcc's headers need this order. */
// clang-format off
#include "gcc-plugin.h"
#include "tree.h"
#include "basic-block.h"
#include "gimple.h"
#include "gimple-iterator.h"
// clang-format on

/* Whether the sanitizer takes the memory that `reference` names for one that other threads may see. */
bool may_be_shared(tree reference);

/* Whether it is the result of the function, in memory that the caller chose, or part of it. */
bool is_own_result(tree reference);

/* Copies of up to so many bytes are expanded in place, whatever the processor. */
#define ALWAYS_EXPANDED 96

/* Whether an access to it gets a hook. */
bool is_of_interest(tree memory);

/* Whether a function call may replace the assignment; the address of one of its sides, for such a call;
 * replaces the assignment by the call. */
bool can_be_called_for(gimple *copy);
tree address_for(gimple_stmt_iterator *at, tree memory);
void replace_by_call(gimple_stmt_iterator *at, gcall *call);

/* Structures that `call` takes or returns by value, from or to memory that may be shared. */
void see_values(gcall *call);

/* A reference to memory that is written or read at `at`: if it is the function's own result it gets a hook. */
void see_result(gimple_stmt_iterator *at, tree part, bool write);

/* Where the bytes begin that an access to `target` touches, and how many they are; NULL when that is not known.
 */
tree bytes_of(tree target, HOST_WIDE_INT *length);

/* A memory or string function that gcc may expand in place. */
void see_library_call(gcall *call);

/* An assignment at `at` for which gcc would emit both hooks and a call of a wrapped function: becomes a call
 * of that function. False when it is none. */
bool see_large_copy(gimple_stmt_iterator *at);

/* An assignment at `at` that reads more than the members of a structure: only these are hooked, for in C++ what
 * follows them may be a member of a class derived from it. False when it is none. */
bool see_padded_copy(gimple_stmt_iterator *at);

/* A write at `at` to a bit-field that shares its memory with others: it becomes a read and a write of that
 * memory. False when it is none. */
bool see_bit_field(gimple_stmt_iterator *at);

/* Inline assembly at `at`: if it may touch memory, a call before it reports that to the runtime. */
void see_assembly(gimple_stmt_iterator *at);

/* The end of a local variable's life at `at`, and a return at `at`, where those of parameters end: if other threads may know
 * their addresses, calls before it report that to the runtime. */
void see_scope_end(gimple_stmt_iterator *at);
void see_stack_restored(gcall *call);
/* Of the function's calls. */
void see_stack_given_back(function *fun, const auto_vec<gcall *> &calls);
void see_parameter_ends(gimple_stmt_iterator *at);

/* After all hooks are in place: records for each which object it accesses, by its type. */
void name_sites(function *fun);

/* Marks functions as blocks, as the plugin's arguments `atomic=PATTERN` and `deterministic=PATTERN` say. */
void declare_blocks(plugin_name_args *plugin);

/* Keeps what this plugin made alive in gcc's memory. */
void keep_library_calls(const char *plugin);
