/* Signals, timers and watched descriptors: a thread that is notified comes after all threads that may have
 * requested or sent the notification. */
/* This file is part of the Valgrind tool of Heddle, a program of its own.
 * Copyright (C) 2026 The Heddle authors. Free software under the GNU General Public License, version 2 or (at
 * your option) any later version; without any warranty. See COPYING. */
#include "descriptor_calls.h"
#include "grind_labels.h"

#include "pub_tool_aspacemgr.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_tooliface.h"
#include "pub_tool_vki.h"
#include "pub_tool_vkiscnums.h"

enum { CANCEL = 32, SETXID = 33 }; /* the C library's own; the first also tells it of timers */

static const Int timer_signals[] = {VKI_SIGALRM, VKI_SIGVTALRM, VKI_SIGPROF}; /* of setitimer */

struct signal_event {
    UInt watched;
    ULong word;
} __attribute__((packed));

enum { DELETE = 2 }; /* of epoll_ctl */

static ULong timers; /* signals that some timer sends: bits */

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

/* A timer of the kernel's: the signal is the second word of the event. */
static void make_timer(const UWord *a)
{
    Int number = a[1] ? (Int)((const UWord *)a[1])[1] : VKI_SIGALRM;

    if (number > 0 && number <= 64)
        timers |= 1ULL << (number - 1);
}

/* From here on any of the timers may be the one that expires. */
static void start_timer(ThreadId tid)
{
    for (Int number = 1; number <= 64; number++)
        if (timers >> (number - 1) & 1)
            signal_sent(number, modules_caller(tid));
}

/* The kernel's event of epoll: a word of what to watch for, and behind it, without a gap, the program's own. */
static void set_watch(ThreadId tid, const UWord *a)
{
    const struct signal_event *event = (const struct signal_event *)a[3];

    if (a[1] != DELETE && VG_(am_is_valid_for_client)(a[3], sizeof *event, VKI_PROT_READ))
        watch_set((int)a[0], (int)a[2], event->word, modules_caller(tid));
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
    case __NR_alarm:
        sending(tid, VKI_SIGALRM);
        break;
    case __NR_setitimer:
        if (a[0] < sizeof timer_signals / sizeof *timer_signals)
            sending(tid, (UWord)timer_signals[a[0]]);
        break;
    case __NR_msgsnd:
    case __NR_semop:
    case __NR_semtimedop:
    case __NR_mq_timedsend:
        signal_sent(SENT_MESSAGE, modules_caller(tid));
        break;
    case __NR_epoll_ctl:
        set_watch(tid, a);
        break;
    case __NR_timerfd_settime:
        watch_set(WATCH_TIMER, (int)a[0], a[0], modules_caller(tid));
        break;
    case __NR_timer_create:
        make_timer(a);
        break;
    case __NR_timer_settime:
        start_timer(tid);
        break;
    case __NR_tgkill:
    case __NR_rt_tgsigqueueinfo:
        sending(tid, a[2]);
        break;
    default:
        break;
    }
}

enum { FILES = 1024, INFO = 128 }; /* INFO: bytes that are read of a signal, the first four are its number */

static ULong signal_files[FILES / 64]; /* bits: descriptors that signals are read from */

static void read_signals(ThreadId tid, UWord fd, Addr from, SizeT length)
{
    if (fd >= FILES || !(signal_files[fd / 64] >> fd % 64 & 1))
        return;
    for (; length >= INFO; length -= INFO, from += INFO)
        signal_received((int)*(const UInt *)from, modules_caller(tid));
}

void signals_after(ThreadId tid, UInt call, const UWord *a, UWord result)
{
    switch (call) {
    case __NR_rt_sigtimedwait:
        signal_received((int)result, modules_caller(tid));
        break;
    case __NR_signalfd:
    case __NR_signalfd4:
        if (result < FILES)
            signal_files[result / 64] |= 1ULL << result % 64;
        break;
    case __NR_epoll_wait:
    case __NR_epoll_pwait:
        for (UWord i = 0; i < result; i++)
            watch_told((int)a[0], ((const struct signal_event *)a[1])[i].word, modules_caller(tid));
        break;
    case __NR_close:
        watch_closed((int)a[0]);
        if (a[0] < FILES)
            signal_files[a[0] / 64] &= ~(1ULL << a[0] % 64);
        break;
    case __NR_read:
        if (result == sizeof(ULong))
            watch_told(WATCH_TIMER, a[0], modules_caller(tid));
        read_signals(tid, a[0], a[1], result);
        break;
    case __NR_msgrcv:
    case __NR_semop:
    case __NR_semtimedop:
    case __NR_mq_timedreceive:
        signal_received(SENT_MESSAGE, modules_caller(tid));
        break;
    default:
        break;
    }
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
    labels_interrupt(g);
    stacks_interrupt(g);
    if (number == VKI_SIGIO ||
        number == VKI_SIGURG) /* what may be the reason was written before its call is over */
        descriptors_flush();
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
    labels_interrupt(g);
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
