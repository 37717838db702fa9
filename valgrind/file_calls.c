/* Files and their names, as the kernel sees them: a thread that finds what another one left comes after it
 * (runtime/shared/places.h).
 *
 * A call takes effect between its begin and its end. So a change is noted at both, and a look at the end. */
/* This file is part of the Valgrind tool of Heddle, a program of its own.
 * Copyright (C) 2026 The Heddle authors. Free software under the GNU General Public License, version 2 or (at
 * your option) any later version; without any warranty. See COPYING. */
#include "descriptor_calls.h"
#include "runtime/shared/places.h"

#include "pub_tool_aspacemgr.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_vki.h"
#include "pub_tool_vkiscnums.h"

enum {
    STANDARD_STREAMS = 3,
    FOLDER_MOST = 4096,
    REGULAR = 0100000,
    FORMAT = 0170000,
    PIPE = 0010000,
    CREATE = 0100
};
enum { WAYS = 3, WRITING = 1, AT_ONCE = 04000 };                               /* of flags */
enum { SET_LOCK = 6, AWAIT_LOCK = 7, SET_OWN_LOCK = 37, AWAIT_OWN_LOCK = 38 }; /* of fcntl */
enum { HERE = -1 };               /* relative to the working folder: the call names no other */
enum { ACCESS_WITH_FLAGS = 439 }; /* faccessat2, which not every Valgrind has a name for */
enum { LOOKS, CHANGES, LOOKS_AT_SIZE, MAY_CREATE };

/* Calls with paths: which argument is the folder (HERE: none) and the path. */
static const struct path_call {
    UInt number;
    Int folder, path;
    Int does; /* CHANGES …; MAY_CREATE: flags are the argument after the path */
} path_calls[] = {
    {__NR_mkdir, HERE, 0, CHANGES},       {__NR_mkdirat, 0, 1, CHANGES},
    {__NR_mknod, HERE, 0, CHANGES},       {__NR_mknodat, 0, 1, CHANGES},
    {__NR_rmdir, HERE, 0, CHANGES},       {__NR_unlink, HERE, 0, CHANGES},
    {__NR_unlinkat, 0, 1, CHANGES},       {__NR_symlink, HERE, 1, CHANGES},
    {__NR_symlinkat, 1, 2, CHANGES},      {__NR_link, HERE, 1, CHANGES},
    {__NR_linkat, 2, 3, CHANGES},         {__NR_rename, HERE, 0, CHANGES},
    {__NR_rename, HERE, 1, CHANGES},      {__NR_renameat, 0, 1, CHANGES},
    {__NR_renameat, 2, 3, CHANGES},       {__NR_renameat2, 0, 1, CHANGES},
    {__NR_renameat2, 2, 3, CHANGES},      {__NR_chmod, HERE, 0, CHANGES},
    {__NR_fchmodat, 0, 1, CHANGES},       {__NR_creat, HERE, 0, CHANGES},
    {__NR_open, HERE, 0, MAY_CREATE},     {__NR_openat, 0, 1, MAY_CREATE},
    {__NR_access, HERE, 0, LOOKS},        {__NR_faccessat, 0, 1, LOOKS},
    {ACCESS_WITH_FLAGS, 0, 1, LOOKS},     {__NR_readlink, HERE, 0, LOOKS},
    {__NR_readlinkat, 0, 1, LOOKS},       {__NR_stat, HERE, 0, LOOKS_AT_SIZE},
    {__NR_lstat, HERE, 0, LOOKS_AT_SIZE}, {__NR_newfstatat, 0, 1, LOOKS_AT_SIZE},
    {__NR_statx, 0, 1, LOOKS_AT_SIZE},
};

/* Whether the text of the program can be read to its end. */
static Bool readable(const char *text)
{
    for (SizeT i = 0; i < FOLDER_MOST; i++)
        if (!VG_(am_is_valid_for_client)((Addr)text + i, 1, VKI_PROT_READ))
            return False;
        else if (!text[i])
            return True;
    return False;
}

/* The path as the tool can use it: behind the folder that the call names. */
static Bool absolute(const struct path_call *c, const UWord *a, const char *path, char *to, SizeT room)
{
    Bool in_folder = c->folder != HERE && (Int)a[c->folder] >= 0 && path[0] != '/';

    if (VG_(strlen)(path) + 40 > room)
        return False;
    if (in_folder)
        VG_(sprintf)(to, "/proc/self/fd/%d/%s", (Int)a[c->folder], path);
    else
        VG_(strcpy)(to, path);
    return True;
}

static ULong key_of(const char *path)
{
    static char folder[FOLDER_MOST + 40];
    struct vg_stat about;

    if (!place_folder(path, folder, sizeof folder) || sr_isError(VG_(stat)(folder, &about)))
        return place_path(path);
    return place_name(about.dev, about.ino, path);
}

