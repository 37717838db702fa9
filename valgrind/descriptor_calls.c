/* Calls on pipes, sockets and event counters, as the kernel sees them; runtime/shared/channels.c makes order of them.
 *
 * A call takes effect between its begin and its end, and other threads run in between. A write that has not
 * returned may have been read already: it is pending until then. Calls of one kind that overlap may have come
 * in either order: the channel records that. */
/* This file is part of the Valgrind tool of Heddle, a program of its own.
 * Copyright (C) 2026 The Heddle authors. Free software under the GNU General Public License, version 2 or (at
 * your option) any later version; without any warranty. See COPYING. */
#include "descriptor_calls.h"
#include "runtime/shared/runtime_invariant.h"
#include "tool.h"

#include "pub_tool_aspacemgr.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_tooliface.h"
#include "pub_tool_vki.h"
#include "pub_tool_vkiscnums.h"

enum { SEMAPHORE = 1, PEEK = 2, SHUT_READ = 0, IN_PROGRESS = 115 };

static struct guest *acting; /* the thread whose call the channels record */

void channels_act(struct guest *guest)
{
    acting = guest;
}

uint32_t channel_thread(void)
{
    return acting->id;
}

bool channel_forked(void)
{
    return session_load(&tool.session->forks);
}

void channel_log(unsigned kind, const void *object, uintptr_t pc)
{
    log_record(acting, kind, (Addr)object, 0, pc & RECORD_ADDRESS, 0);
}

void invariant_broken(const char *which)
{
    for (;;)
        VG_(tool_panic)(which);
}

static Bool same_channel(const struct channel_key *a, const struct channel_key *b)
{
    return a->kind != CHANNEL_NONE && a->kind == b->kind && a->a == b->a && a->b == b->b;
}

/* Another thread that is in a call of the same kind on the same channel. */
static Bool overlaps(const struct guest *g, Bool writing)
{
    for (UInt i = 0; i < guest_count(); i++) {
        const struct guest *other = guest_at(i);
        if (other && other != g &&
            (writing ? same_channel(&other->writing.key, &g->writing.key)
                     : same_channel(&other->reading.key, &g->reading.key)))
            return True;
    }
    return False;
}

static void note_write(struct guest *g, SizeT length)
{
    struct guest *before = acting;

    acting = g;
    channel_wrote(g->writing.fd, length, g->writing.value, g->writing.pc);
    acting = before;
    g->writing.key.kind = CHANNEL_NONE;
}

/* Writes by threads that are still in the call: what was read, or seen to be there, may be theirs. */
static void flush_writes(const struct channel_key *key)
{
    for (UInt i = 0; i < guest_count(); i++) {
        struct guest *g = guest_at(i);
        if (g && g->writing.key.kind != CHANNEL_NONE && (!key || same_channel(&g->writing.key, key)))
            note_write(g, g->writing.length);
    }
}

void descriptors_flush(void)
{
    flush_writes(NULL);
}

/* Calls that move bytes between descriptors, or pages of memory to one. What they moved is not counted: once there was one,
 * whoever reads comes after all that was written, and after all such calls that have begun. */
static Bool moves_bytes(UInt number)
{
    return number == __NR_splice || number == __NR_tee || number == __NR_sendfile || number == __NR_vmsplice;
}

static struct channel_call last_move;

static void come_after_moves(Addr pc)
{
    if (!last_move.number)
        return;
    flush_writes(NULL);
    channel_after_all(pc);
    call_after(last_move, pc);
}

/* At its begin, since what it wrote may be read before its end; and at its end, when it has read. */
static void note_move(ThreadId tid, struct guest *g)
{
    Addr pc = modules_caller(tid);

    come_after_moves(pc);
    acting = g;
    last_move = call_note(pc);
}

static Bool is_read(UInt number)
{
    return number == __NR_read || number == __NR_readv || number == __NR_preadv2 || number == __NR_recvfrom ||
           number == __NR_recvmsg;
}

