/* Calls.
 *
 * Arguments are set aside in local variables of ours until the receiver is on top of the stack; the receiver
 * stays in the first one, for when the call has returned. */
#include "callees.h"
#include "calls.h"
#include "hook_sites.h"

#include <stdio.h>

enum { RECEIVER, SECOND, SPILLED };

struct hook_arguments {
    char letters[ARGUMENTS_MOST];
    unsigned locals[ARGUMENTS_MOST];
    int count;
    char result;
    unsigned end; /* the first local variable behind them */
};

static bool lay_out(struct method_work *m, const struct member *called, struct hook_arguments *a)
{
    a->end = m->scratch + SPILLED;
    a->count = call_arguments(called->descriptor, a->letters, &a->result);
    for (int i = 0; i < a->count; i++) {
        a->locals[i] = a->end;
        a->end += slots_of(a->letters[i]);
    }
    return a->count >= 0 && a->end < 65535;
}

static void set_aside(struct method_work *m, const struct hook_arguments *a)
{
    need(m, 6, a->end - m->scratch);
    for (int i = a->count; i-- > 0;)
        emit_store(m, a->letters[i], a->locals[i]);
}

/* Sets the arguments aside, the first of which have these letters. Another call is copied as it is: false. */
static bool opened(struct method_work *m, size_t at, const struct member *called, const char *letters,
                   struct hook_arguments *a)
{
    int first = (int)strlen(letters);

    if (!lay_out(m, called, a) || a->count < first || memcmp(a->letters, letters, (size_t)first) != 0) {
        builder_copy(&m->builder, at);
        return false;
    }
    set_aside(m, a);
    return true;
}

static void bring_back(struct method_work *m, const struct hook_arguments *a)
{
    for (int i = 0; i < a->count; i++)
        emit_load(m, a->letters[i], a->locals[i]);
}

static void tell_argument(struct method_work *m, size_t at, const struct member *called, unsigned local)
{
    emit_load(m, 'L', local);
    push_site(m, at, m->code->bytes.data[at], called);
    hook(m, "touched", "(Ljava/lang/Object;I)V");
}

/* Tells of the elements of an array: of those that the two numbers behind it choose, if there are two. */
static void tell_elements(struct method_work *m, size_t at, const struct member *called,
                          const struct hook_arguments *a, int array, const char *name)
{
    bool chosen = array + 2 < a->count && a->letters[array + 1] == 'I' && a->letters[array + 2] == 'I';

    emit_load(m, 'L', a->locals[array]);
    push_array_site(m, at, m->code->bytes.data[at], called);
    if (!chosen) {
        hook(m, name, "(Ljava/lang/Object;I)V");
        return;
    }
    emit_load(m, 'I', a->locals[array + 1]);
    emit_load(m, 'I', a->locals[array + 2]);
    if (span_is(called->owner, "java/util/Arrays")) { /* the second number is the end of the range */
        emit_load(m, 'I', a->locals[array + 1]);
        emit(m, OP_ISUB);
    }
    hook(m, name, "(Ljava/lang/Object;III)V");
}

/* Whether the JDK may look inside the argument; exploration must know everything that the JDK can show as
 * text. */
static bool is_passed(const struct method_work *m, const struct member *called, int argument)
{
    return passes_collection(called->descriptor, argument) ||
           (m->work->rewriter->explores && passes_object(called->descriptor, argument));
}

/* Collections and arrays among the arguments of a call to the JDK: it may look at them. */
static void pass(struct method_work *m, size_t at, const struct member *called, const struct hook_arguments *a)
{
    for (int i = 0; i < a->count; i++)
        if (a->letters[i] == 'L' && is_passed(m, called, i))
            tell_argument(m, at, called, a->locals[i]);
        else if (a->letters[i] == 'L' && passes_array(called->descriptor, i) && reads_arrays(called))
            tell_elements(m, at, called, a, i, "looked");
}

/* Arrays that it may have written into. */
static void passed(struct method_work *m, size_t at, const struct member *called,
                   const struct hook_arguments *a)
{
    for (int i = 0; i < a->count && fills_arrays(called); i++)
        if (a->letters[i] == 'L' && passes_array(called->descriptor, i))
            tell_elements(m, at, called, a, i, "filled");
}

/* After the call: hands the result on, if it is of a kind that may matter. */
static void returned(struct method_work *m, size_t at, const struct member *called, char result,
                     enum call_mode mode)
{
    unsigned op = m->code->bytes.data[at];

