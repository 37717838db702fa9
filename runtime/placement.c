/* Processors: used one, shown all. What the program is told is what it would be told without a recorder; the
 * processes it starts may run anywhere. */
#include "placement.h"
#include "real.h"
#include "runtime.h"
#include "system.h"

#include <errno.h>
#include <sched.h>
#include <unistd.h>

static cpu_set_t allowed; /* as the program was started */
static bool narrowed;

static bool read_mask(uint32_t tid, cpu_set_t *mask)
{
    clear_bytes(mask, sizeof *mask);
    return system_call(SYS_sched_getaffinity, tid, sizeof *mask, (long)mask, 0, 0, 0) > 0;
}

static bool write_mask(const cpu_set_t *mask)
{
    return system_call(SYS_sched_setaffinity, 0, sizeof *mask, (long)mask, 0, 0, 0) == 0;
}

void placement_narrow(void)
{
    unsigned here = 0;
    cpu_set_t one;

    if (!narrowed && !read_mask(0, &allowed))
        return;
    if (system_call(SYS_getcpu, (long)&here, 0, 0, 0, 0, 0) != 0 || here >= CPU_SETSIZE)
        return;
    clear_bytes(&one, sizeof one);
    CPU_SET(here, &one);
    narrowed = write_mask(&one) || narrowed;
}

void placement_widen(void)
{
    if (narrowed)
        write_mask(&allowed);
}

/* The mask of a thread of this process; one that is narrowed by us is shown as it would be. */
static int show_mask(uint32_t tid, size_t size, cpu_set_t *to)
{
    cpu_set_t mask;

    if (!read_mask(tid, &mask))
        return ESRCH;
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
