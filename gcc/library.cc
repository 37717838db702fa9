/* Memory and string functions under their built-in names, which gcc expands in place, and copies for which it
 * calls such functions: they become calls of the library's, which the runtime stands in for. The plain names
 * are dealt with by -fno-builtin-NAME. `free` is among them since gcc takes it to look at nothing of what the plugin's code tells
 * the runtime before a call. */
/* This file is part of the gcc plugin of Heddle, a program of its own.
 * Copyright (C) 2026 The Heddle authors. Free software under the GNU General Public License, version 3 or (at
 * your option) any later version; without any warranty. See COPYING. */
#include "heddle.h"

/* gcc's headers need this order. */
// clang-format off
#include "ssa.h"
#include "stringpool.h"
#include "attribs.h"
#include "tree-ssa-alias.h"
#include "tree-ssa-loop-ivopts.h"
#include "tree-eh.h"
#include "fold-const.h"
#include "gimplify.h"
#include "gimplify-me.h"
#include "ggc.h"
// clang-format on

static const built_in_function expanded[] = {
    BUILT_IN_MEMCPY,     BUILT_IN_MEMMOVE,     BUILT_IN_MEMPCPY,     BUILT_IN_MEMSET,      BUILT_IN_MEMCMP,
    BUILT_IN_MEMCHR,     BUILT_IN_STRCPY,      BUILT_IN_STRNCPY,     BUILT_IN_STPCPY,      BUILT_IN_STPNCPY,
    BUILT_IN_STRCAT,     BUILT_IN_STRNCAT,     BUILT_IN_STRLEN,      BUILT_IN_STRNLEN,     BUILT_IN_STRCMP,
    BUILT_IN_STRNCMP,    BUILT_IN_STRCASECMP,  BUILT_IN_STRNCASECMP, BUILT_IN_STRCHR,      BUILT_IN_STRRCHR,
    BUILT_IN_STRSTR,     BUILT_IN_STRPBRK,     BUILT_IN_STRSPN,      BUILT_IN_STRCSPN,     BUILT_IN_BCMP,
    BUILT_IN_BCOPY,      BUILT_IN_BZERO,       BUILT_IN_MEMCPY_CHK,  BUILT_IN_MEMMOVE_CHK, BUILT_IN_MEMPCPY_CHK,
    BUILT_IN_MEMSET_CHK, BUILT_IN_STRCPY_CHK,  BUILT_IN_STRNCPY_CHK, BUILT_IN_STPCPY_CHK,  BUILT_IN_STPNCPY_CHK,
    BUILT_IN_STRCAT_CHK, BUILT_IN_STRNCAT_CHK, BUILT_IN_FREE,
};

/* The same functions without gcc's knowledge of them, created when needed. */
static tree plain[ARRAY_SIZE(expanded)];

void keep_library_calls(const char *plugin)
{
    static const ggc_root_tab roots[] = {
        {plain, ARRAY_SIZE(plain), sizeof plain[0], &gt_ggc_mx_tree_node, &gt_pch_nx_tree_node},
        LAST_GGC_ROOT_TAB};

    register_callback(plugin, PLUGIN_REGISTER_GGC_ROOTS, NULL, const_cast<ggc_root_tab *>(roots));
}

/* Where the function is among those; their number when it is not. */
static unsigned expanded_index(built_in_function code)
{
    unsigned index = 0;

    while (index < ARRAY_SIZE(expanded) && expanded[index] != code)
        index++;
    return index;
}

/* A function of the same name and type that is not built in. It neither throws nor comes back in any other way.
 */
static tree plain_function(tree builtin)
{
    tree name = DECL_ASSEMBLER_NAME(builtin), &known = plain[expanded_index(DECL_FUNCTION_CODE(builtin))];

    if (!known || DECL_ASSEMBLER_NAME(known) != name) {
        known = build_fn_decl(IDENTIFIER_POINTER(name), TREE_TYPE(builtin));
        SET_DECL_ASSEMBLER_NAME(known, name);
        TREE_NOTHROW(known) = 1;
        DECL_ATTRIBUTES(known) = tree_cons(get_identifier("leaf"), NULL_TREE, NULL_TREE);
    }
    return known;
}

