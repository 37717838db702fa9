/* Code that computes labels. */
/* This file is part of the gcc plugin of Heddle, a program of its own.
 * Copyright (C) 2026 The Heddle authors. Free software under the GNU General Public License, version 3 or (at
 * your option) any later version; without any warranty. See COPYING. */
#include "ground_code.h"

/* gcc's headers need this order. */
// clang-format off
#include "ssa.h"
#include "fold-const.h"
#include "gimplify.h"
#include "gimplify-me.h"
#include "tree-cfg.h"
#include "dominance.h"
// clang-format on

static tree constant(unsigned label)
{
    return build_int_cst(unsigned_type_node, label);
}

static bool is_none(tree label)
{
    return integer_zerop(label);
}

tree label_code::assign(gimple_seq *code, tree type, tree value)
{
    tree name = make_ssa_name(type);

    gimple_seq_add_stmt(code, gimple_build_assign(name, value));
    return name;
}

tree label_code::root_of(tree label)
{
    tree *root = roots.get(label);

    return root ? *root : label;
}

tree label_code::without_bits(gimple_seq *code, tree label, unsigned bits)
{
    tree name;

    if (TREE_CODE(label) != SSA_NAME)
        return constant((unsigned)tree_to_uhwi(label) & ~bits);
    name = make_ssa_name(unsigned_type_node);
    gimple_seq_add_stmt(code, gimple_build_assign(name, BIT_AND_EXPR, label, constant(~bits)));
    roots.put(name, root_of(label));
    return name;
}

void label_code::define(gimple_seq *code, tree value, tree label)
{
    tree name = flow.label_of(value);

    gimple_seq_add_stmt(code, gimple_build_assign(name, label));
    if (TREE_CODE(label) == SSA_NAME)
        roots.put(name, root_of(label));
}

void label_code::set_result(gcall *call, tree value)
{
    gimple_call_set_lhs(call, flow.label_of(value));
    SSA_NAME_DEF_STMT(flow.label_of(value)) = call;
}

tree label_code::call_for(gimple_seq *code, ground_function_code which, tree one, tree other)
{
    gcall *call = gimple_build_call(ground_function(which), 2, one, other);
    tree name = make_ssa_name(unsigned_type_node);

    gimple_call_set_lhs(call, name);
    gimple_seq_add_stmt(code, call);
    unions.put(name, call);
    return name;
}

tree label_code::unite(gimple_seq *code, tree one, tree other)
{
    if (is_none(one) || root_of(one) == root_of(other))
        return without_bits(code, other, LABEL_LINEAR | LABEL_EQUAL);
    if (is_none(other))
        return without_bits(code, one, LABEL_LINEAR | LABEL_EQUAL);
    return call_for(code, FUNCTION_UNION, one, other);
}

tree label_code::sum(gimple_seq *code, tree one, tree other)
{
    if (is_none(one))
        return without_bits(code, other, LABEL_EQUAL);
    if (is_none(other))
        return without_bits(code, one, LABEL_EQUAL);
    return call_for(code, FUNCTION_SUM, one, other);
}

tree label_code::union_of_uses(gimple_seq *code, gimple *statement, tree more)
{
    tree label = more ? without_bits(code, more, LABEL_LINEAR | LABEL_EQUAL) : constant(0), use;
    ssa_op_iter i;

    FOR_EACH_SSA_TREE_OPERAND(use, statement, i, SSA_OP_USE)
    if (flow.labelled(use))
        label = unite(code, label, flow.label_of(use));
    return label;
}

/* A number of another type: where both types have it, or only its lower bits, in which the sum of a number and
 * a constant is still one. */
