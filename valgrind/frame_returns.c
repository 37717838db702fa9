/* Where functions end: to other threads that know of their variables, that is a write to these.
 *
 * All that was recorded of a thread's stack in frames that have not ended is at `tool.lowest` or above, so most returns are a
 * comparison with that. Others look for the noted call (call_stacks.c) whose return address they take. What ends is the memory
 * between that and the lowest call that the function was seen to make itself: unwinding, once for each place of a call, found where
 * the caller's own return address is. So a function that is left by a jump or an exception, and other stacks, wherever they
 * are, end nothing: at most an end stays unseen. Nor does a function that calls none. */
/* This file is part of the Valgrind tool of Heddle, a program of its own.
 * Copyright (C) 2026 The Heddle authors. Free software under the GNU General Public License, version 2 or (at
 * your option) any later version; without any warranty. See COPYING. */
#include "tool.h"

#include "pub_tool_libcassert.h"
#include "pub_tool_stacktrace.h"

enum {
    PLACES = 1 << 16,
    LOOKS = 8, /* at a place whose frames differ in size */
    WORD = sizeof(Addr)
};

/* A place of a call, by where it goes on. */
struct call_reach {
    Addr back;
    SizeT distance; /* from its return address up to that of its caller; 0: not known */
    UInt looks;
};

static struct call_reach places[PLACES];

/* The return address of the call is on the stack already. */
static void look(struct call_reach *place, ThreadId tid, Addr slot)
{
    Addr callers[2], stacks[2];
    UInt found = VG_(get_StackTrace_with_deltas)(tid, callers, 2, stacks, NULL, 0, WORD);

    place->looks++;
    place->distance = found == 2 && stacks[1] > slot + 2 * WORD ? stacks[1] - WORD - slot : 0;
}

void frames_called(struct guest *g, Addr slot, Addr back)
{
    struct noted_call *caller = &g->calls.at[g->calls.count - 1];
    struct call_reach *place = &places[back * 0x9e3779b97f4a7c15ULL >> 48 & (PLACES - 1)];

    tl_assert(g->calls.count > 0 && caller->slot > slot);
    if (place->back != back)
        *place = (struct call_reach){.back = back};
    if (slot + place->distance != caller->slot && place->looks < LOOKS)
        look(place, g->number, slot);
    if (slot + place->distance == caller->slot && (caller->low == 0 || slot < caller->low))
        caller->low = slot;
}

void grind_frames_return(HWord pointer, HWord pc)
{
    struct guest *g = tool.guest;
    struct calls *c = &g->calls;
    Addr slot = pointer - WORD, low;

    if (pointer - c->low >= c->size)
        return;
    while (c->count > 0 && c->at[c->count - 1].slot < slot)
        c->count--;
    low = c->count > 0 && c->at[c->count - 1].slot == slot ? c->at[c->count - 1].low : 0;
    tl_assert(low < slot);
    if (low && tool.lowest < slot)
        log_frame_end(g, low + WORD, slot, pc);
    tool.lowest = pointer;
}