/* The known effects of the call were those of the built-in function, by which no variable escapes. */
static void forget_effects(gcall *call)
{
    pt_solution_reset(gimple_call_use_set(call));
    pt_solution_reset(gimple_call_clobber_set(call));
}

/* Whether what a pointer points to may be seen by others, as far as that is known without following it. */
static bool points_to_shared(tree pointer)
{
    while (TREE_CODE(pointer) == SSA_NAME) {
        gimple *made = SSA_NAME_DEF_STMT(pointer);
        if (!is_gimple_assign(made))
            return true;
        tree_code code = gimple_assign_rhs_code(made);
        if (code != ADDR_EXPR && code != POINTER_PLUS_EXPR && code != SSA_NAME)
            return true;
        pointer = gimple_assign_rhs1(made);
    }
    if (TREE_CODE(pointer) != ADDR_EXPR)
        return true;
    return may_be_shared(TREE_OPERAND(pointer, 0));
}

void see_library_call(gcall *call)
{
    bool shared = false;

    if (!gimple_call_builtin_p(call, BUILT_IN_NORMAL) ||
        expanded_index(DECL_FUNCTION_CODE(gimple_call_fndecl(call))) == ARRAY_SIZE(expanded))
        return;
    for (unsigned i = 0; i < gimple_call_num_args(call); i++) {
        tree argument = gimple_call_arg(call, i);
        shared |= POINTER_TYPE_P(TREE_TYPE(argument)) && points_to_shared(argument);
    }
    if (!shared)
        return;
    gimple_call_set_fndecl(call, plain_function(gimple_call_fndecl(call)));
    forget_effects(call);
    update_stmt(call);
}

bool is_of_interest(tree memory)
{
    return may_be_shared(memory) || is_own_result(memory);
}

bool can_be_called_for(gimple *copy)
{
    tree to = gimple_assign_lhs(copy), from = gimple_assign_rhs1(copy);

    return !gimple_has_volatile_ops(copy) && lookup_stmt_eh_lp(copy) == 0 && !may_be_nonaddressable_p(to) &&
           !may_be_nonaddressable_p(from) && ADDR_SPACE_GENERIC_P(TYPE_ADDR_SPACE(TREE_TYPE(to))) &&
           ADDR_SPACE_GENERIC_P(TYPE_ADDR_SPACE(TREE_TYPE(from)));
}

tree address_for(gimple_stmt_iterator *at, tree memory)
{
    tree base = get_base_address(memory);

    if (DECL_P(base))
        mark_addressable(base);
    return force_gimple_operand_gsi(at, build_fold_addr_expr(unshare_expr(memory)), true, NULL_TREE, true,
                                    GSI_SAME_STMT);
}

void replace_by_call(gimple_stmt_iterator *at, gcall *call)
{
    gimple *copy = gsi_stmt(*at);

    forget_effects(call);
    gimple_set_location(call, gimple_location(copy));
    gimple_move_vops(call, copy);
    gsi_replace(at, call, false);
}

bool see_large_copy(gimple_stmt_iterator *at)
{
    gimple *copy = gsi_stmt(*at);
    tree to = gimple_assign_lhs(copy), from = gimple_assign_rhs1(copy);
    HOST_WIDE_INT size = int_size_in_bytes(TREE_TYPE(to));
    bool clears = TREE_CODE(from) == CONSTRUCTOR && CONSTRUCTOR_NELTS(from) == 0;
    gcall *call;

    if (size <= ALWAYS_EXPANDED || is_gimple_reg_type(TREE_TYPE(to)) || !can_be_called_for(copy) ||
        !(clears || REFERENCE_CLASS_P(from) || DECL_P(from)) ||
        !(is_of_interest(to) || (!clears && is_of_interest(from))))
        return false;
    tree target = address_for(at, to);
    if (clears)
        call = gimple_build_call(plain_function(builtin_decl_explicit(BUILT_IN_MEMSET)), 3, target,
                                 integer_zero_node, size_int(size));
    else
        call = gimple_build_call(plain_function(builtin_decl_explicit(BUILT_IN_MEMMOVE)), 3, target,
                                 address_for(at, from), size_int(size));
    replace_by_call(at, call);
    return true;
}
