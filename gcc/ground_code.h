/* Code that computes labels, in sequences of statements that the pass puts into the function. */
/* This file is part of the gcc plugin of Heddle, a program of its own.
 * Copyright (C) 2026 The Heddle authors. Free software under the GNU General Public License, version 3 or (at
 * your option) any later version; without any warranty. See COPYING. */
#pragma once
#include "ground_plugin.h"

/* gcc's headers need this order. */
// clang-format off
#include "stringpool.h"
#include "attribs.h"
// clang-format on

class label_code
{
  public:
    explicit label_code(function *fun) : flow(fun)
    {
    }

  protected:
    /* The same label without some of its bits, as a value. */
    tree without_bits(gimple_seq *code, tree label, unsigned bits);
    /* As the label of a value whose names were made by the survey. */
    void define(gimple_seq *code, tree value, tree label);
    void set_result(gcall *call, tree value);

    /* The label of what an assignment that touches no memory computes; of the value it stores. */
    tree label_of_operation(gimple_seq *code, gimple *statement);
    tree label_of_value(gimple_seq *code, gimple *statement);
    /* Both together; all labels of what the statement uses, and `more`. No bits. */
    tree unite(gimple_seq *code, tree one, tree other);
    tree union_of_uses(gimple_seq *code, gimple *statement, tree more);

    /* Values that decide what the thread does from here on; in `block`. */
    void decide(gimple_seq *code, basic_block block, tree label);
    void decide_uses(gimple_seq *code, gimple *statement);
    void decide_uses(gimple_seq *code, gimple *statement, tree operand);
    void compare(gimple_seq *code, basic_block block, tree left, tree right, tree_code operation);

    /* Words of the thread. */
    void set_word(gimple_seq *code, ground_word word, unsigned index, tree value);
    tree get_word(gimple_seq *code, ground_word word, unsigned index);

    /* Labels of local variables in memory. */
    tree load_variable(gimple_seq *code, tree variable);
    void store_variable(gimple_seq *code, tree variable, tree label);
    void clear_variables(gimple_seq *code);

    /* Puts a hook before the statement; gives its label if it is one of a read. */
    tree call_before(gimple_stmt_iterator *at, ground_function_code which, tree address, HOST_WIDE_INT length,
                     tree label);
    /* At the end: takes out unions that nothing uses. */
    void remove_unused();
    /* Puts the call in the place of the hook. */
    void replace(gimple_stmt_iterator *at, gcall *call, tree result);

    label_flow flow;

  private:
    tree sum(gimple_seq *code, tree one, tree other);
    tree call_for(gimple_seq *code, ground_function_code which, tree one, tree other);
    tree converted(gimple_seq *code, tree to, tree from);
    tree as_number(gimple_seq *code, tree value);
    tree assign(gimple_seq *code, tree type, tree value);
    tree root_of(tree label);
    bool is_decided(tree label, basic_block block);
    void decide_parts(gimple_seq *code, basic_block block, gcall *both);

    hash_map<tree, tree> roots;                     /* of labels that stand for the same reads as another one */
    hash_map<tree, gcall *> unions;                 /* what made the label, by root */
    hash_map<tree, auto_vec<basic_block> *> places; /* where a label is known to decide, by root */
};
