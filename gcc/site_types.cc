/* The type of the object that an access is a part of, for the names of variables that have none of their own.
 *
 * After each hook of an access through a pointer, a label is put into the code, and where that is, the offset of the access in
 * the object, the object's size and the name of its type, into a section of debugging information:
 *
 *     hook(&account->balance);     { where it returns to, "8 24 account" }
 *
 * That takes no instruction. docs/recording.md describes the section. */
/* This file is part of the gcc plugin of Heddle, a program of its own.
 * Copyright (C) 2026 The Heddle authors. Free software under the GNU General Public License, version 3 or (at
 * your option) any later version; without any warranty. See COPYING. */
#include "heddle.h"

/* gcc's headers need this order. */
// clang-format off
#include "ssa.h"
#include "tree-cfg.h"
#include "tree-dfa.h"
#include "langhooks.h"
// clang-format on

#define NAME_MOST 400

static bool is_hook(gcall *call)
{
    tree function = gimple_call_fndecl(call);
    const char *name = function && DECL_NAME(function) ? IDENTIFIER_POINTER(DECL_NAME(function)) : "";

    if (gimple_call_num_args(call) == 0 || !POINTER_TYPE_P(TREE_TYPE(gimple_call_arg(call, 0))))
        return false;
    if (startswith(name, "__builtin_"))
        name += strlen("__builtin_");
    return startswith(name, "__tsan_read") || startswith(name, "__tsan_write") ||
           startswith(name, "__tsan_unaligned_") || startswith(name, "__tsan_volatile_") ||
           startswith(name, "__tsan_atomic") || startswith(name, "__atomic_") || startswith(name, "__sync_") ||
           startswith(name, "heddle_label_read") || startswith(name, "heddle_label_write") ||
           startswith(name, "heddle_label_atomic");
}

/* What the hook is for: the memory whose address it gets. */
static tree memory_of(gcall *hook)
{
    tree address = gimple_call_arg(hook, 0);

    while (TREE_CODE(address) == SSA_NAME && is_gimple_assign(SSA_NAME_DEF_STMT(address))) {
        gimple *definition = SSA_NAME_DEF_STMT(address);
        if (!gimple_assign_single_p(definition) && !CONVERT_EXPR_CODE_P(gimple_assign_rhs_code(definition)))
            return NULL_TREE;
        address = gimple_assign_rhs1(definition);
        if (TREE_CODE(address) != SSA_NAME && TREE_CODE(address) != ADDR_EXPR)
            return NULL_TREE;
    }
    return TREE_CODE(address) == ADDR_EXPR ? TREE_OPERAND(address, 0) : NULL_TREE;
}

/* The object that a pointer leads to, of which the memory is a part: the structure that is named first. Elements of arrays
 * are objects of their own where the index is not known. */
static tree object_of(tree memory, HOST_WIDE_INT *offset)
{
    tree object = NULL_TREE, at = memory;

    for (; handled_component_p(at); at = TREE_OPERAND(at, 0)) {
        tree inner = TREE_OPERAND(at, 0);
        if (TREE_CODE(at) == COMPONENT_REF)
            object = inner;
        else if (TREE_CODE(at) != ARRAY_REF || TREE_CODE(TREE_OPERAND(at, 1)) != INTEGER_CST)
            break;
    }
    if (!object && TREE_CODE(at) == MEM_REF && at == memory)
        object = memory;
    if (!object || (TREE_CODE(get_base_address(memory)) != MEM_REF &&
                    TREE_CODE(get_base_address(memory)) != TARGET_MEM_REF))
        return NULL_TREE;
    *offset = 0;
    for (at = memory; at != object; at = TREE_OPERAND(at, 0)) {
        if (TREE_CODE(at) == COMPONENT_REF) {
            tree field = TREE_OPERAND(at, 1);
            if (!tree_fits_shwi_p(byte_position(field)))
                return NULL_TREE;
            *offset += tree_to_shwi(byte_position(field));
        } else if (TREE_CODE(at) == ARRAY_REF) {
            tree size = TYPE_SIZE_UNIT(TREE_TYPE(at)), low = array_ref_low_bound(at);
            if (!size || !tree_fits_shwi_p(size) || !tree_fits_shwi_p(low) ||
                !tree_fits_shwi_p(TREE_OPERAND(at, 1)))
                return NULL_TREE;
            *offset += (tree_to_shwi(TREE_OPERAND(at, 1)) - tree_to_shwi(low)) * tree_to_shwi(size);
        } else {
            return NULL_TREE;
        }
    }
    return object;
}

