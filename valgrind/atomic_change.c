/* Finds out what an instruction with a LOCK prefix does. */
/* This file is part of the Valgrind tool of Heddle, a program of its own.
 * Copyright (C) 2026 The Heddle authors. Free software under the GNU General Public License, version 2 or (at
 * your option) any later version; without any warranty. See COPYING. */
#include "atomic_change.h"

#include "runtime/protocol/session.h"

Bool change_same_place(const IRExpr *a, const IRExpr *b)
{
    if (!a || !b || a->tag != b->tag)
        return False;
    if (a->tag == Iex_RdTmp)
        return a->Iex.RdTmp.tmp == b->Iex.RdTmp.tmp;
    return a->tag == Iex_Const && a->Iex.Const.con->Ico.U64 == b->Iex.Const.con->Ico.U64;
}

/* Whether the statement looks at the temporary. Statements are flat: what they look at is temporaries. */
static Bool looks_at(const IRExpr *e, IRTemp temp)
{
    switch (e->tag) {
    case Iex_RdTmp:
        return e->Iex.RdTmp.tmp == temp;
    case Iex_Unop:
        return looks_at(e->Iex.Unop.arg, temp);
    case Iex_Binop:
        return looks_at(e->Iex.Binop.arg1, temp) || looks_at(e->Iex.Binop.arg2, temp);
    case Iex_Get:
    case Iex_Const:
        return False;
    case Iex_Load:
        return looks_at(e->Iex.Load.addr, temp);
    default: /* rare in the code that such stores are in: say yes */
        return True;
    }
}

static Bool is_retry(const IRExpr *e)
{
    return e->tag == Iex_Binop && (e->Iex.Binop.op == Iop_CasCmpNE8 || e->Iex.Binop.op == Iop_CasCmpNE16 ||
                                   e->Iex.Binop.op == Iop_CasCmpNE32 || e->Iex.Binop.op == Iop_CasCmpNE64);
}

static Bool statement_looks_at(const IRStmt *st, IRTemp temp)
{
    switch (st->tag) {
    case Ist_NoOp:
    case Ist_IMark:
    case Ist_MBE:
    case Ist_Exit:
        return st->tag == Ist_Exit && looks_at(st->Ist.Exit.guard, temp);
    case Ist_AbiHint:
        return looks_at(st->Ist.AbiHint.base, temp);
    case Ist_Put:
        return looks_at(st->Ist.Put.data, temp);
    case Ist_WrTmp:
        return !is_retry(st->Ist.WrTmp.data) && looks_at(st->Ist.WrTmp.data, temp);
    case Ist_Store:
        return looks_at(st->Ist.Store.addr, temp) || looks_at(st->Ist.Store.data, temp);
    default:
        return True;
    }
}

static Bool swap_looks_at(const IRCAS *cas, IRTemp temp)
{
    return looks_at(cas->addr, temp) || looks_at(cas->expdLo, temp) || looks_at(cas->dataLo, temp) ||
           cas->dataHi;
}

/* An exchange is how compilers make a sequentially consistent store. It is one when the value that was there
 * goes nowhere: not into a register that is still looked at, not into what is stored. */
static Bool is_store(const IRSB *in, Int at, const IRCAS *cas)
{
    const IRExpr *expected = cas->expdLo;

    if (cas->dataHi || expected->tag != Iex_RdTmp || looks_at(cas->dataLo, expected->Iex.RdTmp.tmp) ||
        looks_at(in->next, expected->Iex.RdTmp.tmp))
        return False;
    for (Int i = at; i < in->stmts_used; i++)
        if (in->stmts[i]->tag == Ist_CAS
                ? in->stmts[i]->Ist.CAS.details != cas &&
                      swap_looks_at(in->stmts[i]->Ist.CAS.details, expected->Iex.RdTmp.tmp)
                : statement_looks_at(in->stmts[i], expected->Iex.RdTmp.tmp))
            return False;
    return True;
}

