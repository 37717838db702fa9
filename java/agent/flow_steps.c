/* What instructions do to values. */
#include "callees.h"
#include "calls.h"
#include "flow.h"

#include <assert.h>

enum {
    OP_IADD = 96,
    OP_LADD = 97,
    OP_LSUB = 101,
    OP_IINC = 132,
    OP_GOTO = 167,
    OP_ARRAYLENGTH = 190,
    OP_CHECKCAST = 192,
    OP_INSTANCEOF = 193,
    OP_SWAP = 95
};

/* The values while an instruction is carried out. */
struct step {
    const struct flow *flow;
    struct flow_value *locals, *stack;
    int32_t depth;
    int room;
    bool bad;
};

static const struct flow_value clean = {0, LEVEL_EQUAL};

static struct flow_value pop(struct step *s)
{
    if (s->depth == 0) {
        s->bad = true;
        return clean;
    }
    assert(s->depth > 0 && s->depth <= s->room);
    return s->stack[--s->depth];
}

static struct flow_value both(struct flow_value a, struct flow_value b)
{
    return (struct flow_value){a.of | b.of, LEVEL_MIXED};
}

/* A value of so many places. */
static struct flow_value pop_value(struct step *s, unsigned slots)
{
    struct flow_value value = clean;

    if (slots == 2)
        pop(s);
    if (slots > 0)
        value = pop(s);
    return value;
}

static void push(struct step *s, struct flow_value value, unsigned slots)
{
    if (s->depth + (int)slots > s->room) {
        s->bad = true;
        return;
    }
    if (slots > 0)
        s->stack[s->depth++] = value;
    if (slots == 2)
        s->stack[s->depth++] = clean;
}

static unsigned slots_of_letter(char letter)
{
    return letter == 'J' || letter == 'D' ? 2 : letter == 'V' ? 0 : 1;
}

static void store_local(struct step *s, unsigned index, unsigned slots)
{
    struct flow_value value = pop_value(s, slots);

    if (index + slots > s->flow->locals) {
        s->bad = true;
        return;
    }
    s->locals[index] = value;
    if (slots == 2)
        s->locals[index + 1] = clean;
}

static void load_local(struct step *s, unsigned index, unsigned slots)
{
    if (index + slots > s->flow->locals)
        s->bad = true;
    else
        push(s, s->locals[index], slots);
}

/* Copies the top `count` places below the `below` under them. */
static void duplicate(struct step *s, int count, int below)
{
    if (s->depth < count + below || s->depth + count > s->room) {
        s->bad = true;
        return;
    }
    assert(count > 0 && below >= 0);
    for (int i = 0; i < count + below; i++)
        s->stack[s->depth + count - 1 - i] = s->stack[s->depth - 1 - i];
    for (int i = 0; i < count; i++)
        s->stack[s->depth - below - count + i] = s->stack[s->depth + i];
    s->depth += count;
}

static void step_stack(struct step *s, unsigned op)
{
    struct flow_value one, other;

    switch (op) {
    case OP_POP2:
        pop(s);
        /* fallthrough */
    case OP_POP:
        pop(s);
        break;
    case OP_SWAP:
        one = pop(s);
        other = pop(s);
        push(s, one, 1);
        push(s, other, 1);
        break;
    default:
        duplicate(s, op < OP_DUP2 ? 1 : 2, (int)(op < OP_DUP2 ? op - OP_DUP : op - OP_DUP2));
    }
}

/* Places of the operands and of the result, for opcodes from OP_IADD on: first, second, result. */
static const char arithmetic[][4] = {
    "111", "222", "111", "222", "111", "222", "111", "222", "111", "222", "111", "222", /* add sub mul */
    "111", "222", "111", "222", "111", "222", "111", "222",                             /* div rem */
    "101", "202", "101", "202",                                                         /* neg */
    "111", "212", "111", "212", "111", "212",                                           /* shifts */
    "111", "222", "111", "222", "111", "222",                                           /* and or xor */
    "000",                                                                              /* iinc */
    "102", "101", "102", "201", "201", "202", "101", "102", "102", "201", "202", "201", /* conversions */
    "101", "101", "101",               /* to byte, char, short */
    "221", "111", "111", "221", "221", /* comparisons */
};

