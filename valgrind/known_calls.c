/* Calls of the system's libraries.
 *
 * Of most functions nobody knows what they make of what they are given, so all that the thread read decides what
 * comes next. Of those here the arguments do: what else they look at is recorded, or told here, and they leave
 * nothing behind that another call gives back. */
/* This file is part of the Valgrind tool of Heddle, a program of its own.
 * Copyright (C) 2026 The Heddle authors. Free software under the GNU General Public License, version 2 or (at
 * your option) any later version; without any warranty. See COPYING. */
#include "known_calls.h"
#include "grind_labels.h"

#include "libvex_guest_amd64.h"
#include "pub_tool_aspacemgr.h"
#include "pub_tool_debuginfo.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_machine.h"
#include "pub_tool_vki.h"

/* What is not a function of the list below. */
enum { FOUND_UNKNOWN, FOUND_RETURN /* to our own library */, FOUND_LOADER, FOUND_RESOLVER, FOUND_FIRST };

enum { ARGUMENTS = 6, VECTORS = 8, PRINTS = ARGUMENTS + 1 };

static const struct known_call {
    const HChar *name;
    UChar arguments;
    UChar format; /* the argument that is a format, from 1; 0: none */
    UChar memory; /* the argument that points to what it reads besides, from 1; 0: none */
    UChar bytes;
    UChar
        stream; /* it prints: to the stream that is this argument, from 1, or to PRINTS, the standard output; 0: it does not */
} calls[] = {
    {"pthread_mutex_lock", 1, 0, 0, 0, 0},
    {"pthread_mutex_unlock", 1, 0, 0, 0, 0},
    {"pthread_mutex_trylock", 1, 0, 0, 0, 0},
    {"pthread_mutex_timedlock", 2, 0, 2, 16, 0},
    {"pthread_mutex_init", 2, 0, 2, 4, 0},
    {"pthread_mutex_destroy", 1, 0, 0, 0, 0},
    {"pthread_rwlock_init", 2, 0, 2, 8, 0},
    {"pthread_rwlock_destroy", 1, 0, 0, 0, 0},
    {"pthread_rwlock_rdlock", 1, 0, 0, 0, 0},
    {"pthread_rwlock_wrlock", 1, 0, 0, 0, 0},
    {"pthread_rwlock_unlock", 1, 0, 0, 0, 0},
    {"pthread_rwlock_tryrdlock", 1, 0, 0, 0, 0},
    {"pthread_rwlock_trywrlock", 1, 0, 0, 0, 0},
    {"pthread_spin_init", 2, 0, 0, 0, 0},
    {"pthread_spin_destroy", 1, 0, 0, 0, 0},
    {"pthread_spin_lock", 1, 0, 0, 0, 0},
    {"pthread_spin_trylock", 1, 0, 0, 0, 0},
    {"pthread_spin_unlock", 1, 0, 0, 0, 0},
    {"pthread_cond_init", 2, 0, 2, 4, 0},
    {"pthread_cond_destroy", 1, 0, 0, 0, 0},
    {"pthread_cond_wait", 2, 0, 0, 0, 0},
    {"pthread_cond_timedwait", 3, 0, 3, 16, 0},
    {"pthread_cond_signal", 1, 0, 0, 0, 0},
    {"pthread_cond_broadcast", 1, 0, 0, 0, 0},
    {"pthread_barrier_init", 3, 0, 2, 4, 0},
    {"pthread_barrier_destroy", 1, 0, 0, 0, 0},
    {"pthread_barrier_wait", 1, 0, 0, 0, 0},
    {"sem_init", 3, 0, 0, 0, 0},
    {"sem_destroy", 1, 0, 0, 0, 0},
    {"sem_wait", 1, 0, 0, 0, 0},
    {"sem_trywait", 1, 0, 0, 0, 0},
    {"sem_timedwait", 2, 0, 2, 16, 0},
    {"sem_post", 1, 0, 0, 0, 0},
    {"pthread_create", 4, 0, 2, 56, 0},
    {"pthread_join", 2, 0, 0, 0, 0},
    {"pthread_detach", 1, 0, 0, 0, 0},
    {"pthread_self", 0, 0, 0, 0, 0},
    {"pthread_equal", 2, 0, 0, 0, 0},
    {"mtx_init", 2, 0, 0, 0, 0},
    {"mtx_destroy", 1, 0, 0, 0, 0},
    {"mtx_lock", 1, 0, 0, 0, 0},
    {"mtx_trylock", 1, 0, 0, 0, 0},
    {"mtx_unlock", 1, 0, 0, 0, 0},
    {"cnd_init", 1, 0, 0, 0, 0},
    {"cnd_destroy", 1, 0, 0, 0, 0},
    {"cnd_wait", 2, 0, 0, 0, 0},
    {"cnd_signal", 1, 0, 0, 0, 0},
    {"cnd_broadcast", 1, 0, 0, 0, 0},
    {"thrd_create", 3, 0, 0, 0, 0},
    {"thrd_join", 2, 0, 0, 0, 0},
    {"thrd_detach", 1, 0, 0, 0, 0},
    {"thrd_yield", 0, 0, 0, 0, 0},
    {"sched_yield", 0, 0, 0, 0, 0},
    {"usleep", 1, 0, 0, 0, 0},
    {"sleep", 1, 0, 0, 0, 0},
    {"nanosleep", 2, 0, 1, 16, 0},
    {"malloc", 1, 0, 0, 0, 0},
    {"calloc", 2, 0, 0, 0, 0},
    {"free", 1, 0, 0, 0, 0},
    {"_Znwm", 1, 0, 0, 0, 0},
    {"_Znam", 1, 0, 0, 0, 0},
    {"_ZnwmRKSt9nothrow_t", 1, 0, 0, 0, 0},
    {"_ZdlPv", 1, 0, 0, 0, 0},
    {"_ZdaPv", 1, 0, 0, 0, 0},
    {"_ZdlPvm", 2, 0, 0, 0, 0},
    {"_ZdaPvm", 2, 0, 0, 0, 0},
    {"_ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE", 3, 0, 2, 8, 0},
    {"_ZNSt6thread4joinEv", 1, 0, 1, 8, 0},
    {"_ZNSt6thread6detachEv", 1, 0, 1, 8, 0},
    {"_ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE", 2, 0, 2, 16, 0},
    {"_ZNSt18condition_variable10notify_oneEv", 1, 0, 0, 0, 0},
    {"_ZNSt18condition_variable10notify_allEv", 1, 0, 0, 0, 0},
    {"_ZNSt18condition_variableC1Ev", 1, 0, 0, 0, 0},
    {"_ZNSt18condition_variableD1Ev", 1, 0, 0, 0, 0},
    {"memcpy", 3, 0, 0, 0, 0},
    {"memmove", 3, 0, 0, 0, 0},
    {"memset", 3, 0, 0, 0, 0},
    {"memcmp", 3, 0, 0, 0, 0},
    {"memchr", 3, 0, 0, 0, 0},
    {"strlen", 1, 0, 0, 0, 0},
    {"strnlen", 2, 0, 0, 0, 0},
    {"strcmp", 2, 0, 0, 0, 0},
    {"strncmp", 3, 0, 0, 0, 0},
    {"strcpy", 2, 0, 0, 0, 0},
    {"strncpy", 3, 0, 0, 0, 0},
    {"strcat", 2, 0, 0, 0, 0},
    {"strchr", 2, 0, 0, 0, 0},
    {"strrchr", 2, 0, 0, 0, 0},
    {"printf", 6, 1, 0, 0, PRINTS},
    {"__printf_chk", 6, 2, 0, 0, PRINTS},
    {"fprintf", 6, 2, 0, 0, 1},
    {"__fprintf_chk", 6, 3, 0, 0, 1},
    {"puts", 1, 0, 0, 0, PRINTS},
    {"putchar", 1, 0, 0, 0, PRINTS},
    {"fputs", 2, 0, 0, 0, 2},
    {"fputc", 2, 0, 0, 0, 2},
};

