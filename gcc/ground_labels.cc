/* Which values of a function may have a label, and the names of these labels. */
/* This file is part of the gcc plugin of Heddle, a program of its own.
 * Copyright (C) 2026 The Heddle authors. Free software under the GNU General Public License, version 3 or (at
 * your option) any later version; without any warranty. See COPYING. */
#include "ground_plugin.h"

/* gcc's headers need this order. */
// clang-format off
#include "ssa.h"
#include "fold-const.h"
#include "function.h"
#include "gimplify.h"
#include "tree-cfg.h"
#include "tree-dfa.h"
#include "tree-eh.h"
// clang-format on

label_flow::label_flow(function *fun) : fun(fun), variable_labels(NULL_TREE)
{
    marked.safe_grow_cleared(num_ssa_names);
    names.safe_grow_cleared(num_ssa_names);
}

bool is_entered_from_afar(basic_block block)
{
    edge_iterator i;
    edge e;

    FOR_EACH_EDGE(e, i, block->preds)
    if (e->flags & EDGE_COMPLEX)
        return true;
    return false;
}

bool label_flow::labelled(tree value) const
{
    return TREE_CODE(value) == SSA_NAME && SSA_NAME_VERSION(value) < marked.length() &&
           marked[SSA_NAME_VERSION(value)];
}

tree label_flow::label_of(tree value) const
{
    return labelled(value) ? names[SSA_NAME_VERSION(value)] : build_zero_cst(unsigned_type_node);
}

bool label_flow::mark(tree name)
{
    if (TREE_CODE(name) != SSA_NAME || marked[SSA_NAME_VERSION(name)])
        return false;
    marked[SSA_NAME_VERSION(name)] = true;
    return true;
}

bool is_in_memory(tree value)
{
    return TREE_CODE(value) != SSA_NAME && TREE_CODE(value) != ADDR_EXPR && !is_gimple_min_invariant(value);
}

bool label_flow::any_use_labelled(gimple *statement) const
{
    ssa_op_iter i;
    tree use;

    FOR_EACH_SSA_TREE_OPERAND(use, statement, i, SSA_OP_USE)
    if (labelled(use))
        return true;
    return false;
}

bool label_flow::is_tracked(tree variable) const
{
    return DECL_P(variable) && auto_var_in_fn_p(variable, fun->decl) && !TREE_ADDRESSABLE(variable) &&
           !(TREE_CODE(variable) == RESULT_DECL && is_own_result(variable)) && !DECL_HAS_VALUE_EXPR_P(variable);
}

memory_kind kind_of_memory(const label_flow &flow, tree memory)
{
    tree base = get_base_address(memory);

    if (!base || (VAR_P(base) && DECL_HARD_REGISTER(base)))
        return MEMORY_OTHER;
    if (CONSTANT_CLASS_P(base) || TREE_CODE(base) == CONST_DECL)
        return MEMORY_CONSTANT;
    if (!DECL_P(base))
        return MEMORY_OTHER;
    if (is_global_var(base))
        return TREE_READONLY(base) ? MEMORY_CONSTANT : MEMORY_OTHER;
    if (flow.is_tracked(base))
        return MEMORY_TRACKED;
    return auto_var_in_fn_p(base, flow.fun->decl) ? MEMORY_LOCAL : MEMORY_OTHER;
}

/* In registers or, as structures, in memory. */
bool label_flow::any_argument_labelled(gcall *call)
{
    for (unsigned i = 0; i < gimple_call_num_args(call); i++) {
        tree argument = gimple_call_arg(call, i);
        if (!is_in_memory(argument))
            continue;
        memory_kind kind = kind_of_memory(*this, argument);
        if (kind == MEMORY_OTHER || kind == MEMORY_LOCAL ||
            (kind == MEMORY_TRACKED && tainted.contains(get_base_address(argument))))
            return true;
    }
    return any_use_labelled(call);
}

