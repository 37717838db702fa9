/* Call stacks: the calls under way in each thread, and their paths.
 *
 * Every call of the program's own code is noted, with the place on the stack that it leaves its return address
 * in: it is over when the stack pointer is above that, however it ended (a return, a jump, an exception). What
 * the system's libraries call is not noted; what they call back is called by whoever called them. On a stack
 * that the program has made for itself (another one for signals, coroutines) nothing is known.
 *
 * A path is a call and the path around it, reported to the recorder once. A call from a place that the path has
 * already leads back to there: recursion of whatever depth makes few paths. */
/* This file is part of the Valgrind tool of Heddle, a program of its own.
 * Copyright (C) 2026 The Heddle authors. Free software under the GNU General Public License, version 2 or (at
 * your option) any later version; without any warranty. See COPYING. */
#include "tool.h"

#include "pub_tool_machine.h"
#include "pub_tool_mallocfree.h"

enum {
    PATHS_MOST = 1 << 20, /* what is called in yet other ways has no path */
    STEPS_MOST = 1 << 22, /* kept in mind; others are found anew */
    SLOTS_FIRST = 1 << 12,
    RED_ZONE = 128, /* below the stack pointer, a function's own */
};

#define PATH_UNKNOWN 0xffffffffu

struct path {
    Addr back;
    UInt rest;
};

/* What is known of a call in a path. */
struct stack_step {
    Addr back; /* 0: free */
    UInt rest;
    UInt path;
};

static struct path *paths; /* of number n at n - 1 */
static UInt paths_count, paths_capacity;
static struct stack_step *steps; /* open addressing; a power of two of them */
static UInt steps_count, slots_count;

static struct stack_step *slot_for(struct stack_step *table, UInt slots, UInt rest, Addr back)
{
    ULong hash = (back ^ (ULong)rest << 40 ^ rest) * 0x9e3779b97f4a7c15ULL;
    UInt slot = (UInt)(hash >> 32) & (slots - 1);

    while (table[slot].back && (table[slot].back != back || table[slot].rest != rest))
        slot = (slot + 1) & (slots - 1);
    return &table[slot];
}

static void grow_steps(void)
{
    UInt more = slots_count ? 2 * slots_count : SLOTS_FIRST;
    struct stack_step *table = VG_(calloc)("heddle.steps", more, sizeof *table);

    for (UInt i = 0; i < slots_count; i++)
        if (steps[i].back)
            *slot_for(table, more, steps[i].rest, steps[i].back) = steps[i];
    if (steps)
        VG_(free)(steps);
    steps = table;
    slots_count = more;
}

static UInt new_path(UInt rest, Addr back)
{
    if (paths_count == PATHS_MOST)
        return 0;
    if (paths_count == paths_capacity) {
        paths_capacity = paths_capacity ? 2 * paths_capacity : 256;
        paths = VG_(realloc)("heddle.paths", paths, paths_capacity * sizeof *paths);
    }
    paths[paths_count++] = (struct path){back, rest};
    log_path(paths_count, back, rest);
    return paths_count;
}

/* The part of the path that ends with a call from there, 0: there is none. */
static UInt part_from(UInt path, Addr back)
{
    while (path && paths[path - 1].back != back)
        path = paths[path - 1].rest;
    return path;
}

static UInt step_to(UInt rest, Addr back)
{
    struct stack_step *step;

    if (2 * steps_count >= slots_count)
        grow_steps();
    step = slot_for(steps, slots_count, rest, back);
    if (!step->back) {
        UInt part = part_from(rest, back), path = part ? part : new_path(rest, back);
        if (steps_count == STEPS_MOST)
            return path;
        *step = (struct stack_step){back, rest, path};
        steps_count++;
    }
    return step->path;
}

/* The path of the first `count` calls. */
static UInt path_of(struct calls *c, UInt count)
{
    UInt known = count, path;

    while (known > 0 && c->at[known - 1].path == PATH_UNKNOWN)
        known--;
    path = known ? c->at[known - 1].path : 0;
    for (; known < count; known++)
        path = c->at[known].path = step_to(path, c->at[known].back);
    return path;
}

void stacks_begin(struct guest *g, ThreadId tid)
{
    Addr top = VG_(thread_get_stack_max)(tid) + 1;
    SizeT size = VG_(thread_get_stack_size)(tid);

    g->calls.size = size == 0 || size > top ? 8 << 20 : size;
    g->calls.low = tool.low = top - g->calls.size;
    g->calls.lowest = tool.lowest = top;
}

void stacks_end(struct guest *g)
{
    if (g->calls.at)
        VG_(free)(g->calls.at);
    g->calls = (struct calls){0};
}

/* False: it is on an unknown stack. */
static inline Bool forget_below(struct calls *c, Addr slot)
{
    if (slot - c->low >= c->size)
        return False;
    while (c->count > 0 && c->at[c->count - 1].slot <= slot)
        c->count--;
    return True;
}

static inline void note_call(struct calls *c, Addr slot, Addr back)
{
    if (c->count == c->capacity) {
        c->capacity = c->capacity ? 2 * c->capacity : 64;
        c->at = VG_(realloc)("heddle.calls", c->at, c->capacity * sizeof *c->at);
    }
    c->at[c->count++] = (struct noted_call){slot, back, PATH_UNKNOWN, 0};
}

void grind_stacks_call(HWord slot, HWord back)
{
    struct calls *c = &tool.guest->calls;

    tool.current = 0;
    if (!forget_below(c, slot))
        return;
    if (c->count > 0 && tool.lowest < c->at[c->count - 1].slot)
        frames_called(tool.guest, slot, back);
    note_call(c, slot, back);
}

/* Drops calls that are over; False: the thread is on an unknown stack. */
static Bool forget_ended(struct guest *g)
{
    struct calls *c = &g->calls;
    Addr pointer = VG_(get_SP)(g->number);

    if (pointer - c->low >= c->size)
        return False;
    while (c->count > 0 && c->at[c->count - 1].slot < pointer)
        c->count--;
    return True;
}

UInt stacks_path(struct guest *g)
{
    return forget_ended(g) ? path_of(&g->calls, g->calls.count) : 0;
}

UInt stacks_path_noted(struct guest *g)
{
    return path_of(&g->calls, g->calls.count);
}

UInt stacks_path_around(struct guest *g, Addr back)
{
    struct calls *c = &g->calls;
    UInt i;

    if (!forget_ended(g))
        return 0;
    for (i = c->count; i > 0; i--)
        if (c->at[i - 1].back == back)
            return path_of(c, i - 1);
    return path_of(c, c->count);
}

void stacks_interrupt(struct guest *g)
{
    Addr place = VG_(get_IP)(g->number);

    if (!modules_is_system(place) && forget_ended(g) &&
        forget_below(&g->calls, VG_(get_SP)(g->number) - RED_ZONE))
        note_call(&g->calls, VG_(get_SP)(g->number) - RED_ZONE, place + 1);
    tool.current = 0;
}
