/* What calls mean for labels. */
/* This file is part of the gcc plugin of Heddle, a program of its own.
 * Copyright (C) 2026 The Heddle authors. Free software under the GNU General Public License, version 3 or (at
 * your option) any later version; without any warranty. See COPYING. */
#include "ground_plugin.h"

/* gcc's headers need this order. */
// clang-format off
#include "ssa.h"
#include "calls.h"
#include "builtins.h"
#include "internal-fn.h"
#include "tree-dfa.h"
// clang-format on

/* Functions that the runtime wraps, that call nothing of the program, and whose result depends only on their
 * arguments and on what they are recorded to do. The last one is what `std::thread` begins a thread by: its argument is a new
 * block. `std::thread::join` is not among them: it reads which thread it waits for. */
static const char *const known[] = {
    "pthread_mutex_lock",
    "pthread_mutex_unlock",
    "pthread_mutex_trylock",
    "pthread_mutex_timedlock",
    "pthread_mutex_clocklock",
    "pthread_mutex_init",
    "pthread_mutex_destroy",
    "pthread_rwlock_init",
    "pthread_rwlock_destroy",
    "pthread_rwlock_rdlock",
    "pthread_rwlock_wrlock",
    "pthread_rwlock_unlock",
    "pthread_rwlock_tryrdlock",
    "pthread_rwlock_trywrlock",
    "pthread_spin_init",
    "pthread_spin_destroy",
    "pthread_spin_lock",
    "pthread_spin_trylock",
    "pthread_spin_unlock",
    "pthread_cond_init",
    "pthread_cond_destroy",
    "pthread_cond_wait",
    "pthread_cond_timedwait",
    "pthread_cond_clockwait",
    "pthread_cond_signal",
    "pthread_cond_broadcast",
    "pthread_barrier_init",
    "pthread_barrier_destroy",
    "pthread_barrier_wait",
    "sem_init",
    "sem_destroy",
    "sem_wait",
    "sem_trywait",
    "sem_timedwait",
    "sem_post",
    "pthread_create",
    "pthread_join",
    "pthread_detach",
    "pthread_exit",
    "pthread_self",
    "pthread_equal",
    "mtx_init",
    "mtx_destroy",
    "mtx_lock",
    "mtx_trylock",
    "mtx_unlock",
    "cnd_init",
    "cnd_destroy",
    "cnd_wait",
    "cnd_signal",
    "cnd_broadcast",
    "thrd_create",
    "thrd_join",
    "thrd_detach",
    "thrd_yield",
    "sched_yield",
    "usleep",
    "sleep",
    "nanosleep",
    "malloc",
    "calloc",
    "free",
    "_Znwm",
    "_Znam",
    "_ZdlPv",
    "_ZdaPv",
    "_ZdlPvm",
    "_ZdaPvm",
    "_ZnwmRKSt9nothrow_t",
    "memcpy",
    "memmove",
    "memset",
    "memcmp",
    "memchr",
    "strlen",
    "strnlen",
    "strcmp",
    "strncmp",
    "strcpy",
    "strncpy",
    "strcat",
    "strchr",
    "strrchr",
    "printf",
    "puts",
    "putchar",
    "fprintf",
    "fputs",
    "fputc",
    "snprintf",
    "sprintf",
    "abort",
    "exit",
    "_exit",
    "__heddle_scope_end",
    "__heddle_stack_end",
    "_ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE",
};

static bool is_known(tree function)
{
    if (!function || !DECL_ASSEMBLER_NAME_SET_P(function) || !TREE_PUBLIC(function) || !DECL_EXTERNAL(function))
        return false;
    const char *name = IDENTIFIER_POINTER(DECL_ASSEMBLER_NAME(function));
    name += *name == '*';
    for (const char *one : known)
        if (strcmp(one, name) == 0)
            return true;
    /* OpenMP's functions: how they distribute the work depends on no read (runtime/openmp). */
    return strncmp(name, "GOMP_", 5) == 0 || strncmp(name, "omp_", 4) == 0;
}

