/* Shell completion of commands, options and their values, from the option tables. */
#include "cli/command.h"

#include <string.h>

static void bash_case(const struct command *command, FILE *to)
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

static void completion_bash(FILE *to)
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
        bash_case(*c, to);
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

/* Whether the value may be several of the words, separated by commas. */
static bool takes_list(const struct option *o)
{
    return o->argument && strstr(o->argument, "…");
}

/* The first sentence of a help text inside single quotes, which the shell writes as `quote`; a backslash goes
 * before `special` characters. */
static void put_brief(const char *text, const char *quote, const char *special, FILE *to)
{
    for (; *text && !(*text == '.' && (text[1] == ' ' || text[1] == '\0')); text++) {
        if (*text == '\'')
            fputs(quote, to);
        else if (strchr(special, *text))
            fprintf(to, "\\%c", *text);
        else
            fputc(*text, to);
    }
}

static void zsh_option(const struct option *o, FILE *to)
{
    if (o->letter)
        fprintf(to, "      '(-%c --%s)'{-%c%s,--%s%s}'[", o->letter, o->name, o->letter, o->argument ? "+" : "",
                o->name, o->argument ? "=" : "");
    else
        fprintf(to, "      '--%s%s[", o->name, o->argument ? "=" : "");
    put_brief(o->help, "'\\''", "[]:\\", to);
    fprintf(to, "]");
    if (o->choices && takes_list(o))
        fprintf(to, ":%s:_values -s , %s %s", o->name, o->name, o->choices);
    else if (o->choices)
        fprintf(to, ":%s:(%s)", o->name, o->choices);
    else if (o->argument)
        fprintf(to, ":%s:_files", o->name);
    fprintf(to, "' \\\n");
}

static void completion_zsh(FILE *to)
{
    fprintf(to, "#compdef heddle\n"
                "# zsh completion for heddle\n"
                "_heddle()\n{\n"
                "  local -a commands\n"
                "  commands=(\n");
    for (const struct command *const *c = commands; *c; c++) {
        fprintf(to, "    '%s:", (*c)->name);
        put_brief((*c)->summary, "'\\''", "[]:\\", to);
        fprintf(to, "'\n");
    }
    fprintf(to, "  )\n"
                "  if (( CURRENT == 2 )); then\n"
                "    _describe -t commands command commands\n"
                "    _arguments '--help[prints the commands]' '--version[prints the version]'\n"
                "    return\n"
                "  fi\n"
                "  local command=$words[2]\n"
                "  shift words\n"
                "  (( CURRENT-- ))\n"
                "  case $command in\n");
    for (const struct command *const *c = commands; *c; c++) {
        fprintf(to, "  %s)\n    _arguments -s \\\n", (*c)->name);
        for (const struct option *o = (*c)->options; o->name; o++)
            zsh_option(o, to);
        fprintf(to, "      '--help[prints a help text]' \\\n      '*:file:_files' ;;\n");
    }
    fprintf(to, "  esac\n}\n_heddle \"$@\"\n");
}

static void fish_option(const struct command *command, const struct option *o, FILE *to)
{
    fprintf(to, "complete -c heddle -n '__fish_seen_subcommand_from %s' -l %s", command->name, o->name);
    if (o->letter)
        fprintf(to, " -s %c", o->letter);
    if (o->choices && takes_list(o))
        fprintf(to, " -x -a '(__fish_append , %s)'", o->choices);
    else if (o->choices)
        fprintf(to, " -x -a '%s'", o->choices);
    else if (o->argument)
        fprintf(to, " -r");
    fprintf(to, " -d '");
    put_brief(o->help, "\\'", "\\", to);
    fprintf(to, "'\n");
}

static void completion_fish(FILE *to)
{
    fprintf(to, "# fish completion for heddle\n"
                "complete -c heddle -n __fish_use_subcommand -l help -d 'prints the commands'\n"
                "complete -c heddle -n __fish_use_subcommand -l version -d 'prints the version'\n");
    for (const struct command *const *c = commands; *c; c++) {
        fprintf(to, "complete -c heddle -n __fish_use_subcommand -f -a '%s' -d '", (*c)->name);
        put_brief((*c)->summary, "\\'", "\\", to);
        fprintf(to, "'\n");
    }
    for (const struct command *const *c = commands; *c; c++) {
        for (const struct option *o = (*c)->options; o->name; o++)
            fish_option(*c, o, to);
        fprintf(to, "complete -c heddle -n '__fish_seen_subcommand_from %s' -l help -d 'prints a help text'\n",
                (*c)->name);
    }
}

bool completion_print(const char *shell, FILE *to)
{
    if (strcmp(shell, "bash") == 0)
        completion_bash(to);
    else if (strcmp(shell, "zsh") == 0)
        completion_zsh(to);
    else if (strcmp(shell, "fish") == 0)
        completion_fish(to);
    else
        return false;
    return true;
}