static Bool is_write(UInt number)
{
    return number == __NR_write || number == __NR_writev || number == __NR_pwritev2 || number == __NR_sendto ||
           number == __NR_sendmsg;
}

/* How many bytes the call would move if it could. */
static SizeT length_asked(UInt number, const UWord *a)
{
    struct parts parts;
    SizeT length = 0;

    if (!parts_of(number, a, &parts))
        return number == __NR_read || number == __NR_write || number == __NR_recvfrom || number == __NR_sendto
                   ? a[2]
                   : 0;
    for (SizeT i = 0; i < parts.count; i++)
        length += parts.list[i].iov_len;
    return length;
}

static void write_begins(ThreadId tid, struct guest *g, UInt number, const UWord *a)
{
    g->writing = (struct moving){.key = channel_key((Int)a[0], true), .fd = (Int)a[0], .value = 1};
    if (g->writing.key.kind == CHANNEL_NONE)
        return;
    g->writing.length = length_asked(number, a);
    g->writing.pc = modules_caller(tid);
    if (number == __NR_write && a[2] == sizeof(ULong) && VG_(am_is_valid_for_client)(a[1], a[2], VKI_PROT_READ))
        g->writing.value = *(const ULong *)a[1];
    if (overlaps(g, True))
        channel_blur((Int)a[0], true);
}

static void write_ends(struct guest *g, SizeT length)
{
    if (g->writing.key.kind != CHANNEL_NONE && length > 0)
        note_write(g, length);
}

static Bool only_looks(UInt number, const UWord *a)
{
    return (number == __NR_recvfrom && a[3] & PEEK) || (number == __NR_recvmsg && a[2] & PEEK);
}

static void look(struct pollfd *fds, UInt count, Addr pc)
{
    for (UInt i = 0; i < count; i++) {
        struct channel_key key = {0};
        if (fds[i].revents && fds[i].fd >= 0 && channel_lacks(fds[i].fd, 1))
            key = channel_key(fds[i].fd, false);
        if (key.kind != CHANNEL_NONE)
            flush_writes(&key);
    }
    if (!fds)
        flush_writes(NULL);
    come_after_moves(pc);
    channel_polled(fds, count, pc);
}

/* `got` < 0: there was nothing. */
static void read_ends(ThreadId tid, struct guest *g, UInt number, const UWord *a, SSizeT got)
{
    Int fd = (Int)a[0];
    Addr pc;

    if (g->reading.key.kind == CHANNEL_NONE)
        return;
    pc = modules_caller(tid);
    if (only_looks(number, a)) {
        struct pollfd one = {.fd = fd, .events = POLLIN, .revents = got >= 0 ? POLLIN : 0};
        look(&one, 1, pc);
        return;
    }
    if (got >= 0 && overlaps(g, False))
        channel_blur(fd, false);
    if (got >= 0 && channel_lacks(fd, (SizeT)got))
        flush_writes(&g->reading.key);
    come_after_moves(pc);
    channel_read(fd, length_asked(number, a), got, pc);
}

/* Logs what other threads can see before the call is over. */
static void begin(ThreadId tid, struct guest *g, UInt number, const UWord *a)
{
    if (is_write(number))
        write_begins(tid, g, number, a);
    else if (is_read(number))
        g->reading.key = channel_key((Int)a[0], false);
    else if (moves_bytes(number))
        note_move(tid, g);
    else if (number == __NR_close || (number == __NR_shutdown && a[1] != SHUT_READ))
        channel_closed((Int)a[0], modules_caller(tid));
    else if (number == __NR_connect && a[2] >= sizeof(sa_family_t) &&
             VG_(am_is_valid_for_client)(a[1], a[2], VKI_PROT_READ))
        channel_connecting((Int)a[0], (const struct sockaddr *)a[1], (UInt)a[2], modules_caller(tid));
}

