/* Puts a call to the log behind each access of the program's own code; the system's libraries run as they are.
 *
 * An instruction with a LOCK prefix (and xchg, which has one by nature) is a load and a compare-and-swap in
 * Valgrind's language, on other machines a load-linked and a store-conditional: both become one record. */
/* This file is part of the Valgrind tool of Heddle, a program of its own.
 * Copyright (C) 2026 The Heddle authors. Free software under the GNU General Public License, version 2 or (at
 * your option) any later version; without any warranty. See COPYING. */
#include "instrument.h"
#include "atomic_change.h"
#include "grind_labels.h"
#include "known_calls.h"
#include "label_flow.h"

#include "pub_tool_libcassert.h"
#include "pub_tool_machine.h"

enum { SEQUENTIAL = 5 }; /* __ATOMIC_SEQ_CST */

/* What every access calls. `head` has kind and size where they belong in a record. */
static void on_access(HWord address, HWord value, HWord pc, HWord head)
{
    if (!tool.recording)
        return;
    log_noted(address);
    if (tool.current != tool.guest->id + 1) {
        log_access(tool.guest, (address & RECORD_ADDRESS) | head, pc, value);
        return;
    }
    log_append((address & RECORD_ADDRESS) | head, pc, value);
}

struct scribe {
    const IRSB *in;
    IRSB *out;
    Bool labels;  /* values have labels */
    Addr pc;      /* behind the instruction */
    Bool returns; /* it is a return */
    struct change change;
};

/* An access that a record is to be made of. */
struct put {
    IRExpr *address;
    IRExpr *word; /* its value, NULL: none that fits */
    UInt kind;
    Int size;
    IRExpr *head;  /* kind and size, where they are not known before; else NULL */
    IRExpr *guard; /* NULL: always */
    IRExpr *label; /* of what is written */
    UInt how;      /* SESSION_OF_…, of an atomic change */
    IRExpr *old;   /* … and what was there before, NULL: nothing that fits */
};

static IRExpr *assign(struct scribe *s, IRType type, IRExpr *value)
{
    IRTemp temp = newIRTemp(s->out->tyenv, type);

    addStmtToIRSB(s->out, IRStmt_WrTmp(temp, value));
    return IRExpr_RdTmp(temp);
}

/* The value as a word, or NULL when it has none that fits. */
static IRExpr *as_word(struct scribe *s, IRExpr *value)
{
    switch (typeOfIRExpr(s->out->tyenv, value)) {
    case Ity_I1:
        return assign(s, Ity_I64, IRExpr_Unop(Iop_1Uto64, value));
    case Ity_I8:
        return assign(s, Ity_I64, IRExpr_Unop(Iop_8Uto64, value));
    case Ity_I16:
        return assign(s, Ity_I64, IRExpr_Unop(Iop_16Uto64, value));
    case Ity_I32:
        return assign(s, Ity_I64, IRExpr_Unop(Iop_32Uto64, value));
    case Ity_I64:
        return value;
    case Ity_F64:
        return assign(s, Ity_I64, IRExpr_Unop(Iop_ReinterpF64asI64, value));
    case Ity_F32:
        return as_word(s, assign(s, Ity_I32, IRExpr_Unop(Iop_ReinterpF32asI32, value)));
    default:
        return NULL;
    }
}

static IRExpr *constant(ULong value)
{
    return IRExpr_Const(IRConst_U64(value));
}

static void put_helper(struct scribe *s, IRDirty *call, IRExpr *guard)
{
    if (guard)
        call->guard = guard;
    addStmtToIRSB(s->out, IRStmt_Dirty(call));
}

/* A read, or a change: gives the label of what was there. */
static IRExpr *put_labelled(struct scribe *s, const HChar *name, void *helper, IRExpr **arguments)
{
    IRTemp label = newIRTemp(s->out->tyenv, Ity_I64);

    put_helper(s, unsafeIRDirty_1_N(label, 0, name, VG_(fnptr_to_fnentry)(helper), arguments), NULL);
    return IRExpr_RdTmp(label);
}