/* Not by `gimple_call_builtin_p`, which compares types: hooks of ranges are called with an unsigned length, against their
 * declaration. */
static built_in_function code_of(const gcall *call)
{
    tree function = gimple_call_fndecl(call);

    return function && fndecl_built_in_p(function, BUILT_IN_NORMAL) ? DECL_FUNCTION_CODE(function)
                                                                    : BUILT_IN_NONE;
}

static bool between(built_in_function code, built_in_function first, built_in_function last)
{
    return code >= first && code <= last;
}

bool hook_shape_of(const gcall *call, hook_shape *shape)
{
    static const struct {
        built_in_function first;
        bool write;
    } sized[] = {{BUILT_IN_TSAN_READ1, false},
                 {BUILT_IN_TSAN_WRITE1, true},
                 {BUILT_IN_TSAN_VOLATILE_READ1, false},
                 {BUILT_IN_TSAN_VOLATILE_WRITE1, true}};
    built_in_function code = code_of(call);

    *shape = hook_shape();
    for (auto &one : sized)
        if (between(code, one.first, (built_in_function)(one.first + 4))) {
            shape->write = one.write;
            shape->size = 1 << (code - one.first);
            return true;
        }
    shape->write = code != BUILT_IN_TSAN_READ_RANGE;
    shape->table = code == BUILT_IN_TSAN_VPTR_UPDATE;
    return code == BUILT_IN_TSAN_READ_RANGE || code == BUILT_IN_TSAN_WRITE_RANGE || shape->table;
}

int atomic_value_operand(const gcall *call)
{
    built_in_function code = code_of(call);

    if (between(code, BUILT_IN_TSAN_ATOMIC8_LOAD, BUILT_IN_TSAN_ATOMIC128_LOAD))
        return -1;
    return between(code, BUILT_IN_TSAN_ATOMIC8_COMPARE_EXCHANGE_STRONG,
                   BUILT_IN_TSAN_ATOMIC128_COMPARE_EXCHANGE_WEAK)
               ? 2
               : 1;
}

static bool is_without_effect(built_in_function code)
{
    switch (code) {
    case BUILT_IN_TSAN_INIT:
    case BUILT_IN_TSAN_FUNC_ENTRY:
    case BUILT_IN_TSAN_FUNC_EXIT:
    case BUILT_IN_TSAN_ATOMIC_SIGNAL_FENCE:
    case BUILT_IN_UNREACHABLE:
    case BUILT_IN_TRAP:
    case BUILT_IN_STACK_SAVE:
    case BUILT_IN_STACK_RESTORE:
    case BUILT_IN_VA_START:
    case BUILT_IN_VA_END:
    case BUILT_IN_VA_COPY:
    case BUILT_IN_PREFETCH:
    case BUILT_IN_EH_POINTER:
    case BUILT_IN_EH_FILTER:
    case BUILT_IN_EH_COPY_VALUES:
    case BUILT_IN_FRAME_ADDRESS:
    case BUILT_IN_RETURN_ADDRESS:
        return true;
    default:
        return false;
    }
}

/* The name of a function of a library, as the linker sees it; "" of any other. */
static const char *library_name(tree function)
{
    if (!function || !TREE_PUBLIC(function) || !DECL_EXTERNAL(function))
        return "";
    const char *name = IDENTIFIER_POINTER(DECL_ASSEMBLER_NAME(function));
    return name + (*name == '*');
}

static bool begins_with(const char *text, const char *begin)
{
    return strncmp(text, begin, strlen(begin)) == 0;
}

/* Functions of output streams that the C++ library has compiled, whose arguments are the stream and values.
 * Text is in memory, so it has to be constant. */
