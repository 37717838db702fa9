/* Static initializers that others may notice otherwise than by a static field of the class. */
#include "initializers.h"
#include "code.h"
#include "opcodes.h"

/* Calls that change nothing but what they make. */
static bool only_makes(unsigned op, const struct member *called)
{
    return span_is(called->name, "<init>") || span_is(called->name, "desiredAssertionStatus") ||
           span_is(called->name, "$values") || (op == OP_INVOKESTATIC && span_is(called->name, "valueOf"));
}

static bool instruction_acts(const struct class_file *class, struct span code, size_t at)
{
    unsigned op = code.data[at];
    struct member member;

    if (op != OP_PUTSTATIC && op != OP_PUTFIELD && !(op >= OP_INVOKEVIRTUAL && op <= OP_INVOKEINTERFACE))
        return false;
    if (!pool_member(&class->pool, (uint16_t)(code.data[at + 1] << 8 | code.data[at + 2]), &member))
        return true;
    if (op == OP_PUTSTATIC)
        return member.owner.count != class->name.count ||
               memcmp(member.owner.data, class->name.data, class->name.count) != 0;
    return op == OP_PUTFIELD || !only_makes(op, &member);
}

static bool code_acts(const struct class_file *class, struct span content)
{
    struct code code;
    size_t length;

    if (!code_read(&code, content))
        return true;
    for (size_t at = 0; at < code.bytes.count; at += length) {
        length = instruction_length(code.bytes, at);
        if (length == 0 || instruction_acts(class, code.bytes, at))
            return true;
    }
    return false;
}

bool initializer_acts(const struct class_file *class)
{
    struct attribute code;

    for (size_t i = 0; i < class->methods_count; i++)
        if (span_is(class->methods[i].name, "<clinit>"))
            return find_attribute(&class->pool, &class->methods[i], "Code", &code) &&
                   code_acts(class, code.content);
    return false;
}
