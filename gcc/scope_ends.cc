/* The ends of local variables that other threads may know of: to them they are writes. */
/* This file is part of the gcc plugin of Heddle, a program of its own.
 * Copyright (C) 2026 The Heddle authors. Free software under the GNU General Public License, version 3 or (at
 * your option) any later version; without any warranty. See COPYING. */
#include "heddle.h"

/* gcc's headers need this order. */
// clang-format off
#include "stringpool.h"
#include "attribs.h"
#include "function.h"
// clang-format on

/* Whether the variable is in the function's frame, and its address may have left the function. */
static bool may_outlive_its_scope(tree variable)
{
    return !is_global_var(variable) && DECL_SIZE_UNIT(variable) && tree_fits_uhwi_p(DECL_SIZE_UNIT(variable)) &&
           !integer_zerop(DECL_SIZE_UNIT(variable)) && !is_empty_type(TREE_TYPE(variable)) &&
           may_be_shared(variable);
}

static void end_variable(gimple_stmt_iterator *at, tree variable)
{
    tree type = build_function_type_list(void_type_node, ptr_type_node, size_type_node, NULL_TREE);
    tree function = build_fn_decl("__heddle_scope_end", type);
    gimple *statement = gsi_stmt(*at);
    gcall *call;

    SET_DECL_ASSEMBLER_NAME(function, get_identifier("__heddle_scope_end")); /* it is found by that */
    TREE_NOTHROW(function) = 1;
    DECL_ATTRIBUTES(function) = tree_cons(get_identifier("leaf"), NULL_TREE, NULL_TREE);
    call = gimple_build_call(function, 2, build_fold_addr_expr(variable), DECL_SIZE_UNIT(variable));
    gimple_set_location(call,
                        gimple_has_location(statement) ? gimple_location(statement) : cfun->function_end_locus);
    gsi_insert_before(at, call, GSI_SAME_STMT);
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