static bool prints_to_stream(gcall *call)
{
    static const char *const of_values[] = {
        "_ZNSolsE",         /* operator<<, a member: numbers, addresses, manipulators */
        "_ZNSo9_M_insertI", /* what it calls */
        "_ZNSo3putEc", "_ZNSo5flushEv", "_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_c"};
    static const char *const of_text[] = {"_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_PKc",
                                          "_ZSt16__ostream_insertIcSt11char_traitsIcEE"};
    const char *name = library_name(gimple_call_fndecl(call));

    if (begins_with(name, "_ZNSolsEPSt15basic_streambuf"))
        return false;
    for (const char *one : of_values)
        if (begins_with(name, one))
            return true;
    for (const char *one : of_text)
        if (begins_with(name, one) && gimple_call_num_args(call) >= 2) {
            tree text = gimple_call_arg(call, 1);
            return TREE_CODE(text) == ADDR_EXPR &&
                   TREE_CODE(get_base_address(TREE_OPERAND(text, 0))) == STRING_CST;
        }
    return false;
}

printed_arguments printed_by(gcall *call)
{
    static const struct {
        const char *name;
        unsigned first, after; /* arguments before those that are printed, and behind them */
    } printing[] = {{"printf", 0, 0},  {"puts", 0, 0},  {"putchar", 0, 0}, {"fprintf", 1, 0},
                    {"dprintf", 1, 0}, {"fputs", 0, 1}, {"fputc", 0, 1},   {"putc", 0, 1},
                    {"fwrite", 0, 1},  {"write", 1, 0}, {"perror", 0, 0},  {"vprintf", 0, 0}};
    unsigned count = gimple_call_num_args(call);
    const char *name = library_name(gimple_call_fndecl(call));

    if (prints_to_stream(call))
        return {1, MAX(count, 1)};
    for (auto &one : printing)
        if (strcmp(one.name, name) == 0 && count > one.first + one.after)
            return {one.first, count - one.after};
    return {0, 0};
}

/* A known function under its built-in name, or memory from the stack: arguments decide. */
static bool is_known_builtin(built_in_function code)
{
    switch (code) {
    CASE_BUILT_IN_ALLOCA:
    case BUILT_IN_MALLOC:
    case BUILT_IN_CALLOC:
    case BUILT_IN_FREE:
    case BUILT_IN_ABORT:
    case BUILT_IN_EXIT:
    case BUILT_IN_PRINTF:
    case BUILT_IN_PUTS:
    case BUILT_IN_PUTCHAR:
    case BUILT_IN_FPRINTF:
    case BUILT_IN_FPUTS:
    case BUILT_IN_FPUTC:
        return true;
    default:
        return false;
    }
}

/* Labels of results are followed only there: a structure, as `div` returns one, is in memory. */
static bool has_value_in_register(gcall *call)
{
    tree result = gimple_call_lhs(call);

    return !result || TREE_CODE(result) == SSA_NAME;
}

call_kind kind_of_call(gcall *call)
{
    built_in_function code = code_of(call);
    hook_shape unused;

    if (gimple_call_internal_p(call))
        return gimple_vuse(call) || !has_value_in_register(call) ? CALL_OPAQUE : CALL_VALUE;
    if (hook_shape_of(call, &unused))
        return CALL_HOOK;
    if (between(code, BUILT_IN_TSAN_ATOMIC8_LOAD, BUILT_IN_TSAN_ATOMIC128_COMPARE_EXCHANGE_WEAK))
        return CALL_ATOMIC;
    if (code == BUILT_IN_TSAN_ATOMIC_THREAD_FENCE)
        return CALL_FENCE;
    if (is_without_effect(code))
        return CALL_NOTHING;
    if (is_known_builtin(code))
        return CALL_KNOWN;
    if (gimple_call_flags(call) & ECF_CONST && has_value_in_register(call))
        return CALL_VALUE;
    tree function = gimple_call_fndecl(call);
    if (function && fndecl_built_in_p(function)) /* gcc may expand it: its accesses are not reported */
        return CALL_OPAQUE;
    if (is_known(function))
        return CALL_KNOWN;
    return prints_to_stream(call) ? CALL_PRINTS : CALL_UNKNOWN;
}
