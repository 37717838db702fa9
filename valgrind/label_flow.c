/* Labels of temporaries and registers.
 *
 * A label is a word: each temporary that may have one gets another temporary for it, each eight bytes of the
 * guest state a word in its shadow. Within a block the words that are known to be there are not fetched again.
 * Whatever flow is not followed (the stack of the old floating-point unit, helpers that change the guest state)
 * decides instead: then no later event is without it. */
/* This file is part of the Valgrind tool of Heddle, a program of its own.
 * Copyright (C) 2026 The Heddle authors. Free software under the GNU General Public License, version 2 or (at
 * your option) any later version; without any warranty. See COPYING. */
#include "label_flow.h"
#include "grind_labels.h"

#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_machine.h"
#include "pub_tool_mallocfree.h"

enum { WORD = 8, WORDS = 256, DECIDED = 32, UNITED = 16, PLAIN = 1024 };

static struct flow {
    IRSB *out;
    Int shadow;          /* offset of the shadow in the guest state */
    IRExpr **of;         /* labels of temporaries, NULL: nothing */
    const IRExpr **by;   /* what temporaries are computed by, NULL: not known */
    const IRExpr **byte; /* atoms that are their last byte, NULL: not known */
    Int temps, room;
    UChar plain[PLAIN];       /* bits: labels that are nothing but a label */
    IRExpr *word[WORDS];      /* labels in the shadow, NULL: not known */
    const IRExpr *low[WORDS]; /* what was put into the last byte, and not changed since, NULL: not known */
    IRTemp decided[DECIDED];
    UInt decided_count;
    struct {
        IRTemp one, other;
        IRExpr *both;
    } united[UNITED];
    UInt united_count;
} flow;

static IRExpr *nothing(void)
{
    return IRExpr_Const(IRConst_U64(0));
}

IRExpr *flow_assign(IRType type, IRExpr *value)
{
    IRTemp temp = newIRTemp(flow.out->tyenv, type);

    addStmtToIRSB(flow.out, IRStmt_WrTmp(temp, value));
    return IRExpr_RdTmp(temp);
}

void flow_begin(IRSB *out, const IRSB *in, const VexGuestLayout *layout)
{
    flow.out = out;
    flow.shadow = layout->total_sizeB;
    flow.temps = in->tyenv->types_used;
    if (flow.room < flow.temps) {
        flow.room = flow.temps * 2;
        flow.of = VG_(realloc)("heddle.labels", flow.of, (SizeT)flow.room * sizeof *flow.of);
        flow.by = VG_(realloc)("heddle.values", flow.by, (SizeT)flow.room * sizeof *flow.by);
        flow.byte = VG_(realloc)("heddle.bytes", flow.byte, (SizeT)flow.room * sizeof *flow.byte);
    }
    VG_(memset)(flow.of, 0, (SizeT)flow.temps * sizeof *flow.of);
    VG_(memset)(flow.by, 0, (SizeT)flow.temps * sizeof *flow.by);
    VG_(memset)(flow.byte, 0, (SizeT)flow.temps * sizeof *flow.byte);
    VG_(memset)(flow.low, 0, sizeof flow.low);
    VG_(memset)(flow.plain, 0, sizeof flow.plain);
    VG_(memset)(flow.word, 0, sizeof flow.word);
    flow.decided_count = flow.united_count = 0;
}

Bool flow_is_nothing(const IRExpr *label)
{
    return label->tag == Iex_Const;
}

IRExpr *flow_label(const IRExpr *atom)
{
    IRExpr *label =
        atom->tag == Iex_RdTmp && (Int)atom->Iex.RdTmp.tmp < flow.temps ? flow.of[atom->Iex.RdTmp.tmp] : NULL;

    return label ? label : nothing();
}

const IRExpr *flow_computed_by(const IRExpr *atom)
{
    return atom->tag == Iex_RdTmp && (Int)atom->Iex.RdTmp.tmp < flow.temps ? flow.by[atom->Iex.RdTmp.tmp]
                                                                           : NULL;
}

void flow_put(IRDirty *call)
{
    addStmtToIRSB(flow.out, IRStmt_Dirty(call));
}

void flow_set_label(IRTemp temp, IRExpr *label)
{
    tl_assert((Int)temp < flow.temps);
    flow.of[temp] = label;
}

Bool flow_is_plain(const IRExpr *label)
{
    IRTemp temp = label->tag == Iex_RdTmp ? label->Iex.RdTmp.tmp : 0;

    return flow_is_nothing(label) || (temp < PLAIN * 8 && flow.plain[temp / 8] >> temp % 8 & 1);
}

