/* Functions that the project's configuration declares atomic or deterministic: marks at their start and wherever
 * they are left. */
/* This file is part of the gcc plugin of Heddle, a program of its own.
 * Copyright (C) 2026 The Heddle authors. Free software under the GNU General Public License, version 3 or (at
 * your option) any later version; without any warranty. See COPYING. */
#include "heddle.h"

/* gcc's headers need this order. */
// clang-format off
#include "context.h"
#include "tree-pass.h"
#include "langhooks.h"
#include "stringpool.h"
#include "attribs.h"
#include "asan.h"
#include "fold-const.h"
#include <fnmatch.h>
#include <string>
// clang-format on

namespace
{

struct declared_block {
    const char *pattern;
    int begin; /* HEDDLE_BLOCK_BEGIN or HEDDLE_BLOCK_DETERMINISTIC_BEGIN of heddle/annotate.h; the end is one more */
};

auto_vec<declared_block> declared;

/* "Bank::transfer" of `int Bank::transfer(int)`: as it is written, without parameters. */
std::string name_of(tree function)
{
    std::string name = lang_hooks.decl_printable_name(function, 1);
    size_t parameters =
        name.find('(', name.rfind("operator()") == std::string::npos ? 0 : name.rfind("operator()") + 10);

    return name.substr(0, parameters);
}

/* void __heddle_block(int kind, const char *name), which the runtime has. */
tree block_function()
{
    tree type = build_function_type_list(void_type_node, integer_type_node, const_ptr_type_node, NULL_TREE);

    return build_fn_decl("__heddle_block", type);
}

gimple *block_call(int kind, const std::string &name, location_t place)
{
    tree text = build_string_literal(name.size() + 1, name.c_str());
    gcall *call = gimple_build_call(block_function(), 2, build_int_cst(integer_type_node, kind), text);

    gimple_set_location(call, place);
    return call;
}

/* { begin; try { body } finally { end } }, before control flow is made explicit. */
void mark(tree function, int begin, const std::string &name)
{
    gimple_seq body = gimple_body(function), cleanup = NULL, all = NULL;
    gbind *bind = gimple_build_bind(NULL_TREE, NULL, NULL_TREE);

    gimple_seq_add_stmt(&cleanup,
                        block_call(begin + 1, name, DECL_STRUCT_FUNCTION(function)->function_end_locus));
    gimple_seq_add_stmt(&all, block_call(begin, name, DECL_SOURCE_LOCATION(function)));
    gimple_seq_add_stmt(&all, gimple_build_try(body, cleanup, GIMPLE_TRY_FINALLY));
    gimple_bind_set_body(bind, all);
    gimple_set_body(function, bind);
}

const pass_data about_blocks = {
    GIMPLE_PASS, "heddle_blocks", OPTGROUP_NONE, TV_NONE, 0, 0, 0, 0, 0,
};

class pass_blocks : public gimple_opt_pass
{
  public:
    explicit pass_blocks(gcc::context *context) : gimple_opt_pass(about_blocks, context)
    {
    }
    bool gate(function *fun) final override
    {
        return sanitize_flags_p(SANITIZE_THREAD, fun->decl) && !declared.is_empty();
    }
    unsigned execute(function *fun) final override
    {
        std::string name = name_of(fun->decl);

        for (const declared_block &block : declared)
            if (fnmatch(block.pattern, name.c_str(), 0) == 0)
                mark(fun->decl, block.begin, name);
        return 0;
    }
};

} // namespace

void declare_blocks(plugin_name_args *plugin)
{
    for (int i = 0; i < plugin->argc; i++) {
        bool atomic = strcmp(plugin->argv[i].key, "atomic") == 0;
        if (plugin->argv[i].value && (atomic || strcmp(plugin->argv[i].key, "deterministic") == 0))
            declared.safe_push({plugin->argv[i].value, atomic ? 0 : 2});
    }
    register_pass_info before = {new pass_blocks(g), "*warn_unused_result", 1, PASS_POS_INSERT_BEFORE};
    register_callback(plugin->base_name, PLUGIN_PASS_MANAGER_SETUP, NULL, &before);
}