    if (result == 'I' || result == 'L')
        emit(m, OP_DUP);
    emit_load(m, 'L', m->scratch + RECEIVER);
    push_site(m, at, op, called);
    if (mode == CALL_BACK || mode == CALL_CHANNEL)
        hook_in(m, UNSEEN_CLASS, "calledBack", "(Ljava/lang/Object;I)V");
    else if (mode != CALL_OBJECT)
        hook(m, mode == CALL_STREAM ? "printed" : "returnedAny", "(Ljava/lang/Object;I)V");
    else if (result == 'I')
        hook(m, "returnedI", "(ILjava/lang/Object;I)V");
    else if (result == 'L')
        hook(m, "returnedL", "(Ljava/lang/Object;Ljava/lang/Object;I)V");
    else
        hook(m, "returned", "(Ljava/lang/Object;I)V");
}

static const char *before_receiver(const struct member *called, enum call_mode mode)
{
    if (mode == CALL_STREAM)
        return "prints";
    if (mode == CALL_ANY)
        return "callAny";
    return span_is(called->owner, "java/util/concurrent/CyclicBarrier") && span_is(called->name, "await")
               ? "arrives"
               : "call";
}

static void hook_receiver(struct method_work *m, size_t at, const struct member *called, enum call_mode mode)
{
    unsigned op = m->code->bytes.data[at];
    struct hook_arguments a;

    if (!opened(m, at, called, "", &a))
        return;
    if (is_jdk(called->owner))
        pass(m, at, called, &a);
    emit(m, OP_DUP);
    emit_store(m, 'L', m->scratch + RECEIVER);
    emit_load(m, 'L', m->scratch + RECEIVER);
    push_site(m, at, op, called);
    if (mode == CALL_BACK || mode == CALL_CHANNEL)
        hook_in(m, UNSEEN_CLASS, "callsBack", "(Ljava/lang/Object;I)V");
    else
        hook(m, before_receiver(called, mode), "(Ljava/lang/Object;I)V");
    if (m->flow && callee_of(m->work->rewriter, op, called) == CALLEE_DERIVED)
        ground_calls(m, called, m->scratch + RECEIVER);
    bring_back(m, &a);
    builder_copy(&m->builder, at);
    returned(m, at, called, (char)(mode == CALL_OBJECT ? a.result : 'V'), mode);
    if (is_jdk(called->owner))
        passed(m, at, called, &a);
}

/* A compare-and-exchange returns what the variable held: it succeeded if that is what was expected. */
static void tell_witness(struct method_work *m, const struct hook_arguments *a, int expected)
{
    need(m, 8, 0);
    emit(m, a->result == 'J' ? OP_DUP2 : OP_DUP);
    emit_load(m, a->letters[expected], a->locals[expected]);
    emit_load(m, 'L', m->scratch + RECEIVER);
    hook_in(m, ATOMICS_CLASS, "atomicWitnessed",
            a->result == 'J'   ? "(JJLjava/lang/Object;)V"
            : a->result == 'L' ? "(Ljava/lang/Object;Ljava/lang/Object;Ljava/lang/Object;)V"
                               : "(IILjava/lang/Object;)V");
}

/* How the result relates to what the call read. */
static const char *atomic_result(const struct member *called, char result)
{
    if (result != 'I' && result != 'J')
        return "label";
    if (span_starts(called->name, "get") && !span_starts(called->name, "getAnd"))
        return "number";
    return span_starts(called->name, "increment") || span_starts(called->name, "decrement") ||
                   span_starts(called->name, "getAndIncrement") || span_starts(called->name, "getAndDecrement")
               ? "linear"
               : "label";
}

/* The token takes the receiver's place while the call is made. */
static void hook_atomic(struct method_work *m, size_t at, const struct member *called, bool indexed)
{
    unsigned op = m->code->bytes.data[at];
    struct hook_arguments a;

    if (!opened(m, at, called, indexed ? "I" : "", &a))
        return;
    emit(m, OP_DUP);
    if (indexed)
        emit_load(m, 'I', a.locals[0]);
    m->labelled = m->flow && flow_source(m->flow, at) != NO_SOURCE;
    push_site(m, at, op, called);
    m->labelled = false;
    hook_in(m, ATOMICS_CLASS, indexed ? "atomicAt" : "atomic",
            indexed ? "(Ljava/lang/Object;II)Ljava/lang/Object;" : "(Ljava/lang/Object;I)Ljava/lang/Object;");
    emit_store(m, 'L', m->scratch + RECEIVER);
    bring_back(m, &a);
    builder_copy(&m->builder, at);
    if (span_is(called->name, "compareAndSet") || span_starts(called->name, "weakCompareAndSet")) {
        emit(m, OP_DUP);
        emit_load(m, 'L', m->scratch + RECEIVER);
        hook_in(m, ATOMICS_CLASS, "atomicTried", "(ILjava/lang/Object;)V");
    } else if (span_starts(called->name, "compareAndExchange") && a.count > indexed + 1) {
        tell_witness(m, &a, indexed);
    } else {
        emit_load(m, 'L', m->scratch + RECEIVER);
        hook_in(m, ATOMICS_CLASS, "atomicDone", "(Ljava/lang/Object;)V");
    }
    ground_label(m, at, atomic_result(called, a.result), m->scratch + RECEIVER);
}

