/* How long instructions are. */
#include "opcodes.h"

/* One digit an opcode, from 0 to 201: its length; 0 where it depends on the operands. */
static const char lengths[] = "1111111111111111"
                              "2323322222111111"
                              "1111111111111111"
                              "1111112222211111"
                              "1111111111111111"
                              "1111111111111111"
                              "1111111111111111"
                              "1111111111111111"
                              "1111311111111111"
                              "1111111113333333"
                              "3333333332001111"
                              "1133333335532311"
                              "3311043355";

static int32_t signed_at(struct span code, size_t at)
{
    return (int32_t)((uint32_t)code.data[at] << 24 | (uint32_t)code.data[at + 1] << 16 |
                     (uint32_t)code.data[at + 2] << 8 | code.data[at + 3]);
}

static size_t switch_length(struct span code, size_t at)
{
    size_t operands = (at + 4) & ~(size_t)3;
    bool table = code.data[at] == OP_TABLESWITCH;
    int64_t entries;

    if (operands + (table ? 12 : 8) > code.count)
        return 0;
    if (table)
        entries = (int64_t)signed_at(code, operands + 8) - signed_at(code, operands + 4) + 1;
    else
        entries = 2 * (int64_t)signed_at(code, operands + 4);
    if (entries < 0 || entries > (int64_t)code.count)
        return 0;
    return operands + (table ? 12 : 8) + 4 * (size_t)entries - at;
}

size_t instruction_length(struct span code, size_t at)
{
    size_t length = 0;
    unsigned op;

    if (at >= code.count)
        return 0;
    op = code.data[at];
    if (op == OP_TABLESWITCH || op == OP_LOOKUPSWITCH)
        length = switch_length(code, at);
    else if (op == OP_WIDE && at + 1 < code.count)
        length = code.data[at + 1] == 132 ? 6 : 4;
    else if (op <= OP_JSR_W)
        length = (size_t)(lengths[op] - '0');
    return length <= code.count - at ? length : 0;
}