static IRExpr *set_plain(IRExpr *label)
{
    if (!flow_is_nothing(label) && label->Iex.RdTmp.tmp < PLAIN * 8)
        flow.plain[label->Iex.RdTmp.tmp / 8] |= (UChar)(1u << label->Iex.RdTmp.tmp % 8);
    return label;
}

/* Without the bits that do not hold for a value of this size; 0: without all of them. */
static IRExpr *narrowed(IRExpr *label, Int size)
{
    if (flow_is_plain(label) || size == WORD)
        return label;
    label =
        flow_assign(Ity_I64, IRExpr_Binop(Iop_And64, label, IRExpr_Const(IRConst_U64(label_bits_up_to(size)))));
    return size ? label : set_plain(label);
}

/* Calls the helper only where both are something, and not the same. */
static IRExpr *unite(IRExpr *one, IRExpr *other, const HChar *name, void *helper)
{
    IRExpr *both =
        flow_assign(Ity_I64, IRExpr_Binop(Iop_And64, flow_assign(Ity_I64, IRExpr_Unop(Iop_CmpwNEZ64, one)),
                                          flow_assign(Ity_I64, IRExpr_Unop(Iop_CmpwNEZ64, other))));
    IRExpr *differ = flow_assign(Ity_I64, IRExpr_Binop(Iop_Xor64, one, other));
    IRExpr *guard = flow_assign(
        Ity_I1, IRExpr_Unop(Iop_CmpNEZ64, flow_assign(Ity_I64, IRExpr_Binop(Iop_And64, both, differ))));
    IRTemp made = newIRTemp(flow.out->tyenv, Ity_I64);
    IRDirty *call = unsafeIRDirty_1_N(made, 0, name, VG_(fnptr_to_fnentry)(helper), mkIRExprVec_2(one, other));

    call->guard = guard;
    addStmtToIRSB(flow.out, IRStmt_Dirty(call));
    return flow_assign(Ity_I64, IRExpr_ITE(guard, IRExpr_RdTmp(made),
                                           flow_assign(Ity_I64, IRExpr_Binop(Iop_Or64, one, other))));
}

static Bool same(const IRExpr *one, const IRExpr *other)
{
    return flow_is_nothing(one) ? flow_is_nothing(other)
                                : !flow_is_nothing(other) && one->Iex.RdTmp.tmp == other->Iex.RdTmp.tmp;
}

IRExpr *flow_union(IRExpr *one, IRExpr *other)
{
    IRExpr *both;

    one = narrowed(one, 0);
    other = narrowed(other, 0);
    if (flow_is_nothing(one) || same(one, other))
        return other;
    if (flow_is_nothing(other))
        return one;
    for (UInt i = 0; i < flow.united_count; i++)
        if (flow.united[i].one == one->Iex.RdTmp.tmp && flow.united[i].other == other->Iex.RdTmp.tmp)
            return flow.united[i].both;
    both = set_plain(unite(one, other, "grind_label_union", &grind_label_union));
    if (flow.united_count < UNITED) {
        flow.united[flow.united_count].one = one->Iex.RdTmp.tmp;
        flow.united[flow.united_count].other = other->Iex.RdTmp.tmp;
        flow.united[flow.united_count++].both = both;
    }
    return both;
}

IRExpr *flow_sum(IRExpr *one, IRExpr *other)
{
    if (flow_is_nothing(one) || flow_is_nothing(other))
        return flow_is_nothing(one) ? other : one;
    return same(one, other) ? narrowed(one, 0) : unite(one, other, "grind_label_sum", &grind_label_sum);
}

IRExpr *flow_of_read(IRExpr *label, IRType type)
{
    if (type != Ity_I8 && type != Ity_I16 && type != Ity_I32 && type != Ity_I64)
        return set_plain(label);
    return flow_assign(
        Ity_I64, IRExpr_Binop(Iop_Or64, label, IRExpr_Const(IRConst_U64(label_bit_of(sizeofIRType(type))))));
}

IRExpr *flow_deciding(IRExpr *label)
{
    if (flow_is_nothing(label))
        return label;
    for (UInt i = 0; i < flow.decided_count; i++)
        if (flow.decided[i] == label->Iex.RdTmp.tmp)
            return nothing();
    if (flow.decided_count < DECIDED)
        flow.decided[flow.decided_count++] = label->Iex.RdTmp.tmp;
    return label;
}

