/* Structures that are passed and returned by value, which the sanitizer overlooks at calls. */
/* This file is part of the gcc plugin of Heddle, a program of its own.
 * Copyright (C) 2026 The Heddle authors. Free software under the GNU General Public License, version 3 or (at
 * your option) any later version; without any warranty. See COPYING. */
#include "heddle.h"

/* gcc's headers need this order. */
// clang-format off
#include "ssa.h"
#include "fold-const.h"
#include "function.h"
#include "builtins.h"
#include "gimplify.h"
#include "gimplify-me.h"
#include "tree-cfg.h"
#include "tree-eh.h"
#include "tree-ssa-alias.h"
#include "langhooks.h"
#include "diagnostic-core.h"
// clang-format on

/* Whether the address of a local variable escapes the function. */
static bool escapes(tree variable)
{
    pt_solution escaped;

    memset(&escaped, 0, sizeof escaped);
    escaped.escaped = 1;
    escaped.ipa_escaped = flag_ipa_pta != 0;
    return pt_solution_includes(&escaped, variable);
}

bool may_be_shared(tree reference)
{
    tree base = get_base_address(reference);

    if (!base)
        return false;
    if (!DECL_P(base))
        return TREE_CODE(base) == MEM_REF || TREE_CODE(base) == TARGET_MEM_REF;
    if (!is_global_var(base))
        return escapes(base) && may_be_aliased(base);
    return !TREE_READONLY(base) && !(VAR_P(base) && DECL_HARD_REGISTER(base));
}

/* Whether it is a structure in memory, of a size that is known, and may be copied. */
static bool is_value_in_memory(tree operand)
{
    tree type = TREE_TYPE(operand);

    return (REFERENCE_CLASS_P(operand) || DECL_P(operand)) && !is_gimple_reg_type(type) &&
           !TREE_ADDRESSABLE(type) && COMPLETE_TYPE_P(type) && int_size_in_bytes(type) > 0 &&
           !is_empty_type(type);
}

static tree temporary_for(tree value)
{
    tree temporary = create_tmp_var(TYPE_MAIN_VARIANT(TREE_TYPE(value)), "heddle");

    suppress_warning(temporary);
    return temporary;
}

/* take(shared): the copy is what the sanitizer sees. */
static void see_argument(gcall *call, unsigned index)
{
    gimple_stmt_iterator at = gsi_for_stmt(call);
    tree value = gimple_call_arg(call, index), temporary = temporary_for(value);
    gimple *copy = gimple_build_assign(temporary, unshare_expr(value));

    gimple_set_location(copy, gimple_location(call));
    gsi_insert_before(&at, copy, GSI_SAME_STMT);
    gimple_call_set_arg(call, index, temporary);
    update_stmt(call);
}

static bool is_returned_in_memory(const gcall *call)
{
    tree type = gimple_call_return_type(call), function = gimple_call_fndecl(call);

    return aggregate_value_p(type, function ? function : gimple_call_fntype(call));
}

/* Whether the function that is called must write to the place where the result goes: an object of C++ may keep
 * its address. That function has hooks for it. */
static bool result_is_made_in_place(const gcall *call)
{
    return !lang_GNU_C() && gimple_call_return_slot_opt_p(call) && is_returned_in_memory(call);
}

bool is_own_result(tree reference)
{
    tree base = get_base_address(reference);

    return base && TREE_CODE(base) == RESULT_DECL && !DECL_BY_REFERENCE(base) &&
           aggregate_value_p(base, current_function_decl);
}

/* shared = give(): the result is stored after the call, which may hand the turn to others. What the function that is called
 * writes to memory has its labels there, by address; so the temporary variable, or the local one that the result goes to, needs
 * one. */
static void see_given(gcall *call)
{
    gimple_stmt_iterator at = gsi_for_stmt(call);
    tree target = gimple_call_lhs(call), temporary;
    bool last = stmt_ends_bb_p(call);
    edge next = last ? find_fallthru_edge(gimple_bb(call)->succs) : NULL;
    gimple *copy;

    if (last && !next)
        return; /* never comes back */
    temporary = temporary_for(target);
    if (is_returned_in_memory(call)) {
        gimple_call_set_return_slot_opt(call, true);
        mark_addressable(temporary);
    }
    copy = gimple_build_assign(target, temporary);
    gimple_set_location(copy, gimple_location(call));
    gimple_call_set_lhs(call, temporary);
    update_stmt(call);
    if (last)
        gsi_insert_on_edge_immediate(next, copy);
    else
        gsi_insert_after(&at, copy, GSI_NEW_STMT);
}

void see_values(gcall *call)
{
    tree target = gimple_call_lhs(call), base;

    for (unsigned i = 0; i < gimple_call_num_args(call); i++) {
        tree value = gimple_call_arg(call, i);
        if (is_value_in_memory(value) && (may_be_shared(value) || is_own_result(value)))
            see_argument(call, i);
    }
    if (!target || TREE_CODE(target) == SSA_NAME)
        return;
    if (is_value_in_memory(target) && !result_is_made_in_place(call) &&
        (may_be_shared(target) || is_own_result(target) ||
         (is_returned_in_memory(call) && !gimple_call_return_slot_opt_p(call))))
        see_given(call);
    else if (is_returned_in_memory(call) && (base = get_base_address(target)) && DECL_P(base))
        mark_addressable(base);
}

