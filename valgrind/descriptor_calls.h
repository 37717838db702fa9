/* System calls: what the files that look at them share. */
/* This file is part of the Valgrind tool of Heddle, a program of its own.
 * Copyright (C) 2026 The Heddle authors. Free software under the GNU General Public License, version 2 or (at
 * your option) any later version; without any warranty. See COPYING. */
#pragma once
#include "tool.h"

#include <sys/uio.h>

/* The parts of memory that a call moves bytes to or from. */
struct parts {
    const struct iovec *list;
    SizeT count;
};

/* buffers.c. False: the call has no list of parts, or one that cannot be read. */
Bool parts_of(UInt number, const UWord *arguments, struct parts *parts);

/* descriptor_calls.c: from here on it is this thread that the channels hear of; what threads that are still in a call may have
 * written counts as written. */
void channels_act(struct guest *guest);
void descriptors_flush(void);

/* signal_calls.c: before and after a system call. */
void signals_before(ThreadId tid, UInt number, const UWord *arguments);
void signals_after(ThreadId tid, UInt number, const UWord *arguments, UWord result);

/* file_calls.c: the same, whether it begins or ends; a variable of the environment is looked at or changed, NULL: all of
 * them are. */
void files_noted(ThreadId tid, UInt number, const UWord *arguments, Bool begins);
void variables_noted(const char *name, Bool changed, Addr pc);

/* buffers.c: what the call read and wrote is accesses of the caller, when the program itself made it. */
void touch_buffers(ThreadId tid, UInt number, const UWord *arguments, SizeT result);
