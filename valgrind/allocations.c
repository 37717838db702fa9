/* Memory: a block is a new variable each time it is allocated. Library functions that move the program's
 * bytes. */
/* This file is part of the Valgrind tool of Heddle, a program of its own.
 * Copyright (C) 2026 The Heddle authors. Free software under the GNU General Public License, version 2 or (at
 * your option) any later version; without any warranty. See COPYING. */
#include "requests.h"
#include "tool.h"

#include "pub_tool_aspacemgr.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_replacemalloc.h"
#include "pub_tool_stacktrace.h"
#include "pub_tool_threadstate.h"
#include "pub_tool_tooliface.h"
#include "pub_tool_vki.h"

enum { RED_ZONE = 16, GRANULE = 8, SLACK_MOST = 255 };

static void emit_block(ThreadId tid, UInt kind, Addr at, SizeT length)
{
    if (at && length > 0)
        log_record(guest_of(tid), kind, at, 0, modules_caller(tid) & RECORD_ADDRESS, length);
}

static void emit_range(struct guest *g, UInt kind, Addr at, SizeT length, Addr pc)
{
    if (length > 0)
        log_record(g, kind, at, 0, pc & RECORD_ADDRESS, length);
}

/* New up to its last byte that can be used: it may grow into what was not asked for at first. */
static void log_new(ThreadId tid, Addr block, SizeT length, SizeT usable)
{
    SizeT slack = usable - length, tail = (length + GRANULE - 1) / GRANULE * GRANULE;

    if (length == 0 || slack > SLACK_MOST) {
        emit_block(tid, RECORD_FRESH, block + tail, usable - tail);
        slack = 0;
    }
    if (length > 0)
        log_record(guest_of(tid), RECORD_ALLOC, block, (UInt)slack, modules_caller(tid) & RECORD_ADDRESS,
                   length);
}

static void *allocate(ThreadId tid, SizeT length, SizeT alignment, Bool clear)
{
    void *block = (SSizeT)length < 0 ? NULL : VG_(cli_malloc)(alignment, length);

    if (block && clear)
        VG_(memset)(block, 0, length);
    if (block)
        log_new(tid, (Addr)block, length, VG_(cli_malloc_usable_size)(block));
    return block;
}

static void *on_malloc(ThreadId tid, SizeT length)
{
    return allocate(tid, length, VG_(clo_alignment), False);
}

static void *on_new_aligned(ThreadId tid, SizeT length, SizeT alignment)
{
    return allocate(tid, length, alignment, False);
}

static void *on_memalign(ThreadId tid, SizeT alignment, SizeT length)
{
    return allocate(tid, length, alignment, False);
}

static void *on_calloc(ThreadId tid, SizeT count, SizeT size)
{
    if (size > 0 && count > (SizeT)-1 / size)
        return NULL;
    return allocate(tid, count * size, VG_(clo_alignment), True);
}

/* The block must not be used from here on. Order inside libraries is not seen, so the block must be freed by
 * the program itself, which called the function that this one wraps. */
static void log_free(ThreadId tid, void *block)
{
    Addr callers[2];

    if (block && VG_(get_StackTrace)(tid, callers, 2, NULL, NULL, 0) == 2 && modules_is_seen(callers[1] - 1))
        emit_range(guest_of(tid), RECORD_FREE, (Addr)block, VG_(cli_malloc_usable_size)(block), callers[1]);
}

static void on_free(ThreadId tid, void *block)
{
    log_free(tid, block);
    VG_(cli_free)(block);
}

static void on_delete_aligned(ThreadId tid, void *block, SizeT alignment)
{
    (void)alignment;
    log_free(tid, block);
    VG_(cli_free)(block);
}

static void *on_realloc(ThreadId tid, void *old, SizeT length)
{
    SizeT before = old ? VG_(cli_malloc_usable_size)(old) : 0, kept = before < length ? before : length;
    void *block;

    if (old && length <= before && length > 0) {
        emit_block(tid, RECORD_GROW, (Addr)old, length);
        return old;
    }
    block = allocate(tid, length, VG_(clo_alignment), False);
    if (!block)
        return NULL;
    if (kept > 0) {
        VG_(memcpy)(block, old, kept);
        emit_range(guest_of(tid), RECORD_WRITE, (Addr)block, kept, modules_caller(tid));
    }
    if (old) {
        log_free(tid, old);
        VG_(cli_free)(old);
    }
    return block;
}

