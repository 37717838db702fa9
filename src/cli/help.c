/* What the option tables say, in three forms: help text, man page section, shell completion. */
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
            : command->takes_program  ? " -- PROGRAM [ARGUMENTS]"
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

static void print_case(const struct command *command, FILE *to)
{
    fprintf(to, "    %s)\n        options=\"--help", command->name);
    for (const struct option *o = command->options; o->name; o++)
        fprintf(to, " --%s%s", o->name, o->argument ? "=" : "");
    fprintf(to, "\"\n        case $word in\n");
    for (const struct option *o = command->options; o->name; o++)
        if (o->choices)
            fprintf(to, "        --%s=*) values=\"%s\" ;;\n", o->name, o->choices);
    fprintf(to, "        esac\n        ;;\n");
}

void completion_bash(FILE *to)
{
    fprintf(to, "# bash completion for heddle\n"
                "_heddle()\n{\n"
                "    local word=${COMP_LINE:0:COMP_POINT} options= values= tail\n"
                "    word=${word##* }\n"
                "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
                "        COMPREPLY=($(compgen -W \"--help --version");
    for (const struct command *const *c = commands; *c; c++)
        fprintf(to, " %s", (*c)->name);
    fprintf(to, "\" -- \"$word\"))\n"
                "        return\n"
                "    fi\n"
                "    case ${COMP_WORDS[1]} in\n");
    for (const struct command *const *c = commands; *c; c++)
        print_case(*c, to);
    fprintf(to,
            "    esac\n"
            "    if [ -n \"$values\" ]; then\n"
            "        tail=${word#*=}\n"
            "        COMPREPLY=($(compgen -P \"${tail%%\"${tail##*,}\"}\" -W \"$values\" -- \"${tail##*,}\"))\n"
            "    elif [ \"${word#-}\" != \"$word\" ] && [ \"${word#*=}\" = \"$word\" ]; then\n"
            "        COMPREPLY=($(compgen -W \"$options\" -- \"$word\"))\n"
            "        [ \"${COMPREPLY[0]%%=}\" = \"${COMPREPLY[0]}\" ] || compopt -o nospace\n"
            "    else\n"
            "        COMPREPLY=($(compgen -f -- \"${word#*=}\"))\n"
            "    fi\n"
            "}\n"
            "complete -o filenames -F _heddle heddle\n");
}