/* Gives the label of what was there, NULL: it has none. */
static IRExpr *put_call(struct scribe *s, const struct put *p)
{
    Bool long_one = p->size > 0xff, reads = p->kind == RECORD_READ, writes = p->kind == RECORD_WRITE;
    ULong pc = (s->pc & RECORD_ADDRESS) | (p->word ? RECORD_VALUED : 0) |
               (reads || writes ? 0 : (ULong)SEQUENTIAL << 48);
    IRExpr *value = p->word ? p->word : constant(long_one ? (ULong)p->size : 0);
    IRExpr *head = p->head ? p->head : constant(record_word(0, p->kind, long_one ? 0 : (unsigned)p->size));
    IRExpr *where = s->labels ? flow_label(p->address) : NULL;

    if (s->labels && reads && !p->guard)
        return put_labelled(s, "grind_label_read", &grind_label_read,
                            mkIRExprVec_5(p->address, value, constant(pc), head, flow_deciding(where)));
    if (s->labels)
        flow_decide(where);
    if (s->labels && p->how)
        return put_labelled(
            s, "grind_label_change", &grind_label_change,
            mkIRExprVec_6(
                p->address, value, constant(pc), head,
                assign(s, Ity_I64, IRExpr_Binop(Iop_Or64, p->label, constant((ULong)p->how << HOW_SHIFT))),
                p->old ? p->old : constant(0)));
    if (s->labels && p->label)
        put_helper(s,
                   unsafeIRDirty_0_N(0, "grind_label_write", VG_(fnptr_to_fnentry)(&grind_label_write),
                                     mkIRExprVec_5(p->address, value, constant(pc), head, p->label)),
                   p->guard);
    else
        put_helper(s,
                   unsafeIRDirty_0_N(0, "on_access", VG_(fnptr_to_fnentry)(&on_access),
                                     mkIRExprVec_4(p->address, value,
                                                   constant(pc | (s->labels ? RECORD_GROUNDED : 0)), head)),
                   p->guard);
    return NULL;
}

static struct put access_of(struct scribe *s, IRExpr *address, IRExpr *data, UInt kind)
{
    return (struct put){.address = address,
                        .word = as_word(s, data),
                        .kind = kind,
                        .size = sizeofIRType(typeOfIRExpr(s->out->tyenv, data))};
}

static void put_write(struct scribe *s, IRExpr *address, IRExpr *data, UInt kind, IRExpr *guard)
{
    struct put p = access_of(s, address, data, kind);

    p.guard = guard;
    p.label = s->labels ? flow_label(data) : NULL;
    put_call(s, &p);
}

static void put_load(struct scribe *s, const IRStmt *st)
{
    IRExpr *address = st->Ist.WrTmp.data->Iex.Load.addr;

    struct put p;
    IRExpr *label;

    if (s->returns || change_same_place(address, s->change.swapped))
        return;
    p = access_of(s, address, IRExpr_RdTmp(st->Ist.WrTmp.tmp), RECORD_READ);
    label = put_call(s, &p);
    if (label)
        flow_set_label(st->Ist.WrTmp.tmp, flow_of_read(label, typeOfIRTemp(s->out->tyenv, st->Ist.WrTmp.tmp)));
}

/* The return address that a call leaves on the stack is nobody's variable. */
static Bool is_return_address(const struct scribe *s, const IRExpr *data)
{
    return data->tag == Iex_Const && data->Iex.Const.con->tag == Ico_U64 &&
           data->Iex.Const.con->Ico.U64 == s->pc;
}

/* That is how calls are known. */
static void put_noted_call(struct scribe *s, IRExpr *slot)
{
    addStmtToIRSB(s->out, IRStmt_Dirty(unsafeIRDirty_0_N(0, "grind_stacks_call",
                                                         VG_(fnptr_to_fnentry)(&grind_stacks_call),
                                                         mkIRExprVec_2(slot, constant(s->pc)))));
}

/* A return, which the stack pointer is above of already. */
static void put_return(struct scribe *s, const VexGuestLayout *layout)
{
    IRExpr *pointer = assign(s, Ity_I64, IRExpr_Get(layout->offset_SP, Ity_I64)),
           *lowest = assign(s, Ity_I64, IRExpr_Load(Iend_LE, Ity_I64, constant((Addr)&tool.lowest)));

    put_helper(s,
               unsafeIRDirty_0_N(0, "grind_frames_return", VG_(fnptr_to_fnentry)(&grind_frames_return),
                                 mkIRExprVec_2(pointer, constant(s->pc))),
               assign(s, Ity_I1, IRExpr_Binop(Iop_CmpLT64U, lowest, pointer)));
}

/* Where the code goes on elsewhere (a return, a jump into a library): the next access may be in another path.
 */
static void put_leaving(struct scribe *s)
{
    addStmtToIRSB(s->out, IRStmt_Store(Iend_LE, constant((Addr)&tool.current), IRExpr_Const(IRConst_U32(0))));
    if (s->labels)
        addStmtToIRSB(s->out, IRStmt_Store(Iend_LE, constant((Addr)&tool.left), IRExpr_Const(IRConst_U32(1))));
}

