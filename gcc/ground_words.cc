/* What grounds need of the runtime: its functions and the words of a thread. */
/* This file is part of the gcc plugin of Heddle, a program of its own.
 * Copyright (C) 2026 The Heddle authors. Free software under the GNU General Public License, version 3 or (at
 * your option) any later version; without any warranty. See COPYING. */
#include "ground_plugin.h"

/* gcc's headers need this order. */
// clang-format off
#include "stringpool.h"
#include "attribs.h"
#include "fold-const.h"
#include "varasm.h"
#include "ggc.h"
// clang-format on

static tree functions[GROUND_FUNCTIONS];
static tree words, hot;

void keep_ground_functions(const char *plugin)
{
    static const ggc_root_tab roots[] = {
        {functions, GROUND_FUNCTIONS, sizeof functions[0], &gt_ggc_mx_tree_node, &gt_pch_nx_tree_node},
        {&words, 1, sizeof words, &gt_ggc_mx_tree_node, &gt_pch_nx_tree_node},
        {&hot, 1, sizeof hot, &gt_ggc_mx_tree_node, &gt_pch_nx_tree_node},
        LAST_GGC_ROOT_TAB};

    register_callback(plugin, PLUGIN_REGISTER_GGC_ROOTS, NULL, const_cast<ggc_root_tab *>(roots));
}

static tree declare(const char *name, tree type)
{
    tree made = build_fn_decl(name, type);

    TREE_NOTHROW(made) = 1;
    DECL_ATTRIBUTES(made) = tree_cons(get_identifier("leaf"), NULL_TREE, NULL_TREE);
    return made;
}

static tree make_function(ground_function_code which)
{
    tree label = unsigned_type_node, pointer = ptr_type_node, number = long_unsigned_type_node;
    static const char *const sizes[] = {"1", "2", "4", "8", "16"};
    char name[64];

    if (which < FUNCTION_READ_RANGE) {
        bool write = which >= FUNCTION_WRITE;
        snprintf(name, sizeof name, "heddle_label_%s%s_1", write ? "write" : "read",
                 sizes[which - (write ? FUNCTION_WRITE : FUNCTION_READ)]);
        return declare(name, write ? build_function_type_list(void_type_node, pointer, label, NULL_TREE)
                                   : build_function_type_list(label, pointer, NULL_TREE));
    }
    switch (which) {
    case FUNCTION_READ_RANGE:
        return declare("heddle_label_read_range_1",
                       build_function_type_list(label, pointer, number, NULL_TREE));
    case FUNCTION_WRITE_RANGE:
        return declare("heddle_label_write_range_1",
                       build_function_type_list(void_type_node, pointer, number, label, NULL_TREE));
    case FUNCTION_TABLE:
        return declare("heddle_label_table_1",
                       build_function_type_list(void_type_node, pointer, pointer, NULL_TREE));
    case FUNCTION_DECIDE:
        return declare("heddle_decide_1", build_function_type_list(void_type_node, label, label, NULL_TREE));
    case FUNCTION_COMPARE:
        return declare("heddle_compare_1", build_function_type_list(void_type_node, label, number, label,
                                                                    number, label, NULL_TREE));
    case FUNCTION_UNION:
        return declare("heddle_union_1", build_function_type_list(label, label, label, NULL_TREE));
    case FUNCTION_SUM:
        return declare("heddle_sum_1", build_function_type_list(label, label, label, NULL_TREE));
    case FUNCTION_ENTER:
        return declare("heddle_enter_1", build_function_type_list(void_type_node, pointer, NULL_TREE));
    case FUNCTION_AFTER:
        return declare("heddle_after_1", build_function_type_list(label, pointer, NULL_TREE));
    case FUNCTION_PRINTED:
        return declare("heddle_printed_1", build_function_type_list(void_type_node, label, NULL_TREE));
    case FUNCTION_PRINT_END:
        return declare("heddle_print_end_1",
                       build_function_type_list(void_type_node, pointer, pointer, NULL_TREE));
    default:
        return declare("heddle_barrier_1", build_function_type_list(void_type_node, NULL_TREE));
    }
}

tree ground_function(ground_function_code which)
{
    if (!functions[which])
        functions[which] = make_function(which);
    return functions[which];
}

/* A variable of each thread's, of so many words. */
static tree declare_words(const char *name, unsigned count, unsigned alignment)
{
    tree made = build_decl(UNKNOWN_LOCATION, VAR_DECL, get_identifier(name),
                           build_array_type_nelts(unsigned_type_node, count));

    TREE_PUBLIC(made) = 1;
    DECL_EXTERNAL(made) = 1;
    TREE_STATIC(made) = 0;
    TREE_USED(made) = 1;
    TREE_ADDRESSABLE(made) = 1;
    DECL_ARTIFICIAL(made) = 1;
    SET_DECL_ALIGN(made, alignment);
    DECL_USER_ALIGN(made) = 1;
    set_decl_tls_model(made, TLS_MODEL_INITIAL_EXEC);
    return made;
}

static tree word_at(tree words, unsigned offset, tree type)
{
    return build2(MEM_REF, type, build_fold_addr_expr(words),
                  build_int_cst(build_pointer_type_for_mode(type, VOIDmode, true), offset));
}

tree ground_word_at(ground_word which, unsigned index, tree type)
{
    if (!words)
        words = declare_words("heddle_grounds_1", WORD_PLAIN / 4 + 1, 64);
    return word_at(words, which + 4 * index, type);
}

tree hot_word_at(hot_word which, tree type)
{
    if (!hot)
        hot = declare_words("heddle_hot_1", HOT_WORDS, 32);
    return word_at(hot, which, type);
}
