/* Marks of shared granules: making room, ranges, renewal. */
#include "runtime/shadow.h"
#include "runtime/grounds/decisions.h"
#include "runtime/system.h"

#include <sys/mman.h>

/* Marks of blocks beyond this size are left as they are: going over them costs more than it saves. */
enum { LARGE = 1 << 26 };

/* Marks looked at in one go. */
enum { TOGETHER = 4, BYTES_TOGETHER = 8 * TOGETHER };

static bool shadow_map_at(uint64_t address, uint64_t length, int fd, uint64_t offset)
{
    return system_call(SYS_mmap, (long)address, (long)length, PROT_READ | PROT_WRITE,
                       MAP_SHARED | MAP_NORESERVE | MAP_FIXED_NOREPLACE, fd, (long)offset) == (long)address;
}

bool shadow_open(int fd)
{
    bool done = shadow_map_at(SHADOW_BASE, SHADOW_BYTES, fd, 0) &&
                shadow_map_at(SHADOW_NOTES, SHADOW_BLOCKS, fd, SHADOW_BYTES);

    system_call(SYS_close, fd, 0, 0, 0, 0, 0);
    return done;
}

/* Whether four granules from here on are within the block and were never touched. */
static bool untouched(uint64_t at, uint64_t end)
{
    INVARIANT(at % 8 == 0);
    return at % BYTES_TOGETHER == 0 && at + BYTES_TOGETHER <= end && *(const uint64_t *)shadow_of(at) == 0;
}

static uint16_t renewed(uint16_t mark, bool private_)
{
    uint16_t then = mark & (SHADOW_OWNER | SHADOW_TOUCHED) ? SHADOW_TOUCHED : 0;

    if (mark & SHADOW_ONCE || (mark & SHADOW_KEPT) == SHADOW_KEPT)
        then |= rt.mode == SESSION_FILTER && !private_ ? SHADOW_ONCE | SHADOW_KEPT : SHADOW_ONCE;
    return then;
}

void shadow_renew(uint64_t address, size_t length, bool private_)
{
    uint64_t end = address + length;

    for (uint64_t at = address & ~UINT64_C(7); length <= LARGE && at < end;) {
        uint16_t *mark = shadow_of(at), then;
        if (untouched(at, end)) {
            at += BYTES_TOGETHER;
            continue;
        }
        then = renewed(*mark, private_);
        if (*mark != then)
            *mark = then;
        at += 8;
    }
}

/* Whether any granule is kept, or, if `once`, was kept at some time. */
static bool any_kept(uint64_t address, size_t length, bool once)
{
    uint64_t end = address + length;

    if (length > LARGE)
        return true;
    for (uint64_t at = address & ~UINT64_C(7); at < end; at += untouched(at, end) ? BYTES_TOGETHER : 8)
        if ((*shadow_of(at) & SHADOW_KEPT) == SHADOW_KEPT || (once && *shadow_of(at) & SHADOW_ONCE))
            return true;
    return false;
}

bool shadow_any(uint64_t address, size_t length)
{
    return any_kept(address, length, false);
}

bool shadow_any_once(uint64_t address, size_t length)
{
    return any_kept(address, length, true);
}

static void stray(void)
{
    session_add(&rt.session->strays, 1);
}

/* A mark after one more access by the calling thread. */
static uint16_t touched(uint16_t now, bool write)
{
    if (write)
        now |= SHADOW_WRITTEN;
    if (!(now & SHADOW_OWNER)) { /* labels of what was there before are still known */
        now &= (uint16_t)~SHADOW_LABELLED;
        now |= ground_state.tainted ? SHADOW_LABELLED : 0;
        now |= hot.mark < SHADOW_OWNER ? (uint16_t)hot.mark : SHADOW_OWNER;
    } else if ((now & SHADOW_OWNER) != hot.mark)
        now |= SHADOW_SHARED;
    return now;
}

bool shadow_change(uint16_t *mark, bool write)
{
    uint16_t then = __atomic_load_n(mark, __ATOMIC_RELAXED), now;

    do {
        if ((then & SHADOW_KEPT) == SHADOW_KEPT) {
            if (!(then & (SHADOW_TOUCHED | SHADOW_OWNER)))
                __atomic_fetch_or(mark, SHADOW_TOUCHED, __ATOMIC_RELAXED);
            return rt.mode == SESSION_FILTER;
        }
        now = touched(then, write);
        if (now == then)
            return false;
    } while (!__atomic_compare_exchange_n(mark, &then, now, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    if ((now & SHADOW_KEPT) == SHADOW_KEPT && rt.mode == SESSION_FILTER)
        stray(); /* only this pass found it to be shared */
    return false;
}

bool shadow_wants_range(uint64_t address, size_t length, bool write)
{
    bool wants = false;

    for (uint64_t at = address & ~UINT64_C(7); at < address + length; at += 8)
        wants |= shadow_wants_granule(at, write);
    return wants;
}

bool shadow_wants_touched(uint64_t address, size_t length)
{
    uint64_t end = address + (length < LARGE ? length : LARGE);
    unsigned left = SESSION_FREED;
    bool wants = false;

    for (uint64_t at = address & ~UINT64_C(7); at < end && left > 0;) {
        if (untouched(at, end)) {
            at += BYTES_TOGETHER;
            continue;
        }
        if (*shadow_of(at) & (SHADOW_OWNER | SHADOW_KEPT)) {
            wants |= shadow_wants_granule(at, true);
            left--;
        }
        at += 8;
    }
    return wants;
}

void shadow_try(uint64_t address, size_t length, bool write)
{
    shadow_wants_range(address, length, write);
    rt.plain++;
    INVARIANT(rt.private_ < rt.plain);
    rt.private_ += (*shadow_of(address) & SHADOW_KEPT) != SHADOW_KEPT;
}

void shadow_keep(uint64_t address)
{
    if (rt.mode == SESSION_MARK || rt.trial)
        __atomic_fetch_or(shadow_of(address), SHADOW_KEPT, __ATOMIC_RELAXED);
}

void shadow_keep_range(uint64_t address, size_t length)
{
    for (uint64_t at = address & ~UINT64_C(7); length <= LARGE && at < address + length; at += 8)
        shadow_keep(at);
}
