/* Pipes and socket pairs inside the program: a read comes after the writes that supplied it, calls on one end
 * keep their order.
 *
 * Calls are seen as the kernel sees them. A write that has not returned may have been read already: it is
 * pending until then. */
/* This file is part of the Valgrind tool of Heddle, a program of its own.
 * Copyright (C) 2026 The Heddle authors. Free software under the GNU General Public License, version 2 or (at
 * your option) any later version; without any warranty. See COPYING. */
#include "tool.h"

#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_tooliface.h"
#include "pub_tool_vki.h"
#include "pub_tool_vkiscnums.h"

enum { CHANNELS = 256, WRITES = 1024 };

/* A call on a channel that others may have to come after. */
struct call {
    ULong number; /* from 1; 0: none */
    UInt thread;
};

struct channel {
    ULong device, inode; /* 0: a free slot */
    ULong peer;          /* inode of the other end of a socket pair, 0: none */
    struct {
        SizeT unread;
        struct call call;
    } writes[WRITES]; /* a ring of those not wholly read */
    UInt first, count;
    struct call last_write, last_read;
    Bool coarse; /* bytes went by uncounted: each read may have got what was written last */
};

static struct channel channels[CHANNELS];
static ULong calls;

static struct channel *channel_of(ULong device, ULong inode)
{
    struct channel *unused = NULL;

    for (UInt i = 0; i < CHANNELS; i++) {
        if (channels[i].inode == inode && channels[i].device == device)
            return &channels[i];
        if (channels[i].inode == 0 && !unused)
            unused = &channels[i];
    }
    if (unused) {
        unused->device = device;
        unused->inode = inode;
    }
    return unused;
}

static struct channel *open_channel(Int fd)
{
    struct vg_stat about;

    if (VG_(fstat)(fd, &about) != 0 || !(VKI_S_ISFIFO(about.mode) || VKI_S_ISSOCK(about.mode)))
        return NULL;
    return channel_of(about.dev, about.ino);
}

static void pair(const Int *ends)
{
    struct channel *x = open_channel(ends[0]), *y = open_channel(ends[1]);

    if (!x || !y)
        return;
    x->peer = y->inode;
    y->peer = x->inode;
    x->count = y->count = 0;
}

/* Where what is written to the descriptor is read. */
static struct channel *read_end(Int fd)
{
    struct channel *c = open_channel(fd);

    return c && c->peer ? channel_of(c->device, c->peer) : c;
}

/* From here on later calls may ask to come after this one. */
static struct call note_call(struct guest *g, Addr pc)
{
    struct call call = {.number = ++calls, .thread = g->id};

    log_record(g, RECORD_ONCE_DONE, CHANNEL_BASE + call.number % (CHANNEL_BYTES / 8) * 8, 0,
               pc & RECORD_ADDRESS, 0);
    return call;
}

static void come_after(struct guest *g, struct call call, Addr pc)
{
    if (call.number && call.thread != g->id)
        log_record(g, RECORD_ONCE_SEEN, CHANNEL_BASE + call.number % (CHANNEL_BYTES / 8) * 8, 0,
                   pc & RECORD_ADDRESS, 0);
}

static void wrote(struct guest *g, struct channel *c, SizeT length, Addr pc)
{
    UInt at = (c->first + c->count) % WRITES;

    come_after(g, c->last_write, pc);
    c->last_write = note_call(g, pc);
    if (c->count == WRITES) {
        c->coarse = True;
        return;
    }
    c->count++;
    c->writes[at].unread = length;
    c->writes[at].call = c->last_write;
}

/* A write by somebody who is still in the call: what is read may be his. */
static Bool take_pending(struct channel *c)
{
    for (UInt i = 0; i < guest_count(); i++) {
        struct guest *g = guest_at(i);
        if (g && g->writing == (Addr)c) {
            g->writing = 0;
            wrote(g, c, g->writing_length, g->writing_pc);
            return True;
        }
    }
    return False;
}