bool label_flow::survey_call(gcall *call)
{
    tree result = gimple_call_lhs(call);

    if (!result || TREE_CODE(result) != SSA_NAME)
        return false;
    switch (kind_of_call(call)) {
    case CALL_VALUE:
        return any_argument_labelled(call) && mark(result);
    case CALL_ATOMIC:
    case CALL_UNKNOWN:
        return mark(result);
    default:
        return false;
    }
}

/* Memory that is read has a label unless it is constant or a local variable that nothing labelled was put into.
 */
bool label_flow::survey_statement(gimple *statement)
{
    if (is_gimple_call(statement))
        return survey_call(as_a<gcall *>(statement));
    if (!is_gimple_assign(statement) || gimple_clobber_p(statement))
        return false;

    tree to = gimple_assign_lhs(statement), from = gimple_assign_rhs1(statement);
    bool changed = false, labelled_value = any_use_labelled(statement);

    if (gimple_assign_load_p(statement)) {
        memory_kind kind = kind_of_memory(*this, from);
        labelled_value |= kind == MEMORY_OTHER || kind == MEMORY_LOCAL ||
                          (kind == MEMORY_TRACKED && tainted.contains(get_base_address(from)));
    }
    if (!labelled_value)
        return false;
    if (TREE_CODE(to) == SSA_NAME)
        changed = mark(to);
    else if (kind_of_memory(*this, to) == MEMORY_TRACKED)
        changed = !tainted.add(get_base_address(to));
    return changed;
}

static bool survey_phi(const label_flow &flow, gphi *phi)
{
    for (unsigned i = 0; i < gimple_phi_num_args(phi); i++)
        if (flow.labelled(gimple_phi_arg_def(phi, i)))
            return true;
    return false;
}

/* A parameter in a register. For structures, and beyond the last word, the caller reports that they decide; see_entry
 * takes care of what the function itself keeps in memory. */
static void for_parameters(function *fun, void (*take)(label_flow *, tree, unsigned), label_flow *flow)
{
    unsigned index = 0;

    for (tree parameter = DECL_ARGUMENTS(fun->decl); parameter && index < GROUND_ARGUMENTS;
         parameter = DECL_CHAIN(parameter), index++) {
        tree name = is_gimple_reg(parameter) ? ssa_default_def(fun, parameter) : NULL_TREE;
        if (name)
            take(flow, name, index);
    }
}

void label_flow::survey()
{
    basic_block block;
    bool changed = true;

    for_parameters(
        fun, [](label_flow *flow, tree name, unsigned) { flow->mark(name); }, this);
    while (changed) {
        changed = false;
        FOR_EACH_BB_FN (block, fun) {
            for (gphi_iterator at = gsi_start_phis(block); !gsi_end_p(at); gsi_next(&at))
                if (!virtual_operand_p(gimple_phi_result(at.phi())) && !is_entered_from_afar(block) &&
                    survey_phi(*this, at.phi()))
                    changed |= mark(gimple_phi_result(at.phi()));
            for (gimple_stmt_iterator at = gsi_start_bb(block); !gsi_end_p(at); gsi_next(&at))
                changed |= survey_statement(gsi_stmt(at));
        }
    }
    make_names();
}

void label_flow::make_names()
{
    unsigned count = 0;

    for (unsigned i = 0; i < marked.length(); i++)
        if (marked[i])
            names[i] = make_ssa_name(unsigned_type_node);
    for (tree variable : tainted)
        variables.put(variable, count++);
    if (count > 0) {
        variable_labels = create_tmp_var(build_array_type_nelts(unsigned_type_node, count), "heddle_labels");
        suppress_warning(variable_labels);
    }
}

tree label_flow::variable_label(tree variable)
{
    unsigned *index = variables.get(variable);

    return index ? variable_label_at(*index) : NULL_TREE;
}

tree label_flow::variable_label_at(unsigned index)
{
    return build4(ARRAY_REF, unsigned_type_node, variable_labels, build_int_cst(integer_type_node, index),
                  NULL_TREE, NULL_TREE);
}

unsigned label_flow::variable_count() const
{
    return (unsigned)const_cast<label_flow *>(this)->variables.elements();
}
