/* What is loaded where, and which of it is the system's: the C and C++ libraries, the loader, our own library.
 *
 * Accesses inside the system's libraries are not recorded: their synchronization is internal. The functions by
 * which they touch the program's memory are wrapped instead. */
/* This file is part of the Valgrind tool of Heddle, a program of its own.
 * Copyright (C) 2026 The Heddle authors. Free software under the GNU General Public License, version 2 or (at
 * your option) any later version; without any warranty. See COPYING. */
#include "tool.h"

#include "pub_tool_debuginfo.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_machine.h"
#include "pub_tool_stacktrace.h"

enum { FRAMES = 24, KNOWN = 1024, RECENT = 4096 };

static const DebugInfo *known[KNOWN];
static UInt known_count;

static struct place {
    Addr pc;
    Bool system, seen;
} recent[RECENT];

static Bool begins(const HChar *text, const HChar *beginning)
{
    return VG_(strncmp)(text, beginning, VG_(strlen)(beginning)) == 0;
}

static Bool is_system_file(const HChar *path)
{
    static const HChar *const names[] = {"libc.so",   "libc-",      "libm.so",    "libm-",     "libstdc++.so",
                                         "libc++.so", "libc++abi.", "libgcc_s",   "ld-linux",  "ld-2",
                                         "libdl",     "librt",      "libpthread", "libatomic", "libtsan",
                                         "libheddle", "vgpreload_", "libresolv",  "libnss_",   "libunwind"};
    const HChar *file = VG_(basename)(path);

    for (UInt i = 0; i < sizeof names / sizeof *names; i++)
        if (begins(file, names[i]))
            return True;
    return False;
}

/* Functions of the C++ library that work on the program's own strings, trees and lists. */
static Bool is_container_code(Addr pc)
{
    static const HChar *const names[] = {"_ZSt18_Rb_tree_",
                                         "_ZSt28_Rb_tree_",
                                         "_ZSt29_Rb_tree_",
                                         "_ZNSt8__detail15_List_node_base",
                                         "_ZNSt7__cxx1112basic_stringI",
                                         "_ZNKSt7__cxx1112basic_stringI"};
    const HChar *name;

    if (!VG_(get_fnname_raw)(VG_(current_DiEpoch)(), pc, &name))
        return False;
    for (UInt i = 0; i < sizeof names / sizeof *names; i++)
        if (begins(name, names[i]))
            return True;
    return False;
}

static const struct place *code_place(Addr pc)
{
    struct place *p = &recent[(UInt)(pc ^ pc >> 12) % RECENT];
    const DebugInfo *module;

    if (p->pc == pc)
        return p;
    module = VG_(find_DebugInfo)(VG_(current_DiEpoch)(), pc);
    p->pc = pc;
    p->system = module && is_system_file(VG_(DebugInfo_get_filename)(module));
    p->seen = !p->system || is_container_code(pc);
    return p;
}

Bool modules_is_system(Addr pc)
{
    return code_place(pc)->system;
}

Bool modules_is_seen(Addr pc)
{
    return code_place(pc)->seen;
}

/* The calls under way, for the names of local variables; those of libraries at the inner end are left out. */
void modules_log_frames(ThreadId tid)
{
    enum { MOST = 64 };
    Addr places[MOST], pointers[MOST];
    UInt count = VG_(get_StackTrace)(tid, places, MOST, pointers, NULL, 0), i = 0;

    while (i < count && modules_is_system(places[i]))
        i++;
    log_record(guest_of(tid), RECORD_FRAME, 0, 0, 0, 0);
    for (; i < count; i++)
        log_record(guest_of(tid), RECORD_FRAME, pointers[i], 0, (places[i] + 1) & RECORD_ADDRESS, 1);
}

/* Valgrind gives return addresses less one. */
Addr modules_caller(ThreadId tid)
{
    Addr frames[FRAMES];
    UInt count = VG_(get_StackTrace)(tid, frames, FRAMES, NULL, NULL, 0);

    for (UInt i = 0; i < count; i++)
        if (!modules_is_system(frames[i]))
            return frames[i] + 1;
    return count > 1 ? frames[1] + 1 : 0;
}

Addr modules_direct_caller(ThreadId tid)
{
    Addr frames[2];
    UInt count = VG_(get_StackTrace)(tid, frames, 2, NULL, NULL, 0);

    if (count > 0 && !modules_is_system(frames[0]))
        return frames[0] + 1;
    return count > 1 && !modules_is_system(frames[1]) ? frames[1] + 1 : 0;
}

Bool modules_is_loader(ThreadId tid)
{
    const DebugInfo *module = VG_(find_DebugInfo)(VG_(current_DiEpoch)(), VG_(get_IP)(tid));

    return module && begins(VG_(basename)(VG_(DebugInfo_get_filename)(module)), "ld-");
}

static Bool is_known(const DebugInfo *module)
{
    for (UInt i = 0; i < known_count; i++)
        if (known[i] == module)
            return True;
    return False;
}

void modules_look(void)
{
    VG_(memset)(recent, 0, sizeof recent);
    for (const DebugInfo *m = VG_(next_DebugInfo)(NULL); m; m = VG_(next_DebugInfo)(m)) {
        const HChar *path = VG_(DebugInfo_get_filename)(m);
        if (VG_(DebugInfo_get_text_avma)(m) == 0 || is_known(m) || known_count == KNOWN)
            continue;
        known[known_count++] = m;
        log_record(tool.guest, RECORD_MODULE, (Addr)VG_(DebugInfo_get_text_bias)(m), 0, 1, VG_(strlen)(path));
        log_text(path);
    }
}