/* Takes bytes from the writes that supplied them; without any, at the end, all writes are over. */
static void took(struct guest *g, struct channel *c, SizeT length, Addr pc)
{
    if (session_load(&tool.session->forks)) /* another process may have written or read, too */
        c->coarse = True;
    while (length > 0 && !c->coarse && (c->count > 0 || take_pending(c))) {
        SizeT take = length < c->writes[c->first].unread ? length : c->writes[c->first].unread;
        come_after(g, c->writes[c->first].call, pc);
        length -= take;
        c->writes[c->first].unread -= take;
        if (c->writes[c->first].unread == 0) {
            c->first = (c->first + 1) % WRITES;
            c->count--;
        }
    }
    if (length > 0 || c->coarse)
        come_after(g, c->last_write, pc);
    come_after(g, c->last_read, pc);
    c->last_read = note_call(g, pc);
}

static Bool is_read(UInt number)
{
    return number == __NR_read || number == __NR_readv || number == __NR_recvfrom || number == __NR_recvmsg;
}

static Bool is_write(UInt number)
{
    return number == __NR_write || number == __NR_writev || number == __NR_sendto || number == __NR_sendmsg;
}

static SizeT length_asked(UInt number, const UWord *arguments)
{
    return number == __NR_write || number == __NR_sendto ? arguments[2] : ~(SizeT)0 >> 1;
}

/* A handler of the program's; the C library has two of its own. */
static void notice_handler(const UWord *arguments)
{
    enum { CANCEL = 32, SETXID = 33 };
    const UWord *action = (const UWord *)arguments[1];

    if (action && action[0] > 1 && arguments[0] != CANCEL && arguments[0] != SETXID)
        tool.handlers = True;
}

static void before(ThreadId tid, UInt number, UWord *arguments, UInt count)
{
    struct guest *g = guest_of(tid);
    struct channel *c;

    (void)count;
    if (number == __NR_rt_sigaction)
        notice_handler(arguments);
    if (g->depth == 0) {
        guest_state(g, STATE_OUTSIDE, WAIT_NONE, 0, 0);
        if (is_write(number) && (c = read_end((Int)arguments[0])) != NULL) {
            g->writing = (Addr)c;
            g->writing_length = length_asked(number, arguments);
            g->writing_pc = modules_caller(tid);
        }
    }
}

/* The buffers that the call moved are accesses of the caller, when the program itself made it. */
static void touch(ThreadId tid, UInt number, const UWord *arguments, SizeT length)
{
    Addr pc = modules_direct_caller(tid);

    if (!pc || length == 0)
        return;
    if (number == __NR_read || number == __NR_recvfrom || number == __NR_pread64)
        log_record(guest_of(tid), RECORD_WRITE, arguments[1], 0, pc & RECORD_ADDRESS, length);
    else if (number == __NR_write || number == __NR_sendto || number == __NR_pwrite64)
        log_record(guest_of(tid), RECORD_READ, arguments[1], 0, pc & RECORD_ADDRESS, length);
}

static void after_move(ThreadId tid, UInt number, const UWord *arguments, SizeT length)
{
    struct guest *g = guest_of(tid);
    struct channel *c;

    if (is_read(number)) {
        touch(tid, number, arguments, length);
        c = open_channel((Int)arguments[0]);
        if (c)
            took(g, c, length > 0 ? length : 1, modules_caller(tid));
    } else if (is_write(number)) {
        touch(tid, number, arguments, length);
        c = g->writing && length > 0 ? read_end((Int)arguments[0]) : NULL;
        if (c)
            wrote(g, c, length, g->writing_pc);
    } else {
        touch(tid, number, arguments, length);
    }
}

static void after(ThreadId tid, UInt number, UWord *arguments, UInt count, SysRes result)
{
    struct guest *g = guest_of(tid);

    (void)count;
    if (g->depth > 0)
        return;
    if (!sr_isError(result)) {
        if (number == __NR_socketpair)
            pair((const Int *)arguments[3]);
        else if (is_read(number) || is_write(number) || number == __NR_pread64 || number == __NR_pwrite64)
            after_move(tid, number, arguments, sr_Res(result));
    }
    g->writing = 0;
    guest_state(g, STATE_RUNNING, WAIT_NONE, 0, 0);
}

void channels_track(void)
{
    VG_(needs_syscall_wrapper)(before, after);
}
