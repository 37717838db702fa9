/* Grounds: which reads the events of a function stand on (semantics §1).
 *
 * A pass after the sanitizer's gives every value of a function that may be made of what a hook read a *label*,
 * a number that flows along with it at run time: 0 stands for no read at all, others for a set of reads of the
 * thread, as the runtime numbers them (runtime/grounds/label_hooks.h). Hooks of reads return the label of
 * their read, hooks of writes take that of the value, calls pass labels in words of the thread, and the code
 * reports to the runtime what decides the path of the program (branches, addresses, arguments of other code). */
/* This file is part of the gcc plugin of Heddle, a program of its own.
 * Copyright (C) 2026 The Heddle authors. Free software under the GNU General Public License, version 3 or (at
 * your option) any later version; without any warranty. See COPYING. */
#pragma once
#include "heddle.h"

/* Labels as in runtime/protocol/labels.h. */
#define LABEL_READS  0x3fffffffu /* the set of reads; without the two bits above it */
#define LABEL_LINEAR 0x80000000u /* the value is what one read saw, plus a constant, modulo the type's size */
#define LABEL_EQUAL  0x40000000u /* the constant is 0: as numbers they are equal */
#define LABEL_ALL    0x3fffffffu /* every earlier read */
#define LABEL_COPY   0x3ffffffeu /* of a write: what the next hook reads */

/* Words of the thread: struct ground_words of runtime/grounds/label_hooks.h. */
enum ground_word {
    WORD_CALLEE = 0,
    WORD_RETURNED = 8,
    WORD_RESULT = 16,
    WORD_FROM = 20,
    WORD_LABEL = 24,
    WORD_VOUCH = 28,
    WORD_ARGUMENTS = 32,
    GROUND_ARGUMENTS = 8,
    WORD_PLAIN = WORD_ARGUMENTS + 4 * GROUND_ARGUMENTS
};

/* Words of the thread: struct hot_words of runtime/hot.h. */
enum hot_word { HOT_BUDGET = 0, HOT_FLOOR = 4, HOT_MARK_WRITTEN = 12, HOT_WROTE = 16, HOT_WORDS = 5 };

/* Functions of the runtime. */
enum ground_function_code {
    FUNCTION_READ, /* by size: 1, 2, 4, 8, 16 */
    FUNCTION_WRITE = FUNCTION_READ + 5,
    FUNCTION_READ_RANGE = FUNCTION_WRITE + 5,
    FUNCTION_WRITE_RANGE,
    FUNCTION_TABLE,
    FUNCTION_DECIDE,
    FUNCTION_COMPARE,
    FUNCTION_UNION,
    FUNCTION_SUM,
    FUNCTION_ENTER,
    FUNCTION_AFTER,
    FUNCTION_BARRIER,
    FUNCTION_PRINTED,
    FUNCTION_PRINT_END,
    GROUND_FUNCTIONS
};

/* The function's declaration; a word of the thread as an operand. */
tree ground_function(ground_function_code which);
tree ground_word_at(ground_word which, unsigned index, tree type);
tree hot_word_at(hot_word which, tree type);
void keep_ground_functions(const char *plugin);

/* What a call means for labels. */
enum call_kind {
    CALL_NOTHING, /* it neither uses nor makes values that matter */
    CALL_VALUE,   /* its result is made of its arguments, and it does nothing else */
    CALL_KNOWN,   /* of the runtime's: arguments decide, and it reports its accesses itself */
    CALL_HOOK,    /* a hook of an access */
    CALL_ATOMIC,  /* of the sanitizer's */
    CALL_FENCE,
    CALL_PRINTS, /* of the C++ library: arguments decide, unless it calls the program's code it touches nothing */
    CALL_UNKNOWN, /* labels are passed, and the runtime finds out whether they were taken */
    CALL_OPAQUE   /* uninstrumented code: all that was read so far decides */
};

call_kind kind_of_call(gcall *call);

/* Which arguments of the call are printed, from the first to before the last; none: both are 0. */
struct printed_arguments {
    unsigned first, last;
};
printed_arguments printed_by(gcall *call);

/* Hooks of plain accesses, by what they do. */
struct hook_shape {
    bool write, table;
    int size; /* 0: a range */
};
bool hook_shape_of(const gcall *call, hook_shape *shape);

/* The operands of an atomic operation: of the value it stores (-1: none) and of the place with what is
 * expected. */
int atomic_value_operand(const gcall *call);

/* Labels of the values of a function. */
class label_flow
{
  public:
    explicit label_flow(function *fun);
    /* Finds out which values may have a label and makes names for them. */
    void survey();
    bool labelled(tree value) const;
    tree label_of(tree value) const; /* 0 when it has none */

    /* Local variables in memory that have no hooks: whether it is one; its label, NULL: always 0. */
    bool is_tracked(tree variable) const;
    tree variable_label(tree variable);
    tree variable_label_at(unsigned index);
    unsigned variable_count() const;

    function *const fun;

  private:
    bool survey_statement(gimple *statement);
    bool survey_call(gcall *call);
    bool any_use_labelled(gimple *statement) const;
    bool any_argument_labelled(gcall *call);
    bool mark(tree name);
    void make_names();

    auto_vec<bool> marked;
    auto_vec<tree> names;
    hash_map<tree, unsigned> variables;
    hash_set<tree> tainted;
    tree variable_labels; /* an array of labels, by variable */
};

/* Where a statement reads memory without a hook. */
enum memory_kind {
    MEMORY_CONSTANT, /* never written while the program runs */
    MEMORY_TRACKED,  /* a local variable whose label is kept */
    MEMORY_LOCAL,    /* a local variable that pointers of this function may lead to */
    MEMORY_OTHER
};
memory_kind kind_of_memory(const label_flow &flow, tree memory);

/* Whether an operand is neither in a register nor a constant. */
bool is_in_memory(tree value);

/* Whether control may come to the block by anything but a jump of the function. */
bool is_entered_from_afar(basic_block block);

/* The whole pass. */
unsigned add_grounds(function *fun);

/* After that: puts the everyday path of the hooks of plain accesses in place of their calls. */
void place_hooks(function *fun);
