/* Hooks in place: the everyday path of hooks and of code that computes labels, at the access instead of in a call.
 *
 * An access within the slice to memory that is the thread's own leaves no trace but a count, and what is made of no reads
 * decides nothing. That is found out as in runtime/grounds/label_hooks.h, by the same words. All else is for
 * runtime/in_place.c, which keeps all registers but those of vectors: the code around has the others to itself.
 *
 *         compare, jump to 2 unless all is usual; count
 *     1:  …                                          the access
 *     2:  leave the red zone alone; push operands    in a subsection, behind the function
 *         call the runtime; jump to 1
 *
 * To the runtime, unwinders and debuggers the call comes from 1, where the hook ends. runtime/sched/code_store.c and
 * src/record/symbols/hook_calls.c know these instructions: change them together. */
/* This file is part of the gcc plugin of Heddle, a program of its own.
 * Copyright (C) 2026 The Heddle authors. Free software under the GNU General Public License, version 3 or (at
 * your option) any later version; without any warranty. See COPYING. */
#include "ground_plugin.h"

/* gcc's headers need this order. */
// clang-format off
#include "ssa.h"
#include "predict.h"
#include "stringpool.h"
#include "target.h"
#include <string>
// clang-format on

#if defined(__x86_64__) && defined(TARGET_64BIT)

/* As in runtime/protocol/session.h. */
#define SHADOW_BASE  HOST_WIDE_INT_C(0x100000000000)
#define SHADOW_READ  "0x1fff" /* SHADOW_OWNER | SHADOW_LABELLED */
#define SHADOW_WRITE "0x5fff" /* and SHADOW_WRITTEN */

namespace
{

/* Assembly with its operands, in the place of a call. */
class placed_code
{
  public:
    placed_code(gimple_stmt_iterator *at, gcall *call) : at(at), call(call), outputs(NULL), inputs(NULL)
    {
    }
    void give_label(); /* before any operand: it is %0 */
    void input(const char *constraint, tree value);
    /* `memory`: other threads may run meanwhile. */
    void put(const std::string &text, bool memory);

    gimple_stmt_iterator *const at;
    gcall *const call;

