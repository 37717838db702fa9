/* Inline assembly, which may touch memory without a hook: the code reports it to the runtime, so that
 * exploration does not claim to be complete. */
/* This file is part of the gcc plugin of Heddle, a program of its own.
 * Copyright (C) 2026 The Heddle authors. Free software under the GNU General Public License, version 3 or (at
 * your option) any later version; without any warranty. See COPYING. */
#include "heddle.h"

/* gcc's headers need this order. */
// clang-format off
#include "stringpool.h"
#include "attribs.h"
// clang-format on

/* Nothing but barriers and hints. */
static bool is_harmless(const char *text)
{
    static const char *const known[] = {"",    "pause",  "rep; nop", "rep;nop", "rep nop",
                                        "nop", "mfence", "lfence",   "sfence"};
    size_t length;

    while (ISSPACE(*text))
        text++;
    for (length = strlen(text); length > 0 && (ISSPACE(text[length - 1]) || text[length - 1] == ';'); length--)
        ;
    for (const char *other : known)
        if (strlen(other) == length && memcmp(text, other, length) == 0)
            return true;
    return false;
}

/* Whether an operand, with its constraint, may be memory. */
static bool names_memory(tree operand)
{
    const char *constraint = TREE_STRING_POINTER(TREE_VALUE(TREE_PURPOSE(operand)));

    return strpbrk(constraint, "mogXV<>p") != NULL;
}

static bool may_touch_memory(const gasm *assembly)
{
    for (unsigned i = 0; i < gimple_asm_nclobbers(assembly); i++)
        if (strcmp(TREE_STRING_POINTER(TREE_VALUE(gimple_asm_clobber_op(assembly, i))), "memory") == 0)
            return true;
    for (unsigned i = 0; i < gimple_asm_noutputs(assembly); i++)
        if (names_memory(gimple_asm_output_op(assembly, i)))
            return true;
    for (unsigned i = 0; i < gimple_asm_ninputs(assembly); i++)
        if (names_memory(gimple_asm_input_op(assembly, i)))
            return true;
    return false;
}

void see_assembly(gimple_stmt_iterator *at)
{
    gasm *assembly = as_a<gasm *>(gsi_stmt(*at));
    gcall *call;

    if (is_harmless(gimple_asm_string(assembly)) || !may_touch_memory(assembly))
        return;
    call = gimple_build_call(
        build_fn_decl("__heddle_assembly", build_function_type_list(void_type_node, NULL_TREE)), 0);
    gimple_set_location(call, gimple_location(assembly));
    gsi_insert_before(at, call, GSI_SAME_STMT);
}