tree label_code::converted(gimple_seq *code, tree to, tree from)
{
    tree target = TREE_TYPE(to), source = TREE_TYPE(from), label = flow.label_of(from);
    bool numbers = (INTEGRAL_TYPE_P(target) || POINTER_TYPE_P(target)) &&
                   (INTEGRAL_TYPE_P(source) || POINTER_TYPE_P(source));

    if (!numbers || (TREE_CODE(target) == BOOLEAN_TYPE && TREE_CODE(source) != BOOLEAN_TYPE))
        return without_bits(code, label, LABEL_LINEAR | LABEL_EQUAL);
    if (TYPE_PRECISION(target) == TYPE_PRECISION(source))
        return TYPE_UNSIGNED(target) == TYPE_UNSIGNED(source) ? label : without_bits(code, label, LABEL_EQUAL);
    if (TYPE_PRECISION(target) < TYPE_PRECISION(source))
        return without_bits(code, label, LABEL_EQUAL);
    if (!TYPE_UNSIGNED(source) && TYPE_UNSIGNED(target))
        return without_bits(code, label, LABEL_LINEAR | LABEL_EQUAL);

    /* Wider: LINEAR stays where EQUAL is set, which is the bit below it. */
    tree equal = make_ssa_name(unsigned_type_node), keep = make_ssa_name(unsigned_type_node);
    tree mask = make_ssa_name(unsigned_type_node), name = make_ssa_name(unsigned_type_node);
    gimple_seq_add_stmt(code, gimple_build_assign(equal, LSHIFT_EXPR, label, build_one_cst(integer_type_node)));
    gimple_seq_add_stmt(code, gimple_build_assign(keep, BIT_AND_EXPR, equal, constant(LABEL_LINEAR)));
    gimple_seq_add_stmt(code, gimple_build_assign(mask, BIT_IOR_EXPR, keep, constant(~LABEL_LINEAR)));
    gimple_seq_add_stmt(code, gimple_build_assign(name, BIT_AND_EXPR, label, mask));
    roots.put(name, root_of(label));
    return name;
}

tree label_code::label_of_operation(gimple_seq *code, gimple *statement)
{
    tree to = gimple_assign_lhs(statement), first = gimple_assign_rhs1(statement);
    tree_code operation = gimple_assign_rhs_code(statement);
    bool numbers = INTEGRAL_TYPE_P(TREE_TYPE(to)) || POINTER_TYPE_P(TREE_TYPE(to));

    switch (operation) {
    case SSA_NAME:
    case PAREN_EXPR:
        return flow.label_of(first);
    CASE_CONVERT:
        return converted(code, to, first);
    case PLUS_EXPR:
    case POINTER_PLUS_EXPR:
        if (numbers && TREE_CODE(TREE_TYPE(to)) != BOOLEAN_TYPE)
            return sum(code, flow.label_of(first), flow.label_of(gimple_assign_rhs2(statement)));
        break;
    case MINUS_EXPR:
        if (numbers && TREE_CODE(TREE_TYPE(to)) != BOOLEAN_TYPE)
            return sum(
                code, flow.label_of(first),
                without_bits(code, flow.label_of(gimple_assign_rhs2(statement)), LABEL_LINEAR | LABEL_EQUAL));
        break;
    default:
        break;
    }
    return union_of_uses(code, statement, NULL_TREE);
}

/* Of a store whose value is no memory. */
tree label_code::label_of_value(gimple_seq *, gimple *statement)
{
    tree value = gimple_assign_rhs1(statement);
    ssa_op_iter i;
    tree use;

    if (TREE_CODE(value) == SSA_NAME)
        return flow.label_of(value);
    if (is_gimple_min_invariant(value) || (TREE_CODE(value) == CONSTRUCTOR && CONSTRUCTOR_NELTS(value) == 0))
        return constant(0);
    FOR_EACH_SSA_TREE_OPERAND(use, statement, i, SSA_OP_USE)
    if (flow.labelled(use))
        return constant(LABEL_ALL);
    return constant(0);
}

/* A label that decided once keeps deciding: a place that is dominated by the first one need not report it
 * again. */
