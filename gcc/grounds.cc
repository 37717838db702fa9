/* The pass that makes labels flow, after the sanitizer's. */
/* This file is part of the gcc plugin of Heddle, a program of its own.
 * Copyright (C) 2026 The Heddle authors. Free software under the GNU General Public License, version 3 or (at
 * your option) any later version; without any warranty. See COPYING. */
#include "ground_pass.h"

/* gcc's headers need this order. */
// clang-format off
#include "ssa.h"
#include "calls.h"
#include "tree-cfg.h"
#include "tree-dfa.h"
#include "gimplify.h"
// clang-format on

/* Behind a statement, wherever control goes when it is done. */
void ground_pass::insert_after(gimple_stmt_iterator *at, gimple_seq code)
{
    gimple *statement = gsi_stmt(*at);

    if (!code)
        return;
    if (!stmt_ends_bb_p(statement)) {
        gsi_insert_seq_after(at, code, GSI_CONTINUE_LINKING);
        return;
    }
    edge next = find_fallthru_edge(gimple_bb(statement)->succs);
    if (next)
        gsi_insert_seq_on_edge(next, code);
}

/* The read that the pending hook is for: its label, with the bits that say what else is known of the value if
 * it is loaded as it is. */
tree ground_pass::take_read(bool exact)
{
    hook_shape shape;
    gimple_stmt_iterator at = gsi_for_stmt(reads);
    tree label = make_ssa_name(unsigned_type_node), address = gimple_call_arg(reads, 0);
    gcall *call;

    hook_shape_of(reads, &shape);
    if (shape.size)
        call = gimple_build_call(
            ground_function((ground_function_code)(FUNCTION_READ + exact_log2(shape.size))), 1, address);
    else
        call = gimple_build_call(ground_function(FUNCTION_READ_RANGE), 2, address, gimple_call_arg(reads, 1));
    replace(&at, call, label);
    reads = NULL;
    if (exact)
        return label;
    gimple_seq code = NULL;
    label = without_bits(&code, label, LABEL_LINEAR | LABEL_EQUAL);
    gsi_insert_seq_after(&at, code, GSI_SAME_STMT);
    return label;
}

void ground_pass::give_write(tree label)
{
    hook_shape shape;
    gimple_stmt_iterator at = gsi_for_stmt(writes);
    tree address = gimple_call_arg(writes, 0);
    gcall *call;

    hook_shape_of(writes, &shape);
    if (shape.table)
        call = gimple_build_call(ground_function(FUNCTION_TABLE), 2, address, gimple_call_arg(writes, 1));
    else if (shape.size)
        call =
            gimple_build_call(ground_function((ground_function_code)(FUNCTION_WRITE + exact_log2(shape.size))),
                              2, address, label);
    else
        call = gimple_build_call(ground_function(FUNCTION_WRITE_RANGE), 3, address, gimple_call_arg(writes, 1),
                                 label);
    replace(&at, call, NULL_TREE);
    writes = NULL;
}

/* Hooks whose access is of a kind that the pass does not follow: what was read decides, and what is written
 * may depend on anything. */
void ground_pass::finish_hooks()
{
    if (writes)
        give_write(build_int_cst(unsigned_type_node, LABEL_ALL));
    if (reads) {
        gimple_stmt_iterator at = gsi_for_stmt(reads);
        gimple_seq code = NULL;
        basic_block block = gimple_bb(reads);
        gimple *next = NULL;

        gsi_next(&at);
        if (!gsi_end_p(at))
            next = gsi_stmt(at);
        decide(&code, block, take_read(false));
        if (next) {
            at = gsi_for_stmt(next);
            gsi_insert_seq_before(&at, code, GSI_SAME_STMT);
        } else {
            at = gsi_last_bb(block);
            gsi_insert_seq_after(&at, code, GSI_SAME_STMT);
        }
    }
}

void ground_pass::see_hook(gimple_stmt_iterator *at, gcall *hook)
{
    hook_shape shape;
    gimple_seq code = NULL;

    hook_shape_of(hook, &shape);
    if (reads || (shape.write && writes))
        finish_hooks();
    decide_uses(&code, hook);
    gsi_insert_seq_before(at, code, GSI_SAME_STMT);
    (shape.write ? writes : reads) = hook;
}

