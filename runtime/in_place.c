/* Where code goes that is in the place of a hook (gcc/hooks_in_place.cc) when there is more to do.
 *
 * Such code calls in a way of its own. It leaves out 128 bytes of the stack, which may hold what the function did not reserve, pushes
 * the operands, and jumps, after the call, to where the hook ends. The operands are taken off here. All registers are kept but
 * rax where there is a result. To unwinders, and in the chain of frame pointers, the call is made where the hook ends.
 *
 * The stack need not be aligned here: only registers of vectors need that. What may use those is called by the functions of
 * in_place.h, and this file is compiled to use none, as decisions.c and taint.c are. */
#include "runtime/in_place.h"
#include "runtime/grounds/label_hooks.h"

#if defined(__x86_64__)

uint32_t in_place_read(uint64_t address, unsigned size, uintptr_t pc);
void in_place_write(uint64_t address, unsigned size, uint32_t label, uintptr_t pc);
uint32_t in_place_union(uint32_t one, uint32_t other);

__attribute__((used)) uint32_t in_place_read(uint64_t address, unsigned size, uintptr_t pc)
{
    if (hot_usual(address, size) && (hot_mark(address) & SHADOW_OWNER) == hot.mark)
        return heddle_private_read_1(address, size);
    return kept_labelled_read(address, size, pc);
}

__attribute__((used)) void in_place_write(uint64_t address, unsigned size, uint32_t label, uintptr_t pc)
{
    if (hot_usual(address, size) && (hot_mark(address) & (SHADOW_OWNER | SHADOW_WRITTEN)) == hot.mark_written)
        heddle_private_write_1(address, size, label);
    else
        kept_labelled_write(address, size, label, pc);
}

__attribute__((used)) uint32_t in_place_union(uint32_t one, uint32_t other)
{
    return label_union(one, other);
}

#define KEEP(number)      "movaps %xmm" #number ", 16*" #number "(%rsp)\n"
#define GIVE_BACK(number) "movaps 16*" #number "(%rsp), %xmm" #number "\n"
#define EACH_VECTOR(what)                                                                                      \
    what(0) what(1) what(2) what(3) what(4) what(5) what(6) what(7) what(8) what(9) what(10) what(11) what(12) \
        what(13) what(14) what(15)

/* The function, with registers of vectors kept: they may hold what the program computes. */
#define KEPT(name, function)                                                                                   \
    __asm__(".text\n"                                                                                          \
            ".hidden " name "\n"                                                                               \
            ".globl " name "\n"                                                                                \
            ".type " name ", @function\n"                                                                      \
            ".p2align 4\n" name ":\n"                                                                          \
            ".cfi_startproc\n"                                                                                 \
            "push %rbp\n"                                                                                      \
            ".cfi_def_cfa_offset 16\n"                                                                         \
            ".cfi_offset rbp, -16\n"                                                                           \
            "mov %rsp, %rbp\n"                                                                                 \
            ".cfi_def_cfa_register rbp\n"                                                                      \
            "and $-16, %rsp\n"                                                                                 \
            "sub $256, %rsp\n" EACH_VECTOR(KEEP) "call " function                                              \
                                                 "\n" EACH_VECTOR(GIVE_BACK) "leave\n"                         \
                                                                             ".cfi_def_cfa rsp, 8\n"           \
                                                                             "ret\n"                           \
                                                                             ".cfi_endproc\n"                  \
                                                                             ".size " name ", . - " name       \
                                                                             "\n");

KEPT("kept_labelled_read", "heddle_labelled_read_1")
KEPT("kept_labelled_write", "heddle_labelled_write_1")
KEPT("kept_next_chunk", "log_next_chunk")
KEPT("kept_map", "system_map")

/* A function that the code in a hook's place calls; `pushed` is what its operands take. */
#define BEGIN(name, pushed)                                                                                    \
    ".text\n"                                                                                                  \
    ".globl heddle_placed_" name "_1\n"                                                                        \
    ".type heddle_placed_" name "_1, @function\n"                                                              \
    ".p2align 4\n"                                                                                             \
    "heddle_placed_" name "_1:\n"                                                                              \
    ".cfi_startproc\n"                                                                                         \
    ".cfi_def_cfa rsp, 136 + " pushed "\n"                                                                     \
    ".cfi_offset rip, -(136 + " pushed ")\n"