static void step_arithmetic(struct step *s, unsigned op)
{
    assert(op >= OP_IADD && op - OP_IADD < sizeof arithmetic / sizeof *arithmetic);
    const char *places = arithmetic[op - OP_IADD];
    struct flow_value second = pop_value(s, (unsigned)(places[1] - '0'));
    struct flow_value first = pop_value(s, (unsigned)(places[0] - '0')), result = both(first, second);
    bool adds = op == OP_IADD || op == OP_LADD, subtracts = op == OP_ISUB || op == OP_LSUB;

    if ((adds || subtracts) && second.of == 0)
        result.level = first.level == LEVEL_MIXED ? LEVEL_MIXED : LEVEL_LINEAR;
    else if (adds && first.of == 0)
        result.level = second.level == LEVEL_MIXED ? LEVEL_MIXED : LEVEL_LINEAR;
    push(s, result, (unsigned)(places[2] - '0'));
}

static struct flow_value of_source(const struct flow *flow, uint32_t number)
{
    return flow->source[number] == NO_SOURCE
               ? clean
               : (struct flow_value){UINT64_C(1) << flow->source[number], LEVEL_EQUAL};
}

static void step_field(struct step *s, uint32_t number, size_t at, unsigned op)
{
    struct member field;
    unsigned slots;
    char letter;

    if (!pool_member(s->flow->pool, (uint16_t)flow_u2(s->flow, at + 1), &field) ||
        field.descriptor.count == 0) {
        s->bad = true;
        return;
    }
    letter = (char)field.descriptor.data[0];
    slots = slots_of_letter(letter);
    if (op == OP_PUTFIELD || op == OP_PUTSTATIC)
        pop_value(s, slots);
    if (op == OP_PUTFIELD || op == OP_GETFIELD)
        pop(s);
    if (op == OP_GETFIELD || op == OP_GETSTATIC)
        push(s, of_source(s->flow, number), slots);
}

static void step_call(struct step *s, uint32_t number, size_t at, unsigned op)
{
    uint16_t index = (uint16_t)flow_u2(s->flow, at + 1);
    struct flow_value made = clean;
    struct member called;
    char letters[ARGUMENTS_MOST], result;
    int count;

    if (op == OP_INVOKEDYNAMIC ? !pool_dynamic(s->flow->pool, index, &called)
                               : !pool_member(s->flow->pool, index, &called)) {
        s->bad = true;
        return;
    }
    count = call_arguments(called.descriptor, letters, &result);
    for (int i = count; i-- > 0;)
        made = both(made, pop_value(s, slots_of_letter(letters[i])));
    if (op != OP_INVOKESTATIC && op != OP_INVOKEDYNAMIC)
        pop(s);
    s->bad |= count < 0;
    if (callee_concatenates(op, &called))
        made.level = LEVEL_MIXED;
    else if (op == OP_INVOKEDYNAMIC || callee_of(s->flow->rewriter, op, &called) != CALLEE_PURE)
        made = of_source(s->flow, number);
    push(s, made, slots_of_letter(result));
}

/* Instructions from OP_IFEQ on but for fields and calls. */
static void step_other(struct step *s, size_t at, unsigned op)
{
    struct flow_value value;

    if (op <= 158 || op == OP_TABLESWITCH || op == OP_LOOKUPSWITCH || op == OP_IFNULL || op == OP_IFNONNULL ||
        op == OP_MONITORENTER || op == OP_MONITOREXIT || op == OP_ATHROW) {
        pop(s);
    } else if (op < OP_GOTO) {
        pop(s);
        pop(s);
    } else if (op == OP_GOTO || op == OP_GOTO_W || is_return(op) || op == OP_CHECKCAST) {
        return;
    } else if (op == OP_NEW) {
        push(s, clean, 1);
    } else if (op == OP_NEWARRAY || op == OP_ANEWARRAY || op == OP_ARRAYLENGTH) {
        pop(s);
        push(s, clean, 1);
    } else if (op == OP_INSTANCEOF) {
        value = pop(s);
        value.level = LEVEL_MIXED;
        push(s, value, 1);
    } else if (op == OP_MULTIANEWARRAY) {
        for (unsigned i = s->flow->code->bytes.data[at + 3]; i > 0; i--)
            pop(s);
        push(s, clean, 1);
    } else {
        s->bad = true; /* subroutines of old compilers */
    }
}