/* The name of a structure as debugging information has it; NULL: it has none. */
static const char *name_of(tree type)
{
    tree name = TYPE_NAME(TYPE_MAIN_VARIANT(type)) ? TYPE_NAME(TYPE_MAIN_VARIANT(type)) : TYPE_NAME(type);

    if (!RECORD_OR_UNION_TYPE_P(type) || !name)
        return NULL;
    if (TREE_CODE(name) == IDENTIFIER_NODE)
        return IDENTIFIER_POINTER(name);
    if (TREE_CODE(name) != TYPE_DECL || !DECL_NAME(name))
        return NULL;
    return lang_hooks.dwarf_name(name, 2);
}

/* Whether it can be in a text of the assembler as it is. */
static bool is_plain(const char *name)
{
    size_t length = 0;

    for (; name[length]; length++)
        if (name[length] == '"' || name[length] == '\\' || name[length] == '\n' ||
            (unsigned char)name[length] < ' ')
            return false;
    return length > 0 && length <= NAME_MOST;
}

static void label_site(gimple_stmt_iterator *at, const char *name, HOST_WIDE_INT offset, HOST_WIDE_INT size)
{
    char text[NAME_MOST + 200];
    location_t place = gimple_location(gsi_stmt(*at));

    if (LOCATION_LOCUS(place) == UNKNOWN_LOCATION)
        place = DECL_SOURCE_LOCATION(current_function_decl);
    if (LOCATION_LOCUS(place) <= BUILTINS_LOCATION) /* gcc would fail to print it */
        return;
    snprintf(text, sizeof text,
             "7701:.pushsection .debug_heddle,\"\",@progbits;.quad 7701b;.asciz \"" HOST_WIDE_INT_PRINT_DEC
             " " HOST_WIDE_INT_PRINT_DEC " %s\";.popsection",
             offset, size, name);
    gasm *label = gimple_build_asm_vec(ggc_strdup(text), NULL, NULL, NULL, NULL);
    gimple_asm_set_volatile(label, true);
    gimple_asm_set_input(label, true);
    gimple_asm_set_inline(label, true);
    gimple_set_location(label, place);
    gsi_insert_after(at, label, GSI_CONTINUE_LINKING);
}

static void see_call(gimple_stmt_iterator *at, gcall *call)
{
    HOST_WIDE_INT offset;
    tree memory = is_hook(call) ? memory_of(call) : NULL_TREE,
         object = memory ? object_of(memory, &offset) : NULL_TREE;
    tree size = object ? TYPE_SIZE_UNIT(TREE_TYPE(object)) : NULL_TREE;
    const char *name = size && tree_fits_shwi_p(size) ? name_of(TREE_TYPE(object)) : NULL;

    if (name && is_plain(name) && !stmt_ends_bb_p(call))
        label_site(at, name, offset, tree_to_shwi(size));
}

void name_sites(function *fun)
{
    basic_block block;

    FOR_EACH_BB_FN (block, fun)
        for (gimple_stmt_iterator at = gsi_start_bb(block); !gsi_end_p(at); gsi_next(&at))
            if (is_gimple_call(gsi_stmt(at)) && !gimple_call_internal_p(gsi_stmt(at)))
                see_call(&at, as_a<gcall *>(gsi_stmt(at)));
}
