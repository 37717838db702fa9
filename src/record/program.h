/* The properties of a program or library that matter for recording. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

struct program {
    bool is_elf;      /* else: a script, or nothing to look into */
    bool hooks;       /* it calls the hooks of -fsanitize=thread in a library */
    bool threads;     /* it creates threads itself */
    bool own_runtime; /* it has a runtime for them inside, as clang links it */
    bool is_static;   /* it is linked statically */
};

/* What to do about a program with a runtime of its own. */
#define PROGRAM_OWN_RUNTIME                                                                                    \
    "it has the thread sanitizer's own runtime inside, as clang -fsanitize=thread links it: build it with "    \
    "HEDDLE_CC=clang heddle cc"

/* Looks at the file; what cannot be read is none of all that. */
struct program program_look(const char *path);

/* The file that a command line starts; false when there is none. */
bool program_find(const char *command, char *path, size_t room);

/* The same for who wants not the first in PATH, but one with so many of that name before it. */
bool program_find_nth(const char *command, size_t before, char *path, size_t room);

/* Whether the command starts Python, or a script of it: an interpreter that may load instrumented extensions. */
bool program_is_python(const char *command);

/* The command with its arguments as one text, to be freed. */
char *program_command_line(char *const *program);

/* Identifies this build of the file, to be freed: its build-id, or else its length; "" where there is no file. */
char *program_build(const char *path);

/* Whether the file is a system library, which nobody rebuilds. */
bool library_is_usual(const char *file);
