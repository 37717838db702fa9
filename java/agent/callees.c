/* Who is called. */
#include "callees.h"
#include "calls.h"
#include "light.h"
#include "opcodes.h"

static bool among(struct span name, const char *const *list)
{
    for (; *list; list++)
        if (span_is(name, *list))
            return true;
    return false;
}

/* Methods by which classes of the JDK call what they wrap: a class of the program that inherits one of them
 * hands something else to a method of the same name. */
static const char *const wrapped[] = {
    "write", "read",   "skip",     "flush",   "close",    "mark",   "append",      "ready",     "available",
    "run",   "call",   "apply",    "accept",  "test",     "invoke", "compare",     "compareTo", "equals",
    "print", "format", "toString", "println", "hashCode", "start",  "newThread",   "getAsInt",  "getAsLong",
    "join",  "sleep",  "finalize", "clone",   "wait",     "notify", "notifyAll",   "interrupt", "getMessage",
    "query", "visit",  "handle",   "filter",  "hasNext",  "next",   "forEachRest", NULL};

static bool is_pure(const struct member *called)
{
    static const char *const math[] = {"max", "min", "abs", NULL};
    static const char *const boxes[] = {"java/lang/Integer", "java/lang/Long",      "java/lang/Boolean",
                                        "java/lang/Short",   "java/lang/Character", "java/lang/Byte",
                                        "java/lang/Double",  "java/lang/Float",     NULL};

    return (span_is(called->owner, "java/lang/Math") && among(called->name, math)) ||
           (among(called->owner, boxes) && span_is(called->name, "valueOf") &&
            !span_starts(called->descriptor, "(L"));
}

static enum callee atomic_callee(const struct member *called)
{
    return span_starts(called->name, "compareAnd") || span_starts(called->name, "weakCompareAnd") ||
                   (called->descriptor.count && called->descriptor.data[called->descriptor.count - 1] == 'V')
               ? CALLEE_COMPARES
               : CALLEE_ATOMIC;
}

enum callee callee_of(const struct rewriter *rewriter, unsigned op, const struct member *called)
{
    enum call_mode mode = call_mode(op, called);

    if (mode == CALL_ATOMIC || mode == CALL_ATOMIC_AT)
        return atomic_callee(called);
    if (is_jdk(called->owner))
        return op == OP_INVOKESTATIC && is_pure(called) ? CALLEE_PURE : CALLEE_FOREIGN;
    if (!rewrite_wanted(rewriter, called->owner) || called->owner.data[0] == '[' ||
        (op != OP_INVOKESTATIC && op != OP_INVOKESPECIAL && among(called->name, wrapped)))
        return CALLEE_FOREIGN;
    if (mode == CALL_OBJECT)
        return CALLEE_DERIVED;
    return mode == CALL_NONE ? CALLEE_OURS : CALLEE_FOREIGN;
}

bool callee_prints(unsigned op, const struct member *called)
{
    static const char *const names[] = {"print", "println", "printf", "format", "append", "write", NULL};

    return op == OP_INVOKEVIRTUAL && span_is(called->owner, "java/io/PrintStream") &&
           among(called->name, names);
}

bool callee_concatenates(unsigned op, const struct member *called)
{
    return op == OP_INVOKEDYNAMIC && span_starts(called->name, "makeConcat");
}

bool field_is_seen(const struct rewriter *rewriter, const struct member *field)
{
    return !is_jdk(field->owner) && light_field(rewriter->light, field) == LIGHT_NONE;
}

int32_t callee_number(struct span name, struct span descriptor)
{
    uint32_t hash = 2166136261u;

    for (size_t i = 0; i < name.count; i++)
        hash = (hash ^ name.data[i]) * 16777619u;
    hash = (hash ^ '(') * 16777619u;
    for (size_t i = 0; i < descriptor.count; i++)
        hash = (hash ^ descriptor.data[i]) * 16777619u;
    return (int32_t)(hash ? hash : 1);
}
