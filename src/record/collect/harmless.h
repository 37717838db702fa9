/* Runs that leave nothing behind: a program is confined to what can be done twice without harm.
 *
 * A system call that others could notice, or that takes what cannot be had again, ends the confined program before it
 * is done: creating, changing and removing files, connections, child processes, signals to others, and what comes from a
 * terminal, a pipe or an inherited descriptor. Reading files, threads, memory, pipes and timers of its own, and output to
 * the null device are permitted. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

enum { HARMLESS_GUARDED = 8 };

struct harmless {
    char path[4096];               /* the program's file */
    int guarded[HARMLESS_GUARDED]; /* descriptors that must not be used */
    size_t guarded_count;
};

/* Whether the program can be confined here and now: it is instrumented, none of its arguments is a pipe, a socket or a
 * device, and the system has filters for system calls. */
bool harmless_plan(struct harmless *plan, char *const *program);

/* Whether standard input is guarded: a confined run that came to its end has not read it. */
bool harmless_guards_input(const struct harmless *plan);

/* In a child: becomes the program, confined. Returns only on failure. */
void harmless_exec(const struct harmless *plan, char *const *program);

/* Whether a confined run ended because of what it was about to do. `status` is as waitpid gives it. */
bool harmless_refused(int status);
