/* The tool as Valgrind knows it. */
/* This file is part of the Valgrind tool of Heddle, a program of its own.
 * Copyright (C) 2026 The Heddle authors. Free software under the GNU General Public License, version 2 or (at
 * your option) any later version; without any warranty. See COPYING. */
#include "instrument.h"
#include "requests.h"
#include "tool.h"

#include "pub_tool_clreq.h"
#include "pub_tool_libcbase.h"

struct tool tool;

static void start(void)
{
    log_open();
}

static Bool handle(ThreadId tid, UWord *arguments, UWord *result)
{
    if (!VG_IS_TOOL_USERREQ('H', 'D', arguments[0]))
        return False;
    return memory_handle(tid, arguments, result) || calls_handle(tid, arguments, result);
}

static void end(Int status)
{
    (void)status;
}

static void describe(void)
{
    VG_(details_name)("heddle");
    VG_(details_version)(NULL);
    VG_(details_description)("records what threads do");
    VG_(details_copyright_author)("Copyright (C) 2026, and GNU GPL'd, by the Heddle authors.");
    VG_(details_bug_reports_to)("the Heddle authors");
    VG_(basic_tool_funcs)(start, instrument, end);
    VG_(needs_client_requests)(handle);
    memory_track();
    threads_track();
    descriptors_track();
    signals_track();
}

VG_DETERMINE_INTERFACE_VERSION(describe)