void flow_decide(IRExpr *label)
{
    IRDirty *call;

    label = flow_deciding(label);
    if (flow_is_nothing(label))
        return;
    call = unsafeIRDirty_0_N(0, "grind_label_decide", VG_(fnptr_to_fnentry)(&grind_label_decide),
                             mkIRExprVec_1(label));
    call->guard = flow_assign(Ity_I1, IRExpr_Unop(Iop_CmpNEZ64, label));
    addStmtToIRSB(flow.out, IRStmt_Dirty(call));
}

static IRExpr *get_word(Int word)
{
    tl_assert(word < WORDS);
    if (!flow.word[word])
        flow.word[word] = flow_assign(Ity_I64, IRExpr_Get(flow.shadow + word * WORD, Ity_I64));
    return flow.word[word];
}

static void put_word(Int word, IRExpr *label)
{
    tl_assert(word < WORDS);
    if (flow.word[word] && same(flow.word[word], label))
        return;
    flow.word[word] = label;
    addStmtToIRSB(flow.out, IRStmt_Put(flow.shadow + word * WORD, label));
}

/* Where the value does not fill the word, what was there stays. */
static void put_state(Int offset, Int size, IRExpr *label)
{
    for (Int word = offset / WORD; word * WORD < offset + size; word++) {
        Bool whole = word * WORD >= offset && (word + 1) * WORD <= offset + size;
        if (whole || !flow_is_nothing(label))
            put_word(word, whole ? label : flow_union(get_word(word), label));
    }
}

static IRExpr *get_state(Int offset, Int size)
{
    IRExpr *label = nothing();

    if (offset % WORD == 0 && size <= WORD)
        return narrowed(get_word(offset / WORD), size);
    for (Int word = offset / WORD; word * WORD < offset + size; word++)
        label = flow_union(label, get_word(word));
    return label;
}

static IRExpr *label_of_call(IRExpr **arguments)
{
    IRExpr *label = nothing();

    for (; *arguments; arguments++)
        if (!is_IRExpr_VECRET_or_GSPTR(*arguments))
            label = flow_union(label, flow_label(*arguments));
    return label;
}

/* The condition, and what it chose. */
static IRExpr *label_of_choice(const IRExpr *e)
{
    IRExpr *yes = flow_label(e->Iex.ITE.iftrue), *no = flow_label(e->Iex.ITE.iffalse);
    IRExpr *chosen = same(yes, no) ? yes : flow_assign(Ity_I64, IRExpr_ITE(e->Iex.ITE.cond, yes, no));

    if (flow_is_nothing(flow_label(e->Iex.ITE.cond)))
        return chosen;
    return flow_union(flow_label(e->Iex.ITE.cond), chosen);
}

/* Conversions that keep the last bits; the size of the result, 0: it is something else. */
static Int kept_size(IROp op)
{
    switch (op) {
    case Iop_16to8:
    case Iop_32to8:
    case Iop_64to8:
        return 1;
    case Iop_32to16:
    case Iop_64to16:
    case Iop_8Uto16:
    case Iop_8Sto16:
        return 2;
    case Iop_64to32:
    case Iop_8Uto32:
    case Iop_8Sto32:
    case Iop_16Uto32:
    case Iop_16Sto32:
        return 4;
    case Iop_8Uto64:
    case Iop_8Sto64:
    case Iop_16Uto64:
    case Iop_16Sto64:
    case Iop_32Uto64:
    case Iop_32Sto64:
        return 8;
    default:
        return 0;
    }
}

static IRExpr *label_of_two(IROp op, IRExpr *one, IRExpr *other)
{
    switch (op) {
    case Iop_Add8:
    case Iop_Add16:
    case Iop_Add32:
    case Iop_Add64:
        return flow_sum(one, other);
    case Iop_Sub8:
    case Iop_Sub16:
    case Iop_Sub32:
    case Iop_Sub64:
        return flow_is_nothing(other) ? one : flow_union(one, other);
    case Iop_CasCmpNE8: /* a compare-and-swap did not find what the same instruction loaded: that never happens */
    case Iop_CasCmpNE16:
    case Iop_CasCmpNE32:
    case Iop_CasCmpNE64:
        return nothing();
    default:
        return flow_union(one, other);
    }
}

/* Of a value with itself it is that value. */
static Bool is_test(IROp op)
{
    return op == Iop_And8 || op == Iop_And16 || op == Iop_And32 || op == Iop_And64;
}