static Bool is_call(const HChar *name, const HChar *known)
{
    SizeT length = VG_(strlen)(known);

    return VG_(strncmp)(name, known, length) == 0 && (name[length] == 0 || name[length] == '@');
}

static UInt find_name(const HChar *name)
{
    for (UInt i = 0; i < sizeof calls / sizeof *calls; i++)
        if (is_call(name, calls[i].name))
            return FOUND_FIRST + i;
    return FOUND_UNKNOWN;
}

static Bool is_in(Addr address, const HChar *file)
{
    const DebugInfo *module = VG_(find_DebugInfo)(VG_(current_DiEpoch)(), address);

    return module &&
           VG_(strncmp)(VG_(basename)(VG_(DebugInfo_get_filename)(module)), file, VG_(strlen)(file)) == 0;
}

UInt known_calls_find(Addr address)
{
    const HChar *name;
    Bool entry = VG_(get_fnname_if_entry)(VG_(current_DiEpoch)(), address, &name);

    if (is_in(address, "ld-"))
        return entry && VG_(strncmp)(name, "_dl_runtime_resolve", 19) == 0 ? FOUND_RESOLVER : FOUND_LOADER;
    if (!entry)
        return is_in(address, "vgpreload_heddle") ? FOUND_RETURN : FOUND_UNKNOWN;
    return VG_(get_fnname_raw)(VG_(current_DiEpoch)(), address, &name) ? find_name(name) : FOUND_UNKNOWN;
}

