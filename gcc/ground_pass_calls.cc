/* What the pass does at a call: labels of the arguments go in, that of the result comes out. */
/* This file is part of the gcc plugin of Heddle, a program of its own.
 * Copyright (C) 2026 The Heddle authors. Free software under the GNU General Public License, version 3 or (at
 * your option) any later version; without any warranty. See COPYING. */
#include "ground_pass.h"

/* gcc's headers need this order. */
// clang-format off
#include "gimplify.h"
// clang-format on

/* The label of an argument of any kind. */
tree ground_pass::label_of_argument(gimple_seq *code, tree argument)
{
    if (!is_in_memory(argument))
        return flow.label_of(argument);
    switch (kind_of_memory(flow, argument)) {
    case MEMORY_TRACKED:
        return load_variable(code, get_base_address(argument));
    case MEMORY_CONSTANT:
        return build_zero_cst(unsigned_type_node);
    default:
        return build_int_cst(unsigned_type_node, LABEL_ALL);
    }
}

tree ground_pass::union_of_arguments(gimple_seq *code, gcall *call)
{
    tree label = NULL_TREE;

    for (unsigned i = 0; i < gimple_call_num_args(call); i++)
        if (is_in_memory(gimple_call_arg(call, i))) {
            tree one = label_of_argument(code, gimple_call_arg(call, i));
            label = label ? unite(code, label, one) : one;
        }
    return union_of_uses(code, call, label);
}

void ground_pass::decide_arguments(gimple_seq *code, gcall *call, unsigned first)
{
    for (unsigned i = first; i < gimple_call_num_args(call); i++)
        decide(code, gimple_bb(call), label_of_argument(code, gimple_call_arg(call, i)));
}

/* How many arguments the function that is called takes in places of their own. */
static unsigned fixed_arguments(gcall *call)
{
    tree type = gimple_call_fntype(call);
    unsigned count = 0;

    if (!type || !stdarg_p(type))
        return GROUND_ARGUMENTS;
    for (tree one = TYPE_ARG_TYPES(type); one && one != void_list_node; one = TREE_CHAIN(one))
        count++;
    return MIN(count, (unsigned)GROUND_ARGUMENTS);
}

/* Which of the arguments reach the output, if the call prints. */
void ground_pass::tell_printed(gimple_seq *code, gcall *call)
{
    printed_arguments printed = printed_by(call);

    for (unsigned i = printed.first; i < printed.last; i++) {
        tree label = label_of_argument(code, gimple_call_arg(call, i));
        if (!integer_zerop(label))
            gimple_seq_add_stmt(code, gimple_build_call(ground_function(FUNCTION_PRINTED), 1, label));
    }
}

/* What it prints decides. It has no labels and touches nothing that has, but it may call code of the program. */
void ground_pass::see_printing(gimple_stmt_iterator *at, gcall *call)
{
    tree function = gimple_call_fn(call);
    gimple_seq before = NULL, after = NULL;

    decide_arguments(&before, call, 0);
    tell_printed(&before, call);
    set_word(&before, WORD_CALLEE, 0, unshare_expr(function));
    gsi_insert_seq_before(at, before, GSI_SAME_STMT);
    gimple_seq_add_stmt(&after,
                        gimple_build_call(ground_function(FUNCTION_PRINT_END), 2, unshare_expr(function),
                                          unshare_expr(gimple_call_arg(call, 0))));
    insert_after(at, after);
}

void ground_pass::see_known(gimple_stmt_iterator *at, gcall *call)
{
    gimple_seq before = NULL, after = NULL;

    decide_arguments(&before, call, 0);
    tell_printed(&before, call);
    set_word(&before, WORD_VOUCH, 0, build_one_cst(unsigned_type_node));
    gsi_insert_seq_before(at, before, GSI_SAME_STMT);
    if (!gimple_call_noreturn_p(call))
        set_word(&after, WORD_VOUCH, 0, build_zero_cst(unsigned_type_node));
    insert_after(at, after);
}

