/* The progress line. */
#include "cli/progress.h"
#include "base/memory.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { FIRST_AFTER_MS = 1000, EVERY_MS = 200, MS_PER_SECOND = 1000 };

struct progress {
    const char *what;
    uint64_t total;
    uint64_t start; /* milliseconds */
    atomic_uint_fast64_t done;
    atomic_uint_fast64_t next; /* when to print again; who moves it on prints */
    atomic_bool shown;
};

static uint64_t now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    return (uint64_t)now.tv_sec * MS_PER_SECOND + (uint64_t)now.tv_nsec / 1000000;
}

struct progress *progress_start(const char *what, uint64_t total)
{
    const char *terminal = getenv("TERM");

    if (!isatty(STDERR_FILENO) || (terminal && strcmp(terminal, "dumb") == 0))
        return NULL;
    struct progress *p = memory_new(1, sizeof *p);
    p->what = what;
    p->total = total;
    p->start = now_ms();
    atomic_init(&p->next, p->start + FIRST_AFTER_MS);
    return p;
}

static void format_left(char *to, size_t room, uint64_t seconds)
{
    if (seconds >= 3600)
        snprintf(to, room, ", %llu:%02u:%02u left", (unsigned long long)(seconds / 3600),
                 (unsigned)(seconds / 60 % 60), (unsigned)(seconds % 60));
    else
        snprintf(to, room, ", %u:%02u left", (unsigned)(seconds / 60), (unsigned)(seconds % 60));
}

/* One write, so that output of other threads does not end up inside. */
static void print_line(struct progress *p, uint64_t done, uint64_t elapsed)
{
    double rate = (double)done * MS_PER_SECOND / (double)elapsed;
    const char *unit = rate >= 1e6 ? " M" : rate >= 1e3 ? " k" : " ";
    double scaled = rate >= 1e6 ? rate / 1e6 : rate >= 1e3 ? rate / 1e3 : rate;
    char left[48] = "";
    char line[160];
    int length;

    if (p->total > 0 && done < p->total && rate > 0)
        format_left(left, sizeof left, (uint64_t)((double)(p->total - done) / rate + 0.5));
    if (p->total > 0)
        length = snprintf(line, sizeof line, "\r\033[K%.40s: %llu of %llu (%d %%), %.1f%s/s%s", p->what,
                          (unsigned long long)done, (unsigned long long)p->total,
                          (int)(100.0 * (double)done / (double)p->total), scaled, unit, left);
    else
        length = snprintf(line, sizeof line, "\r\033[K%.40s: %llu, %.1f%s/s", p->what, (unsigned long long)done,
                          scaled, unit);
    if (write(STDERR_FILENO, line, (size_t)length) == length)
        atomic_store(&p->shown, true);
}

void progress_add(struct progress *p, uint64_t n)
{
    if (!p)
        return;
    uint64_t done = atomic_fetch_add_explicit(&p->done, n, memory_order_relaxed) + n;
    uint64_t now = now_ms();
    uint_fast64_t next = atomic_load_explicit(&p->next, memory_order_relaxed);
    if (now >= next && atomic_compare_exchange_strong(&p->next, &next, now + EVERY_MS))
        print_line(p, done, now - p->start);
}

void progress_end(struct progress *p)
{
    static const char erase[] = "\r\033[K";

    if (p && atomic_load(&p->shown) && write(STDERR_FILENO, erase, sizeof erase - 1) < 0)
        p->total = 0; /* a terminal that went away is no error */
    free(p);
}
