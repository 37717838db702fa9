/* Parses a command's arguments by its table. */
#include "base/buffer.h"
#include "base/memory.h"
#include "cli/command.h"
#include "trace/limits.h"

#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* A line on standard error. What comes from files cannot move the cursor or the reader's eye. */
static void say_safely(const char *start, const char *text)
{
    struct buffer b = {0};

    buffer_text(&b, start);
    buffer_safe(&b, text);
    buffer_text(&b, "\n");
    buffer_flush(&b, stderr);
    buffer_free(&b);
}

static void say_formatted(const char *start, const char *format, va_list list)
{
    char text[2048];

    vsnprintf(text, sizeof text, format, list);
    say_safely(start, text);
}

int complain(const char *format, ...)
{
    va_list list;

    va_start(list, format);
    say_formatted("heddle: ", format, list);
    va_end(list);
    return EXIT_ERROR;
}

void remark(const char *format, ...)
{
    va_list list;

    va_start(list, format);
    say_formatted("heddle: note: ", format, list);
    va_end(list);
}

void print_visible(const char *text)
{
    struct buffer b = {0};

    buffer_safe(&b, text);
    buffer_flush(&b, stdout);
    buffer_free(&b);
}

void print_note(enum note_kind kind, const char *text)
{
    static const char *const starts[] = {
        [NOTE_NEWS] = "heddle: ", [NOTE_CAVEAT] = "heddle: note: ", [NOTE_DETAIL] = "  "};

    say_safely(starts[kind], text);
}

void remark_left_out(size_t files)
{
    if (files > 0)
        remark("the page does not include %zu source file%s outside the allowed folders; allow another folder "
               "with --source-root",
               files, files == 1 ? "" : "s");
}

static int option_index(const struct command *command, const char *name, size_t length)
{
    for (int i = 0; command->options[i].name; i++)
        if (strlen(command->options[i].name) == length && strncmp(command->options[i].name, name, length) == 0)
            return i;
    return -1;
}

static int letter_index(const struct command *command, char letter)
{
    for (int i = 0; command->options[i].name; i++)
        if (command->options[i].letter == letter)
            return i;
    return -1;
}

const char *argument_of(const struct command *command, const struct arguments *args, const char *name)
{
    int index = option_index(command, name, strlen(name));

    assert(index >= 0);
    return args->value[index];
}

const char *option_words(const struct command *command, const char *name)
{
    int index = option_index(command, name, strlen(name));

    assert(index >= 0 && command->options[index].choices);
    return command->options[index].choices;
}

const char *argument_if_any(const struct command *command, const struct arguments *args, const char *name)
{
    int index = option_index(command, name, strlen(name));

    return index < 0 ? NULL : args->value[index];
}

bool argument_number(const struct command *command, const struct arguments *args, const char *name,
                     uint64_t most, uint64_t *to)
{
    const char *text = argument_of(command, args, name);
    unsigned long long value;
    char *end;

    if (!text)
        return true;
    errno = 0;
    value = strtoull(text, &end, 10);
    if (*text < '0' || *text > '9' || *end != '\0' || errno != 0 || value > most) {
        complain("%s: --%s needs a whole number, not %s", command->name, name, text);
        return false;
    }
    *to = value;
    return true;
}

static bool usage_error(const struct command *command, const char *what, const char *which)
{
    complain("%s: %s %s; see heddle %s --help", command->name, what, which, command->name);
    return false;
}

static bool unknown_option(const struct command *command, const char *text)
{
    struct suggestion near = {0};
    size_t length = strcspn(text, "=");

    for (const struct option *o = command->options; o->name && text[1] == '-'; o++)
        suggestion_try(&near, text + 2, length - 2, o->name);
    if (near.word)
        complain("%s: unknown option %s: did you mean --%s? See heddle %s --help", command->name, text,
                 near.word, command->name);
    else
        usage_error(command, "unknown option", text);
    return false;
}

/* Sets one option; `given` is the text after '=' or the letter, or NULL. Returns how many of the following
 * arguments it took, or -1 after an error. */
static int set_option(const struct command *command, struct arguments *args, int index, const char *shown,
                      const char *given, const char *next)
{
    const struct option *option = &command->options[index];

    if (!option->argument) {
        if (given)
            return usage_error(command, "no value is allowed for", shown) - 1;
        args->value[index] = "";
        return 0;
    }
    if (!given && !next)
        return usage_error(command, "missing value for", shown) - 1;
    args->value[index] = given ? given : next;
    return given ? 0 : 1;
}

