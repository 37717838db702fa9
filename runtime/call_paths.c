/* Call paths, from the chain of frame pointers that `heddle cc` makes functions keep.
 *
 * The chain is followed through instrumented code only, and within the thread's own stack. Code without
 * frame pointers can lead it astray: the recorder checks every call against the unwind tables and cuts a
 * path there.
 *
 * A path is its innermost call and the number of the rest. Each path is logged once, in a record of its own. */
#include "runtime/call_paths.h"
#include "runtime/access.h"
#include "runtime/system.h"

#include <sys/mman.h>

enum {
    OWN_MOST = 24,         /* frames of the runtime between an event and the program */
    PATHS_BITS = 21,       /* of the table */
    PATHS_MOST = 1 << 20,  /* when it is half full nothing is added */
    MAIN_STACK = 64 << 20, /* bytes of the first thread's stack that are looked at */
};

struct known_path {
    uintptr_t back;
    uint32_t rest, number;
};

static struct known_path *paths;
static uint32_t path_count;

extern void *__libc_stack_end;

/* Learns which part of the address space is the thread's stack. False when the thread is on another one, of which nothing is
 * known. */
static bool know_stack(struct call_path *path, uintptr_t now)
{
    const struct thread *self = local.self;
    uintptr_t high = self->frame ? (uintptr_t)self->frame : self->id == 0 ? (uintptr_t)__libc_stack_end : 0;
    uintptr_t most = self->frame ? self->stack_size : MAIN_STACK;

    path->low = high > most ? high - most : 0;
    path->high = high > sizeof(struct call_link) ? high - sizeof(struct call_link) : 0;
    INVARIANT(path->low <= path->high || path->high == 0);
    return now >= path->low && now <= path->high;
}

static struct known_path *slot_of(uintptr_t back, uint32_t rest)
{
    INVARIANT(path_count <= PATHS_MOST); /* half of the slots are free, so a search ends */
    uint64_t hash = (back ^ (uint64_t)rest << 32 ^ rest) * UINT64_C(0x9e3779b97f4a7c15);
    uint32_t at = (uint32_t)(hash >> (64 - PATHS_BITS)), mask = (1u << PATHS_BITS) - 1;

    while (paths[at].number && (paths[at].back != back || paths[at].rest != rest))
        at = (at + 1) & mask;
    return &paths[at];
}

/* The number of a path; 0 when there are too many. */
static uint32_t number_of(uintptr_t back, uint32_t rest)
{
    struct known_path *path = slot_of(back, rest);

    if (path->number == 0) {
        if (path_count == PATHS_MOST)
            return 0;
        *path = (struct known_path){back, rest, ++path_count};
        append_bare(record_word(path->number, RECORD_CALL, 0), back & RECORD_ADDRESS, rest);
    }
    return path->number;
}

static bool make_table(void)
{
    if (!paths) {
        long made = system_call(SYS_mmap, 0, sizeof *paths << PATHS_BITS, PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (made < 0 && made > -4096)
            return false;
        paths = (struct known_path *)made; // NOLINT(performance-no-int-to-ptr)
    }
    return true;
}

/* Notes the calls around the frame that `inner` is called from. */
static void follow(struct call_path *now, const struct call_link *inner)
{
    const struct call_link *at = inner->outer;

    now->count = 0;
    while (now->count < CALLS_MOST && call_link_holds(now, at, inner) && module_instrumented(at->back)) {
        now->back[now->count++] = at->back;
        inner = at;
        at = at->outer;
    }
    INVARIANT(now->count <= CALLS_MOST);
    now->end = call_link_holds(now, at, inner) ? at : NULL;
    now->end_back = now->end ? at->back : 0;
}

static void tell(struct call_path *now)
{
    uint32_t number = 0;

    for (unsigned i = make_table() ? now->count : 0; i-- > 0;) {
        number = number_of(now->back[i], number);
        if (number == 0)
            break;
    }
    INVARIANT(number <= path_count);
    if (number != now->told)
        append_bare(record_word(0, RECORD_STACK, 0), 0, number);
    now->told = number;
}

/* The link of the runtime's own function that returns to `pc`; NULL: there is none. */
static const struct call_link *link_to(const struct call_path *path, uintptr_t pc, const struct call_link *at)
{
    for (unsigned i = 0; i < OWN_MOST && at->back != pc; i++) {
        if (!call_link_holds(path, at->outer, at))
            return NULL;
        at = at->outer;
    }
    return at->back == pc ? at : NULL;
}

void call_paths_changed(struct call_path *now, uintptr_t pc, const struct call_link *at)
{
    at = know_stack(now, (uintptr_t)at) ? link_to(now, pc, at) : NULL;
    if (at && call_path_is_same(now, at))
        return;
    if (at)
        follow(now, at);
    else
        now->count = 0, now->end = NULL;
    tell(now);
}

void call_paths_tell_from(uintptr_t frame)
{
    const struct call_link from = {.outer =
                                       (const struct call_link *)frame}; // NOLINT(performance-no-int-to-ptr)

    if (!local.self)
        return;
    if (know_stack(&local.self->path, (uintptr_t)&from))
        follow(&local.self->path, &from);
    else
        local.self->path.count = 0;
    tell(&local.self->path);
}
