/* Conditions: which values would have led the same way. */
/* This file is part of the Valgrind tool of Heddle, a program of its own.
 * Copyright (C) 2026 The Heddle authors. Free software under the GNU General Public License, version 2 or (at
 * your option) any later version; without any warranty. See COPYING. */
#include "grind_labels.h"
#include "label_flow.h"

#include "pub_tool_machine.h"

enum { DEPTH = 32, NO_COMPARISON = 0xff };

/* How two numbers are compared (session.h): operation, signedness and the logarithm of the size; NO_COMPARISON: they are not. */
static UInt comparison_of(IROp op)
{
    enum {
        ONE = 0 << SESSION_SIZE_SHIFT,
        TWO = 1 << SESSION_SIZE_SHIFT,
        FOUR = 2 << SESSION_SIZE_SHIFT,
        EIGHT = 3 << SESSION_SIZE_SHIFT
    };

    switch (op) {
    case Iop_CmpEQ8:
        return ONE | COMPARED_EQ;
    case Iop_CmpEQ16:
        return TWO | COMPARED_EQ;
    case Iop_CmpEQ32:
        return FOUR | COMPARED_EQ;
    case Iop_CmpEQ64:
        return EIGHT | COMPARED_EQ;
    case Iop_CmpNE8:
        return ONE | COMPARED_NE;
    case Iop_CmpNE16:
        return TWO | COMPARED_NE;
    case Iop_CmpNE32:
        return FOUR | COMPARED_NE;
    case Iop_CmpNE64:
        return EIGHT | COMPARED_NE;
    case Iop_CmpLT32U:
        return FOUR | COMPARED_LT;
    case Iop_CmpLE32U:
        return FOUR | COMPARED_LE;
    case Iop_CmpLT64U:
        return EIGHT | COMPARED_LT;
    case Iop_CmpLE64U:
        return EIGHT | COMPARED_LE;
    case Iop_CmpLT32S:
        return FOUR | COMPARED_LT | SESSION_SIGNED;
    case Iop_CmpLE32S:
        return FOUR | COMPARED_LE | SESSION_SIGNED;
    case Iop_CmpLT64S:
        return EIGHT | COMPARED_LT | SESSION_SIGNED;
    case Iop_CmpLE64S:
        return EIGHT | COMPARED_LE | SESSION_SIGNED;
    default:
        return NO_COMPARISON;
    }
}

/* A number of the comparison as a word. */
static IRExpr *as_compared(IRExpr *atom, UInt how)
{
    static const IROp widening[][2] = {
        {Iop_8Uto64, Iop_8Sto64}, {Iop_16Uto64, Iop_16Sto64}, {Iop_32Uto64, Iop_32Sto64}};
    UInt size = how >> SESSION_SIZE_SHIFT & 3;

    return size == 3 ? atom
                     : flow_assign(Ity_I64, IRExpr_Unop(widening[size][(how & SESSION_SIGNED) != 0], atom));
}

/* What is not 0 before is not 0 after, for values that are 0 or 1. */
static Bool keeps_truth(IROp op)
{
    switch (op) {
    case Iop_Not1: /* the same values lead the same way */
    case Iop_1Uto8:
    case Iop_1Uto32:
    case Iop_1Uto64:
    case Iop_8Uto32:
    case Iop_8Uto64:
    case Iop_32Uto64:
    case Iop_64to32:
    case Iop_64to8:
    case Iop_32to8:
    case Iop_64to1:
    case Iop_32to1:
        return True;
    default:
        return False;
    }
}

static Bool is_zero(const IRExpr *e)
{
    if (e->tag != Iex_Const)
        return False;
    switch (e->Iex.Const.con->tag) {
    case Ico_U8:
        return e->Iex.Const.con->Ico.U8 == 0;
    case Ico_U32:
        return e->Iex.Const.con->Ico.U32 == 0;
    case Ico_U64:
        return e->Iex.Const.con->Ico.U64 == 0;
    default:
        return False;
    }
}

/* One step from a condition towards the comparison that it is, NULL: there is none. */
static const IRExpr *step(const IRExpr *e)
{
    UInt how;

    if (e->tag == Iex_RdTmp)
        return e;
    if (e->tag == Iex_Unop)
        return keeps_truth(e->Iex.Unop.op) ? e->Iex.Unop.arg : NULL;
    if (e->tag != Iex_Binop)
        return NULL;
    if ((e->Iex.Binop.op == Iop_And8 || e->Iex.Binop.op == Iop_And32 || e->Iex.Binop.op == Iop_And64) &&
        eqIRAtom(e->Iex.Binop.arg1, e->Iex.Binop.arg2))
        return e->Iex.Binop.arg1;
    how = comparison_of(e->Iex.Binop.op);
    return how != NO_COMPARISON && (how & SESSION_OPERATION) <= COMPARED_NE && is_zero(e->Iex.Binop.arg2)
               ? e->Iex.Binop.arg1
               : NULL;
}

/* The comparison that a condition is, behind negations, conversions and comparisons of its truth with 0. Only truth
 * comes from another comparison: the innermost is the one that counts. */
static const IRExpr *behind(const IRExpr *guard)
{
    const IRExpr *found = NULL;

    for (UInt i = 0; i < DEPTH && guard; i++) {
        const IRExpr *e = flow_computed_by(guard);
        if (!e)
            break;
        if (e->tag == Iex_Binop && comparison_of(e->Iex.Binop.op) != NO_COMPARISON)
            found = e;
        guard = step(e);
    }
    return found;
}

/* A comparison tells which values would have led the same way. */
void flow_decide_condition(const IRExpr *guard)
{
    const IRExpr *e = behind(guard);
    UInt how = e && e->tag == Iex_Binop ? comparison_of(e->Iex.Binop.op) : NO_COMPARISON;
    IRExpr *left, *right;
    IRDirty *call;

    if (how == NO_COMPARISON) {
        flow_decide(flow_label(guard));
        return;
    }
    left = flow_label(e->Iex.Binop.arg1);
    right = flow_label(e->Iex.Binop.arg2);
    if (flow_is_plain(left) && flow_is_plain(right)) {
        flow_decide(left);
        flow_decide(right);
        return;
    }
    call =
        unsafeIRDirty_0_N(0, "grind_label_compare", VG_(fnptr_to_fnentry)(&grind_label_compare),
                          mkIRExprVec_5(left, as_compared(e->Iex.Binop.arg1, how), right,
                                        as_compared(e->Iex.Binop.arg2, how), IRExpr_Const(IRConst_U64(how))));
    call->guard = flow_assign(
        Ity_I1, IRExpr_Unop(Iop_CmpNEZ64, flow_assign(Ity_I64, IRExpr_Binop(Iop_Or64, left, right))));
    flow_put(call);
}
