/* Puts a call to the log behind each access of the program's own code; the system's libraries run as they are.
 *
 * An instruction with a LOCK prefix (and xchg, which has one by nature) is a load and a compare-and-swap in
 * Valgrind's language, on other machines a load-linked and a store-conditional: both become one record. */
/* This file is part of the Valgrind tool of Heddle, a program of its own.
 * Copyright (C) 2026 The Heddle authors. Free software under the GNU General Public License, version 2 or (at
 * your option) any later version; without any warranty. See COPYING. */
#include "instrument.h"
#include "tool.h"

#include "pub_tool_libcassert.h"
#include "pub_tool_machine.h"

enum { SEQUENTIAL = 5 }; /* __ATOMIC_SEQ_CST */

/* What every access calls. `head` has kind and size where they belong in a record. */
static void on_access(HWord address, HWord value, HWord pc, HWord head)
{
    struct record *r;

    if (!tool.recording)
        return;
    if (tool.current != tool.guest->id + 1) {
        log_access(tool.guest, head, address, pc, value);
        return;
    }
    if (tool.next_record == tool.limit)
        log_next_chunk();
    r = tool.next_record++;
    r->value = value;
    r->pc = pc;
    session_store(&r->word, (address & RECORD_ADDRESS) | head);
}

struct scribe {
    IRSB *out;
    Addr pc;         /* behind the instruction */
    Bool changes;    /* its compare-and-swap compares with what it loaded: it does not fail */
    IRExpr *swapped; /* the address of its compare-and-swap, NULL: it has none */
    Bool stores;     /* it is an exchange, and nobody looks at what was there */
    Bool returns;    /* it is a return */
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

/* `head` and `guard` may be NULL: then the access is of this kind, and unconditional. */
static void put_call(struct scribe *s, IRExpr *address, IRExpr *word, UInt kind, Int size, IRExpr *head,
                     IRExpr *guard)
{
    Bool long_one = size > 0xff;
    ULong pc = (s->pc & RECORD_ADDRESS) | (word ? RECORD_VALUED : 0) |
               (kind == RECORD_READ || kind == RECORD_WRITE ? 0 : (ULong)SEQUENTIAL << 48);
    IRExpr *value = word ? word : constant(long_one ? (ULong)size : 0);
    IRDirty *call;

    if (!head)
        head = constant(record_word(0, kind, long_one ? 0 : (unsigned)size));
    call = unsafeIRDirty_0_N(0, "on_access", VG_(fnptr_to_fnentry)(&on_access),
                             mkIRExprVec_4(address, value, constant(pc), head));
    if (guard)
        call->guard = guard;
    addStmtToIRSB(s->out, IRStmt_Dirty(call));
}

static void put_access(struct scribe *s, IRExpr *address, IRExpr *data, UInt kind, IRExpr *guard)
{
    Int size = sizeofIRType(typeOfIRExpr(s->out->tyenv, data));

    put_call(s, address, as_word(s, data), kind, size, NULL, guard);
}

static Bool same_place(const IRExpr *a, const IRExpr *b)
{
    if (!a || !b || a->tag != b->tag)
        return False;
    if (a->tag == Iex_RdTmp)
        return a->Iex.RdTmp.tmp == b->Iex.RdTmp.tmp;
    return a->tag == Iex_Const && a->Iex.Const.con->Ico.U64 == b->Iex.Const.con->Ico.U64;
}

static void put_load(struct scribe *s, const IRStmt *st)
{
    IRExpr *address = st->Ist.WrTmp.data->Iex.Load.addr;

    if (s->returns || same_place(address, s->swapped))
        return;
    put_access(s, address, IRExpr_RdTmp(st->Ist.WrTmp.tmp), RECORD_READ, NULL);
}

/* The return address that a call leaves on the stack is nobody's variable. */
static Bool is_return_address(const struct scribe *s, const IRExpr *data)
{
    return data->tag == Iex_Const && data->Iex.Const.con->tag == Ico_U64 &&
           data->Iex.Const.con->Ico.U64 == s->pc;
}

/* Calls are recognized by it. */
static void put_noted_call(struct scribe *s, IRExpr *slot)
{
    addStmtToIRSB(s->out, IRStmt_Dirty(unsafeIRDirty_0_N(0, "grind_stacks_call",
                                                         VG_(fnptr_to_fnentry)(&grind_stacks_call),
                                                         mkIRExprVec_2(slot, constant(s->pc)))));
}

/* Where the code goes on elsewhere (a return, a jump into a library): the next access may be in another path.
 */
static void put_leaving(struct scribe *s)
{
    addStmtToIRSB(s->out, IRStmt_Store(Iend_LE, constant((Addr)&tool.current), IRExpr_Const(IRConst_U32(0))));
}

/* Whether the statement reads the temporary. Statements are flat: they read only temporaries. */
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

/* Compilers implement a sequentially consistent store as an exchange. The exchange is one if the old value
 * is unused: it goes into no register that is read later, and into nothing that is stored. */
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
           same_place(st->Ist.WrTmp.data->Iex.Load.addr, cas->addr);
}

