/* What decides, and what is written: labels of values, handed to the runtime.
 *
 * The local variables of ours begin with the thread's state, whether the caller hands labels over, and one for
 * the label of each source. */
#include "callees.h"
#include "calls.h"
#include "hook_sites.h"
#include "runtime/protocol/java_log.h"
#include "runtime/protocol/labels.h"
#include "runtime/protocol/session.h"

enum { STATE, MATCHED, SOURCES };
enum { OP_LCMP = 148, OP_IF_ICMPEQ = 159, OP_IF_ACMPEQ = 165, OP_GOTO = 167, OP_IAND = 126 };

unsigned ground_locals(const struct flow *flow)
{
    return SOURCES + flow->source_count;
}

static unsigned ours(const struct method_work *m, unsigned which)
{
    return m->code->max_locals + which;
}

static void tell(struct method_work *m, const char *name, const char *descriptor)
{
    hook_in(m, GROUNDS_CLASS, name, descriptor);
}

static void load_state(struct method_work *m)
{
    emit_load(m, 'L', ours(m, STATE));
}

void ground_state(struct method_work *m)
{
    if (m->flow)
        load_state(m);
    else
        emit(m, OP_ACONST_NULL);
}

static void small(struct method_work *m, unsigned value)
{
    if (value <= 5)
        emit(m, OP_ICONST_0 + value);
    else
        push_integer(m, (int32_t)value);
}

/* The label of a value: that of its source, or of all of them; its bits are reduced to how the value relates
 * to the source. */
static void push_label(struct method_work *m, struct flow_value value)
{
    unsigned count = 0;

    for (unsigned i = 0; i < m->flow->source_count; i++) {
        if (!(value.of >> i & 1))
            continue;
        emit_load(m, 'I', ours(m, SOURCES + i));
        if (count++ > 0) {
            load_state(m);
            tell(m, "union", "(IILjava/lang/Object;)I");
        }
    }
    if (count == 1 && value.level != LEVEL_EQUAL) {
        push_integer(m, (int32_t) ~(value.level == LEVEL_LINEAR ? LABEL_EQUAL : LABEL_EQUAL | LABEL_LINEAR));
        emit(m, OP_IAND);
    }
}

/* These sources decide. */
static void decide(struct method_work *m, uint64_t of)
{
    for (unsigned i = 0; i < m->flow->source_count; i++) {
        if (!(of >> i & 1) || m->settled >> i & 1)
            continue;
        emit_load(m, 'I', ours(m, SOURCES + i));
        load_state(m);
        tell(m, "by", "(ILjava/lang/Object;)V");
    }
    m->settled |= of;
}

static bool is_one(uint64_t of)
{
    return of && (of & (of - 1)) == 0;
}

static bool can_compare(const struct method_work *m, struct flow_value value, enum flow_level least)
{
    return is_one(value.of) && value.level >= least && !(m->settled & value.of);
}

/* How `runtime/protocol/session.h` calls the conditions of jumps, and those with the operands exchanged. */
static unsigned condition(unsigned op, bool exchanged)
{
    static const unsigned as_is[] = {COMPARED_EQ, COMPARED_NE, COMPARED_LT,
                                     COMPARED_GE, COMPARED_GT, COMPARED_LE};
    static const unsigned other[] = {COMPARED_EQ, COMPARED_NE, COMPARED_GT,
                                     COMPARED_LE, COMPARED_LT, COMPARED_GE};

    return exchanged ? other[op] : as_is[op];
}

/* After which results of the jump's comparison the method does nothing. */
static unsigned idle_after(const struct method_work *m, size_t jump)
{
    size_t target = (size_t)((long)jump + (int16_t)flow_u2(m->flow, jump + 1));

    return (flow_acts_at(m->flow, target) ? 0 : JAVA_IDLE_IF) |
           (flow_acts_at(m->flow, jump + 3) ? 0 : JAVA_IDLE_ELSE);
}