/* A method of ours in the place of the JDK's: the receiver is its first argument, the site its last. */
static void hook_instead(struct method_work *m, size_t at, const struct member *called, const char *class,
                         struct span owner)
{
    const char *old = (const char *)called->descriptor.data;
    int length = (int)called->descriptor.count, close = length - 1;
    char name[64], descriptor[512];

    while (close > 0 && old[close] != ')')
        close--;
    snprintf(name, sizeof name, "%.*s", (int)called->name.count, (const char *)called->name.data);
    if (close == 0 || (size_t)snprintf(descriptor, sizeof descriptor, "(L%.*s;%.*sI%.*s", (int)owner.count,
                                       (const char *)owner.data, close - 1, old + 1, length - close,
                                       old + close) >= sizeof descriptor) {
        builder_copy(&m->builder, at);
        return;
    }
    need(m, 3, 0);
    push_site(m, at, m->code->bytes.data[at], called);
    hook_in(m, class, name, descriptor);
}

static const char condition_class[] = "java/util/concurrent/locks/Condition",
                  object_class[] = "java/lang/Object";

/* Waits and conditions, where threads follow a script. */
static bool hook_wait(struct method_work *m, size_t at, const struct member *called, enum call_mode mode)
{
    bool condition = mode == CALL_OBJECT && span_is(called->owner, condition_class);
    const char *owner = condition ? condition_class : object_class;

    if (!m->work->rewriter->gates || (mode != CALL_ANY && !condition))
        return false;
    if (condition && !span_starts(called->name, "await") && !span_starts(called->name, "signal"))
        return false;
    hook_instead(m, at, called, WAITS_CLASS, (struct span){(const uint8_t *)owner, strlen(owner)});
    return true;
}

static void hook_passing(struct method_work *m, size_t at, const struct member *called)
{
    struct hook_arguments a;
    bool any = false;

    if (lay_out(m, called, &a))
        for (int i = 0; i < a.count; i++)
            any |= a.letters[i] == 'L' && (is_passed(m, called, i) || passes_array(called->descriptor, i));
    if (any) {
        set_aside(m, &a);
        pass(m, at, called, &a);
        bring_back(m, &a);
    }
    if (!hook_random(m, at, called))
        builder_copy(&m->builder, at);
    if (any)
        passed(m, at, called, &a);
    if (any && span_is(called->owner, "java/util/Collections") && a.result == 'L' && a.count > 0 &&
        a.letters[0] == 'L') {
        emit(m, OP_DUP); /* it may be a view of what was passed */
        emit_load(m, 'L', a.locals[0]);
        push_site(m, at, m->code->bytes.data[at], called);
        hook(m, "made", "(Ljava/lang/Object;Ljava/lang/Object;I)V");
    }
}

/* A call of a method that only the machine knows: what it is given, it may call. */
static void hook_handle(struct method_work *m, size_t at, const struct member *called)
{
    unsigned op = m->code->bytes.data[at];
    struct hook_arguments a;

    if (!opened(m, at, called, "", &a))
        return;
    for (int i = 0; i < a.count; i++)
        if (a.letters[i] == 'L') {
            emit_load(m, 'L', a.locals[i]);
            push_site(m, at, op, called);
            hook_in(m, UNSEEN_CLASS, "handed", "(Ljava/lang/Object;I)V");
        }
    push_site(m, at, op, called);
    hook(m, "callGlobal", "(I)V");
    bring_back(m, &a);
    builder_copy(&m->builder, at);
    push_site(m, at, op, called);
    hook(m, "returnedGlobal", "(I)V");
}

/* Texts put together of objects: the JDK looks at them. What other languages than Java link may be any method. */
void hook_dynamic(struct method_work *m, size_t at)
{
    struct span code = m->code->bytes;
    uint16_t index = (uint16_t)(code.data[at + 1] << 8 | code.data[at + 2]);
    struct member called, linker;

    if (!pool_dynamic(m->work->pool, index, &called))
        builder_copy(&m->builder, at);
    else if (m->work->rewriter->explores && span_starts(called.name, "makeConcat"))
        hook_passing(m, at, &called);
    else if (!m->work->rewriter->explores && class_linker(m->work->class, index, &linker) &&
             !span_starts(linker.owner, "java/lang/"))
        hook_handle(m, at, &called);
    else
        builder_copy(&m->builder, at);
}

/* A call that is recorded on its own, without an object. */
static void hook_plain(struct method_work *m, size_t at, const struct member *called, const char *before,
                       const char *after)
{
    unsigned op = m->code->bytes.data[at];

    need(m, 3, 0);
    if (before) {
        push_site(m, at, op, called);
        hook(m, before, "(I)V");
    }
    builder_copy(&m->builder, at);
    if (after) {
        push_site(m, at, op, called);
        hook(m, after, "(I)V");
    }
}

