/* What a command is: one table of options that parsing, help, completion and man page all read. */
#pragma once
#include "base/note.h"

#include <heddle/heddle.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Exit statuses of all commands (semantics §8). */
enum exit_status {
    EXIT_NOTHING_FOUND = 0,
    EXIT_ERROR = 1,
    EXIT_FINDINGS = 2,
    EXIT_INCOMPLETE = 3,
};

struct option {
    const char *name;     /* without the dashes */
    char letter;          /* 0: long form only */
    const char *argument; /* what its value is called; NULL: a flag */
    const char *choices;  /* "a b c": the words the value may be made of, for help and completion; or NULL */
    const char *help;     /* a sentence */
};

enum { OPTIONS_MAX = 64 };

struct arguments {
    const char
        *value[OPTIONS_MAX]; /* by position in the command's table; "" for a flag that is given, else NULL */
    const char **operands;
    int operand_count;
    char *environment; /* the words of the variable with options; or NULL */
    char **program;    /* the program and its arguments, NULL-terminated; NULL when there is none */
    bool help;         /* --help was given: nothing else counts */
};

struct command {
    const char *name;
    const char *operands; /* as in the usage line: "IN OUT" */
    const char *summary;  /* one line */
    const char *description;
    const struct option *options; /* ended by a NULL name */
    int operands_min, operands_max;
    bool takes_program;
    bool program_optional;   /* and `--` alone ends the options, as long as an operand is missing */
    const char *environment; /* a variable that holds options, before those of the command line; or NULL */
    int (*run)(const struct command *self, const struct arguments *args);
    int (*run_raw)(const struct command *self, char **argv); /* instead: all arguments as they are */
};

/* Every command, ended by NULL, in the order they are listed. */
extern const struct command *const commands[];

/* Parses what follows the command's name. Prints an error and returns false when it does not fit the table. */
bool arguments_parse(const struct command *command, int argc, char **argv, struct arguments *args);

void arguments_free(struct arguments *args);

/* The value of the option called `name`, "" for a flag that is given, NULL when it is not given. */
const char *argument_of(const struct command *command, const struct arguments *args, const char *name);

/* The same, also NULL when the command has no such option. */
const char *argument_if_any(const struct command *command, const struct arguments *args, const char *name);

/* The words that an option of the command takes, separated by blanks. */
const char *option_words(const struct command *command, const char *name);

/* The number given for the option, at most `most`; `to` stays as it is when none is given. False after a
 * complaint. */
bool argument_number(const struct command *command, const struct arguments *args, const char *name,
                     uint64_t most, uint64_t *to);

/* For commands that read traces, which others may have made. */
#define LIMITS_OPTION                                                                                          \
    {                                                                                                          \
        "limits", 0, "WHAT=N,…", NULL,                                                                         \
            "Refuses a trace with more than N bytes, decompressed (size; default 64G), bytes of a line "       \
            "(line; 16M), bytes of a name (name; 1M), events (events; 1000000000) or bytes of a block of a "   \
            "native trace (block; 256M). N may end in K, M, G or T. window=N refuses nothing: only the first " \
            "N "                                                                                               \
            "events of a native trace are read, or a few more."                                                \
    }

/* What the option says, or the usual limits; false after a complaint. */
struct trace_limits;
bool argument_limits(const struct command *command, const struct arguments *args, struct trace_limits *limits);

/* The trace that the first operand names, read within --limits; NULL after a complaint. */
heddle_trace *argument_trace(const struct command *command, const struct arguments *args);

/* The same for the operand of that number, from 0. */
heddle_trace *argument_trace_at(const struct command *command, const struct arguments *args, int operand);

/* Prints `heddle: ` and the message on standard error, control and bidirectional characters shown as '?'; returns
 * EXIT_ERROR. The second does so for a note, after which the command goes on. */
int complain(const char *format, ...) __attribute__((format(printf, 1, 2)));
void remark(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Prints what the library has to say in the same way. */
void print_note(enum note_kind kind, const char *text);

/* Prints text from a trace on standard output, with the same characters shown as '?'. */
void print_visible(const char *text);

/* Says, if it is so, that a page lacks the source of that many files. */
void remark_left_out(size_t files);

/* The usage line, the description and every option. */
void command_help(const struct command *command, FILE *to);

/* The OPTIONS section of the man page in scdoc's language. */
void command_manual(const struct command *command, FILE *to);

/* Completion of all commands, options and values for the shell of that name; false if it is not known. */
bool completion_print(const char *shell, FILE *to);

/* The nearest of the words that were tried; `word` is NULL while none is near. */
struct suggestion {
    const char *word;
    size_t distance;
    char copy[49]; /* where `word` is part of a list */
};

/* Tries one known word, or a list "a b c", for what was typed. */
void suggestion_try(struct suggestion *s, const char *typed, size_t length, const char *known);
void suggest_word(struct suggestion *s, const char *typed, size_t length, const char *words);

/* Where the runtime and its other names are, for linking and loading; false if they are missing. The second one
 * complains then. */
bool runtime_find(char *to, size_t room);
bool runtime_folder(char *to, size_t room);

extern const struct command command_run, command_cc, command_cxx, command_record, command_check,
    command_compare, command_verify, command_replay, command_explore, command_hunt, command_report,
    command_export, command_info, command_top, command_view, command_convert, command_doctor;
