/* heddle doctor PROGRAM: can it be recorded, and which of its libraries will not be seen? */
#include "cli/doctor.h"
#include "record/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* The program's loader, asked to list the libraries instead of running it; NULL when that does not work. */
static FILE *ask_loader(const char *program, pid_t *pid)
{
    int ends[2];

    if (pipe(ends) != 0)
        return NULL;
    *pid = fork();
    if (*pid == 0) {
        dup2(ends[1], STDOUT_FILENO);
        close(ends[0]);
        close(ends[1]);
        setenv("LD_TRACE_LOADED_OBJECTS", "1", 1);
        execl(program, program, (char *)NULL);
        _exit(127);
    }
    close(ends[1]);
    if (*pid < 0) {
        close(ends[0]);
        return NULL;
    }
    return fdopen(ends[0], "re");
}

/* "	libz.so.1 => /lib/libz.so.1 (0x…)" → the path; NULL when the line has none. */
static char *library_path(char *line)
{
    char *path = strstr(line, "=> "), *end;

    path = path ? path + 3 : NULL;
    end = path ? strstr(path, " (0x") : NULL;
    if (!end || *path != '/')
        return NULL;
    *end = '\0';
    return path;
}

static void look_at_libraries(const char *program)
{
    pid_t pid = -1;
    FILE *list = ask_loader(program, &pid);
    char line[4096], *path;

    while (list && fgets(line, sizeof line, list)) {
        if (!(path = library_path(line)) || library_is_usual(path))
            continue;
        if (program_look(path).hooks)
            doctor_say(GOOD, "library", path, "");
        else
            doctor_say(ADVICE, "library", path,
                       "not instrumented: its accesses are not recorded; build it with heddle cc");
    }
    if (list)
        fclose(list);
    if (pid > 0)
        waitpid(pid, NULL, 0);
}

void doctor_program(const char *name, int *missing)
{
    char path[4096];
    struct program p;

    if (!program_find(name, path, sizeof path)) {
        doctor_say(MISSING, "program", name, "there is no such program");
        ++*missing;
        return;
    }
    p = program_look(path);
    if (p.own_runtime) {
        doctor_say(MISSING, "program", path, PROGRAM_OWN_RUNTIME);
    } else if (p.hooks) {
        doctor_say(GOOD, "program", path, "");
        look_at_libraries(path);
        return;
    } else if (p.is_static) {
        doctor_say(MISSING, "program", path, "linked statically: link it dynamically, with heddle cc");
    } else if (p.is_elf) {
        doctor_say(MISSING, "program", path,
                   "not instrumented: build it with heddle cc or gcc -fsanitize=thread");
    } else {
        doctor_say(ADVICE, "program", path, "a script: the first instrumented program it starts is recorded");
        return;
    }
    ++*missing;
}