  private:
    tree clobbers(bool memory) const;
    vec<tree, va_gc> *outputs, *inputs;
    tree label = NULL_TREE;
};

tree operand(const char *constraint, tree value)
{
    return build_tree_list(build_tree_list(NULL_TREE, build_string(strlen(constraint) + 1, constraint)), value);
}

void clobber(vec<tree, va_gc> *&list, const char *name)
{
    vec_safe_push(list, build_tree_list(NULL_TREE, build_string(strlen(name) + 1, name)));
}

/* The label that the call gave, in the register that a function returns its result in. */
void placed_code::give_label()
{
    label = gimple_call_lhs(call);
    if (!label)
        label = make_ssa_name(unsigned_type_node);
    vec_safe_push(outputs, operand("=&a", label));
}

void placed_code::input(const char *constraint, tree value)
{
    vec_safe_push(inputs, operand(constraint, value));
}

void placed_code::put(const std::string &text, bool memory)
{
    vec<tree, va_gc> *clobbered = NULL;
    gasm *code;

    for (int i = 0; TARGET_AVX && i < (TARGET_AVX512F ? 32 : 16); i++) /* wider than what the runtime keeps */
        clobber(clobbered, ("xmm" + std::to_string(i)).c_str());
    for (int i = 0; TARGET_AVX512F && i < 8; i++)
        clobber(clobbered, ("k" + std::to_string(i)).c_str());
    clobber(clobbered, "cc");
    if (memory)
        clobber(clobbered, "memory");
    code = gimple_build_asm_vec(ggc_strdup(text.c_str()), inputs, outputs, clobbered, NULL);
    gimple_asm_set_volatile(code, true);
    gimple_set_location(code, gimple_location(call));
    if (memory) {
        gimple_move_vops(code, call);
    } else if (tree vdef = gimple_vdef(call)) { /* a name, unless the call is new */
        unlink_stmt_vdef(call);
        if (TREE_CODE(vdef) == SSA_NAME)
            release_ssa_name(vdef);
    }
    gsi_replace(at, code, false);
    if (label)
        SSA_NAME_DEF_STMT(label) = code;
}

/* What is done where not all is usual: a call of the runtime, to which the operands are pushed. */
std::string otherwise(const char *function, const std::string &pushed, bool access)
{
    return std::string("\n1:\n\t.subsection 1\n2:\taddq $-128, %%rsp\n\t") + pushed + "call *heddle_placed_" +
           function + "_1@GOTPCREL(%%rip)\n\t" + (access ? "subq $-128, %%rsp" : "leaq 128(%%rsp), %%rsp") +
           "\n\tjmp.d32 1b\n\t.previous";
}

/* A label that is constant and stands for reads is rare, and the call serves it. */
bool is_usual(tree label)
{
    return TREE_CODE(label) == SSA_NAME || integer_zerop(label);
}

/* Only what is known to be 0 is not tested. */
const char *constraint_of(tree label)
{
    return integer_zerop(label) ? "i" : "r";
}

/* %0: label, or what is computed; %1: address; %2: SHADOW_BASE; %3 to %6: words of hot.h, and what its mark is compared with; %7: the
 * label that is written. The thread's words are operands in memory, relative to fs: a register must not hold where they are, since
 * a function that changes stacks may come back in another thread. */
void place_access(placed_code *code, bool write, int size)
{
    std::string name = (write ? "write" : "read") + std::to_string(size), text;

    code->give_label();
    code->input("r", gimple_call_arg(code->call, 0));
    code->input("r", build_int_cst(long_unsigned_type_node, SHADOW_BASE));
    code->input("m", hot_word_at(HOT_BUDGET, unsigned_type_node));
    code->input("m", hot_word_at(HOT_FLOOR, unsigned_type_node));
    code->input("m", hot_word_at(HOT_WROTE, unsigned_char_type_node));
    code->input("m", write ? hot_word_at(HOT_MARK_WRITTEN, unsigned_type_node)
                           : ground_word_at(WORD_PLAIN, 0, unsigned_type_node));
    text = "movl %3, %%eax\n\tcmpl %4, %%eax\n\tjle 2f\n\t";
    if (size > 1)
        text += "testb $" + std::to_string(size - 1) + ", %b1\n\tjne 2f\n\t";
    text += "movq %1, %%rax\n\tshlq $17, %%rax\n\tshrq $20, %%rax\n\tmovzwl (%2,%%rax,2), %%eax\n\tandl $";
    text += write ? SHADOW_WRITE : SHADOW_READ;
    text += ", %%eax\n\tcmpl %6, %%eax\n\tjne 2f\n\t";
    if (write) {
        tree label = gimple_call_arg(code->call, 1);
        code->input(constraint_of(label), label);
        if (!integer_zerop(label))
            text += "testl %k7, %k7\n\tjne 2f\n\t";
        text += "decl %3\n\tmovb $1, %5";
    } else {
        text += "decl %3\n\tmovb $0, %5\n\txorl %%eax, %%eax";
    }
    code->put(text + otherwise(name.c_str(), write ? "pushq %q1\n\tpushq %q7\n\t" : "pushq %q1\n\t", true),
              true);
}

/* %0: what decides. */
void place_decision(placed_code *code)
{
    code->input("r", gimple_call_arg(code->call, 0));
    code->put("testl %k0, %k0\n\tjne 2f" + otherwise("decide", "pushq %q0\n\t", false), false);
}

/* %0: result; %1 and %2: labels. */
void place_union(placed_code *code, bool sum)
{
    code->give_label();
    code->input("r", gimple_call_arg(code->call, 0));
    code->input("r", gimple_call_arg(code->call, 1));
    code->put(std::string("movl %k1, %%eax\n\torl %k2, %%eax\n\tandl $") +
                  (sum ? "~0x40000000" : "0x3fffffff") +
                  ", %%eax\n\ttestl %k1, %k1\n\tje 1f\n\ttestl %k2, %k2\n\tjne 2f" +
                  otherwise(sum ? "sum" : "union", "pushq %q1\n\tpushq %q2\n\t", false),
              false);
}

/* %0: the one label or both; then what is compared, and how. */
void place_comparison(placed_code *code)
{
    tree one = gimple_call_arg(code->call, 0), other = gimple_call_arg(code->call, 2);
    bool both = !integer_zerop(one) && !integer_zerop(other);

    code->input(constraint_of(one), one);
    code->input("re", gimple_call_arg(code->call, 1));
    code->input(constraint_of(other), other);
    code->input("re", gimple_call_arg(code->call, 3));
    code->input("i", gimple_call_arg(code->call, 4));
    std::string first = integer_zerop(one) ? "" : "testl %k0, %k0\n\tjne 2f",
                second = integer_zerop(other) ? "" : "testl %k2, %k2\n\tjne 2f";
    code->put(
        first + (both ? "\n\t" : "") + second +
            otherwise("compare", "pushq %q0\n\tpushq %q1\n\tpushq %q2\n\tpushq %q3\n\tpushq %4\n\t", false),
        false);
}

void place(gimple_stmt_iterator *at, gcall *call)
{
    tree function = gimple_call_fndecl(call);
    placed_code code(at, call);

    for (int power = 0; power < 4; power++) {
        if (function == ground_function((ground_function_code)(FUNCTION_READ + power)))
            return place_access(&code, false, 1 << power);
        if (function == ground_function((ground_function_code)(FUNCTION_WRITE + power)) &&
            is_usual(gimple_call_arg(call, 1)))
            return place_access(&code, true, 1 << power);
    }
    if (function == ground_function(FUNCTION_DECIDE) && is_usual(gimple_call_arg(call, 0)))
        place_decision(&code);
    else if (function == ground_function(FUNCTION_COMPARE) && is_usual(gimple_call_arg(call, 0)) &&
             is_usual(gimple_call_arg(call, 2)))
        place_comparison(&code);
    else if (function == ground_function(FUNCTION_UNION) || function == ground_function(FUNCTION_SUM))
        place_union(&code, function == ground_function(FUNCTION_SUM));
}

/* What the code needs: the assembler's usual syntax, and a program within 2 GB. What is in registers of x87 while the runtime is
 * called might be lost. */
bool can_hold_code(function *fun)
{
    tree name;
    unsigned i;

    if (!optimize || fun->can_throw_non_call_exceptions || !TARGET_LP64 || !TARGET_TLS_DIRECT_SEG_REFS ||
        !TARGET_SSE2 || !TARGET_SSE_MATH || ASSEMBLER_DIALECT != ASM_ATT ||
        (ix86_cmodel != CM_SMALL && ix86_cmodel != CM_SMALL_PIC))
        return false;
    FOR_EACH_SSA_NAME(i, name, fun)
    if (TYPE_MODE(TREE_TYPE(name)) == XFmode || TYPE_MODE(TREE_TYPE(name)) == XCmode)
        return false;
    return true;
}

} // namespace

void place_hooks(function *fun)
{
    basic_block block;

    if (!can_hold_code(fun))
        return;
    FOR_EACH_BB_FN (block, fun)
        for (gimple_stmt_iterator at = gsi_start_bb(block); !gsi_end_p(at) && optimize_bb_for_speed_p(block);
             gsi_next(&at))
            if (gcall *call = dyn_cast<gcall *>(gsi_stmt(at)))
                if (gimple_call_fndecl(call))
                    place(&at, call);
}

#else

void place_hooks(function *)
{
}

#endif