/* Whether the value is all that the hook is for, as a number. */
static bool is_whole_number(gcall *hook, tree value)
{
    tree type = TREE_TYPE(value);
    hook_shape shape;

    if (!hook_shape_of(hook, &shape) || shape.size == 0 || shape.size > 8 ||
        !(INTEGRAL_TYPE_P(type) || POINTER_TYPE_P(type)))
        return false;
    return TREE_CODE(type) == BOOLEAN_TYPE ? shape.size == 1 : TYPE_PRECISION(type) == 8u * shape.size;
}

/* The label of what the statement loads, in code at `at`. */
tree ground_pass::label_of_load(gimple_stmt_iterator *at, gimple *statement)
{
    tree from = gimple_assign_rhs1(statement), label = build_int_cst(unsigned_type_node, LABEL_ALL), address;
    gimple_seq code = NULL;
    HOST_WIDE_INT length;

    if (reads)
        return take_read(TREE_CODE(gimple_assign_lhs(statement)) == SSA_NAME &&
                         is_whole_number(reads, gimple_assign_lhs(statement)));
    switch (kind_of_memory(flow, from)) {
    case MEMORY_CONSTANT:
        label = union_of_uses(&code, statement, NULL_TREE);
        break;
    case MEMORY_TRACKED:
        label = union_of_uses(&code, statement, load_variable(&code, get_base_address(from)));
        break;
    case MEMORY_LOCAL:
        decide_uses(&code, statement);
        gsi_insert_seq_before(at, code, GSI_SAME_STMT);
        code = NULL;
        if ((address = bytes_of(from, &length)))
            label = call_before(at, FUNCTION_READ_RANGE, address, length, NULL_TREE);
        break;
    default:
        break;
    }
    gsi_insert_seq_before(at, code, GSI_SAME_STMT);
    return label;
}

/* Before the hook of the store, if there is one: the label is there. */
void ground_pass::see_store(gimple_stmt_iterator *at, gimple *statement, tree label)
{
    tree to = gimple_get_lhs(statement), address;
    gimple_seq code = NULL;
    HOST_WIDE_INT length;

    if (writes) {
        give_write(label);
        return;
    }
    switch (kind_of_memory(flow, to)) {
    case MEMORY_TRACKED:
        store_variable(&code, get_base_address(to), union_of_uses(&code, statement, label));
        break;
    case MEMORY_LOCAL:
        decide_uses(&code, statement, to);
        gsi_insert_seq_before(at, code, GSI_SAME_STMT);
        code = NULL;
        if ((address = bytes_of(to, &length)))
            call_before(at, FUNCTION_WRITE_RANGE, address, length, label);
        else
            decide(&code, gimple_bb(statement), label);
        break;
    default:
        decide_uses(&code, statement, to);
        decide(&code, gimple_bb(statement), label);
        break;
    }
    gsi_insert_seq_before(at, code, GSI_SAME_STMT);
}

void ground_pass::see_assignment(gimple_stmt_iterator *at)
{
    gimple *statement = gsi_stmt(*at);
    tree to = gimple_assign_lhs(statement), label;
    gimple_seq code = NULL;

    if (gimple_clobber_p(statement))
        return;
    if (gimple_assign_load_p(statement)) {
        bool copies = writes && reads;
        gimple_stmt_iterator before = writes ? gsi_for_stmt(writes) : *at;
        label = label_of_load(&before, statement);
        if (copies) /* its write is hooked before its read */
            label = build_int_cst(unsigned_type_node, LABEL_COPY);
    } else if (gimple_store_p(statement)) {
        label = label_of_value(&code, statement);
        if (writes) {
            gimple_stmt_iterator before = gsi_for_stmt(writes);
            gsi_insert_seq_before(&before, code, GSI_SAME_STMT);
        } else {
            gsi_insert_seq_before(at, code, GSI_SAME_STMT);
        }
    } else {
        if (flow.labelled(to))
            define(&code, to, label_of_operation(&code, statement));
        gsi_insert_seq_before(at, code, GSI_SAME_STMT);
        return;
    }
    if (gimple_store_p(statement)) {
        see_store(at, statement, label);
    } else if (flow.labelled(to)) {
        code = NULL;
        define(&code, to, label);
        gsi_insert_seq_before(at, code, GSI_SAME_STMT);
    }
}

