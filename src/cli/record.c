/* heddle record: runs a program and writes what its threads did. */
#include "record/record.h"
#include "cli/command.h"
#include "record/binary.h"
#include "record/program.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

static const struct option options[] = {
    {"output", 'o', "FILE", NULL, "Writes the trace to FILE instead of heddle.htr."},
    {"tool", 0, "TOOL", "compiler valgrind",
     "What records: compiler (the runtime that the program was built with) or valgrind (any dynamically linked "
     "program as it is). By default the one that the program asks for."},
    {"seed", 0, "N", NULL,
     "Makes all scheduling choices from N: the same seed and input give the same trace. Without it a seed is "
     "drawn "
     "and printed."},
    {"policy", 0, "POLICY", "random pct round-robin",
     "How the next thread is chosen: random (time slices of random length; the default), pct (random "
     "priorities, "
     "changed now and then), round-robin."},
    {"one-pass", 0, NULL, NULL,
     "Records in one run of the program and drops what is not shared afterwards (the default)."},
    {"two-pass", 0, NULL, NULL,
     "Runs the program twice: first to find what threads share, with its output thrown away, then to record "
     "just that. "
     "For long runs of programs that do the same on the same input."},
    {"real-time", 0, NULL, NULL,
     "Lets sleeps and time-outs take their time. By default they cost none when nothing else can run."},
    {"timeout", 0, "SECONDS", NULL,
     "Ends the program after that many seconds; the trace holds what it did until then."},
    {"quiet", 'q', NULL, NULL, "Says nothing but errors."},
    {0},
};

bool runtime_folder(char *to, size_t room)
{
    static const char *const beside[] = {HEDDLE_RUNTIME, "runtime"};
    char self[4096], library[8192];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);

    self[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(self, '/');
    if (slash)
        *slash = '\0';
    for (size_t i = 0; i < sizeof beside / sizeof *beside; i++) {
        snprintf(library, sizeof library, "%s/%s", self, beside[i]);
        char *folder = realpath(library, NULL);
        snprintf(to, room, "%s", folder ? folder : "");
        free(folder);
        snprintf(library, sizeof library, "%s/libheddle-rt.so", to);
        if (*to && access(library, R_OK) == 0)
            return true;
    }
    complain("the runtime library libheddle-rt.so is not beside %s: is the installation complete?", self);
    return false;
}

/* A number of at most `most`; false after a complaint. */
static bool number(const char *name, const char *text, uint64_t most, uint64_t *to)
{
    char *end;
    unsigned long long value = strtoull(text, &end, 10);

    if (*text < '0' || *text > '9' || *end != '\0' || value > most) {
        complain("record: --%s needs a whole number, not %s", name, text);
        return false;
    }
    *to = value;
    return true;
}

static bool choose_policy(const char *word, enum session_policy *policy)
{
    static const char *const words[] = {
        [POLICY_RANDOM] = "random", [POLICY_PCT] = "pct", [POLICY_ROUND_ROBIN] = "round-robin"};

    for (int i = 0; i < 3; i++)
        if (strcmp(word, words[i]) == 0) {
            *policy = (enum session_policy)i;
            return true;
        }
    complain("record: --policy is random, pct or round-robin, not %s", word);
    return false;
}

static bool read_options(const struct command *self, const struct arguments *args, struct recording *r)
{
    const char *seed = argument_of(self, args, "seed"), *policy = argument_of(self, args, "policy");
    const char *output = argument_of(self, args, "output"), *timeout = argument_of(self, args, "timeout");
    uint64_t seconds = 0;

    r->output = output ? output : "heddle.htr";
    r->two_pass = argument_of(self, args, "two-pass") != NULL;
    r->real_time = argument_of(self, args, "real-time") != NULL;
    r->notes = argument_of(self, args, "quiet") ? NULL : stderr;
    if (r->two_pass && argument_of(self, args, "one-pass")) {
        complain("record: --one-pass and --two-pass exclude each other");
        return false;
    }
    if (policy && !choose_policy(policy, &r->policy))
        return false;
    if (timeout && !number("timeout", timeout, 1u << 30, &seconds))
        return false;
    r->timeout = (unsigned)seconds;
    if (seed)
        return number("seed", seed, UINT64_MAX, &r->seed);
    if (getrandom(&r->seed, sizeof r->seed, 0) != sizeof r->seed)
        r->seed = (uint64_t)getpid();
    r->seed %= 1000000;
    return true;
}

/* Options of the scheduler, which Valgrind has its own of. */
static bool suits_valgrind(const struct command *self, const struct arguments *args)
{
    static const char *const others[] = {"seed", "policy", "two-pass"};

    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (argument_of(self, args, others[i])) {
            complain("record: --%s is for programs with hooks: Valgrind schedules threads itself", others[i]);
            return false;
        }
    return true;
}

/* Who is to record; false after a complaint. `r->binary` is left NULL or becomes `folder`. */
static bool choose_tool(const struct command *self, const struct arguments *args, struct recording *r,
                        char *folder, size_t room)
{
    const char *tool = argument_of(self, args, "tool");
    bool can, asked = tool && strcmp(tool, "valgrind") == 0;

    if (tool && !asked && strcmp(tool, "compiler") != 0) {
        complain("record: --tool is compiler or valgrind, not %s", tool);
        return false;
    }
    if (!asked && (tool || record_program_kind(args->program[0]) != PROGRAM_THREADED))
        return true;
    can = binary_recorder(r->libraries, folder, room);
    if (asked && !can) {
        complain("record: --tool=valgrind needs Valgrind and a heddle that was built with it (apt-get install "
                 "valgrind, then build again)");
        return false;
    }
    if (!can)
        return true;
    if (record_program_kind(args->program[0]) == PROGRAM_STATIC) {
        complain("record: %s is linked statically: nothing can be put between it and its libraries",
                 args->program[0]);
        return false;
    }
    if (!suits_valgrind(self, args))
        return false;
    if (!asked && r->notes)
        fprintf(r->notes, "heddle: note: %s is not instrumented; recording it under Valgrind\n",
                args->program[0]);
    r->binary = folder;
    return true;
}

static int run(const struct command *self, const struct arguments *args)
{
    struct recording r = {.program = args->program};
    char folder[4096], tool_folder[4200];
    struct error err;

    if (!args->program || !args->program[0])
        return complain("record: which program? heddle record -- PROGRAM ARGUMENTS");
    if (!read_options(self, args, &r) || !runtime_folder(folder, sizeof folder))
        return EXIT_ERROR;
    r.libraries = folder;
    if (!choose_tool(self, args, &r, tool_folder, sizeof tool_folder))
        return EXIT_ERROR;
    if (record_program(&r, &err) != HEDDLE_OK)
        return complain("%s", err.text);
    return r.deadlocked ? EXIT_FINDINGS : r.status;
}

const struct command command_record = {
    .name = "record",
    .operands = "",
    .summary = "runs a program and writes what its threads did",
    .description = "Runs PROGRAM, which was built with `heddle cc`, `heddle c++` or plain `gcc "
                   "-fsanitize=thread`, one thread at "
                   "a time, and writes every access to shared variables and every synchronization as a trace. "
                   "Its input, output, "
                   "exit status and signals pass through. Exits with 128+n when it died of signal n, with 2 "
                   "when it deadlocked.",
    .options = options,
    .takes_program = true,
    .run = run,
};
