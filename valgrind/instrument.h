/* The program's code, with a call to the log for each access. */
/* This file is part of the Valgrind tool of Heddle, a program of its own.
 * Copyright (C) 2026 The Heddle authors. Free software under the GNU General Public License, version 2 or (at
 * your option) any later version; without any warranty. See COPYING. */
#pragma once
#include "pub_tool_basics.h"
#include "pub_tool_tooliface.h"

IRSB *instrument(VgCallbackClosure *closure, IRSB *in, const VexGuestLayout *layout,
                 const VexGuestExtents *extents, const VexArchInfo *machine, IRType guest_word,
                 IRType host_word);
