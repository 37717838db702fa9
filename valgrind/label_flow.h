/* Code that computes labels along with the values of a block of the program's code. */
/* This file is part of the Valgrind tool of Heddle, a program of its own.
 * Copyright (C) 2026 The Heddle authors. Free software under the GNU General Public License, version 2 or (at
 * your option) any later version; without any warranty. See COPYING. */
#pragma once
#include "pub_tool_basics.h"
#include "pub_tool_tooliface.h"

/* A block begins: its statements go to `out`; the shadow of the guest state is behind it. */
void flow_begin(IRSB *out, const IRSB *in, const VexGuestLayout *layout);

/* The label of an atom, as an atom. Above it a bit says whether the value is what one read saw plus a constant, modulo
 * the size of that read. */
IRExpr *flow_label(const IRExpr *atom);
void flow_set_label(IRTemp temp, IRExpr *label);
IRExpr *flow_union(IRExpr *one, IRExpr *other);
/* The label of the sum of two values. */
IRExpr *flow_sum(IRExpr *one, IRExpr *other);
/* The label of what was read, as a number of that type. */
IRExpr *flow_of_read(IRExpr *label, IRType type);
Bool flow_is_nothing(const IRExpr *label);

/* The label decides; it is not told again in this block. */
void flow_decide(IRExpr *label);
/* The same for a label that the call that comes next tells: gives what to tell. */
IRExpr *flow_deciding(IRExpr *label);

/* label_conditions.c: what the condition compares decides, for the values that lead the same way. */
void flow_decide_condition(const IRExpr *guard);

/* For it: what a temporary is computed by, NULL: not known; whether the label is nothing but a label; a new temporary; a
 * helper's call. */
const IRExpr *flow_computed_by(const IRExpr *atom);
Bool flow_is_plain(const IRExpr *label);
IRExpr *flow_assign(IRType type, IRExpr *value);
void flow_put(IRDirty *call);

/* Statements that move values between registers and temporaries, call helpers or leave the block. Loads and
 * stores, and atomic changes, are whoever's that logs them. */
void flow_statement(const IRStmt *statement);
/* The block goes on at `next`. */
void flow_end(const IRSB *in);