bool label_code::is_decided(tree label, basic_block block)
{
    auto_vec<basic_block> **list = places.get(root_of(label));

    if (list)
        for (basic_block one : **list)
            if (one == block || dominated_by_p(CDI_DOMINATORS, block, one))
                return true;
    return false;
}

/* Both decide: then nobody may need their union, and one of them, as the label of an array, may have decided before. */
void label_code::decide_parts(gimple_seq *code, basic_block block, gcall *both)
{
    decide(code, block, gimple_call_arg(both, 0));
    decide(code, block, gimple_call_arg(both, 1));
}

void label_code::decide(gimple_seq *code, basic_block block, tree label)
{
    if (is_none(label))
        return;
    if (TREE_CODE(label) == SSA_NAME) {
        if (is_decided(label, block))
            return;
        auto_vec<basic_block> *&list = places.get_or_insert(root_of(label));
        if (!list)
            list = new auto_vec<basic_block>;
        list->safe_push(block);
        if (gcall **both = unions.get(root_of(label))) {
            decide_parts(code, block, *both);
            return;
        }
    }
    gimple_seq_add_stmt(code, gimple_build_call(ground_function(FUNCTION_DECIDE), 2, label, constant(0)));
}

void label_code::decide_uses(gimple_seq *code, gimple *statement)
{
    ssa_op_iter i;
    tree use;

    FOR_EACH_SSA_TREE_OPERAND(use, statement, i, SSA_OP_USE)
    decide(code, gimple_bb(statement), flow.label_of(use));
}

struct use_search {
    auto_vec<tree> names;
};

static tree find_name(tree *at, int *, void *data)
{
    if (TREE_CODE(*at) == SSA_NAME)
        static_cast<use_search *>(data)->names.safe_push(*at);
    return NULL_TREE;
}

/* The values that say where the operand is. */
void label_code::decide_uses(gimple_seq *code, gimple *statement, tree operand)
{
    use_search found;

    walk_tree_without_duplicates(&operand, find_name, &found);
    for (tree name : found.names)
        decide(code, gimple_bb(statement), flow.label_of(name));
}

tree label_code::as_number(gimple_seq *code, tree value)
{
    tree name;

    if (TREE_CODE(value) == INTEGER_CST)
        return fold_convert(long_unsigned_type_node, value);
    if (useless_type_conversion_p(long_unsigned_type_node, TREE_TYPE(value)))
        return value;
    name = make_ssa_name(long_unsigned_type_node);
    gimple_seq_add_stmt(code, gimple_build_assign(name, NOP_EXPR, value));
    return name;
}

/* How a comparison is reported to the runtime: its operation, the size of the type, whether it is signed. */
static int how_compared(tree_code operation, tree type)
{
    static const tree_code operations[] = {EQ_EXPR, NE_EXPR, LT_EXPR, LE_EXPR, GT_EXPR, GE_EXPR};
    unsigned bits = TREE_CODE(type) == BOOLEAN_TYPE ? 8 : TYPE_PRECISION(type);

    if (!(INTEGRAL_TYPE_P(type) || POINTER_TYPE_P(type)) || bits < 8 || bits > 64 || !pow2p_hwi(bits))
        return -1;
    for (unsigned i = 0; i < ARRAY_SIZE(operations); i++)
        if (operations[i] == operation)
            return (int)(i | (exact_log2(bits) - 3) << 3 | !TYPE_UNSIGNED(type) << 5);
    return -1;
}

void label_code::compare(gimple_seq *code, basic_block block, tree left, tree right, tree_code operation)
{
    tree one = flow.label_of(left), other = flow.label_of(right);
    int how = how_compared(operation, TREE_TYPE(left));
    bool simple = (TREE_CODE(left) == SSA_NAME || TREE_CODE(left) == INTEGER_CST) &&
                  (TREE_CODE(right) == SSA_NAME || TREE_CODE(right) == INTEGER_CST);

    if ((is_none(one) || is_decided(one, block)) && (is_none(other) || is_decided(other, block)))
        return;
    if (how < 0 || !simple) {
        decide(code, block, one);
        decide(code, block, other);
        return;
    }
    tree first = as_number(code, left), second = as_number(code, right);
    gimple_seq_add_stmt(code, gimple_build_call(ground_function(FUNCTION_COMPARE), 5, one, first, other, second,
                                                constant((unsigned)how)));
}

