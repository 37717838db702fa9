/* Processors: the runtime uses as many as is worthwhile, and shows the program all of them. Handing over the
 * turn on one processor is fast; threads that run ahead need a processor each. The program sees the
 * processors that it would see without a recorder; the processes it starts may run anywhere. */
#include "runtime/sched/placement.h"
#include "runtime/runtime.h"
#include "runtime/sched/sched_state.h"
#include "runtime/shared/real.h"
#include "runtime/system.h"

#include <errno.h>
#include <sched.h>
#include <unistd.h>

enum { WINDOW = 1 << 19, BUSY_SWITCHES = WINDOW / 2048 };

static cpu_set_t allowed; /* as the program was started */
static bool narrowed;     /* the masks of threads are ours */
static bool spread;       /* and are as wide as the program's own */
static uint64_t window, switches;

static bool read_mask(uint32_t tid, cpu_set_t *mask)
{
    clear_bytes(mask, sizeof *mask);
    return system_call(SYS_sched_getaffinity, tid, sizeof *mask, (long)mask, 0, 0, 0) > 0;
}

static bool write_mask(uint32_t tid, const cpu_set_t *mask)
{
    return system_call(SYS_sched_setaffinity, tid, sizeof *mask, (long)mask, 0, 0, 0) == 0;
}

static bool this_processor(cpu_set_t *one)
{
    unsigned here = 0;

    if (system_call(SYS_getcpu, (long)&here, 0, 0, 0, 0, 0) != 0 || here >= CPU_SETSIZE)
        return false;
    clear_bytes(one, sizeof *one);
    CPU_SET(here, one);
    return true;
}

void placement_narrow(void)
{
    cpu_set_t one;

    if ((!narrowed && !read_mask(0, &allowed)) || spread || !this_processor(&one))
        return;
    narrowed = write_mask(0, &one) || narrowed;
}

void placement_widen(void)
{
    if (narrowed)
        write_mask(0, &allowed);
}

/* Moves all threads to their processors from now on. */
static void place_all(bool wide)
{
    cpu_set_t one;

    INVARIANT(!narrowed || CPU_COUNT(&allowed) > 0);
    spread = wide;
    if (!narrowed || (!wide && !this_processor(&one)))
        return;
    for (unsigned i = 0; i < sched.live_count; i++)
        if (sched.live[i]->tid)
            write_mask(sched.live[i]->tid, wide ? &allowed : &one);
}

void placement_count(uint64_t accesses)
{
    bool wide;

    window += accesses;
    if (window < WINDOW)
        return;
    wide = rt.mode >= SESSION_MARK && switches < BUSY_SWITCHES * (window / WINDOW);
    if (wide != spread)
        place_all(wide);
    window = switches = 0;
}

void placement_count_switch(void)
{
    switches++;
}

/* The mask of a thread of this process; one that is narrowed by us is shown as it would be. */
static int show_mask(uint32_t tid, size_t size, cpu_set_t *to)
{
    cpu_set_t mask;

    if (!read_mask(tid, &mask))
        return ESRCH;
    INVARIANT(!narrowed || CPU_COUNT(&allowed) > 0);
    if (narrowed && CPU_COUNT(&mask) == 1)
        mask = allowed;
    clear_bytes(to, size);
    copy_bytes(to, &mask, size < sizeof mask ? size : sizeof mask);
    return 0;
}

EXPORT int sched_getaffinity(pid_t pid, size_t size, cpu_set_t *mask)
{
    int error;

    if (size < sizeof(long))
        error = EINVAL;
    else
        error = show_mask((uint32_t)pid, size, mask);
    if (error)
        errno = error;
    return error ? -1 : 0;
}

EXPORT int pthread_getaffinity_np(pthread_t thread, size_t size, cpu_set_t *mask)
{
    if (!narrowed || !pthread_equal(thread, pthread_self())) {
        if (!real.pthread_getaffinity_np)
            real_find();
        int error = real.pthread_getaffinity_np(thread, size, mask);
        if (error || !narrowed || CPU_COUNT_S(size, mask) != 1)
            return error;
        clear_bytes(mask, size);
        copy_bytes(mask, &allowed, size < sizeof allowed ? size : sizeof allowed);
        return 0;
    }
    return show_mask(0, size, mask);
}

EXPORT int get_nprocs(void)
{
    if (!real.get_nprocs)
        real_find();
    return narrowed ? CPU_COUNT(&allowed) : real.get_nprocs();
}

EXPORT long sysconf(int name)
{
    if (!real.sysconf)
        real_find();
    return narrowed && name == _SC_NPROCESSORS_ONLN ? CPU_COUNT(&allowed) : real.sysconf(name);
}