static const Int argument_offsets[ARGUMENTS] = {
    offsetof(VexGuestAMD64State, guest_RDI), offsetof(VexGuestAMD64State, guest_RSI),
    offsetof(VexGuestAMD64State, guest_RDX), offsetof(VexGuestAMD64State, guest_RCX),
    offsetof(VexGuestAMD64State, guest_R8),  offsetof(VexGuestAMD64State, guest_R9)};

static Addr argument(const struct guest *g, UInt number)
{
    ULong value;

    VG_(get_shadow_regs_area)(g->number, (UChar *)&value, 0, argument_offsets[number - 1], sizeof value);
    return value;
}

/* The first bytes of a vector register decide: scalars are there. */
static void decide_vector(struct guest *g, UInt number)
{
    labels_decide_register(g, (Int)(offsetof(VexGuestAMD64State, guest_YMM0) +
                                    number * (offsetof(VexGuestAMD64State, guest_YMM1) -
                                              offsetof(VexGuestAMD64State, guest_YMM0))));
}

/* Arguments of a format that are on the stack, above where the call returns to: each has a percent sign or a star,
 * and at most sixteen bytes. */
static void decide_formatted(struct guest *g, Addr format)
{
    SizeT count = 0;

    for (UInt i = 0; i < VECTORS; i++)
        decide_vector(g, i);
    for (const HChar *at = (const HChar *)format; *at; at++)
        count += *at == '%' || *at == '*';
    labels_decide_memory(g, VG_(get_SP)(g->number) + sizeof(Addr), count * 16);
}

/* Whether the stream is that of the standard output or error: the C library keeps the number of its file in it. */
static Bool is_standard(Addr stream)
{
    enum { FILE_NUMBER = 112 }; /* offsetof(FILE, _fileno) of glibc on this processor */
    Int number;

    if (!stream || !VG_(am_is_valid_for_client)(stream + FILE_NUMBER, sizeof number, VKI_PROT_READ))
        return False;
    VG_(memcpy)(&number, (const void *)(stream + FILE_NUMBER), sizeof number);
    return number == 1 || number == 2;
}

/* For reports: which values reach the output. Of arguments on the stack nothing is said. */
static void tell_printed(struct guest *g, const struct known_call *call)
{
    if (call->stream != PRINTS && !is_standard(argument(g, call->stream)))
        return;
    for (UInt i = 0; i < call->arguments; i++)
        labels_print_register(g, argument_offsets[i]);
    labels_print_end(g);
}

static void decide_arguments(struct guest *g, const struct known_call *call)
{
    for (UInt i = 0; i < call->arguments; i++)
        labels_decide_register(g, argument_offsets[i]);
    if (call->format)
        decide_formatted(g, argument(g, call->format));
    if (call->memory && argument(g, call->memory))
        labels_decide_memory(g, argument(g, call->memory), call->bytes);
    if (call->stream)
        tell_printed(g, call);
}

void grind_known_enter(HWord found)
{
    struct guest *g = tool.guest;

    if (found == FOUND_RESOLVER || (found == FOUND_LOADER && g->labels.resolving)) {
        g->labels.resolving = True; /* … and then the function is entered */
        return;
    }
    if (found >= FOUND_FIRST)
        decide_arguments(g, &calls[found - FOUND_FIRST]);
    else if (found == FOUND_RETURN)
        labels_decide_register(g, offsetof(VexGuestAMD64State, guest_RAX));
    else
        labels_decide_all(g);
    g->labels.vouched = found >= FOUND_FIRST || found == FOUND_RETURN;
    labels_clear(g, g->labels.vouched);
    g->labels.resolving = False;
    tool.left = 0;
}
