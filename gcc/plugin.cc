/* The plugin as gcc knows it: a pass before the sanitizer's and one after it. */
/* This file is part of the gcc plugin of Heddle, a program of its own.
 * Copyright (C) 2026 The Heddle authors. Free software under the GNU General Public License, version 3 or (at
 * your option) any later version; without any warranty. See COPYING. */
#include "ground_plugin.h"

/* gcc's headers need this order. */
// clang-format off
#include "plugin-version.h"
#include "context.h"
#include "tree-pass.h"
#include "stringpool.h"
#include "attribs.h"
#include "asan.h"
// clang-format on

__attribute__((visibility("default"))) int plugin_is_GPL_compatible;

/* Of a copy the write is hooked first: that is the order in which the runtime expects it. */
static void see_assignment(gimple_stmt_iterator *at)
{
    gimple *statement = gsi_stmt(*at);

    if (gimple_code(statement) == GIMPLE_ASM)
        see_assembly(at);
    if (gimple_code(statement) == GIMPLE_RETURN)
        see_parameter_ends(at);
    if (gimple_clobber_p(statement))
        see_scope_end(at);
    if (!gimple_assign_single_p(statement) || gimple_clobber_p(statement) || see_large_copy(at) ||
        see_padded_copy(at) || see_bit_field(at))
        return;
    if (gimple_store_p(statement))
        see_result(at, gimple_assign_lhs(statement), true);
    if (gimple_assign_load_p(statement))
        see_result(at, gimple_assign_rhs1(statement), false);
}

static unsigned see_function(function *fun)
{
    auto_vec<gcall *> calls;
    basic_block block;

    initialize_sanitizer_builtins();
    FOR_EACH_BB_FN (block, fun)
        for (gimple_stmt_iterator at = gsi_start_bb(block); !gsi_end_p(at); gsi_next(&at))
            if (is_gimple_call(gsi_stmt(at)) && !gimple_call_internal_p(gsi_stmt(at)))
                calls.safe_push(as_a<gcall *>(gsi_stmt(at)));
    for (gcall *call : calls) {
        see_values(call);
        see_library_call(call);
        see_stack_restored(call);
    }
    see_stack_given_back(fun, calls);
    FOR_EACH_BB_FN (block, fun)
        for (gimple_stmt_iterator at = gsi_start_bb(block); !gsi_end_p(at); gsi_next(&at))
            see_assignment(&at);
    return 0;
}

static unsigned see_hooks(function *fun)
{
    unsigned todo = add_grounds(fun);

    name_sites(fun);
    place_hooks(fun);
    return todo;
}

static const pass_data about = {
    GIMPLE_PASS, "heddle", OPTGROUP_NONE, TV_NONE, PROP_ssa | PROP_cfg, 0, 0, 0, TODO_update_ssa,
};

/* The sanitizer's pass is in two places: among those that optimize, and after them, for code that is not
 * optimized. The second is passed in any case. */
class pass_heddle : public gimple_opt_pass
{
  public:
    pass_heddle(gcc::context *context, bool optimizing, unsigned (*work)(function *))
        : gimple_opt_pass(about, context), optimizing(optimizing), work(work)
    {
    }
    opt_pass *clone() final override
    {
        return new pass_heddle(m_ctxt, optimizing, work);
    }
    bool gate(function *) final override
    {
        return sanitize_flags_p(SANITIZE_THREAD) && (optimizing || !optimize);
    }
    unsigned execute(function *fun) final override
    {
        return work(fun);
    }

  private:
    const bool optimizing;
    unsigned (*const work)(function *);
};

/* Before and after every pass of that name. */
static void run_around(const char *plugin, const char *name, bool optimizing)
{
    register_pass_info before = {new pass_heddle(g, optimizing, see_function), name, 0, PASS_POS_INSERT_BEFORE};
    register_pass_info after = {new pass_heddle(g, optimizing, see_hooks), name, 0, PASS_POS_INSERT_AFTER};

    register_callback(plugin, PLUGIN_PASS_MANAGER_SETUP, NULL, &before);
    register_callback(plugin, PLUGIN_PASS_MANAGER_SETUP, NULL, &after);
}

/* `heddle cc` loads it only where it fits; another gcc, reached in some other way, goes on without. */
__attribute__((visibility("default"))) int plugin_init(plugin_name_args *plugin, plugin_gcc_version *version)
{
    if (!plugin_default_version_check(version, &gcc_version)) {
        fprintf(stderr, "heddle: note: %s was built for gcc %s and is not used\n", plugin->full_name,
                gcc_version.basever);
        return 0;
    }
    declare_blocks(plugin);
    keep_library_calls(plugin->base_name);
    keep_ground_functions(plugin->base_name);
    run_around(plugin->base_name, "tsan", true);
    run_around(plugin->base_name, "tsan0", false);
    return 0;
}