/* A hook for an access to `size` bytes, which the statement at `at` does. */
static void insert_hook(gimple_stmt_iterator *at, tree address, HOST_WIDE_INT size, unsigned alignment,
                        bool write)
{
    built_in_function code = write ? BUILT_IN_TSAN_WRITE_RANGE : BUILT_IN_TSAN_READ_RANGE;
    gimple *hook;

    if (size <= 8 && pow2p_hwi(size) && alignment >= size * BITS_PER_UNIT) {
        int first = write ? BUILT_IN_TSAN_WRITE1 : BUILT_IN_TSAN_READ1;
        code = (built_in_function)(first + exact_log2(size));
        hook = gimple_build_call(builtin_decl_implicit(code), 1, address);
    } else {
        hook = gimple_build_call(builtin_decl_implicit(code), 2, address, size_int(size));
    }
    gimple_set_location(hook, gimple_location(gsi_stmt(*at)));
    gsi_insert_before(at, hook, GSI_SAME_STMT);
}

tree bytes_of(tree target, HOST_WIDE_INT *length)
{
    poly_int64 bits, position;
    HOST_WIDE_INT size, first;
    machine_mode mode;
    int is_unsigned, reversed, is_volatile;
    tree offset, base = get_inner_reference(target, &bits, &position, &offset, &mode, &is_unsigned, &reversed,
                                            &is_volatile);

    if (!bits.is_constant(&size) || !position.is_constant(&first) || size <= 0)
        return NULL_TREE;
    *length = (first % BITS_PER_UNIT + size + BITS_PER_UNIT - 1) / BITS_PER_UNIT;
    if (!offset)
        return fold_build_pointer_plus_hwi(build_fold_addr_expr(unshare_expr(base)), first / BITS_PER_UNIT);
    if (first % BITS_PER_UNIT != 0 || size % BITS_PER_UNIT != 0)
        return NULL_TREE;
    return build_fold_addr_expr(unshare_expr(target));
}

void see_result(gimple_stmt_iterator *at, tree part, bool write)
{
    tree result, address;
    HOST_WIDE_INT length;

    if (!is_own_result(part) || is_empty_type(TREE_TYPE(part)))
        return;
    result = get_base_address(part);
    mark_addressable(result); /* so that no local variable without hooks replaces it later */
    if (escapes(result) || !(address = bytes_of(part, &length)))
        return; /* the sanitizer sees it */
    address = force_gimple_operand_gsi(at, address, true, NULL_TREE, true, GSI_SAME_STMT);
    insert_hook(at, address, length, get_object_alignment(part), write);
}

/* Where the last member of a structure ends. In C++ what follows, up to the size of the structure, may belong
 * to a member of a class derived from it. */
static HOST_WIDE_INT end_of_members(tree type)
{
    HOST_WIDE_INT size = int_size_in_bytes(type), end = 0;

    if (!RECORD_OR_UNION_TYPE_P(type))
        return size;
    for (tree field = TYPE_FIELDS(type); field; field = DECL_CHAIN(field)) {
        if (TREE_CODE(field) != FIELD_DECL || !DECL_SIZE(field))
            continue;
        if (!tree_fits_shwi_p(DECL_SIZE(field)) || !tree_fits_shwi_p(bit_position(field)))
            return size;
        HOST_WIDE_INT at = int_bit_position(field), bits = tree_to_shwi(DECL_SIZE(field));
        if (!DECL_BIT_FIELD(field) && bits == int_size_in_bytes(TREE_TYPE(field)) * BITS_PER_UNIT)
            bits = end_of_members(TREE_TYPE(field)) * BITS_PER_UNIT;
        end = MAX(end, (at + bits + BITS_PER_UNIT - 1) / BITS_PER_UNIT);
    }
    return end > 0 && end < size ? end : size;
}

bool see_padded_copy(gimple_stmt_iterator *at)
{
    gimple *copy = gsi_stmt(*at);
    tree to = gimple_assign_lhs(copy), from = gimple_assign_rhs1(copy), type = TREE_TYPE(to);
    HOST_WIDE_INT size = int_size_in_bytes(type), end;

    if (lang_GNU_C() || size > ALWAYS_EXPANDED || !is_value_in_memory(from) || !is_of_interest(from) ||
        !can_be_called_for(copy) || (end = end_of_members(type)) == size)
        return false;
    tree target = address_for(at, to), source = address_for(at, from);
    if (is_of_interest(to))
        insert_hook(at, target, size, BITS_PER_UNIT, true);
    insert_hook(at, source, end, BITS_PER_UNIT, false);
    replace_by_call(
        at, gimple_build_call(builtin_decl_explicit(BUILT_IN_MEMCPY), 3, target, source, size_int(size)));
    return true;
}