/* One event: a change where the comparison held, else a look. */
static void put_swap(struct scribe *s, const IRCAS *cas)
{
    IRType type = typeOfIRExpr(s->out->tyenv, cas->dataLo);
    Int size = sizeofIRType(type) * (cas->dataHi ? 2 : 1);
    UInt kind = s->changes ? RECORD_RMW : RECORD_CAS;
    IRExpr *old, *expected, *held, *value = NULL, *head;

    if (s->stores) {
        put_access(s, cas->addr, cas->dataLo, RECORD_ATOMIC_WRITE, NULL);
        return;
    }
    old = as_word(s, IRExpr_RdTmp(cas->oldLo));
    expected = as_word(s, cas->expdLo);
    held = assign(s, Ity_I1, IRExpr_Binop(Iop_CmpEQ64, old, expected));
    if (cas->dataHi) {
        IRExpr *high =
            assign(s, Ity_I1,
                   IRExpr_Binop(Iop_CmpEQ64, as_word(s, IRExpr_RdTmp(cas->oldHi)), as_word(s, cas->expdHi)));
        held =
            assign(s, Ity_I1,
                   IRExpr_Unop(Iop_64to1, assign(s, Ity_I64,
                                                 IRExpr_Binop(Iop_And64, as_word(s, held), as_word(s, high)))));
    } else {
        value = assign(s, Ity_I64, IRExpr_ITE(held, as_word(s, cas->dataLo), old));
    }
    head = assign(s, Ity_I64,
                  IRExpr_ITE(held, constant(record_word(0, kind, (unsigned)size)),
                             constant(record_word(0, RECORD_ATOMIC_READ, (unsigned)size))));
    put_call(s, cas->addr, value, kind, size, head, NULL);
}

/* A store-conditional that succeeds is the change; the load-linked before it is part of it. */
static void put_linked(struct scribe *s, const IRStmt *st)
{
    if (st->Ist.LLSC.storedata)
        put_access(s, st->Ist.LLSC.addr, st->Ist.LLSC.storedata, RECORD_RMW, IRExpr_RdTmp(st->Ist.LLSC.result));
}

static void put_dirty(struct scribe *s, const IRDirty *d)
{
    if (d->mFx == Ifx_Read || d->mFx == Ifx_Modify)
        put_call(s, d->mAddr, NULL, RECORD_READ, d->mSize, NULL, d->guard);
    if (d->mFx == Ifx_Write || d->mFx == Ifx_Modify)
        put_call(s, d->mAddr, NULL, RECORD_WRITE, d->mSize, NULL, d->guard);
}

/* A guarded load leaves something in its target even where it does not load: no value then. */
static void put_guarded_load(struct scribe *s, const IRLoadG *load)
{
    IRType result, loaded;

    typeOfIRLoadGOp(load->cvt, &result, &loaded);
    put_call(s, load->addr, NULL, RECORD_READ, sizeofIRType(loaded), NULL, load->guard);
}

static void put_statement(struct scribe *s, IRStmt *st)
{
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
            put_access(s, st->Ist.Store.addr, st->Ist.Store.data, RECORD_WRITE, NULL);
        break;
    case Ist_StoreG:
        put_access(s, st->Ist.StoreG.details->addr, st->Ist.StoreG.details->data, RECORD_WRITE,
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
            put_call(s, constant(0), NULL, RECORD_FENCE, 0, NULL, NULL);
        break;
    default:
        break;
    }
}

/* Collects what must be known of an instruction before its statements are processed. */
static void begin_instruction(struct scribe *s, const IRSB *in, Int at)
{
    const IRStmt *load = NULL;
    Bool last = True;

    s->stores = s->changes = False;
    s->pc = in->stmts[at]->Ist.IMark.addr + in->stmts[at]->Ist.IMark.len;
    s->swapped = NULL;
    for (Int i = at + 1; i < in->stmts_used; i++) {
        if (in->stmts[i]->tag == Ist_IMark) {
            last = False;
            break;
        }
        if (in->stmts[i]->tag == Ist_WrTmp && in->stmts[i]->Ist.WrTmp.data->tag == Iex_Load)
            load = in->stmts[i];
        if (in->stmts[i]->tag == Ist_CAS) {
            const IRCAS *cas = in->stmts[i]->Ist.CAS.details;
            s->swapped = cas->addr;
            s->changes = load && loads_expected(load, cas);
            s->stores = s->changes && is_store(in, at, cas);
        }
    }
    s->returns = last && in->jumpkind == Ijk_Ret;
}

IRSB *instrument(VgCallbackClosure *closure, IRSB *in, const VexGuestLayout *layout,
                 const VexGuestExtents *extents, const VexArchInfo *machine, IRType guest_word,
                 IRType host_word)
{
    struct scribe s = {.out = NULL};
    Int i = 0;

    (void)closure;
    (void)layout;
    (void)machine;
    tl_assert(guest_word == Ity_I64 && host_word == Ity_I64);
    if (!modules_is_seen(extents->base[0]))
        return in;
    s.out = deepCopyIRSBExceptStmts(in);
    while (i < in->stmts_used && in->stmts[i]->tag != Ist_IMark)
        addStmtToIRSB(s.out, in->stmts[i++]);
    for (; i < in->stmts_used; i++) {
        if (in->stmts[i]->tag == Ist_IMark)
            begin_instruction(&s, in, i);
        put_statement(&s, in->stmts[i]);
    }
    if (in->next->tag != Iex_Const)
        put_leaving(&s);
    return s.out;
}