/* What made a value that is 0 or 1, if that was a comparison, as a number or not. */
static gimple *comparison_behind(tree flag)
{
    while (TREE_CODE(flag) == SSA_NAME) {
        gimple *made = SSA_NAME_DEF_STMT(flag);
        if (!is_gimple_assign(made))
            return NULL;
        if (TREE_CODE_CLASS(gimple_assign_rhs_code(made)) == tcc_comparison)
            return made;
        if (!gimple_assign_cast_p(made) || !INTEGRAL_TYPE_P(TREE_TYPE(flag)))
            return NULL;
        flag = gimple_assign_rhs1(made);
        if (TREE_CODE(TREE_TYPE(flag)) != BOOLEAN_TYPE)
            return NULL;
    }
    return NULL;
}

/* `if (flag)` where the flag is the result of a comparison stands for that. */
static void find_comparison(gcond *condition, tree *left, tree *right, tree_code *code)
{
    gimple *made = NULL;

    *left = gimple_cond_lhs(condition);
    *right = gimple_cond_rhs(condition);
    *code = gimple_cond_code(condition);
    if ((*code == NE_EXPR || *code == EQ_EXPR) && integer_zerop(*right))
        made = comparison_behind(*left);
    if (made) {
        *left = gimple_assign_rhs1(made);
        *right = gimple_assign_rhs2(made);
        *code = gimple_assign_rhs_code(made);
    }
}

void ground_pass::see_condition(gimple_stmt_iterator *at, gcond *condition)
{
    tree left, right;
    tree_code operation;
    gimple_seq code = NULL;

    find_comparison(condition, &left, &right, &operation);
    compare(&code, gimple_bb(condition), left, right, operation);
    gsi_insert_seq_before(at, code, GSI_SAME_STMT);
}

void ground_pass::see_return(gimple_stmt_iterator *at, greturn *statement)
{
    tree value = gimple_return_retval(statement), label = build_zero_cst(unsigned_type_node);
    gimple_seq code = NULL;

    if (value && TREE_CODE(value) == SSA_NAME)
        label = flow.label_of(value);
    else if (value && !is_own_result(value))
        decide(&code, gimple_bb(statement), label_of_argument(&code, value));
    else if (value &&
             is_gimple_reg_type(TREE_TYPE(value))) /* a large vector: the caller copies it to a register */
        gimple_seq_add_stmt(&code, gimple_build_call(ground_function(FUNCTION_BARRIER), 0));
    set_word(&code, WORD_RESULT, 0, label);
    set_word(&code, WORD_RETURNED, 0, unshare_expr(self));
    gsi_insert_seq_before(at, code, GSI_SAME_STMT);
}

/* Assembly may read anything; one without instructions only keeps the compiler from moving things. */
void ground_pass::see_assembly(gimple_stmt_iterator *at, gasm *statement)
{
    gimple_seq code = NULL;

    if (*gimple_asm_string(statement) != '\0' || gimple_asm_noutputs(statement) > 0)
        gimple_seq_add_stmt(&code, gimple_build_call(ground_function(FUNCTION_BARRIER), 0));
    gsi_insert_seq_before(at, code, GSI_SAME_STMT);
}

void ground_pass::see_statement(gimple_stmt_iterator *at)
{
    gimple *statement = gsi_stmt(*at);
    gimple_seq code = NULL;

    switch (gimple_code(statement)) {
    case GIMPLE_ASSIGN:
        see_assignment(at);
        return;
    case GIMPLE_CALL:
        see_call(at, as_a<gcall *>(statement));
        return;
    case GIMPLE_COND:
        finish_hooks();
        see_condition(at, as_a<gcond *>(statement));
        return;
    case GIMPLE_RETURN:
        finish_hooks();
        see_return(at, as_a<greturn *>(statement));
        return;
    case GIMPLE_ASM:
        finish_hooks();
        see_assembly(at, as_a<gasm *>(statement));
        return;
    case GIMPLE_SWITCH:
    case GIMPLE_GOTO:
        finish_hooks();
        decide_uses(&code, statement);
        gsi_insert_seq_before(at, code, GSI_SAME_STMT);
        return;
    default:
        return;
    }
}