static IRExpr *label_of(const IRExpr *e)
{
    switch (e->tag) {
    case Iex_RdTmp:
        return flow_label(e);
    case Iex_Get:
        return get_state(e->Iex.Get.offset, sizeofIRType(e->Iex.Get.ty));
    case Iex_GetI: /* what was put there has decided */
        flow_decide(flow_label(e->Iex.GetI.ix));
        return nothing();
    case Iex_Unop:
        return narrowed(flow_label(e->Iex.Unop.arg), kept_size(e->Iex.Unop.op));
    case Iex_Binop:
        if (is_test(e->Iex.Binop.op) && same(e->Iex.Binop.arg1, e->Iex.Binop.arg2))
            return flow_label(e->Iex.Binop.arg1);
        return label_of_two(e->Iex.Binop.op, flow_label(e->Iex.Binop.arg1), flow_label(e->Iex.Binop.arg2));
    case Iex_Triop:
        return flow_union(
            flow_label(e->Iex.Triop.details->arg1),
            flow_union(flow_label(e->Iex.Triop.details->arg2), flow_label(e->Iex.Triop.details->arg3)));
    case Iex_Qop:
        return flow_union(
            flow_union(flow_label(e->Iex.Qop.details->arg1), flow_label(e->Iex.Qop.details->arg2)),
            flow_union(flow_label(e->Iex.Qop.details->arg3), flow_label(e->Iex.Qop.details->arg4)));
    case Iex_ITE:
        return label_of_choice(e);
    case Iex_CCall:
        return label_of_call(e->Iex.CCall.args);
    default:
        return nothing();
    }
}

/* All that the helper is given decides, before it is called. */
static void follow_helper(const IRDirty *d)
{
    VG_(memset)(flow.low, 0, sizeof flow.low);
    flow_decide(flow_label(d->guard));
    flow_decide(label_of_call(d->args));
    if (d->mFx != Ifx_None)
        flow_decide(flow_label(d->mAddr));
    for (Int i = 0; i < d->nFxState; i++)
        for (Int r = 0; r <= d->fxState[i].nRepeats; r++) {
            Int offset = d->fxState[i].offset + r * d->fxState[i].repeatLen;
            if (d->fxState[i].fx != Ifx_Write)
                flow_decide(get_state(offset, d->fxState[i].size));
        }
}

/* Code sets the last byte of a register and then looks at that byte alone. */
static const IRExpr *last_byte(const IRExpr *e)
{
    Bool narrows = e->tag == Iex_Unop && e->Iex.Unop.op == Iop_64to8 && e->Iex.Unop.arg->tag == Iex_RdTmp;
    const IRExpr *byte = narrows ? flow.byte[e->Iex.Unop.arg->Iex.RdTmp.tmp] : NULL;

    return byte ? byte : e;
}

static void follow_temp(IRTemp temp, const IRExpr *e)
{
    if (e->tag == Iex_Get && e->Iex.Get.ty == Ity_I64 && e->Iex.Get.offset % WORD == 0)
        flow.byte[temp] = flow.low[e->Iex.Get.offset / WORD];
    e = last_byte(e);
    flow.by[temp] = e;
    if (e->tag != Iex_Load)
        flow_set_label(temp, label_of(e));
}

static void follow_put(Int offset, const IRExpr *data)
{
    Int size = sizeofIRType(typeOfIRExpr(flow.out->tyenv, data));

    for (Int word = offset / WORD; word * WORD < offset + size; word++)
        flow.low[word] = size == 1 && offset % WORD == 0 ? data : NULL;
    put_state(offset, size, flow_label(data));
}

void flow_statement(const IRStmt *st)
{
    switch (st->tag) {
    case Ist_WrTmp:
        follow_temp(st->Ist.WrTmp.tmp, st->Ist.WrTmp.data);
        break;
    case Ist_Put:
        follow_put(st->Ist.Put.offset, st->Ist.Put.data);
        break;
    case Ist_PutI:
        flow_decide(flow_label(st->Ist.PutI.details->ix));
        flow_decide(flow_label(st->Ist.PutI.details->data));
        break;
    case Ist_Exit:
        flow_decide_condition(st->Ist.Exit.guard);
        break;
    case Ist_Dirty:
        follow_helper(st->Ist.Dirty.details);
        break;
    default:
        break;
    }
}

/* What the kernel or Valgrind itself does is not followed. */
static Bool is_followed(IRJumpKind kind)
{
    return kind == Ijk_Boring || kind == Ijk_Call || kind == Ijk_Ret || kind == Ijk_Yield ||
           kind == Ijk_InvalICache || kind == Ijk_NoRedir;
}

void flow_end(const IRSB *in)
{
    flow_decide(flow_label(in->next));
    if (!is_followed(in->jumpkind))
        addStmtToIRSB(flow.out, IRStmt_Dirty(unsafeIRDirty_0_N(0, "grind_label_barrier",
                                                               VG_(fnptr_to_fnentry)(&grind_label_barrier),
                                                               mkIRExprVec_0())));
}
