/* Memory of the program that system calls read and write on its behalf. */
/* This file is part of the Valgrind tool of Heddle, a program of its own.
 * Copyright (C) 2026 The Heddle authors. Free software under the GNU General Public License, version 2 or (at
 * your option) any later version; without any warranty. See COPYING. */
#include "descriptor_calls.h"

#include "pub_tool_aspacemgr.h"
#include "pub_tool_vki.h"
#include "pub_tool_vkiscnums.h"

static void touch(ThreadId tid, Bool write, Addr at, SizeT length, Addr pc)
{
    if (length > 0)
        log_record(guest_of(tid), write ? RECORD_WRITE : RECORD_READ, at, 0, pc & RECORD_ADDRESS, length);
}

Bool parts_of(UInt number, const UWord *a, struct parts *parts)
{
    if (number == __NR_readv || number == __NR_writev || number == __NR_preadv2 || number == __NR_pwritev2) {
        *parts = (struct parts){(const struct iovec *)a[1], a[2]};
    } else if (number == __NR_recvmsg || number == __NR_sendmsg) {
        const struct msghdr *message = (const struct msghdr *)a[1];
        if (!VG_(am_is_valid_for_client)(a[1], sizeof *message, VKI_PROT_READ))
            return False;
        *parts = (struct parts){message->msg_iov, message->msg_iovlen};
    } else {
        return False;
    }
    return parts->count == 0 ||
           VG_(am_is_valid_for_client)((Addr)parts->list, parts->count * sizeof *parts->list, VKI_PROT_READ);
}

static void touch_parts(ThreadId tid, const struct parts *parts, Bool write, SizeT length, Addr pc)
{
    for (SizeT i = 0; i < parts->count && length > 0; i++) {
        SizeT take = parts->list[i].iov_len < length ? parts->list[i].iov_len : length;
        touch(tid, write, (Addr)parts->list[i].iov_base, take, pc);
        length -= take;
    }
}

static void touch_polled(ThreadId tid, const struct pollfd *fds, SizeT count, Addr pc)
{
    for (SizeT i = 0; i < count; i++) {
        touch(tid, False, (Addr)&fds[i].fd, sizeof fds[i].fd, pc);
        touch(tid, False, (Addr)&fds[i].events, sizeof fds[i].events, pc);
        touch(tid, True, (Addr)&fds[i].revents, sizeof fds[i].revents, pc);
    }
}

void touch_buffers(ThreadId tid, UInt number, const UWord *a, SizeT result)
{
    Addr pc = modules_direct_caller(tid);
    struct parts parts;

    if (!pc)
        return;
    switch (number) {
    case __NR_recvfrom: /* with MSG_TRUNC it tells how long the message was */
        touch(tid, True, a[1], result < a[2] ? result : a[2], pc);
        break;
    case __NR_read:
    case __NR_pread64:
        touch(tid, True, a[1], result, pc);
        break;
    case __NR_write:
    case __NR_sendto:
    case __NR_pwrite64:
        touch(tid, False, a[1], result, pc);
        break;
    case __NR_readv:
    case __NR_preadv2:
    case __NR_recvmsg:
        if (parts_of(number, a, &parts))
            touch_parts(tid, &parts, True, result, pc);
        break;
    case __NR_writev:
    case __NR_pwritev2:
    case __NR_sendmsg:
        if (parts_of(number, a, &parts))
            touch_parts(tid, &parts, False, result, pc);
        break;
    case __NR_pipe:
    case __NR_pipe2:
        touch(tid, True, a[0], 2 * sizeof(Int), pc);
        break;
    case __NR_socketpair:
        touch(tid, True, a[3], 2 * sizeof(Int), pc);
        break;
    case __NR_poll:
    case __NR_ppoll:
        touch_polled(tid, (const struct pollfd *)a[0], a[1], pc);
        break;
    default:
        break;
    }
}