static void end(ThreadId tid, struct guest *g, UInt number, const UWord *a, SizeT result)
{
    if (is_read(number))
        read_ends(tid, g, number, a, (SSizeT)result);
    else if (is_write(number))
        write_ends(g, result);
    else if (moves_bytes(number))
        note_move(tid, g);
    switch (number) {
    case __NR_socketpair:
        channel_pair(((const Int *)a[3])[0], ((const Int *)a[3])[1]);
        break;
    case __NR_accept:
    case __NR_accept4:
        channel_accepted((Int)a[0], (Int)result, modules_caller(tid));
        break;
    case __NR_eventfd2:
        channel_counter((Int)result, a[1] & SEMAPHORE);
        break;
    case __NR_poll:
    case __NR_ppoll:
        look((struct pollfd *)a[0], (UInt)a[1], modules_caller(tid));
        break;
    case __NR_select: /* the descriptors it asked about are not examined: it may have been any of them */
    case __NR_pselect6:
    case __NR_epoll_wait:
    case __NR_epoll_pwait:
        look(NULL, 0, modules_caller(tid));
        break;
    default:
        break;
    }
}

static void end_failed(ThreadId tid, struct guest *g, UInt number, const UWord *a, UWord error)
{
    if (is_read(number) && error == VKI_EAGAIN)
        read_ends(tid, g, number, a, -1);
    else if (number == __NR_connect && error != IN_PROGRESS)
        channel_pair_failed((Int)a[0]);
}

/* The program calls exec: the new program runs without the tool, unless exec fails. */
static void note_exec(UInt number, const UWord *a)
{
    UWord path = number == __NR_execve ? a[0] : a[1];
    struct session *session = tool.session;

    for (SizeT i = 0; i + 1 < sizeof session->became && VG_(am_is_valid_for_client)(path + i, 1, VKI_PROT_READ);
         i++)
        if (!(session->became[i] = ((const Char *)path)[i]))
            break;
    session_store(&session->exec, 1);
}

static Bool is_exec(UInt number)
{
    return tool.recording && (number == __NR_execve || number == __NR_execveat);
}

static void before(ThreadId tid, UInt number, UWord *a, UInt count)
{
    struct guest *g = guest_of(tid);

    (void)count;
    acting = g;
    g->ends = number == __NR_exit;
    if (is_exec(number))
        note_exec(number, a);
    signals_before(tid, number, a);
    if (g->depth > 0)
        return;
    guest_state(g, STATE_OUTSIDE, WAIT_NONE, 0, 0);
    begin(tid, g, number, a);
    files_noted(tid, number, a, True);
}

static void after(ThreadId tid, UInt number, UWord *a, UInt count, SysRes result)
{
    struct guest *g = guest_of(tid);

    (void)count;
    if (is_exec(number))
        session_store(&tool.session->exec, 0);
    if (g->depth > 0)
        return;
    acting = g;
    files_noted(tid, number, a, False);
    if (sr_isError(result)) {
        end_failed(tid, g, number, a, sr_Err(result));
    } else {
        if (is_write(number)) /* what is written was read before, what is read is written after */
            touch_buffers(tid, number, a, sr_Res(result));
        end(tid, g, number, a, sr_Res(result));
        signals_after(tid, number, a, sr_Res(result));
        if (!is_write(number))
            touch_buffers(tid, number, a, sr_Res(result));
    }
    g->writing.key.kind = g->reading.key.kind = CHANNEL_NONE;
    guest_state(g, STATE_RUNNING, WAIT_NONE, 0, 0);
}

/* A stream of the C library: bytes wait in its buffer, and other threads may get them there. */
void streams_handle(ThreadId tid, Int fd, Bool wrote, Addr pc)
{
    acting = guest_of(tid);
    if (wrote) {
        channel_stream_wrote(fd, pc);
        return;
    }
    come_after_moves(pc);
    channel_stream_read(fd, pc);
}

void descriptors_track(void)
{
    VG_(needs_syscall_wrapper)(before, after);
}
