/* Decides when to end a slice that does not end by itself. */
#include "record/collect/pace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WORK_MILLISECONDS = 1000, FIELDS_TO_TIME = 11 /* from the state to the first of the two times */ };

/* A file of the system, cut to the room there is; "" when it cannot be read. */
static void read_text(const char *path, char *text, size_t room)
{
    FILE *file = fopen(path, "re");

    text[file ? fread(text, 1, room - 1, file) : 0] = '\0';
    if (file)
        fclose(file);
}

/* Whether the thread runs or is runnable, and its processor time; false if unknown. */
static bool look(pid_t process, pid_t thread, bool *works, uint64_t *milliseconds)
{
    char path[64], text[1024], *at;
    long ticks = sysconf(_SC_CLK_TCK);
    unsigned long long in_program, in_system;

    snprintf(path, sizeof path, "/proc/%d/task/%d/stat", (int)process, (int)thread);
    read_text(path, text, sizeof text);
    at = strrchr(text, ')'); /* its name may hold anything */
    if (!at || at[1] != ' ')
        return false;
    at += 2;
    *works = *at == 'R';
    for (int i = 0; i < FIELDS_TO_TIME && at; i++) {
        at = strchr(at, ' ');
        at += at != NULL;
    }
    if (!at)
        return false;
    in_program = strtoull(at, &at, 10);
    in_system = strtoull(at, &at, 10);
    *milliseconds = (in_program + in_system) * 1000 / (ticks > 0 ? (unsigned long)ticks : 100);
    return true;
}

void pace_begin(struct pace *p)
{
    p->began = false;
}

bool pace_over(struct pace *p, pid_t process, pid_t thread, bool lost)
{
    uint64_t now;
    bool works;

    if (lost || !look(process, thread, &works, &now) || !works)
        return true;
    if (!p->began) {
        p->began = true;
        p->at_first = now;
    }
    return now - p->at_first >= WORK_MILLISECONDS;
}

bool pace_heard(pid_t process, int signal)
{
    char path[64], text[4096];
    const char *caught;

    snprintf(path, sizeof path, "/proc/%d/status", (int)process);
    read_text(path, text, sizeof text);
    caught = strstr(text, "\nSigCgt:");
    return caught && strtoull(caught + strlen("\nSigCgt:"), NULL, 16) >> (signal - 1) & 1;
}