/* What the instruction computed from what it loaded stands on that. */
static void label_change(struct scribe *s, const IRCAS *cas, IRExpr *own)
{
    IRExpr *number = flow_of_read(own, typeOfIRTemp(s->out->tyenv, cas->oldLo));
    Bool sums = change_made_of(s->in, &s->change) == SESSION_OF_SUM;

    for (Int i = s->change.load; i < s->change.swap; i++)
        if (change_derives(s->in, &s->change, i)) {
            IRTemp temp = s->in->stmts[i]->Ist.WrTmp.tmp;
            IRExpr *other = flow_label(IRExpr_RdTmp(temp));
            Bool sum = sums && cas->dataLo->Iex.RdTmp.tmp == temp;
            flow_set_label(temp, i == s->change.load ? number
                                 : sum               ? flow_sum(other, number)
                                                     : flow_union(other, own));
        }
    flow_set_label(cas->oldLo, number);
}

/* Whether the comparison held. */
static IRExpr *comparison(struct scribe *s, const IRCAS *cas, IRExpr *old)
{
    IRExpr *held = assign(s, Ity_I1, IRExpr_Binop(Iop_CmpEQ64, old, as_word(s, cas->expdLo))), *high;

    if (!cas->dataHi)
        return held;
    high = assign(s, Ity_I1,
                  IRExpr_Binop(Iop_CmpEQ64, as_word(s, IRExpr_RdTmp(cas->oldHi)), as_word(s, cas->expdHi)));
    return assign(s, Ity_I1,
                  IRExpr_Unop(Iop_64to1,
                              assign(s, Ity_I64, IRExpr_Binop(Iop_And64, as_word(s, held), as_word(s, high)))));
}

/* One event: a change where the comparison held, else a look. */
static void put_swap(struct scribe *s, const IRCAS *cas)
{
    Int size = sizeofIRType(typeOfIRExpr(s->out->tyenv, cas->dataLo)) * (cas->dataHi ? 2 : 1);
    struct put p = {.address = cas->addr, .kind = s->change.changes ? RECORD_RMW : RECORD_CAS, .size = size};
    IRExpr *held, *own;

    if (s->change.stores) {
        put_write(s, cas->addr, cas->dataLo, RECORD_ATOMIC_WRITE, NULL);
        return;
    }
    p.old = as_word(s, IRExpr_RdTmp(cas->oldLo));
    held = comparison(s, cas, p.old);
    if (!cas->dataHi)
        p.word = assign(s, Ity_I64, IRExpr_ITE(held, as_word(s, cas->dataLo), p.old));
    p.head = assign(s, Ity_I64,
                    IRExpr_ITE(held, constant(record_word(0, p.kind, (unsigned)size)),
                               constant(record_word(0, RECORD_ATOMIC_READ, (unsigned)size))));
    if (s->labels) {
        p.how = s->change.changes ? change_made_of(s->in, &s->change) : SESSION_OF_GIVEN;
        p.label = flow_label(cas->dataLo);
        if (cas->dataHi)
            p.label = flow_union(p.label, flow_label(cas->dataHi));
        if (!s->change.changes)
            flow_decide(flow_label(cas->expdLo));
        if (!s->change.changes && cas->expdHi)
            flow_decide(flow_label(cas->expdHi));
    }
    own = put_call(s, &p);
    if (s->labels && s->change.changes)
        label_change(s, cas, own);
}

/* A store-conditional that succeeds is the change; the load-linked before it is part of it. */
static void put_linked(struct scribe *s, const IRStmt *st)
{
    if (st->Ist.LLSC.storedata)
        put_write(s, st->Ist.LLSC.addr, st->Ist.LLSC.storedata, RECORD_RMW, IRExpr_RdTmp(st->Ist.LLSC.result));
}

static void put_dirty(struct scribe *s, const IRDirty *d)
{
    struct put p = {.address = d->mAddr, .kind = RECORD_READ, .size = d->mSize, .guard = d->guard};

    if (d->mFx == Ifx_Read || d->mFx == Ifx_Modify)
        put_call(s, &p);
    p.kind = RECORD_WRITE;
    if (d->mFx == Ifx_Write || d->mFx == Ifx_Modify)
        put_call(s, &p);
}