void label_code::set_word(gimple_seq *code, ground_word word, unsigned index, tree value)
{
    tree type = word <= WORD_RETURNED ? ptr_type_node : unsigned_type_node;

    gimple_seq_add_stmt(code, gimple_build_assign(ground_word_at(word, index, type), value));
}

tree label_code::get_word(gimple_seq *code, ground_word word, unsigned index)
{
    return assign(code, unsigned_type_node, ground_word_at(word, index, unsigned_type_node));
}

tree label_code::load_variable(gimple_seq *code, tree variable)
{
    tree label = flow.variable_label(variable);

    return label ? assign(code, unsigned_type_node, label) : constant(0);
}

/* Other parts of the variable keep what they hold. */
void label_code::store_variable(gimple_seq *code, tree variable, tree label)
{
    tree place = flow.variable_label(variable);

    if (place && !is_none(label))
        gimple_seq_add_stmt(code,
                            gimple_build_assign(place, unite(code, load_variable(code, variable), label)));
}

void label_code::clear_variables(gimple_seq *code)
{
    for (unsigned i = 0; i < flow.variable_count(); i++)
        gimple_seq_add_stmt(code, gimple_build_assign(flow.variable_label_at(i), constant(0)));
}

/* Whether the statement only makes a label. */
static bool makes_label(gimple *statement)
{
    if (is_gimple_assign(statement))
        return true;
    return is_gimple_call(statement) && (gimple_call_fndecl(statement) == ground_function(FUNCTION_UNION) ||
                                         gimple_call_fndecl(statement) == ground_function(FUNCTION_SUM));
}

void label_code::remove_unused()
{
    auto_vec<tree> left;

    for (auto one : unions)
        left.safe_push(one.first);
    for (auto one : roots)
        left.safe_push(one.first);
    while (!left.is_empty()) {
        tree name = left.pop(), use;
        ssa_op_iter i;
        if (SSA_NAME_IN_FREE_LIST(name))
            continue;
        gimple *made = SSA_NAME_DEF_STMT(name);
        if (!has_zero_uses(name) || !gimple_bb(made) || !makes_label(made))
            continue;
        FOR_EACH_SSA_TREE_OPERAND(use, made, i, SSA_OP_USE)
        left.safe_push(use);
        gimple_stmt_iterator at = gsi_for_stmt(made);
        gsi_remove(&at, true);
        release_defs(made);
    }
}

tree label_code::call_before(gimple_stmt_iterator *at, ground_function_code which, tree address,
                             HOST_WIDE_INT length, tree label)
{
    gcall *call;
    tree name = NULL_TREE;

    address = force_gimple_operand_gsi(at, address, true, NULL_TREE, true, GSI_SAME_STMT);
    if (label) {
        call = gimple_build_call(ground_function(which), 3, address,
                                 build_int_cst(long_unsigned_type_node, length), label);
    } else {
        call = gimple_build_call(ground_function(which), 2, address,
                                 build_int_cst(long_unsigned_type_node, length));
        name = make_ssa_name(unsigned_type_node);
        gimple_call_set_lhs(call, name);
    }
    gimple_set_location(call, gimple_location(gsi_stmt(*at)));
    gsi_insert_before(at, call, GSI_SAME_STMT);
    return name;
}

void label_code::replace(gimple_stmt_iterator *at, gcall *call, tree result)
{
    gimple *hook = gsi_stmt(*at);

    if (result)
        gimple_call_set_lhs(call, result);
    gimple_set_location(call, gimple_location(hook));
    gimple_move_vops(call, hook);
    gsi_replace(at, call, false);
}
