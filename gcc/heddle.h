/* The gcc plugin of Heddle: what gcc's -fsanitize=thread leaves without a hook gets one.
 *
 * Its pass runs right before the sanitizer's own and rewrites what that one overlooks into what it sees:
 *
 *     shared = give();        temporary = give(); shared = temporary;
 *     take(shared);           temporary = shared; take(temporary);
 *     <result>.x = 1;         hook(&<result>.x); <result>.x = 1;     where the result may be in shared memory
 *     __builtin_memcpy(…);    memcpy(…);                             of the library, never expanded
 *     *large = *other;        memmove(large, other, …); */
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

/* Structures that `call` takes or gives by value, from or to memory that may be shared. */
void see_values(gcall *call);

/* A reference to memory that is written or read at `at`: if it is the function's own result it gets a hook. */
void see_result(gimple_stmt_iterator *at, tree part, bool write);

/* A memory or string function that gcc may expand in place. */
void see_library_call(gcall *call);

/* An assignment at `at` that gcc would hook, and then call a function for that is seen as well: it becomes a
 * call of that function. False when it is none. */
bool see_large_copy(gimple_stmt_iterator *at);

/* Keeps what this plugin made alive in gcc's memory. */
void keep_library_calls(const char *plugin);
