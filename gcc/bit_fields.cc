/* Writes to bit-fields, of which the sanitizer sees the write alone: they read what is beside the field, too. */
/* This file is part of the gcc plugin of Heddle, a program of its own.
 * Copyright (C) 2026 The Heddle authors. Free software under the GNU General Public License, version 3 or (at
 * your option) any later version; without any warranty. See COPYING. */
#include "heddle.h"

/* gcc's headers need this order. */
// clang-format off
#include "ssa.h"
#include "fold-const.h"
#include "stor-layout.h"
#include "gimplify.h"
#include "gimplify-me.h"
// clang-format on

/* The bits that lie between the beginnings of two fields of a structure. */
static HOST_WIDE_INT distance(tree field, tree from)
{
    HOST_WIDE_INT bytes = tree_to_shwi(DECL_FIELD_OFFSET(field)) - tree_to_shwi(DECL_FIELD_OFFSET(from));

    return bytes * BITS_PER_UNIT + tree_to_shwi(DECL_FIELD_BIT_OFFSET(field)) -
           tree_to_shwi(DECL_FIELD_BIT_OFFSET(from));
}

/* The memory that a write to the bit-field reads and writes, as one number; NULL: it is no bit-field, or all of
 * that memory is the field's. */
static tree written_with(tree target)
{
    tree field = TREE_CODE(target) == COMPONENT_REF ? TREE_OPERAND(target, 1) : NULL_TREE, whole;

    if (!field || !DECL_BIT_FIELD(field))
        return NULL_TREE;
    whole = DECL_BIT_FIELD_REPRESENTATIVE(field);
    if (!whole || !INTEGRAL_TYPE_P(TREE_TYPE(whole)) || !tree_fits_shwi_p(DECL_SIZE(field)) ||
        !tree_fits_shwi_p(DECL_FIELD_OFFSET(field)) || !tree_fits_shwi_p(DECL_FIELD_OFFSET(whole)) ||
        tree_int_cst_equal(DECL_SIZE(field), DECL_SIZE(whole)))
        return NULL_TREE;
    return whole;
}

static tree insert_before(gimple_stmt_iterator *at, gassign *statement, tree vuse)
{
    gimple_set_location(statement, gimple_location(gsi_stmt(*at)));
    if (vuse)
        gimple_set_vuse(statement, vuse);
    gsi_insert_before(at, statement, GSI_SAME_STMT);
    return gimple_assign_lhs(statement);
}

/* The value as a number of exactly the field's bits. */
static tree as_bits(gimple_stmt_iterator *at, tree value, HOST_WIDE_INT bits)
{
    tree type = build_nonstandard_integer_type((unsigned HOST_WIDE_INT)bits, 1);

    if (TYPE_PRECISION(TREE_TYPE(value)) == bits)
        return value;
    if (TREE_CODE(value) == INTEGER_CST)
        return fold_convert(type, value);
    return insert_before(at, gimple_build_assign(make_ssa_name(type), NOP_EXPR, value), NULL_TREE);
}

/* The memory by its address: the sanitizer takes no notice of the field that stands for it. */
static tree memory_of(gimple_stmt_iterator *at, tree target, tree whole)
{
    tree part =
        build3(COMPONENT_REF, TREE_TYPE(whole), unshare_expr(TREE_OPERAND(target, 0)), whole, NULL_TREE);
    tree memory = fold_build2(MEM_REF, TREE_TYPE(whole), address_for(at, part), build_zero_cst(ptr_type_node));

    TREE_THIS_VOLATILE(memory) = TREE_THIS_VOLATILE(target);
    return memory;
}

bool see_bit_field(gimple_stmt_iterator *at)
{
    gimple *statement = gsi_stmt(*at);
    tree target = gimple_assign_lhs(statement), value = gimple_assign_rhs1(statement);
    tree whole = gimple_store_p(statement) ? written_with(target) : NULL_TREE, place, old, changed, bits;

    if (!whole || !is_gimple_val(value) || !INTEGRAL_TYPE_P(TREE_TYPE(value)) || !may_be_shared(target))
        return false;
    bits = as_bits(at, value, tree_to_shwi(DECL_SIZE(TREE_OPERAND(target, 1))));
    place = memory_of(at, target, whole);
    old =
        insert_before(at, gimple_build_assign(make_ssa_name(TREE_TYPE(whole)), place), gimple_vuse(statement));
    changed = insert_before(at,
                            gimple_build_assign(make_ssa_name(TREE_TYPE(whole)), BIT_INSERT_EXPR, old, bits,
                                                bitsize_int(distance(TREE_OPERAND(target, 1), whole))),
                            NULL_TREE);
    gimple_assign_set_lhs(statement, unshare_expr(place));
    gimple_assign_set_rhs1(statement, changed);
    update_stmt(statement);
    return true;
}