/* An array that is cloned is read. */
static void hook_clone(struct method_work *m, size_t at, const struct member *called)
{
    need(m, 3, 0);
    if (called->owner.data[0] == '[') {
        emit(m, OP_DUP);
        push_array_site(m, at, m->code->bytes.data[at], called);
        hook(m, "looked", "(Ljava/lang/Object;I)V");
    }
    builder_copy(&m->builder, at);
    emit(m, OP_DUP);
    hook(m, "cloned", "(Ljava/lang/Object;)V");
    if (m->work->rewriter->explores) {
        emit(m, OP_DUP);
        push_site(m, at, m->code->bytes.data[at], called);
        hook(m, "born", "(Ljava/lang/Object;I)V");
    }
}

/* The call is about its last argument. */
static void hook_argument(struct method_work *m, size_t at, const struct member *called)
{
    need(m, 3, 0);
    emit(m, OP_DUP);
    push_site(m, at, m->code->bytes.data[at], called);
    hook(m, "callAny", "(Ljava/lang/Object;I)V");
    builder_copy(&m->builder, at);
}

/* A call that sends or receives, or hands tasks on. */
static void hook_global(struct method_work *m, size_t at, const struct member *called)
{
    unsigned op = m->code->bytes.data[at];

    need(m, 3, 0);
    push_site(m, at, op, called);
    hook(m, "callGlobal", "(I)V");
    hook_passing(m, at, called);
    push_site(m, at, op, called);
    hook(m, "returnedGlobal", "(I)V");
}

/* Method.invoke, of an object with an array of arguments. */
static void hook_reflected(struct method_work *m, size_t at, const struct member *called)
{
    unsigned op = m->code->bytes.data[at];
    struct hook_arguments a;

    if (!opened(m, at, called, "LL", &a))
        return;
    emit(m, OP_DUP);
    emit_store(m, 'L', m->scratch + RECEIVER);
    emit_load(m, 'L', m->scratch + RECEIVER);
    bring_back(m, &a);
    push_site(m, at, op, called);
    hook_in(m, UNSEEN_CLASS, "invokes", "(Ljava/lang/Object;Ljava/lang/Object;Ljava/lang/Object;I)V");
    bring_back(m, &a);
    builder_copy(&m->builder, at);
    emit_load(m, 'L', m->scratch + RECEIVER);
    emit_load(m, 'L', a.locals[0]);
    push_site(m, at, op, called);
    hook_in(m, UNSEEN_CLASS, "invoked", "(Ljava/lang/Object;Ljava/lang/Object;I)V");
}

void hook_call(struct method_work *m, size_t at, const struct member *called)
{
    unsigned op = m->code->bytes.data[at];
    enum call_mode mode = m->work->rewriter->explores ? explored_mode(op, called) : call_mode(op, called);

    if (hook_wait(m, at, called, mode))
        return;
    switch (mode) {
    case CALL_OBJECT:
    case CALL_ANY:
    case CALL_STREAM:
    case CALL_BACK:
        hook_receiver(m, at, called, mode);
        break;
    case CALL_OUTSIDE:
    case CALL_EXIT:
        hook_plain(m, at, called, mode == CALL_EXIT ? "exits" : "outside", NULL);
        break;
    case CALL_ATOMIC:
        hook_atomic(m, at, called, false);
        break;
    case CALL_ATOMIC_AT:
        hook_atomic(m, at, called, true);
        break;
    case CALL_UPDATE:
        hook_instead(m, at, called, UPDATES_CLASS, called->owner);
        break;
    case CALL_COPY:
        need(m, 3, 0);
        push_array_site(m, at, op, called);
        hook(m, "copy", "(Ljava/lang/Object;ILjava/lang/Object;III)V");
        break;
    case CALL_CLONE:
        hook_clone(m, at, called);
        break;
    case CALL_ARGUMENT:
        hook_argument(m, at, called);
        break;
    case CALL_SELF:
        hook_plain(m, at, called, NULL, "returnedSelf");
        break;
    case CALL_CHANNEL:
        if (op != OP_INVOKESTATIC && span_starts(called->owner, "java/io/"))
            hook_receiver(m, at, called, mode); /* it may wrap a stream of the program's own */
        else
            hook_global(m, at, called);
        break;
    case CALL_GLOBAL:
        hook_global(m, at, called);
        break;
    case CALL_HANDLE:
        hook_handle(m, at, called);
        break;
    case CALL_REFLECTED:
        hook_reflected(m, at, called);
        break;
    case CALL_PASSES:
        hook_passing(m, at, called);
        break;
    default:
        builder_copy(&m->builder, at);
    }
}