/* A jump that compares an int with 0, or with another that no run changes. */
static void compare_int(struct method_work *m, size_t at, unsigned op)
{
    bool pair = op >= OP_IF_ICMPEQ;
    struct flow_value top = flow_below(m->flow, at, 0), below = pair ? flow_below(m->flow, at, 1) : top;
    bool exchanged = pair && top.of;
    struct flow_value value = exchanged ? top : below;

    if (!can_compare(m, value, LEVEL_LINEAR))
        return; /* it has decided, or does not depend on any run */
    if (pair) {
        emit(m, OP_DUP2);
    } else {
        emit(m, OP_DUP);
        emit(m, OP_ICONST_0);
    }
    push_label(m, value);
    small(m, condition(op - (pair ? OP_IF_ICMPEQ : OP_IFEQ), exchanged) | idle_after(m, at));
    load_state(m);
    tell(m, exchanged ? "exchangedI" : "comparedI", "(IIIILjava/lang/Object;)V");
}

/* A comparison of longs and the jump behind it: reported before the comparison, since the jump sees only its
 * result. */
static bool compares_longs(const struct method_work *m, size_t at)
{
    struct span code = m->code->bytes;
    uint32_t number = m->flow->number[at] + 1;
    struct flow_value top = flow_below(m->flow, at, 1), below = flow_below(m->flow, at, 3);

    return number < m->flow->count && !m->flow->entered[number] && code.data[at + 1] >= OP_IFEQ &&
           code.data[at + 1] < OP_IF_ICMPEQ && !(top.of && below.of) &&
           can_compare(m, below.of ? below : top, LEVEL_EQUAL);
}

static void compare_long(struct method_work *m, size_t at)
{
    bool exchanged = flow_below(m->flow, at, 3).of == 0;

    need(m, 12, 2);
    emit_store(m, 'J', m->scratch);
    emit(m, OP_DUP2);
    emit_load(m, 'J', m->scratch);
    push_label(m, flow_below(m->flow, at, exchanged ? 1 : 3));
    small(m, condition(m->code->bytes.data[at + 1] - OP_IFEQ, exchanged) | idle_after(m, at + 1));
    load_state(m);
    tell(m, exchanged ? "exchangedJ" : "comparedJ", "(JJIILjava/lang/Object;)V");
    emit_load(m, 'J', m->scratch);
}

/* A jump that cannot be reported as a comparison decides as it is. */
static void before_jump(struct method_work *m, size_t at, unsigned op)
{
    bool behind_long = at > 0 && m->flow->number[at - 1] != UINT32_MAX &&
                       m->code->bytes.data[at - 1] == OP_LCMP && compares_longs(m, at - 1);

    if (behind_long)
        return;
    decide(m, flow_decides(m->flow, m->flow->number[at]));
    if (op < OP_IF_ACMPEQ && flow_compares(m->flow, m->flow->number[at]))
        compare_int(m, at, op);
}

/* What is written is made of the value. */
static void write_from(struct method_work *m, struct flow_value value)
{
    const char *name = "fromOne";

    if (is_one(value.of)) {
        push_label(m, value);
        load_state(m);
        tell(m, "from", "(ILjava/lang/Object;)V");
        return;
    }
    for (unsigned i = 0; i < m->flow->source_count; i++) {
        if (!(value.of >> i & 1))
            continue;
        emit_load(m, 'I', ours(m, SOURCES + i));
        load_state(m);
        tell(m, name, "(ILjava/lang/Object;)V");
        name = "fromToo";
    }
}

static void before_field(struct method_work *m, size_t at, unsigned op, size_t whole)
{
    struct member field;
    unsigned slots;
    bool seen;

    if (!pool_member(m->work->pool, (uint16_t)flow_u2(m->flow, at + 1), &field))
        return;
    seen = field_is_seen(m->work->rewriter, &field) && !(op == OP_PUTFIELD && at < whole);
    slots = slots_of(field_letter(field.descriptor));
    if (op == OP_PUTFIELD || op == OP_PUTSTATIC) {
        if (seen)
            write_from(m, flow_below(m->flow, at, slots - 1));
        else
            decide(m, flow_below(m->flow, at, slots - 1).of);
    }
}