/* Whether the value that is compared with was loaded from the same place by the same instruction. */
static Bool loads_expected(const IRStmt *st, const IRCAS *cas)
{
    return st->tag == Ist_WrTmp && st->Ist.WrTmp.data->tag == Iex_Load && cas->expdLo->tag == Iex_RdTmp &&
           st->Ist.WrTmp.tmp == cas->expdLo->Iex.RdTmp.tmp &&
           change_same_place(st->Ist.WrTmp.data->Iex.Load.addr, cas->addr);
}

void change_find(const IRSB *in, Int at, struct change *c)
{
    Int load = -1;

    *c = (struct change){.last = True};
    for (Int i = at + 1; i < in->stmts_used; i++) {
        if (in->stmts[i]->tag == Ist_IMark) {
            c->last = False;
            break;
        }
        if (in->stmts[i]->tag == Ist_WrTmp && in->stmts[i]->Ist.WrTmp.data->tag == Iex_Load)
            load = i;
        if (in->stmts[i]->tag == Ist_CAS) {
            const IRCAS *cas = in->stmts[i]->Ist.CAS.details;
            c->swapped = cas->addr;
            c->changes = load >= 0 && loads_expected(in->stmts[load], cas);
            c->stores = c->changes && is_store(in, at, cas);
            c->load = load;
            c->swap = i;
        }
    }
}

/* Instructions are short: looking back each time is cheap. */
static Bool expression_derives(const IRSB *in, const struct change *c, const IRExpr *e, Int before)
{
    for (Int i = c->load; i < before; i++)
        if (in->stmts[i]->tag == Ist_WrTmp && looks_at(e, in->stmts[i]->Ist.WrTmp.tmp) &&
            change_derives(in, c, i))
            return True;
    return False;
}

Bool change_derives(const IRSB *in, const struct change *c, Int statement)
{
    if (in->stmts[statement]->tag != Ist_WrTmp)
        return False;
    return statement == c->load || expression_derives(in, c, in->stmts[statement]->Ist.WrTmp.data, statement);
}

static Bool is_addition(IROp op)
{
    return op == Iop_Add8 || op == Iop_Add16 || op == Iop_Add32 || op == Iop_Add64;
}

static Bool is_subtraction(IROp op)
{
    return op == Iop_Sub8 || op == Iop_Sub16 || op == Iop_Sub32 || op == Iop_Sub64;
}

/* Whether it is the loaded value plus or minus something that is not computed from it. */
static Bool is_sum(const IRSB *in, const struct change *c, const IRExpr *e, Int at)
{
    IRTemp loaded = in->stmts[c->load]->Ist.WrTmp.tmp;

    if (e->tag != Iex_Binop || (!is_addition(e->Iex.Binop.op) && !is_subtraction(e->Iex.Binop.op)))
        return False;
    if (looks_at(e->Iex.Binop.arg1, loaded))
        return !expression_derives(in, c, e->Iex.Binop.arg2, at);
    return is_addition(e->Iex.Binop.op) && looks_at(e->Iex.Binop.arg2, loaded) &&
           !expression_derives(in, c, e->Iex.Binop.arg1, at);
}

UInt change_made_of(const IRSB *in, const struct change *c)
{
    const IRExpr *data = in->stmts[c->swap]->Ist.CAS.details->dataLo;

    if (!expression_derives(in, c, data, c->swap))
        return SESSION_OF_GIVEN;
    for (Int i = c->load; i < c->swap; i++)
        if (in->stmts[i]->tag == Ist_WrTmp && data->tag == Iex_RdTmp &&
            in->stmts[i]->Ist.WrTmp.tmp == data->Iex.RdTmp.tmp)
            return is_sum(in, c, in->stmts[i]->Ist.WrTmp.data, i) ? SESSION_OF_SUM : SESSION_OF_BOTH;
    return SESSION_OF_BOTH;
}