#define END(name, pushed)                                                                                      \
    "ret $" pushed "\n"                                                                                        \
    ".cfi_endproc\n"                                                                                           \
    ".size heddle_placed_" name "_1, . - heddle_placed_" name "_1\n"

#define PUSH "push %rax\npush %rcx\npush %rdx\npush %rsi\npush %rdi\npush %r8\npush %r9\npush %r10\npush %r11\n"
#define POP  "pop %r11\npop %r10\npop %r9\npop %r8\npop %rdi\npop %rsi\npop %rdx\npop %rcx\npop %rax\n"

/* A hook, for which the program may wait and whose callers are told: 144 + pushed bytes above the frame it makes is the caller's.
 * The last operand is at 24(%rbp). The call was followed by an instruction of four bytes and a jump of five. */
#define PLACED_HOOK(name, pushed, arguments, function, result)                                                 \
    __asm__(BEGIN(name, pushed) "push %rax\n"                                                                  \
                                ".cfi_def_cfa_offset 144 + " pushed "\n"                                       \
                                "push %rbp\n"                                                                  \
                                ".cfi_def_cfa_offset 152 + " pushed "\n"                                       \
                                ".cfi_offset rbp, -(152 + " pushed ")\n"                                       \
                                "mov %rsp, %rbp\n"                                                             \
                                ".cfi_def_cfa_register rbp\n" PUSH "mov 16(%rbp), %rcx\n"                      \
                                "movslq 5(%rcx), %rax\n"                                                       \
                                "lea 9(%rcx, %rax), %rcx\n"                                                    \
                                "mov %rcx, 8(%rbp)\n" /* where the hook ends */                                \
                                ".cfi_offset rip, -(144 + " pushed ")\n" arguments "call " function            \
                                "\n" result POP "pop %rbp\n"                                                   \
                                ".cfi_def_cfa rsp, 144 + " pushed "\n"                                         \
                                "lea 8(%rsp), %rsp\n"                                                          \
                                ".cfi_def_cfa_offset 136 + " pushed "\n" END(name, pushed));

/* What computes with labels. The last operand is at 80(%rsp). */
#define PLACED_LABELS(name, pushed, arguments, function, result)                                               \
    __asm__(BEGIN(name, pushed) PUSH ".cfi_def_cfa_offset 208 + " pushed "\n" arguments "call " function       \
                                     "\n" result POP ".cfi_def_cfa_offset 136 + " pushed                       \
                                     "\n" END(name, pushed));

/* In one piece: it is popped as one. */
#define RESULT "mov %eax, %eax\nmov %rax, 64(%rsp)\n"

#define PLACED_SIZE(size)                                                                                      \
    PLACED_HOOK("read" #size, "8",                                                                             \
                "mov 24(%rbp), %rdi\n"                                                                         \
                "mov $" #size ", %esi\n"                                                                       \
                "mov %rcx, %rdx\n",                                                                            \
                "in_place_read", RESULT)                                                                       \
    PLACED_HOOK("write" #size, "16",                                                                           \
                "mov 32(%rbp), %rdi\n"                                                                         \
                "mov $" #size ", %esi\n"                                                                       \
                "mov 24(%rbp), %edx\n",                                                                        \
                "in_place_write", "")

PLACED_SIZE(1)
PLACED_SIZE(2)
PLACED_SIZE(4)
PLACED_SIZE(8)

#define PAIR "mov 88(%rsp), %edi\nmov 80(%rsp), %esi\n"

PLACED_LABELS("decide", "8", "mov 80(%rsp), %edi\nxor %esi, %esi\n", "heddle_decided_1", "")
PLACED_LABELS("union", "16", PAIR, "in_place_union", RESULT)
PLACED_LABELS("sum", "16", PAIR, "heddle_summed_1", RESULT)
PLACED_LABELS("compare", "40",
              "mov 112(%rsp), %edi\n"
              "mov 104(%rsp), %rsi\n"
              "mov 96(%rsp), %edx\n"
              "mov 88(%rsp), %rcx\n"
              "mov 80(%rsp), %r8d\n",
              "heddle_compared_1", "")

#endif