static void before_element(struct method_work *m, size_t at, unsigned op)
{
    unsigned slots = op == OP_LASTORE || op == OP_DASTORE ? 2 : op >= OP_IASTORE ? 1 : 0;

    if (slots && flow_unrecorded(m->flow, at))
        decide(m, flow_below(m->flow, at, slots - 1).of);
    else if (slots)
        write_from(m, flow_below(m->flow, at, slots - 1));
}

/* Arguments of an atomic change: what is written, the last one, is what it is made of. An index and what is
 * expected decide. */
static void before_atomic(struct method_work *m, size_t at, const char *letters, int count, bool indexed)
{
    unsigned slot = 0;

    for (int i = count; i-- > 0;) {
        unsigned slots = slots_of(letters[i]);
        if (i == count - 1 && i >= indexed)
            write_from(m, flow_below(m->flow, at, slot + slots - 1));
        else
            decide(m, flow_below(m->flow, at, slot + slots - 1).of);
        slot += slots;
    }
}

/* Each argument's label is handed over, or decides; returns whether there is any. */
static bool hand_over(struct method_work *m, size_t at, const char *letters, int count)
{
    unsigned slot = 0;
    bool any = false;

    for (int i = count; i-- > 0;) {
        struct flow_value value;
        slot += slots_of(letters[i]);
        value = flow_below(m->flow, at, slot - 1);
        if (value.of == 0)
            continue;
        if (i >= FLOW_ARGUMENTS) {
            decide(m, value.of);
            continue;
        }
        push_label(m, value);
        small(m, (unsigned)i);
        load_state(m);
        tell(m, any ? "give" : "giveFirst", "(IILjava/lang/Object;)V");
        any = true;
    }
    return any;
}

void ground_calls(struct method_work *m, const struct member *called, unsigned receiver)
{
    if (receiver)
        emit_load(m, 'L', receiver);
    push_integer(m, callee_number(called->name, called->descriptor));
    load_state(m);
    if (receiver)
        tell(m, m->gives ? "callsOn" : "callsCleanOn", "(Ljava/lang/Object;ILjava/lang/Object;)V");
    else
        tell(m, m->gives ? "calls" : "callsClean", "(ILjava/lang/Object;)V");
}

/* Labels of arguments that reach the output. */
static void tell_printed(struct method_work *m, size_t at, const char *letters, int count)
{
    unsigned slot = 0;

    for (int i = count; i-- > 0;) {
        struct flow_value value;
        slot += slots_of(letters[i]);
        value = flow_below(m->flow, at, slot - 1);
        for (unsigned k = 0; k < m->flow->source_count; k++) {
            if (!(value.of >> k & 1))
                continue;
            emit_load(m, 'I', ours(m, SOURCES + k));
            load_state(m);
            tell(m, "printed", "(ILjava/lang/Object;)V");
        }
    }
}

static void before_call(struct method_work *m, size_t at, unsigned op)
{
    uint16_t index = (uint16_t)flow_u2(m->flow, at + 1);
    struct member called;
    char letters[ARGUMENTS_MOST], result;
    int count;
    enum callee callee = CALLEE_FOREIGN;

    if (op == OP_INVOKEDYNAMIC ? !pool_dynamic(m->work->pool, index, &called)
                               : !pool_member(m->work->pool, index, &called))
        return;
    count = call_arguments(called.descriptor, letters, &result);
    if (op != OP_INVOKEDYNAMIC)
        callee = callee_of(m->work->rewriter, op, &called);
    switch (callee) {
    case CALLEE_ATOMIC:
    case CALLEE_COMPARES:
        before_atomic(m, at, letters, count, call_mode(op, &called) == CALL_ATOMIC_AT);
        break;
    case CALLEE_OURS:
    case CALLEE_DERIVED:
        m->gives = hand_over(m, at, letters, count);
        if (callee == CALLEE_OURS)
            ground_calls(m, &called, 0);
        break;
    default:
        if (callee_prints(op, &called))
            tell_printed(m, at, letters, count);
        break;
    }
}

static void before_return(struct method_work *m, size_t at, unsigned op)
{
    struct flow_value value = {0, LEVEL_EQUAL};

    if (op != OP_RETURN)
        value = flow_below(m->flow, at, op == OP_IRETURN + 1 || op == OP_IRETURN + 3 ? 1 : 0);
    if (value.of == 0)
        return;
    push_label(m, value);
    emit_load(m, 'I', ours(m, MATCHED));
    push_integer(m, callee_number(m->method->name, m->method->descriptor));
    load_state(m);
    tell(m, "leave", "(IIILjava/lang/Object;)V");
}

