/* Signals between threads: who gets one comes after all that may have sent it. */
/* This file is part of the Valgrind tool of Heddle, a program of its own.
 * Copyright (C) 2026 The Heddle authors. Free software under the GNU General Public License, version 2 or (at
 * your option) any later version; without any warranty. See COPYING. */
#include "descriptors.h"

#include "pub_tool_libcproc.h"
#include "pub_tool_tooliface.h"
#include "pub_tool_vkiscnums.h"

enum { CANCEL = 32, SETXID = 33 }; /* the C library's own */

/* A handler of the program's. */
static void notice_handler(const UWord *a)
{
    const UWord *action = (const UWord *)a[1];

    if (action && action[0] > 1 && a[0] != CANCEL && a[0] != SETXID)
        tool.handlers = True;
}

static void sending(ThreadId tid, UWord number)
{
    if (number != CANCEL && number != SETXID)
        signal_sent((int)number, modules_caller(tid));
}

void signals_before(ThreadId tid, UInt call, const UWord *a)
{
    switch (call) {
    case __NR_rt_sigaction:
        notice_handler(a);
        break;
    case __NR_kill:
    case __NR_rt_sigqueueinfo:
        if ((Int)a[0] == 0 || (Int)a[0] == VG_(getpid)())
            sending(tid, a[1]);
        break;
    case __NR_tkill:
        sending(tid, a[1]);
        break;
    case __NR_tgkill:
    case __NR_rt_tgsigqueueinfo:
        sending(tid, a[2]);
        break;
    default:
        break;
    }
}

void signals_after(ThreadId tid, UInt call, UWord result)
{
    if (call == __NR_rt_sigtimedwait)
        signal_received((int)result, modules_caller(tid));
}

/* A handler may run in the middle of a call that waits; its own calls count. The C library's own handler
 * unwinds a thread that is cancelled, out of that call. */
static void on_signal(ThreadId tid, Int number, Bool other_stack)
{
    struct guest *g = guest_of(tid);

    (void)other_stack;
    if (number == CANCEL)
        return;
    pending_flush(g);
    channels_act(g);
    signal_received(number, modules_caller(tid));
    if (g->depth > 0) {
        g->signal_depth = g->depth;
        g->depth = 0;
    }
}

static void on_signal_end(ThreadId tid, Int number)
{
    struct guest *g = guest_of(tid);

    (void)number; /* those that are not noted above leave nothing to restore */
    if (g->signal_depth > 0) {
        g->depth = g->signal_depth;
        g->signal_depth = 0;
    }
}

void signals_track(void)
{
    VG_(track_pre_deliver_signal)(on_signal);
    VG_(track_post_deliver_signal)(on_signal_end);
}
