/* Threads of the program: created, started, ended; what the log says about each. */
/* This file is part of the Valgrind tool of Heddle, a program of its own.
 * Copyright (C) 2026 The Heddle authors. Free software under the GNU General Public License, version 2 or (at
 * your option) any later version; without any warranty. See COPYING. */
#include "descriptor_calls.h"
#include "grind_labels.h"
#include "requests.h"
#include "tool.h"

#include "pub_tool_aspacemgr.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_machine.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_threadstate.h"
#include "pub_tool_tooliface.h"
#include "pub_tool_xarray.h"

static struct guest guests[SESSION_THREADS];
static UInt used; /* of them, ever */

/* Threads that can be joined: Valgrind's numbers are used again before that. */
struct joinable {
    Addr handle;
    UInt id;
};

static XArray *joinables;

struct guest *guest_of(ThreadId tid)
{
    tl_assert(tid < SESSION_THREADS);
    return &guests[tid];
}

UInt guest_count(void)
{
    return used;
}

struct guest *guest_at(UInt index)
{
    return guests[index].alive ? &guests[index] : NULL;
}

void guest_state(struct guest *guest, UInt state, UInt reason, Addr key, UInt owner)
{
    struct session_thread *t = &tool.session->threads[guest - guests];

    if (!tool.recording)
        return;
    session_store(&t->id, guest->id + 1);
    session_store(&t->reason, reason);
    session_store(&t->key, key);
    session_store(&t->owner, owner);
    session_store(&t->pc, guest->call_pc);
    session_store(&t->state, state);
    session_add(&tool.session->beat, 1);
}

void guest_waits(struct guest *guest, UInt way, UInt reason, Addr key, UInt owner, Bool foreign)
{
    UInt state = way & HEDDLE_WAY_TIMED     ? STATE_SLEEPING
                 : foreign || tool.handlers ? STATE_OUTSIDE
                                            : STATE_BLOCKED;

    if (!(way & HEDDLE_WAY_TRY))
        guest_state(guest, state, reason, key, owner);
}

static void remember(Addr handle, UInt id)
{
    struct joinable entry = {handle, id};

    if (!joinables)
        joinables = VG_(newXA)(VG_(malloc), "heddle.joinables", VG_(free), sizeof entry);
    thread_forget(handle); /* of a thread that was never joined */
    VG_(addToXA)(joinables, &entry);
}

static Word index_of(Addr handle)
{
    for (Word i = joinables ? VG_(sizeXA)(joinables) - 1 : -1; i >= 0; i--)
        if (((struct joinable *)VG_(indexXA)(joinables, i))->handle == handle)
            return i;
    return -1;
}

Bool thread_find(Addr handle, UInt *id)
{
    Word i = index_of(handle);

    if (i >= 0)
        *id = ((struct joinable *)VG_(indexXA)(joinables, i))->id;
    return i >= 0;
}

void thread_forget(Addr handle)
{
    Word i = index_of(handle);

    if (i >= 0)
        VG_(removeIndexXA)(joinables, i);
}

/* In the parent, just before there is a child. */
static void on_create(ThreadId parent, ThreadId child)
{
    struct guest *g = guest_of(child);

    VG_(memset)(g, 0, sizeof *g);
    g->alive = True;
    g->number = child;
    used = child >= used ? child + 1 : used;
    g->id = tool.instances++;
    if (parent == VG_INVALID_THREADID)
        return;
    struct guest *maker = guest_of(parent);
    if (maker->creating) {
        g->start = maker->start;
        g->argument = maker->argument;
    }
    modules_log_frames(parent);
    log_record(maker, RECORD_FORK, 0, 0, modules_caller(parent) & RECORD_ADDRESS, g->id);
}

/* Above the stack, in the same mapping, is what is local to the thread: as new as the stack. */
static void log_start(ThreadId tid, Addr function)
{
    const NSegment *mapping = tid == 1 ? NULL : VG_(am_find_nsegment)(VG_(get_SP)(tid));
    Addr top = mapping ? mapping->end + 1 : VG_(thread_get_stack_max)(tid) + 1;
    SizeT size = mapping ? top - mapping->start : VG_(thread_get_stack_size)(tid);

    if (size == 0 || size > top)
        size = 8 << 20;
    log_record(guest_of(tid), RECORD_START, top - size, 0, function & RECORD_ADDRESS, size);
}

static void on_first_instruction(ThreadId tid)
{
    struct guest *g = guest_of(tid);

    tool.guest = g;
    stacks_begin(g, tid);
    labels_begin(g);
    g->process = (UInt)VG_(gettid)();
    guest_state(g, STATE_RUNNING, WAIT_NONE, 0, 0);
    session_store(&tool.session->threads[tid].tid, g->process);
    if (g->id == 0)
        modules_look();
    if (!g->start) /* the first one, or one that was not made by pthread_create */
        log_start(tid, 0);
}

/* Those that join the thread already did so before it could say that it has this handle. */
static void tell_joiners(Addr handle, UInt id)
{
    for (UInt i = 0; tool.recording && i < guest_count(); i++) {
        struct session_thread *t = &tool.session->threads[i];
        if (guest_at(i) && session_load(&t->reason) == WAIT_JOIN && session_load(&t->key) == handle)
            session_store(&t->owner, id + 1);
    }
}

void thread_begin(ThreadId tid, Addr handle)
{
    struct guest *g = guest_of(tid);

    remember(handle, g->id);
    tell_joiners(handle, g->id);
    log_start(tid, g->start);
}

/* A thread that is still somewhere when the process ends has no end of its own. */
static void on_exit(ThreadId tid)
{
    struct guest *g = guest_of(tid);

    pending_flush(g);
    if (g->ends) {
        locks_end_thread(g);
        if (tid != 1) /* with the first thread the process ends, or goes on without it */
            log_record(g, RECORD_END, 0, 0, 0, 0);
    }
    guest_state(g, STATE_ENDED, WAIT_NONE, 0, 0);
    g->alive = False;
    stacks_end(g);
}

static void on_run(ThreadId tid, ULong blocks)
{
    struct guest *g = guest_of(tid);

    (void)blocks;
    tool.guest = g;
    tool.left = g->labels.left;
    tool.low = g->calls.low;
    tool.lowest = g->calls.lowest;
    if (g->depth == 0)
        session_store(&tool.session->threads[tid].state, (UInt)STATE_RUNNING);
}

static void on_stop(ThreadId tid, ULong blocks)
{
    struct session_thread *t = &tool.session->threads[tid];

    guest_of(tid)->labels.left = tool.left;
    guest_of(tid)->calls.lowest = tool.lowest;
    if (!tool.recording)
        return;
    session_store(&tool.session->accesses, blocks);
    if (guest_of(tid)->depth > 0)
        return;
    session_store(&t->pc, VG_(get_IP)(tid) + 1);
    session_store(&t->state, (UInt)STATE_RUNNABLE);
}

/* A child process goes on alone and unrecorded; the session is not its own. */
static void in_child(ThreadId tid)
{
    (void)tid;
    tool.recording = False;
}

static void in_parent(ThreadId tid)
{
    if (!tool.recording)
        return;
    channels_act(guest_of(tid));
    channel_forks(modules_caller(tid));
    session_add(&tool.session->forks, 1);
}

void threads_track(void)
{
    VG_(track_pre_thread_ll_create)(on_create);
    VG_(track_pre_thread_first_insn)(on_first_instruction);
    VG_(track_pre_thread_ll_exit)(on_exit);
    VG_(track_start_client_code)(on_run);
    VG_(track_stop_client_code)(on_stop);
    VG_(atfork)(NULL, in_parent, in_child);
}