void ground_before(struct method_work *m, size_t at, size_t whole)
{
    unsigned op = m->code->bytes.data[at];
    uint32_t number = m->flow->number[at];

    need(m, 8, 0);
    if (m->flow->entered[number])
        m->settled = 0;
    if (m->flow->handles[number]) {
        load_state(m);
        tell(m, "caught", "(Ljava/lang/Object;)V");
    }
    if (m->flow->depth[number] < 0)
        return;
    if (op < OP_IFEQ || op >= OP_GOTO)
        decide(m, flow_decides(m->flow, number));
    if ((op >= OP_IALOAD && op <= OP_SALOAD) || (op >= OP_IASTORE && op <= OP_SASTORE))
        before_element(m, at, op);
    else if (op >= OP_IFEQ && op < OP_GOTO)
        before_jump(m, at, op);
    else if (is_return(op))
        before_return(m, at, op);
    else if (op >= OP_GETSTATIC && op <= OP_PUTFIELD)
        before_field(m, at, op, whole);
    else if (op >= OP_INVOKEVIRTUAL && op <= OP_INVOKEDYNAMIC)
        before_call(m, at, op);
    else if (op == OP_LCMP && compares_longs(m, at))
        compare_long(m, at);
}

/* The source produced a new value: its label is on the stack. */
static void keep_label(struct method_work *m, int source)
{
    emit_store(m, 'I', ours(m, SOURCES + (unsigned)source));
    m->settled &= ~(UINT64_C(1) << source);
}

void ground_label(struct method_work *m, size_t at, const char *what, unsigned token)
{
    int source = m->flow ? flow_source(m->flow, at) : NO_SOURCE;
    bool again = source != NO_SOURCE && m->flow->again >> source & 1;

    if (source == NO_SOURCE)
        return;
    if (again)
        emit_load(m, 'I', ours(m, SOURCES + (unsigned)source));
    emit_load(m, 'L', token);
    if (again)
        tell(m, "again", "(ILjava/lang/Object;)I");
    else
        tell(m, what, "(Ljava/lang/Object;)I");
    keep_label(m, source);
}

void ground_returned(struct method_work *m, size_t at, const struct member *called)
{
    unsigned op = m->code->bytes.data[at];
    enum callee callee = callee_of(m->work->rewriter, op, called);
    int source = flow_source(m->flow, at);
    bool again = source != NO_SOURCE && m->flow->again >> source & 1;

    if (callee != CALLEE_OURS && callee != CALLEE_DERIVED)
        return;
    if (again)
        emit_load(m, 'I', ours(m, SOURCES + (unsigned)source));
    push_integer(m, callee_number(called->name, called->descriptor));
    load_state(m);
    if (source == NO_SOURCE) {
        tell(m, "returned", "(ILjava/lang/Object;)V");
        return;
    }
    tell(m, again ? "resultAgain" : "result", again ? "(IILjava/lang/Object;)I" : "(ILjava/lang/Object;)I");
    keep_label(m, source);
}

void ground_enter(struct method_work *m)
{
    need(m, 8, 0);
    push_integer(m, callee_number(m->method->name, m->method->descriptor));
    tell(m, "enter", "(I)Ljava/lang/Object;");
    emit_store(m, 'L', ours(m, STATE));
    if (m->flow->returns) {
        load_state(m);
        tell(m, "matched", "(Ljava/lang/Object;)I");
    } else {
        emit(m, OP_ICONST_0);
    }
    emit_store(m, 'I', ours(m, MATCHED));
    for (unsigned i = 0; i < m->flow->source_count; i++) {
        if (i < m->flow->argument_count && i < FLOW_ARGUMENTS) {
            small(m, i);
            load_state(m);
            tell(m, "argument", "(ILjava/lang/Object;)I");
        } else {
            emit(m, OP_ICONST_0);
        }
        emit_store(m, 'I', ours(m, SOURCES + i));
    }
}