/* A guarded load leaves something in its target even where it does not load: no value then. */
static void put_guarded_load(struct scribe *s, const IRLoadG *load)
{
    IRType result, loaded;
    struct put p = {.address = load->addr, .kind = RECORD_READ, .guard = load->guard};

    typeOfIRLoadGOp(load->cvt, &result, &loaded);
    p.size = sizeofIRType(loaded);
    put_call(s, &p);
    if (s->labels) /* what was loaded decides, as it has no label */
        flow_set_label(load->dst, flow_union(flow_label(load->guard), flow_label(load->alt)));
}

static void put_statement(struct scribe *s, IRStmt *st)
{
    if (s->labels)
        flow_statement(st);
    addStmtToIRSB(s->out, st);
    switch (st->tag) {
    case Ist_WrTmp:
        if (st->Ist.WrTmp.data->tag == Iex_Load)
            put_load(s, st);
        break;
    case Ist_Store:
        if (is_return_address(s, st->Ist.Store.data))
            put_noted_call(s, st->Ist.Store.addr);
        else
            put_write(s, st->Ist.Store.addr, st->Ist.Store.data, RECORD_WRITE, NULL);
        break;
    case Ist_StoreG:
        if (s->labels)
            flow_decide(flow_label(st->Ist.StoreG.details->guard));
        put_write(s, st->Ist.StoreG.details->addr, st->Ist.StoreG.details->data, RECORD_WRITE,
                  st->Ist.StoreG.details->guard);
        break;
    case Ist_LoadG:
        put_guarded_load(s, st->Ist.LoadG.details);
        break;
    case Ist_CAS:
        put_swap(s, st->Ist.CAS.details);
        break;
    case Ist_LLSC:
        put_linked(s, st);
        break;
    case Ist_Dirty:
        put_dirty(s, st->Ist.Dirty.details);
        break;
    case Ist_MBE:
        if (st->Ist.MBE.event == Imbe_Fence)
            put_call(s, &(struct put){.address = constant(0), .kind = RECORD_FENCE});
        break;
    default:
        break;
    }
}

/* What is to be known of an instruction before its statements are gone through. */
static void begin_instruction(struct scribe *s, Int at)
{
    s->pc = s->in->stmts[at]->Ist.IMark.addr + s->in->stmts[at]->Ist.IMark.len;
    change_find(s->in, at, &s->change);
    s->returns = s->change.last && s->in->jumpkind == Ijk_Ret;
}

/* Code of the system's: it is asked what it was entered for. */
static IRSB *put_entry(const VgCallbackClosure *closure, IRSB *in)
{
    IRSB *out = deepCopyIRSBExceptStmts(in);
    struct scribe s = {.out = out};
    IRExpr *left = assign(&s, Ity_I32, IRExpr_Load(Iend_LE, Ity_I32, constant((Addr)&tool.left)));
    IRDirty *call = unsafeIRDirty_0_N(0, "grind_known_enter", VG_(fnptr_to_fnentry)(&grind_known_enter),
                                      mkIRExprVec_1(constant(known_calls_find(closure->nraddr))));

    put_helper(&s, call, assign(&s, Ity_I1, IRExpr_Unop(Iop_CmpNEZ32, left)));
    for (Int i = 0; i < in->stmts_used; i++)
        addStmtToIRSB(out, in->stmts[i]);
    return out;
}

IRSB *instrument(VgCallbackClosure *closure, IRSB *in, const VexGuestLayout *layout,
                 const VexGuestExtents *extents, const VexArchInfo *machine, IRType guest_word,
                 IRType host_word)
{
    struct scribe s = {.in = in, .labels = tool.session->grounds != 0};
    Int i = 0;

    (void)machine;
    tl_assert(guest_word == Ity_I64 && host_word == Ity_I64);
    if (!modules_is_seen(extents->base[0]))
        return s.labels ? put_entry(closure, in) : in;
    s.out = deepCopyIRSBExceptStmts(in);
    if (s.labels)
        flow_begin(s.out, in, layout);
    while (i < in->stmts_used && in->stmts[i]->tag != Ist_IMark)
        addStmtToIRSB(s.out, in->stmts[i++]);
    for (; i < in->stmts_used; i++) {
        if (in->stmts[i]->tag == Ist_IMark)
            begin_instruction(&s, i);
        put_statement(&s, in->stmts[i]);
    }
    if (s.labels)
        flow_end(in);
    if (in->jumpkind == Ijk_Ret)
        put_return(&s, layout);
    if (in->next->tag != Iex_Const)
        put_leaving(&s);
    return s.out;
}
