/* Instructions of the Java virtual machine: those we name, and how long each is. */
#pragma once
#include "bytes.h"

enum opcode {
    OP_ACONST_NULL = 1,
    OP_ICONST_0 = 3,
    OP_LDC_W = 19,
    OP_ILOAD = 21,
    OP_LLOAD = 22,
    OP_FLOAD = 23,
    OP_DLOAD = 24,
    OP_ALOAD = 25,
    OP_ALOAD_0 = 42,
    OP_IALOAD = 46,
    OP_LALOAD = 47,
    OP_FALOAD = 48,
    OP_DALOAD = 49,
    OP_AALOAD = 50,
    OP_BALOAD = 51,
    OP_CALOAD = 52,
    OP_SALOAD = 53,
    OP_ISTORE = 54,
    OP_ASTORE = 58,
    OP_IASTORE = 79,
    OP_LASTORE = 80,
    OP_FASTORE = 81,
    OP_DASTORE = 82,
    OP_AASTORE = 83,
    OP_BASTORE = 84,
    OP_CASTORE = 85,
    OP_SASTORE = 86,
    OP_POP = 87,
    OP_POP2 = 88,
    OP_DUP = 89,
    OP_DUP2 = 92,
    OP_ISUB = 100,
    OP_IFEQ = 153,
    OP_JSR = 168,
    OP_TABLESWITCH = 170,
    OP_LOOKUPSWITCH = 171,
    OP_IRETURN = 172,
    OP_RETURN = 177,
    OP_GETSTATIC = 178,
    OP_PUTSTATIC = 179,
    OP_GETFIELD = 180,
    OP_PUTFIELD = 181,
    OP_INVOKEVIRTUAL = 182,
    OP_INVOKESPECIAL = 183,
    OP_INVOKESTATIC = 184,
    OP_INVOKEINTERFACE = 185,
    OP_INVOKEDYNAMIC = 186,
    OP_NEW = 187,
    OP_NEWARRAY = 188,
    OP_ANEWARRAY = 189,
    OP_ATHROW = 191,
    OP_MONITORENTER = 194,
    OP_MONITOREXIT = 195,
    OP_WIDE = 196,
    OP_MULTIANEWARRAY = 197,
    OP_IFNULL = 198,
    OP_IFNONNULL = 199,
    OP_GOTO_W = 200,
    OP_JSR_W = 201,
};

/* Bytes of the instruction at `at`, operands included; 0 when there is no whole instruction. */
size_t instruction_length(struct span code, size_t at);

/* Whether the instruction has a 16-bit branch offset. */
static inline bool is_short_branch(unsigned op)
{
    return (op >= OP_IFEQ && op <= OP_JSR) || op == OP_IFNULL || op == OP_IFNONNULL;
}

static inline bool is_return(unsigned op)
{
    return op >= OP_IRETURN && op <= OP_RETURN;
}
