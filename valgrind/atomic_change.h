/* Instructions that change memory atomically, as Valgrind's language has them: a load, and a compare-and-swap. */
/* This file is part of the Valgrind tool of Heddle, a program of its own.
 * Copyright (C) 2026 The Heddle authors. Free software under the GNU General Public License, version 2 or (at
 * your option) any later version; without any warranty. See COPYING. */
#pragma once
#include "pub_tool_basics.h"
#include "pub_tool_tooliface.h"

struct change {
    IRExpr *swapped; /* the address of the instruction's compare-and-swap, NULL: it has none */
    Bool changes;    /* it compares with what the instruction loaded: it does not fail */
    Bool stores;     /* it is an exchange, and nobody looks at what was there */
    Int load, swap;  /* statements, where it changes */
    Bool last;       /* no instruction follows in the block */
};

/* The instruction that begins at this statement. */
void change_find(const IRSB *in, Int at, struct change *change);
Bool change_same_place(const IRExpr *a, const IRExpr *b);

/* Whether the statement computes something from what the instruction loaded, or is that load. */
Bool change_derives(const IRSB *in, const struct change *change, Int statement);

/* What the new value is made of: SESSION_OF_… */
UInt change_made_of(const IRSB *in, const struct change *change);
