/* The ends of local variables that other threads may know of, and of memory that `alloca` gave: to them they are writes. */
/* This file is part of the gcc plugin of Heddle, a program of its own.
 * Copyright (C) 2026 The Heddle authors. Free software under the GNU General Public License, version 3 or (at
 * your option) any later version; without any warranty. See COPYING. */
#include "heddle.h"

/* gcc's headers need this order. */
// clang-format off
#include "stringpool.h"
#include "attribs.h"
#include "function.h"
#include "ssa.h"
// clang-format on

/* Whether the variable is in the function's frame, and its address may have left the function. */
static bool may_outlive_its_scope(tree variable)
{
    return !is_global_var(variable) && DECL_SIZE_UNIT(variable) && tree_fits_uhwi_p(DECL_SIZE_UNIT(variable)) &&
           !integer_zerop(DECL_SIZE_UNIT(variable)) && !is_empty_type(TREE_TYPE(variable)) &&
           may_be_shared(variable);
}

static tree declare(const char *name, tree type)
{
    tree function = build_fn_decl(name, type);

    SET_DECL_ASSEMBLER_NAME(function, get_identifier(name)); /* it is found by that */
    TREE_NOTHROW(function) = 1;
    DECL_ATTRIBUTES(function) = tree_cons(get_identifier("leaf"), NULL_TREE, NULL_TREE);
    return function;
}

static void tell_before(gimple_stmt_iterator *at, gcall *call)
{
    gimple *statement = gsi_stmt(*at);

    gimple_set_location(call,
                        gimple_has_location(statement) ? gimple_location(statement) : cfun->function_end_locus);
    gsi_insert_before(at, call, GSI_SAME_STMT);
}

static void end_variable(gimple_stmt_iterator *at, tree variable)
{
    tree type = build_function_type_list(void_type_node, ptr_type_node, size_type_node, NULL_TREE);

    tell_before(at, gimple_build_call(declare("__heddle_scope_end", type), 2, build_fold_addr_expr(variable),
                                      DECL_SIZE_UNIT(variable)));
}

/* All that is on the stack below `end` ends. */
static void end_stack(gimple_stmt_iterator *at, tree end)
{
    tree type = build_function_type_list(void_type_node, ptr_type_node, NULL_TREE);

    tell_before(at, gimple_build_call(declare("__heddle_stack_end", type), 1, end));
}

/* Variables of variable size end where the stack is as it was before them. */
void see_stack_restored(gcall *call)
{
    gimple_stmt_iterator at = gsi_for_stmt(call);

    if (gimple_call_builtin_p(call, BUILT_IN_STACK_RESTORE))
        end_stack(&at, gimple_call_arg(call, 0));
}

static bool is_from_alloca(gcall *call)
{
    return (gimple_call_builtin_p(call, BUILT_IN_ALLOCA) ||
            gimple_call_builtin_p(call, BUILT_IN_ALLOCA_WITH_ALIGN)) &&
           !gimple_call_alloca_for_var_p(call);
}

void see_stack_given_back(function *fun, const auto_vec<gcall *> &calls)
{
    gimple_stmt_iterator begin = gsi_after_labels(single_succ(ENTRY_BLOCK_PTR_FOR_FN(fun)));
    bool any = false;
    basic_block block;

    for (gcall *call : calls)
        any |= is_from_alloca(call);
    if (!any || gsi_end_p(begin))
        return;
    gcall *save = gimple_build_call(builtin_decl_implicit(BUILT_IN_STACK_SAVE), 0);
    gimple_call_set_lhs(save, make_ssa_name(ptr_type_node, save));
    gsi_insert_before(&begin, save, GSI_SAME_STMT);
    FOR_EACH_BB_FN (block, fun)
        for (gimple_stmt_iterator at = gsi_start_bb(block); !gsi_end_p(at); gsi_next(&at))
            if (gimple_code(gsi_stmt(at)) == GIMPLE_RETURN)
                end_stack(&at, gimple_call_lhs(save));
}

void see_scope_end(gimple_stmt_iterator *at)
{
    tree variable = gimple_assign_lhs(gsi_stmt(*at));

    if (VAR_P(variable) && may_outlive_its_scope(variable))
        end_variable(at, variable);
}

void see_parameter_ends(gimple_stmt_iterator *at)
{
    for (tree one = DECL_ARGUMENTS(current_function_decl); one; one = DECL_CHAIN(one))
        if (TREE_ADDRESSABLE(one) && !DECL_BY_REFERENCE(one) && may_outlive_its_scope(one))
            end_variable(at, one);
}