static SizeT on_usable_size(ThreadId tid, void *block)
{
    (void)tid;
    return block ? VG_(cli_malloc_usable_size)(block) : 0;
}

/* Files of code and data are modules, what the loader maps is theirs; all else is the program's. */
static void on_map(Addr at, SizeT length, Bool read, Bool write, Bool execute, ULong module)
{
    ThreadId tid = VG_(get_running_tid)();

    (void)read;
    (void)write;
    (void)execute;
    if (tid == VG_INVALID_THREADID)
        return;
    if (module)
        modules_look();
    else if (!modules_is_loader(tid))
        emit_block(tid, RECORD_MAP, at, length);
}

static void on_break(Addr at, SizeT length, ThreadId tid)
{
    emit_block(tid, RECORD_MAP, at, length);
}

/* What is moved is written, where it comes to lie. */
static void on_remap(Addr from, Addr to, SizeT length)
{
    ThreadId tid = VG_(get_running_tid)();

    (void)from;
    if (tid == VG_INVALID_THREADID)
        return;
    emit_block(tid, RECORD_MAP, to, length);
    emit_range(guest_of(tid), RECORD_WRITE, to, length, modules_caller(tid));
}

/* Splitting the length in halves would be another access: one record, however long. */
static Bool copy(struct guest *g, const UWord *a)
{
    if (!VG_(am_is_valid_for_client)(a[1], a[3], VKI_PROT_WRITE) ||
        !VG_(am_is_valid_for_client)(a[2], a[3], VKI_PROT_READ))
        return False; /* the program's own attempt shall fail */
    if (modules_is_seen(a[4] - 1)) {
        emit_range(g, RECORD_READ, a[2], a[3], a[4]);
        emit_range(g, RECORD_WRITE, a[1], a[3], a[4]);
    }
    VG_(memmove)((void *)a[1], (const void *)a[2], a[3]);
    return True;
}

static Bool fill(struct guest *g, const UWord *a)
{
    if (!VG_(am_is_valid_for_client)(a[1], a[3], VKI_PROT_WRITE))
        return False;
    if (modules_is_seen(a[4] - 1))
        emit_range(g, RECORD_WRITE, a[1], a[3], a[4]);
    VG_(memset)((void *)a[1], (Int)a[2], a[3]);
    return True;
}

Bool memory_handle(ThreadId tid, const UWord *a, UWord *result)
{
    struct guest *g = guest_of(tid);

    *result = 0;
    switch (a[0]) {
    case HEDDLE_COPY:
        *result = copy(g, a);
        return True;
    case HEDDLE_FILL:
        *result = fill(g, a);
        return True;
    case HEDDLE_READ:
    case HEDDLE_WROTE:
        if (modules_is_seen(a[3] - 1))
            emit_range(g, a[0] == HEDDLE_READ ? RECORD_READ : RECORD_WRITE, a[1], a[2], a[3]);
        return True;
    case HEDDLE_STREAM_WROTE:
    case HEDDLE_STREAM_READ:
        if (modules_is_seen(a[3] - 1))
            streams_handle(tid, (Int)a[1], a[0] == HEDDLE_STREAM_WROTE, a[3]);
        return True;
    default:
        return False;
    }
}

void memory_track(void)
{
    VG_(needs_malloc_replacement)
    (on_malloc, on_malloc, on_new_aligned, on_malloc, on_new_aligned, on_memalign, on_calloc, on_free, on_free,
     on_delete_aligned, on_free, on_delete_aligned, on_realloc, on_usable_size, RED_ZONE);
    VG_(track_new_mem_mmap)(on_map);
    VG_(track_new_mem_brk)(on_break);
    VG_(track_copy_mem_remap)(on_remap);
}
