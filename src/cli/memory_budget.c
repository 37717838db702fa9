/* Keeps a check within its memory: a thread looks at what the process uses. */
#include "cli/memory_budget.h"
#include "cli/command.h"
#include "trace/htr.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    LOOK_NANOSECONDS = 20000000,
    SECOND_NANOSECONDS = 1000000000,
    EVENT_BYTES = 24,    /* of the model, for each event, at the least */
    VARIABLE_BYTES = 24, /* and for each variable */
};

/* Of the trace and the model, for each event: at the least; with many locks, and room for what is found. */
struct event_bytes {
    uint64_t least, most;
};

static const struct event_bytes plain_bytes = {32, 100}, grounds_bytes = {80, 300};

static struct {
    uint64_t bytes;
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t ended; /* `ends` is set */
    bool begun, ends;
    atomic_bool over;
    _Atomic uint64_t fits; /* so many of the trace's events will do; 0: it cannot be told */
    stop_flag *_Atomic stop;
} watch;

/* The number after "NAME:" in a file of such lines, in kilobytes there; 0: none. */
static uint64_t kilobytes_of(const char *path, const char *name)
{
    char line[256];
    uint64_t found = 0;
    FILE *in = fopen(path, "r");

    while (in && !found && fgets(line, sizeof line, in))
        if (strncmp(line, name, strlen(name)) == 0)
            found = strtoull(line + strlen(name), NULL, 10) * 1024;
    if (in)
        fclose(in);
    return found;
}

static uint64_t used(void)
{
    return kilobytes_of("/proc/self/status", "VmRSS:");
}

bool memory_budget_parse(const char *text, uint64_t *bytes)
{
    static const char units[] = "KMGT";
    const char *unit;
    char *end;

    if (!text) {
        uint64_t free_now = kilobytes_of("/proc/meminfo", "MemAvailable:");
        *bytes = free_now ? free_now / 4 * 3 : UINT64_MAX;
        return true;
    }
    errno = 0;
    *bytes = strtoull(text, &end, 10);
    unit = *end ? strchr(units, *end) : NULL;
    if (*text < '0' || *text > '9' || errno || (*end && (!unit || end[1])) || *bytes == 0)
        return false;
    for (ptrdiff_t i = unit ? unit - units + 1 : 0; i > 0; i--)
        if (__builtin_mul_overflow(*bytes, 1024, bytes))
            return false;
    return true;
}

static void tell_window(void)
{
    if (watch.fits > 0)
        fprintf(stderr,
                "heddle: note: --window=%" PRIu64 " checks the first %" PRIu64 " events in that memory\n",
                watch.fits, watch.fits);
}

/* Waits until it is time to look again; false if the check has ended by then. */
static bool look_again(void)
{
    struct timespec next;
    int waited = 0;

    clock_gettime(CLOCK_MONOTONIC, &next);
    next.tv_nsec += LOOK_NANOSECONDS;
    next.tv_sec += next.tv_nsec / SECOND_NANOSECONDS;
    next.tv_nsec %= SECOND_NANOSECONDS;
    pthread_mutex_lock(&watch.mutex);
    while (!watch.ends && waited == 0)
        waited = pthread_cond_timedwait(&watch.ended, &watch.mutex, &next);
    bool ends = watch.ends;
    pthread_mutex_unlock(&watch.mutex);
    return !ends;
}

static void *look(void *unused)
{
    do {
        stop_flag *stop = watch.stop;
        uint64_t now = used();
        if (now <= watch.bytes)
            continue;
        watch.over = true;
        if (!stop) {
            complain("the trace alone needs more than the %" PRIu64
                     " MB of memory that --memory allows; nothing is decided. Record with --two-pass, or a "
                     "shorter run",
                     watch.bytes >> 20);
            tell_window();
            _exit(EXIT_INCOMPLETE);
        }
        *stop = true;
    } while (!watch.over && look_again());
    return unused;
}

void memory_budget_begin(uint64_t bytes)
{
    pthread_condattr_t monotonic;

    watch.bytes = bytes;
    watch.over = watch.ends = false;
    watch.fits = 0;
    watch.stop = NULL;
    pthread_mutex_init(&watch.mutex, NULL);
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&watch.ended, &monotonic);
    pthread_condattr_destroy(&monotonic);
    watch.begun = pthread_create(&watch.thread, NULL, look, NULL) == 0;
}

void memory_budget_foresee(const char *path, uint64_t window)
{
    uint64_t events = htr_count(path), wanted = window > 0 && window < events ? window : events;
    struct event_bytes each = htr_has_grounds(path) ? grounds_bytes : plain_bytes;
    uint64_t fits = watch.bytes / each.most / HTR_BLOCK_EVENTS * HTR_BLOCK_EVENTS;

    watch.fits = fits < wanted ? fits : 0;
    if (wanted <= watch.bytes / each.least)
        return;
    complain("%s has %" PRIu64 " events; checking %" PRIu64 " of them needs at least %" PRIu64
             " MB of memory with any --property, and up to %" PRIu64
             " MB where there are many locks; --memory allows %" PRIu64 " MB; nothing is decided",
             path, events, wanted, wanted / 1024 * each.least / 1024, wanted / 1024 * each.most / 1024,
             watch.bytes >> 20);
    tell_window();
    exit(EXIT_INCOMPLETE);
}

void memory_budget_require(const struct trace *trace)
{
    uint64_t needs =
        used() + trace->count * EVENT_BYTES + trace_names(trace, NAME_VARIABLE) * (uint64_t)VARIABLE_BYTES;

    if (needs <= watch.bytes)
        return;
    complain("checking %zu events of %zu variables needs at least %" PRIu64
             " MB of memory, and --memory allows %" PRIu64
             " MB; nothing is decided. Record with --two-pass, or a shorter run",
             trace->count, trace_names(trace, NAME_VARIABLE), needs >> 20, watch.bytes >> 20);
    tell_window();
    exit(EXIT_INCOMPLETE);
}

void memory_budget_check(stop_flag *stop)
{
    watch.stop = stop;
}

bool memory_budget_end(void)
{
    if (!watch.begun)
        return watch.over;
    pthread_mutex_lock(&watch.mutex);
    watch.ends = true;
    pthread_cond_signal(&watch.ended);
    pthread_mutex_unlock(&watch.mutex);
    pthread_join(watch.thread, NULL);
    pthread_cond_destroy(&watch.ended);
    pthread_mutex_destroy(&watch.mutex);
    watch.begun = false;
    return watch.over;
}
