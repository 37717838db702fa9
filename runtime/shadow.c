/* Marks of shared granules: making room, ranges, renewal. */
#include "shadow.h"
#include "system.h"

#include <sys/mman.h>

/* Marks of blocks beyond this size are left as they are: going over them costs more than it saves. */
enum { LARGE = 1 << 20 };

bool shadow_open(int fd)
{
    long at = system_call(SYS_mmap, (long)SHADOW_BASE, (long)SHADOW_BYTES, PROT_READ | PROT_WRITE,
                          MAP_SHARED | MAP_NORESERVE | MAP_FIXED_NOREPLACE, fd, 0);

    system_call(SYS_close, fd, 0, 0, 0, 0, 0);
    return at == (long)SHADOW_BASE;
}

void shadow_renew(uint64_t address, size_t length)
{
    for (uint64_t at = address & ~UINT64_C(7); length <= LARGE && at < address + length; at += 8) {
        uint16_t *mark = shadow_of(at);
        if (*mark && (*mark & SHADOW_KEPT) != SHADOW_KEPT)
            *mark = 0;
    }
}

bool shadow_any(uint64_t address, size_t length)
{
    if (length > LARGE)
        return true;
    for (uint64_t at = address & ~UINT64_C(7); at < address + length; at += 8)
        if ((*shadow_of(at) & SHADOW_KEPT) == SHADOW_KEPT)
            return true;
    return false;
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
    if (!(now & SHADOW_OWNER))
        now |= hot.mark < SHADOW_OWNER ? (uint16_t)hot.mark : SHADOW_OWNER;
    else if ((now & SHADOW_OWNER) != hot.mark)
        now |= SHADOW_SHARED;
    return now;
}

bool shadow_change(uint16_t *mark, bool write)
{
    uint16_t then = __atomic_load_n(mark, __ATOMIC_RELAXED), now;

    do {
        if ((then & SHADOW_KEPT) == SHADOW_KEPT)
            return rt.mode == SESSION_FILTER;
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

void shadow_try(uint64_t address, size_t length, bool write)
{
    shadow_wants_range(address, length, write);
    rt.plain++;
    rt.private_ += (*shadow_of(address) & SHADOW_KEPT) != SHADOW_KEPT;
}

void shadow_keep(uint64_t address)
{
    if (rt.mode == SESSION_MARK || rt.trial)
        __atomic_fetch_or(shadow_of(address), SHADOW_KEPT, __ATOMIC_RELAXED);
}