static Bool changes(const struct path_call *c, const UWord *a)
{
    return c->does == CHANGES || (c->does == MAY_CREATE && a[c->path + 1] & CREATE);
}

/* The content of the file behind a descriptor; 0: it is none. */
static ULong content_of(Int fd)
{
    struct vg_stat about;

    if (fd < STANDARD_STREAMS || VG_(fstat)(fd, &about) != 0 || (about.mode & FORMAT) != REGULAR)
        return 0;
    return place_content(about.dev, about.ino);
}

/* A named pipe that is opened to read or to write waits for whoever opens the other end. False: it is none. */
static Bool note_end(UInt flags, const char *path, Bool begins, Addr pc)
{
    UInt way = flags & WAYS;
    struct vg_stat about;
    ULong key;

    if (flags & AT_ONCE || way > WRITING || sr_isError(VG_(stat)(path, &about)) ||
        (about.mode & FORMAT) != PIPE)
        return False;
    key = place_content(about.dev, about.ino);
    if (begins)
        place_change(key + (way == WRITING), pc);
    else
        place_after_changes(key + (way != WRITING), pc);
    return True;
}

static void note_path(const struct path_call *c, const UWord *a, Bool begins, Addr pc)
{
    static char path[FOLDER_MOST + 40];
    const char *text = (const char *)a[c->path];
    struct vg_stat about;
    ULong key;

    if (!begins && c->folder != HERE && text && readable(text) && !*text) { /* the descriptor itself */
        key = content_of((Int)a[c->folder]);
        if (key)
            place_look(key, pc);
        return;
    }
    if (c->does == MAY_CREATE && text && readable(text) && absolute(c, a, text, path, sizeof path) &&
        note_end((UInt)a[c->path + 1], path, begins, pc))
        return;
    if ((begins && !changes(c, a)) || !text || !readable(text) || !absolute(c, a, text, path, sizeof path))
        return;
    if (changes(c, a)) {
        place_change(key_of(path), pc);
        return;
    }
    place_look(key_of(path), pc);
    if (c->does == LOOKS_AT_SIZE && !sr_isError(VG_(stat)(path, &about)) && (about.mode & FORMAT) == REGULAR)
        place_look(place_content(about.dev, about.ino), pc);
}

static Bool any_lock; /* on a file was taken, ever */

/* The key of a file's locks. */
static ULong locks_of(ULong content)
{
    return content ^ 1ULL << 63;
}

/* Something of the kernel's that tells of others, and may tell of any file (inotify). */
static Bool tells_of_files(Int fd)
{
    struct vg_stat about;

    return VG_(fstat)(fd, &about) == 0 && (about.mode & FORMAT) == 0;
}

static void note_content(UInt number, const UWord *a, Bool begins, Addr pc)
{
    ULong key;

    switch (number) {
    case __NR_read:
    case __NR_readv:
    case __NR_pread64:
    case __NR_preadv:
    case __NR_preadv2:
    case __NR_fstat:
        key = begins ? 0 : content_of((Int)a[0]);
        if (key)
            place_look(key, pc);
        else if (!begins && tells_of_files((Int)a[0]))
            place_after_all(pc);
        break;
    case __NR_write:
    case __NR_writev:
    case __NR_pwrite64:
    case __NR_pwritev:
    case __NR_pwritev2:
    case __NR_ftruncate:
        key = begins ? content_of((Int)a[0]) : 0;
        if (key)
            place_overwrite(key, pc);
        break;
    case __NR_close: /* gives back locks on the file */
        if (!any_lock)
            break;
        key = begins ? content_of((Int)a[0]) : 0;
        if (key)
            place_change(locks_of(key), pc);
        break;
    case __NR_fcntl:
        if (a[1] != SET_LOCK && a[1] != AWAIT_LOCK && a[1] != SET_OWN_LOCK && a[1] != AWAIT_OWN_LOCK)
            break;
        __attribute__((fallthrough));
    case __NR_flock:
        any_lock = True;
        key = content_of((Int)a[0]);
        if (key)
            place_change(locks_of(key), pc);
        break;
    default:
        break;
    }
}

void files_noted(ThreadId tid, UInt number, const UWord *a, Bool begins)
{
    Addr pc = modules_caller(tid);

    if (guest_count() < 2)
        return;
    note_content(number, a, begins, pc);
    for (SizeT i = 0; i < sizeof path_calls / sizeof *path_calls; i++)
        if (path_calls[i].number == number)
            note_path(&path_calls[i], a, begins, pc);
}

void variables_noted(const char *name, Bool changed, Addr pc)
{
    if (guest_count() < 2)
        return;
    if (!name)
        place_change_all(pc);
    else if (changed)
        place_change(place_variable(name), pc);
    else
        place_look(place_variable(name), pc);
}