/* Adds a constant to a local variable. */
static void step_increment(struct step *s, unsigned index)
{
    if (index >= s->flow->locals)
        s->bad = true;
    else if (s->locals[index].level == LEVEL_EQUAL)
        s->locals[index].level = LEVEL_LINEAR;
}

static void step_wide(struct step *s, size_t at)
{
    unsigned op = s->flow->code->bytes.data[at + 1], index = flow_u2(s->flow, at + 2);

    if (op >= OP_ILOAD && op <= OP_ALOAD)
        load_local(s, index, op == OP_LLOAD || op == OP_DLOAD ? 2 : 1);
    else if (op >= OP_ISTORE && op <= OP_ASTORE)
        store_local(s, index, op == OP_ISTORE + 1 || op == OP_ISTORE + 3 ? 2 : 1);
    else if (op == OP_IINC)
        step_increment(s, index);
    else
        s->bad = true;
}

/* Loads and stores of local variables, whose number is part of the opcode or follows it. */
static void step_local(struct step *s, size_t at, unsigned op)
{
    bool stores = op >= OP_ISTORE;
    unsigned first = stores ? OP_ISTORE : OP_ILOAD, type, index;

    if (op < first + 5) {
        type = op - first;
        index = s->flow->code->bytes.data[at + 1];
    } else {
        type = (op - first - 5) / 4;
        index = (op - first - 5) % 4;
    }
    if (stores)
        store_local(s, index, type == 1 || type == 3 ? 2 : 1);
    else
        load_local(s, index, type == 1 || type == 3 ? 2 : 1);
}

static void step_constant(struct step *s, unsigned op)
{
    bool two = (op >= 9 && op <= 10) || (op >= 14 && op <= 15) || op == 20;

    if (op > 0)
        push(s, clean, two ? 2 : 1);
}

static void step_element(struct step *s, uint32_t number, unsigned op)
{
    bool stores = op >= OP_IASTORE;
    unsigned type = op - (stores ? OP_IASTORE : OP_IALOAD), slots = type == 1 || type == 3 ? 2 : 1;

    if (stores)
        pop_value(s, slots);
    pop(s);
    pop(s);
    if (!stores)
        push(s, of_source(s->flow, number), slots);
}

bool flow_step(const struct flow *flow, uint32_t number, struct flow_value *values, int32_t *depth)
{
    size_t at = flow->place[number];
    unsigned op = flow->code->bytes.data[at];
    struct step s = {.flow = flow,
                     .locals = values,
                     .stack = values + flow->locals,
                     .depth = *depth,
                     .room = (int)(flow->width - flow->locals)};

    if (op < OP_ILOAD)
        step_constant(&s, op);
    else if (op < OP_IALOAD || (op >= OP_ISTORE && op < OP_IASTORE))
        step_local(&s, at, op);
    else if (op < OP_POP)
        step_element(&s, number, op);
    else if (op <= OP_SWAP)
        step_stack(&s, op);
    else if (op == OP_IINC)
        step_increment(&s, flow->code->bytes.data[at + 1]);
    else if (op < OP_IFEQ)
        step_arithmetic(&s, op);
    else if (op >= OP_GETSTATIC && op <= OP_PUTFIELD)
        step_field(&s, number, at, op);
    else if (op >= OP_INVOKEVIRTUAL && op <= OP_INVOKEDYNAMIC)
        step_call(&s, number, at, op);
    else if (op == OP_WIDE)
        step_wide(&s, at);
    else
        step_other(&s, at, op);
    *depth = s.depth;
    return !s.bad;
}
