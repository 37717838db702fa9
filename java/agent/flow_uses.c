/* What decides: operands of instructions. */
#include "callees.h"
#include "calls.h"
#include "flow.h"

enum {
    OP_IDIV = 108,
    OP_LDIV = 109,
    OP_IREM = 112,
    OP_LREM = 113,
    OP_LCMP = 148,
    OP_IF_ICMPEQ = 159,
    OP_IF_ACMPEQ = 165,
    OP_GOTO = 167,
    OP_ARRAYLENGTH = 190,
    OP_CHECKCAST = 192
};

bool flow_compares(const struct flow *f, uint32_t number)
{
    bool pair = f->code->bytes.data[f->place[number]] >= OP_IF_ICMPEQ;
    struct flow_value top = flow_below(f, f->place[number], 0);
    struct flow_value below = pair ? flow_below(f, f->place[number], 1) : (struct flow_value){0, LEVEL_EQUAL};
    struct flow_value value = top.of ? top : below;

    return !(top.of && below.of) && (value.of & (value.of - 1)) == 0 && value.level != LEVEL_MIXED;
}

static unsigned slots_of_type(char letter)
{
    return letter == 'J' || letter == 'D' ? 2 : 1;
}

static uint64_t field_decides(const struct flow *f, uint32_t number, unsigned op)
{
    struct member field;

    if (!pool_member(f->pool, (uint16_t)flow_u2(f, f->place[number] + 1), &field) ||
        field.descriptor.count == 0)
        return 0;
    if (op == OP_GETFIELD)
        return flow_of(f, number, 0);
    return op == OP_PUTFIELD ? flow_of(f, number, slots_of_type((char)field.descriptor.data[0])) : 0;
}

/* The index and the object; for a stored reference also the value, whose type the store checks. */
static uint64_t element_decides(const struct flow *f, uint32_t number, unsigned op)
{
    unsigned slots = op == OP_LASTORE || op == OP_DASTORE ? 2 : op >= OP_IASTORE ? 1 : 0;

    return flow_of(f, number, slots) | flow_of(f, number, slots + 1) |
           (op == OP_AASTORE ? flow_of(f, number, 0) : 0);
}

/* The receiver; arguments, if they go to code without hooks. */
static uint64_t call_decides(const struct flow *f, uint32_t number, unsigned op)
{
    uint16_t index = (uint16_t)flow_u2(f, f->place[number] + 1);
    bool dynamic = op == OP_INVOKEDYNAMIC;
    struct member called;
    char letters[ARGUMENTS_MOST], result;
    uint64_t of = 0;
    unsigned slot = 0;
    int count;

    if (dynamic ? !pool_dynamic(f->pool, index, &called) : !pool_member(f->pool, index, &called))
        return 0;
    count = call_arguments(called.descriptor, letters, &result);
    for (int i = count; i-- > 0;) {
        slot += slots_of_type(letters[i]);
        if (dynamic || callee_of(f->rewriter, op, &called) == CALLEE_FOREIGN)
            of |= flow_of(f, number, slot - 1);
    }
    return dynamic || op == OP_INVOKESTATIC ? of : of | flow_of(f, number, slot);
}

static uint64_t jump_decides(const struct flow *f, uint32_t number, unsigned op)
{
    if (op >= OP_IF_ACMPEQ)
        return flow_of(f, number, 0) | flow_of(f, number, 1);
    if (flow_compares(f, number))
        return 0;
    return flow_of(f, number, 0) | (op >= OP_IF_ICMPEQ ? flow_of(f, number, 1) : 0);
}

static uint64_t other_decides(const struct flow *f, uint32_t number, unsigned op)
{
    uint64_t of = 0;

    switch (op) {
    case OP_IDIV:
    case OP_IREM:
    case OP_TABLESWITCH:
    case OP_LOOKUPSWITCH:
    case OP_IFNULL:
    case OP_IFNONNULL:
    case OP_MONITORENTER:
    case OP_MONITOREXIT:
    case OP_ATHROW:
    case OP_NEWARRAY:
    case OP_ANEWARRAY:
    case OP_ARRAYLENGTH:
    case OP_CHECKCAST:
        return flow_of(f, number, 0);
    case OP_LDIV:
    case OP_LREM:
        return flow_of(f, number, 1);
    case OP_MULTIANEWARRAY:
        for (unsigned i = 0; i < f->code->bytes.data[f->place[number] + 3]; i++)
            of |= flow_of(f, number, i);
        return of;
    default:
        return 0;
    }
}

uint64_t flow_decides(const struct flow *f, uint32_t number)
{
    unsigned op = f->code->bytes.data[f->place[number]];

    if (f->depth[number] < 0)
        return 0;
    if ((op >= OP_IALOAD && op <= OP_SALOAD) || (op >= OP_IASTORE && op <= OP_SASTORE))
        return element_decides(f, number, op);
    if (op >= OP_IFEQ && op < OP_GOTO)
        return jump_decides(f, number, op);
    if (op >= OP_GETSTATIC && op <= OP_PUTFIELD)
        return field_decides(f, number, op);
    if (op >= OP_INVOKEVIRTUAL && op <= OP_INVOKEDYNAMIC)
        return call_decides(f, number, op);
    return other_decides(f, number, op);
}

/* Whether the instruction only moves and combines values of the method. */
static bool is_quiet(unsigned op)
{
    return op < OP_IALOAD || (op >= OP_ISTORE && op < OP_IASTORE) || (op >= OP_POP && op < OP_IFEQ) ||
           op == OP_CHECKCAST || op == OP_ARRAYLENGTH || op == OP_NEW;
}

/* Whether the instruction is a call on the way to the output: a report tells which reads get there. */
static bool is_on_the_way_out(const struct flow *f, uint32_t number)
{
    unsigned op = f->code->bytes.data[f->place[number]];
    struct member called;

    if (op < OP_INVOKEVIRTUAL || op > OP_INVOKEDYNAMIC)
        return false;
    return op == OP_INVOKEDYNAMIC
               ? pool_dynamic(f->pool, (uint16_t)flow_u2(f, f->place[number] + 1), &called) &&
                     callee_concatenates(op, &called)
               : pool_member(f->pool, (uint16_t)flow_u2(f, f->place[number] + 1), &called) &&
                     callee_prints(op, &called);
}

static bool decides_at_once(const struct flow *f, uint32_t number)
{
    uint64_t own = UINT64_C(1) << f->source[number];

    for (uint32_t i = number + 1; i < f->count && !f->entered[i]; i++) {
        if (flow_decides(f, i) & own)
            return !is_on_the_way_out(f, i);
        if (f->code->bytes.data[f->place[i]] == OP_LCMP || !is_quiet(f->code->bytes.data[f->place[i]]))
            return false;
    }
    return false;
}

static bool reads(unsigned op)
{
    return (op >= OP_IALOAD && op <= OP_SALOAD) || op == OP_GETFIELD || op == OP_GETSTATIC;
}

bool flow_find_at_once(struct flow *f)
{
    bool any = false;

    for (uint32_t i = 0; i < f->count; i++) {
        f->at_once[i] = f->source[i] != NO_SOURCE && f->depth[i] >= 0 &&
                        reads(f->code->bytes.data[f->place[i]]) && decides_at_once(f, i);
        any |= f->at_once[i];
    }
    return any;
}