void ground_pass::see_unknown(gimple_stmt_iterator *at, gcall *call)
{
    tree function = gimple_call_fn(call), result = gimple_call_lhs(call);
    unsigned fixed = fixed_arguments(call);
    gimple_seq before = NULL, after = NULL;

    if (TREE_CODE(function) == OBJ_TYPE_REF)
        function = OBJ_TYPE_REF_EXPR(function);
    if (TREE_CODE(function) == SSA_NAME)
        decide(&before, gimple_bb(call), flow.label_of(function));
    if (gimple_call_chain(call))
        decide(&before, gimple_bb(call), build_int_cst(unsigned_type_node, LABEL_ALL));
    for (unsigned i = 0; i < gimple_call_num_args(call) && i < fixed; i++) {
        tree argument = gimple_call_arg(call, i), label = label_of_argument(&before, argument);
        bool in_register = is_gimple_reg_type(TREE_TYPE(argument));
        if (!in_register)
            decide(&before, gimple_bb(call), label);
        set_word(&before, WORD_ARGUMENTS, i, in_register ? label : build_zero_cst(unsigned_type_node));
    }
    decide_arguments(&before, call, fixed);
    tell_printed(&before, call);
    set_word(&before, WORD_CALLEE, 0, unshare_expr(function));
    set_word(&before, WORD_RETURNED, 0, null_pointer_node);
    gsi_insert_seq_before(at, before, GSI_SAME_STMT);
    if (gimple_call_noreturn_p(call))
        return;
    gcall *finish = gimple_build_call(ground_function(FUNCTION_AFTER), 1, unshare_expr(function));
    if (result && flow.labelled(result))
        set_result(finish, result);
    gimple_seq_add_stmt(&after, finish);
    insert_after(at, after);
}

void ground_pass::see_atomic(gimple_stmt_iterator *at, gcall *call)
{
    tree result = gimple_call_lhs(call);
    int value = atomic_value_operand(call);
    gimple_seq before = NULL, after = NULL;

    for (unsigned i = 0; i < gimple_call_num_args(call); i++)
        if ((int)i != value)
            decide(&before, gimple_bb(call), label_of_argument(&before, gimple_call_arg(call, i)));
    if (value >= 0)
        set_word(&before, WORD_FROM, 0, label_of_argument(&before, gimple_call_arg(call, value)));
    set_word(&before, WORD_VOUCH, 0, build_one_cst(unsigned_type_node));
    gsi_insert_seq_before(at, before, GSI_SAME_STMT);
    set_word(&after, WORD_VOUCH, 0, build_zero_cst(unsigned_type_node));
    if (result && flow.labelled(result))
        define(&after, result, get_word(&after, WORD_LABEL, 0));
    insert_after(at, after);
}

void ground_pass::see_call(gimple_stmt_iterator *at, gcall *call)
{
    gimple_seq code = NULL;
    call_kind kind = kind_of_call(call);
    tree result = gimple_call_lhs(call);

    if (kind == CALL_HOOK) {
        see_hook(at, call);
        return;
    }
    finish_hooks();
    switch (kind) {
    case CALL_VALUE:
        if (result && flow.labelled(result))
            define(&code, result, union_of_arguments(&code, call));
        break;
    case CALL_KNOWN:
        see_known(at, call);
        return;
    case CALL_ATOMIC:
        see_atomic(at, call);
        return;
    case CALL_FENCE:
        see_known(at, call);
        return;
    case CALL_PRINTS:
        see_printing(at, call);
        return;
    case CALL_UNKNOWN:
        see_unknown(at, call);
        return;
    case CALL_OPAQUE:
        gimple_seq_add_stmt(&code, gimple_build_call(ground_function(FUNCTION_BARRIER), 0));
        break;
    default:
        break;
    }
    gsi_insert_seq_before(at, code, GSI_SAME_STMT);
}
