/* What the option tables say, as help text and as a man page section. */
#include "cli/command.h"

#include <string.h>

static void print_form(const struct option *option, FILE *to)
{
    if (option->letter)
        fprintf(to, "-%c, ", option->letter);
    fprintf(to, "--%s", option->name);
    if (option->argument)
        fprintf(to, "=%s", option->argument);
}

/* Prints `text` in lines of at most 78 columns, each after `indent` blanks. */
static void print_wrapped(const char *text, int indent, FILE *to)
{
    int column = indent;

    fprintf(to, "%*s", indent, "");
    for (const char *word = text; *word;) {
        int length = (int)strcspn(word, " \n");
        if (column > indent && column + 1 + length > 78) {
            fprintf(to, "\n%*s", indent, "");
            column = indent;
        }
        column += fprintf(to, "%s%.*s", column > indent ? " " : "", length, word);
        word += length;
        if (*word == '\n') {
            fprintf(to, "\n%*s", word[1] == '\n' || word[1] == '\0' ? 0 : indent, "");
            column = indent;
        }
        if (*word)
            word++;
    }
    fprintf(to, "\n");
}

void command_help(const struct command *command, FILE *to)
{
    fprintf(to, "usage: heddle %s%s%s%s%s\n\n", command->name, command->options[0].name ? " [options]" : "",
            *command->operands ? " " : "", command->operands,
            command->program_optional ? " [-- PROGRAM [ARGUMENTS]]"
            : command->takes_program  ? " [--] PROGRAM [ARGUMENTS]"
                                      : "");
    print_wrapped(command->description, 0, to);
    fprintf(to, "\noptions:\n");
    for (const struct option *o = command->options; o->name; o++) {
        fprintf(to, "  ");
        print_form(o, to);
        fprintf(to, "\n");
        print_wrapped(o->help, 6, to);
    }
    fprintf(to, "  --help\n      Prints this text.\n");
}

/* scdoc gives meaning to _ and *. */
static void print_escaped(const char *text, FILE *to)
{
    for (; *text; text++) {
        if (strchr("_*\\<>", *text))
            fputc('\\', to);
        fputc(*text, to);
    }
}

void command_manual(const struct command *command, FILE *to)
{
    fprintf(to, "# OPTIONS\n\n");
    for (const struct option *o = command->options; o->name; o++) {
        fprintf(to, "*");
        if (o->letter)
            fprintf(to, "-%c*, *", o->letter);
        fprintf(to, "--%s*", o->name);
        if (o->argument)
            fprintf(to, "=_%s_", o->argument);
        fprintf(to, "\n\t");
        print_escaped(o->help, to);
        fprintf(to, "\n\n");
    }
    fprintf(to, "*--help*\n\tPrints a short help text.\n");
}