void ground_pass::see_phis(basic_block block)
{
    auto_vec<gphi *> phis;

    for (gphi_iterator at = gsi_start_phis(block); !gsi_end_p(at); gsi_next(&at))
        if (flow.labelled(gimple_phi_result(at.phi())))
            phis.safe_push(at.phi());
    for (gphi *phi : phis) {
        gphi *made = create_phi_node(flow.label_of(gimple_phi_result(phi)), block);
        for (unsigned i = 0; i < gimple_phi_num_args(phi); i++)
            add_phi_arg(made, flow.label_of(gimple_phi_arg_def(phi, i)), gimple_phi_arg_edge(phi, i),
                        UNKNOWN_LOCATION);
    }
}

/* The label of a parameter that the function keeps in memory, though the caller passes it in a register. */
void ground_pass::see_kept_parameter(gimple_seq *code, basic_block first, tree parameter, unsigned index)
{
    tree label = get_word(code, WORD_ARGUMENTS, index);

    if (TREE_ADDRESSABLE(parameter))
        gimple_seq_add_stmt(code, gimple_build_call(ground_function(FUNCTION_WRITE_RANGE), 3,
                                                    build_fold_addr_expr(parameter),
                                                    TYPE_SIZE_UNIT(TREE_TYPE(parameter)), label));
    else
        decide(code, first, label);
}

/* Parameters have labels, or the caller is unknown; local variables have none. */
void ground_pass::see_entry()
{
    edge entry = single_succ_edge(ENTRY_BLOCK_PTR_FOR_FN(flow.fun));
    gimple_seq code = NULL;
    unsigned index = 0;

    gimple_seq_add_stmt(&code, gimple_build_call(ground_function(FUNCTION_ENTER), 1, unshare_expr(self)));
    for (tree parameter = DECL_ARGUMENTS(flow.fun->decl); parameter && index < GROUND_ARGUMENTS;
         parameter = DECL_CHAIN(parameter), index++) {
        tree name = is_gimple_reg(parameter) ? ssa_default_def(flow.fun, parameter) : NULL_TREE;
        if (name && flow.labelled(name))
            define(&code, name, get_word(&code, WORD_ARGUMENTS, index));
        else if (!is_gimple_reg(parameter) && is_gimple_reg_type(TREE_TYPE(parameter)))
            see_kept_parameter(&code, entry->dest, parameter, index);
    }
    clear_variables(&code);
    gsi_insert_seq_on_edge_immediate(entry, code);
}

void ground_pass::run()
{
    auto_vec<basic_block> blocks;
    basic_block block;

    calculate_dominance_info(CDI_DOMINATORS);
    flow.survey();
    for (block = first_dom_son(CDI_DOMINATORS, ENTRY_BLOCK_PTR_FOR_FN(flow.fun)); block;
         block = next_dom_son(CDI_DOMINATORS, block))
        blocks.safe_push(block);
    for (unsigned i = 0; i < blocks.length(); i++) /* each before those it dominates */
        for (block = first_dom_son(CDI_DOMINATORS, blocks[i]); block;
             block = next_dom_son(CDI_DOMINATORS, block))
            blocks.safe_push(block);
    for (basic_block one : blocks) {
        see_phis(one);
        for (gimple_stmt_iterator at = gsi_start_nondebug_after_labels_bb(one); !gsi_end_p(at); gsi_next(&at))
            if (!is_gimple_debug(gsi_stmt(at)))
                see_statement(&at);
        finish_hooks();
        if (is_entered_from_afar(one)) {
            gimple_stmt_iterator at = gsi_after_labels(one);
            gsi_insert_before(&at, gimple_build_call(ground_function(FUNCTION_BARRIER), 0), GSI_SAME_STMT);
        }
    }
    see_entry();
    gsi_commit_edge_inserts();
    remove_unused();
    free_dominance_info(CDI_DOMINATORS);
}

/* A function that only computes reports nothing: its caller assumes that the result depends on the
 * arguments. */
static bool can_be_followed(function *fun)
{
    return !fun->calls_setjmp && !fun->has_nonlocal_label && !DECL_STATIC_CHAIN(fun->decl) &&
           !lookup_attribute("naked", DECL_ATTRIBUTES(fun->decl)) &&
           !(flags_from_decl_or_type(fun->decl) & ECF_CONST);
}

unsigned add_grounds(function *fun)
{
    if (can_be_followed(fun))
        ground_pass(fun).run();
    return 0;
}
