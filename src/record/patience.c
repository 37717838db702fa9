/* When the time of a program that runs is up. */
#include "record/patience.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { LOOK_MILLISECONDS = 200, PATIENCE = 30 };

unsigned patience_longest(unsigned limit)
{
    return limit < UINT_MAX / PATIENCE ? limit * PATIENCE : UINT_MAX;
}

void patience_begin(struct patience *p, unsigned limit, unsigned longest, uint64_t now)
{
    *p = (struct patience){.limit = limit * UINT64_C(1000),
                           .longest = (longest > limit ? longest : limit) * UINT64_C(1000),
                           .start = now,
                           .looked = now};
}

/* The processor time of all threads that the process has and had, in milliseconds; 0: unknown. */
static uint64_t processor_time(pid_t process)
{
    struct timespec time;
    clockid_t clock;

    if (clock_getcpuclockid(process, &clock) != 0 || clock_gettime(clock, &time) != 0)
        return 0;
    return (uint64_t)time.tv_sec * 1000 + (uint64_t)time.tv_nsec / 1000000;
}

/* Whether the thread is runnable or waits for a disk. */
static bool wants_to_run(pid_t process, const char *thread)
{
    char path[300], text[512];
    const char *state;
    FILE *file;

    snprintf(path, sizeof path, "/proc/%d/task/%.20s/stat", (int)process, thread);
    file = fopen(path, "re");
    if (!file)
        return false;
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    state = strrchr(text, ')'); /* its name may hold anything */
    return state && state[1] == ' ' && (state[2] == 'R' || state[2] == 'D');
}

static bool any_wants_to_run(pid_t process)
{
    char path[64];
    const struct dirent *entry;
    bool wants = false;
    DIR *threads;

    snprintf(path, sizeof path, "/proc/%d/task", (int)process);
    threads = opendir(path);
    while (threads && !wants && (entry = readdir(threads)))
        wants = *entry->d_name != '.' && wants_to_run(process, entry->d_name);
    if (threads)
        closedir(threads);
    return wants;
}

/* Leaves out what the process did not get of a processor since the last look, if it wants one now. */
static void look(struct patience *p, pid_t process, uint64_t now)
{
    uint64_t used = processor_time(process), ran = used > p->used ? used - p->used : 0,
             passed = now - p->looked;

    if (ran < passed && any_wants_to_run(process))
        p->starved += passed - ran;
    p->used = used;
    p->looked = now;
}

bool patience_over(struct patience *p, pid_t process, uint64_t now)
{
    if (p->limit == 0)
        return false;
    if (p->longest > p->limit && now - p->looked >= LOOK_MILLISECONDS)
        look(p, process, now);
    return now - p->start > p->longest || now - p->start - p->starved > p->limit;
}

bool patience_starved(const struct patience *p, uint64_t now)
{
    return now - p->start - p->starved <= p->limit;
}
