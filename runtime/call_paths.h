/* Paths of calls: where the calls under way in a thread will go on, for the stacks of its events. */
#pragma once
#include "runtime/runtime.h"

/* The chain leads outwards, and not beyond the stack. */
static inline __attribute__((always_inline)) bool call_link_holds(const struct call_path *path,
                                                                  const struct call_link *at,
                                                                  const struct call_link *inner)
{
    return at > inner && (uintptr_t)at <= path->high && (uintptr_t)at % sizeof(uintptr_t) == 0;
}

/* Whether the calls around the runtime's function at `inner` are those of the thread's last event: the same links, up to the one
 * that ended them, or to where there was none: code that keeps no frame pointer had another use for it. */
static inline __attribute__((always_inline)) bool call_path_is_same(const struct call_path *last,
                                                                    const struct call_link *inner)
{
    const struct call_link *at = inner->outer;

    for (unsigned i = 0; i < last->count; i++, inner = at, at = at->outer)
        if (!call_link_holds(last, at, inner) || at->back != last->back[i])
            return false;
    if (!last->end)
        return !call_link_holds(last, at, inner);
    return at == last->end && call_link_holds(last, at, inner) && at->back == last->end_back;
}

/* They are others, or `at` is not the function that the program called. */
void call_paths_changed(struct call_path *path, uintptr_t pc, const struct call_link *at);

/* Tells the log which calls are under way, if that has changed, for an event of the calling thread, which has the turn.
 * `pc`: where the code of the program goes on after the event; `at`: the frame of the runtime's function. */
static inline __attribute__((always_inline)) void call_paths_tell(uintptr_t pc, const struct call_link *at)
{
    struct call_path *path = local.self ? &local.self->path : NULL;

    if (path && !((uintptr_t)at >= path->low && (uintptr_t)at < path->high && at->back == pc &&
                  call_path_is_same(path, at)))
        call_paths_changed(path, pc, at);
}

/* The same for an event that a library called for: `frame` is the frame pointer of the function that called the library. */
void call_paths_tell_from(uintptr_t frame);