static int parse_long(const struct command *command, struct arguments *args, const char *text, const char *next)
{
    const char *equals = strchr(text, '=');
    size_t length = equals ? (size_t)(equals - text) : strlen(text);
    int index = option_index(command, text + 2, length - 2);

    if (index < 0)
        return unknown_option(command, text) - 1;
    return set_option(command, args, index, text, equals ? equals + 1 : NULL, next);
}

static int parse_short(const struct command *command, struct arguments *args, const char *text,
                       const char *next)
{
    int index = letter_index(command, text[1]);

    if (index < 0)
        return unknown_option(command, text) - 1;
    return set_option(command, args, index, text, text[2] ? text + 2 : NULL, next);
}

/* Takes one option; returns how many of the following arguments it took, or -1 after an error. */
static int parse_option(const struct command *command, struct arguments *args, const char *text,
                        const char *next)
{
    return text[1] == '-' ? parse_long(command, args, text, next) : parse_short(command, args, text, next);
}

/* The options of the environment: words between blanks. They stay in `args`. */
static bool parse_environment(const struct command *command, struct arguments *args)
{
    const char *text = command->environment ? getenv(command->environment) : NULL;
    char *word, *next, *rest = NULL;

    if (!text || !*text)
        return true;
    args->environment = memory_text(text, strlen(text));
    for (word = strtok_r(args->environment, " \t\n", &rest); word; word = next) {
        int taken = -1;

        next = strtok_r(NULL, " \t\n", &rest);
        if (word[0] == '-' && word[1] != '\0' && strcmp(word, "--") != 0)
            taken = parse_option(command, args, word, next);
        else
            complain("%s: not an option: %s", command->name, word);
        if (taken < 0) {
            complain("%s: the error is in the environment variable %s", command->name, command->environment);
            return false;
        }
        if (taken > 0)
            next = strtok_r(NULL, " \t\n", &rest);
    }
    return true;
}

void arguments_free(struct arguments *args)
{
    free(args->operands);
    free(args->environment);
}

/* Whether the program begins here without a `--`: all operands that come before it are given. */
static bool program_begins(const struct command *command, const struct arguments *args)
{
    return command->takes_program && !command->program_optional && args->operand_count == command->operands_max;
}

bool arguments_parse(const struct command *command, int argc, char **argv, struct arguments *args)
{
    memset(args, 0, sizeof *args);
    args->operands = memory_new((size_t)argc + 1, sizeof *args->operands);
    if (!parse_environment(command, args))
        return false;
    for (int i = 0; i < argc; i++) {
        const char *text = argv[i];
        const char *next = i + 1 < argc ? argv[i + 1] : NULL;
        int taken = 0;

        if (strcmp(text, "--") == 0) {
            args->program = &argv[i + 1];
            break;
        }
        if (strcmp(text, "--help") == 0) {
            args->help = true;
            return true;
        }
        if ((text[0] != '-' || text[1] == '\0') && program_begins(command, args)) {
            args->program = &argv[i];
            break;
        }
        if (text[0] == '-' && text[1] != '\0')
            taken = parse_option(command, args, text, next);
        else
            args->operands[args->operand_count++] = text;
        if (taken < 0)
            return false;
        i += taken;
    }
    bool wanted =
        command->takes_program && !(command->program_optional && args->operand_count < command->operands_min);
    if (!wanted && args->program) { /* `--` only ends the options */
        for (char **p = args->program; *p; p++)
            args->operands[args->operand_count++] = *p;
        args->program = NULL;
    }
    if (args->operand_count < command->operands_min)
        return usage_error(command, "missing:", command->operands);
    if (args->operand_count > command->operands_max)
        return usage_error(command, "unexpected argument:", args->operands[command->operands_max]);
    return true;
}

bool argument_limits(const struct command *command, const struct arguments *args, struct trace_limits *limits)
{
    const char *text = argument_if_any(command, args, "limits");
    struct error err;

    *limits = trace_limits_usual;
    if (!text || trace_limits_parse(limits, text, &err) == HEDDLE_OK)
        return true;
    complain("%s: %s", command->name, err.text);
    return false;
}

heddle_trace *argument_trace(const struct command *command, const struct arguments *args)
{
    return argument_trace_at(command, args, 0);
}

heddle_trace *argument_trace_at(const struct command *command, const struct arguments *args, int operand)
{
    struct heddle_error err;
    heddle_trace *trace =
        heddle_trace_read_limited(args->operands[operand], argument_if_any(command, args, "limits"), &err);

    if (!trace && err.status == HEDDLE_ERROR_USAGE)
        complain("%s: %s", command->name, err.text);
    else if (!trace)
        complain("%s", err.text);
    return trace;
}
