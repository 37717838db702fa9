/* The program: finds the command and hands over. */
#include "cli/command.h"
#include "cli/version.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const struct command *const commands[] = {
    &command_run,    &command_cc,     &command_cxx,     &command_record,  &command_check,  &command_compare,
    &command_verify, &command_replay, &command_explore, &command_hunt,    &command_report, &command_export,
    &command_info,   &command_top,    &command_view,    &command_convert, &command_doctor, NULL};

static const struct command *command_named(const char *name)
{
    for (const struct command *const *c = commands; *c; c++)
        if (strcmp((*c)->name, name) == 0)
            return *c;
    return NULL;
}

static void print_overview(FILE *to)
{
    fprintf(
        to,
        "usage: heddle COMMAND [options] [arguments]\n\n"
        "Predicts, from one recorded run of a multithreaded program, what other schedules of the\nsame "
        "events could do.\n\nTo begin with:\n"
        "  heddle cc -g program.c -o program    builds it; heddle c++ for C++; Java needs no build of its own\n"
        "  heddle run -- ./program              runs it, and reports what could go wrong in other runs\n\n"
        "commands:\n");
    for (const struct command *const *c = commands; *c; c++)
        fprintf(to, "  %-10s %s\n", (*c)->name, (*c)->summary);
    fprintf(to,
            "\noptions:\n"
            "  --help     Prints this text; after a command, that command's.\n"
            "  --version  Prints the version, and where each part of Heddle is.\n\n"
            "exit status: 2 problems; 3 no problem, but something was undecided, cut short or not recorded;\n"
            "1 error in Heddle itself; otherwise 0 or, for run and record, the program's own status\n");
}

static int unknown_command(const char *name)
{
    struct suggestion near = {0};

    for (const struct command *const *c = commands; *c; c++)
        suggestion_try(&near, name, strlen(name), (*c)->name);
    if (near.word)
        return complain("unknown command %s: did you mean %s? See heddle --help", name, near.word);
    return complain("unknown command %s; see heddle --help", name);
}

/* For the build: `heddle --print-options=CMD` and `heddle --print-completion=SHELL` feed man pages and
 * completion. */
static int print_tables(const char *option)
{
    static const char manual[] = "--print-options=", completion[] = "--print-completion=";
    struct suggestion near = {0};

    if (strncmp(option, completion, sizeof completion - 1) == 0 &&
        completion_print(option + sizeof completion - 1, stdout))
        return EXIT_SUCCESS;
    if (strncmp(option, manual, sizeof manual - 1) == 0) {
        const struct command *command = command_named(option + sizeof manual - 1);
        if (command) {
            command_manual(command, stdout);
            return EXIT_SUCCESS;
        }
    }
    suggest_word(&near, option, strlen(option), "--help --version");
    if (near.word)
        return complain("unknown option %s: did you mean %s? See heddle --help", option, near.word);
    return complain("unknown option %s; see heddle --help", option);
}

/* A full disk or a closed pipe must not look like success. */
static int finish(int status)
{
    bool failed = ferror(stdout) != 0;

    if (fclose(stdout) != 0 || failed)
        return complain("cannot write to standard output");
    return status;
}

static int run(int argc, char **argv)
{
    struct arguments args;

    if (argc < 2) {
        print_overview(stderr);
        return EXIT_ERROR;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "help") == 0) {
        const struct command *command = argc > 2 ? command_named(argv[2]) : NULL;
        if (argc > 2 && !command)
            return unknown_command(argv[2]);
        if (command)
            command_help(command, stdout);
        else
            print_overview(stdout);
        return EXIT_SUCCESS;
    }
    if (strcmp(argv[1], "--version") == 0) {
        print_version();
        return EXIT_SUCCESS;
    }
    if (argv[1][0] == '-')
        return print_tables(argv[1]);

    const struct command *command = command_named(argv[1]);
    if (!command)
        return unknown_command(argv[1]);
    if (command->run_raw && !(argc == 3 && strcmp(argv[2], "--help") == 0))
        return command->run_raw(command, argv + 2);
    int status = EXIT_ERROR;
    if (command->run_raw) {
        command_help(command, stdout);
        return EXIT_SUCCESS;
    }
    if (arguments_parse(command, argc - 2, argv + 2, &args)) {
        status = args.help ? EXIT_SUCCESS : command->run(command, &args);
        if (args.help)
            command_help(command, stdout);
    }
    arguments_free(&args);
    return status;
}

/* Called as heddle-cc or heddle-c++, the program is that command: for tools that expect a compiler to be one
 * word. */
static const struct command *command_called(const char *called)
{
    const char *slash = strrchr(called, '/'), *name = slash ? slash + 1 : called;
    const struct command *command = strncmp(name, "heddle-", 7) == 0 ? command_named(name + 7) : NULL;

    return command && command->run_raw ? command : NULL;
}

/* Opens standard streams that were closed: otherwise a file could get the number of one, and output would go
 * into it. */
static bool streams_are_open(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd)
            return false;
    return true;
}

static void ignore_signal(int signal)
{
    (void)signal;
}

int main(int argc, char **argv)
{
    const struct command *called = argc > 0 ? command_called(argv[0]) : NULL;

    if (!streams_are_open())
        return EXIT_ERROR;
    /* A write beyond `ulimit -f` fails, and is reported, as any other. Programs that are run get the default. */
    sigaction(SIGXFSZ, &(struct sigaction){.sa_handler = ignore_signal}, NULL);
    if (called)
        return finish(called->run_raw(called, argv + 1));
    return finish(run(argc, argv));
}
