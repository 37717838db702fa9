/* The pass that makes labels flow: its walk (grounds.cc) and what it does at calls (ground_pass_calls.cc). */
/* This file is part of the gcc plugin of Heddle, a program of its own.
 * Copyright (C) 2026 The Heddle authors. Free software under the GNU General Public License, version 3 or (at
 * your option) any later version; without any warranty. See COPYING. */
#pragma once
#include "ground_code.h"

/* The function while the pass walks over it, statement by statement. */
class ground_pass : public label_code
{
  public:
    explicit ground_pass(function *fun)
        : label_code(fun), self(build_address(fun->decl)), reads(NULL), writes(NULL)
    {
    }
    void run();

  private:
    static tree build_address(tree function)
    {
        return build1(ADDR_EXPR, build_pointer_type(TREE_TYPE(function)), function);
    }
    void see_entry();
    void see_kept_parameter(gimple_seq *code, basic_block first, tree parameter, unsigned index);
    void see_phis(basic_block block);
    void see_statement(gimple_stmt_iterator *at);
    void see_assignment(gimple_stmt_iterator *at);
    tree label_of_load(gimple_stmt_iterator *at, gimple *statement);
    void see_store(gimple_stmt_iterator *at, gimple *statement, tree label);
    void see_hook(gimple_stmt_iterator *at, gcall *hook);
    void see_call(gimple_stmt_iterator *at, gcall *call);
    void see_known(gimple_stmt_iterator *at, gcall *call);
    void see_unknown(gimple_stmt_iterator *at, gcall *call);
    void see_printing(gimple_stmt_iterator *at, gcall *call);
    void tell_printed(gimple_seq *code, gcall *call);
    void see_atomic(gimple_stmt_iterator *at, gcall *call);
    void see_condition(gimple_stmt_iterator *at, gcond *condition);
    void see_return(gimple_stmt_iterator *at, greturn *statement);
    void see_assembly(gimple_stmt_iterator *at, gasm *statement);
    void decide_arguments(gimple_seq *code, gcall *call, unsigned first);
    tree label_of_argument(gimple_seq *code, tree argument);
    tree union_of_arguments(gimple_seq *code, gcall *call);
    void finish_hooks();
    tree take_read(bool exact);
    void give_write(tree label);
    void insert_after(gimple_stmt_iterator *at, gimple_seq code);

    tree self;
    gcall *reads, *writes; /* hooks whose access has not come yet */
};
