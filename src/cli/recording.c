/* The options of commands that record; where the runtime is. */
#include "cli/recording.h"
#include "cli/checking.h"
#include "cli/configured.h"
#include "record/binary.h"
#include "record/java_program.h"
#include "record/program.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

bool runtime_find(char *to, size_t room)
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
    return false;
}

bool runtime_folder(char *to, size_t room)
{
    if (runtime_find(to, room))
        return true;
    complain("cannot find the runtime library libheddle-rt.so: is the installation complete?");
    return false;
}

enum { SECOND = 1000000000 };

/* When the program's clocks begin; false after a complaint. */
static bool choose_clock(const struct command *self, const struct arguments *args, struct recording *r)
{
    const char *text = argument_of(self, args, "clock");
    uint64_t seconds = 0;

    if (!text)
        return true;
    if (r->real_time) {
        complain("%s: --clock and --real-time exclude each other", self->name);
        return false;
    }
    if (!argument_number(self, args, "clock", INT64_MAX / SECOND, &seconds))
        return false;
    r->clock = seconds * SECOND + (seconds == 0); /* 0 is no time */
    return true;
}

static bool choose_policy(const struct command *self, const char *word, enum session_policy *policy)
{
    static const char *const words[] = {
        [POLICY_RANDOM] = "random", [POLICY_PCT] = "pct", [POLICY_ROUND_ROBIN] = "round-robin"};

    for (int i = 0; i < 3; i++)
        if (strcmp(word, words[i]) == 0) {
            *policy = (enum session_policy)i;
            return true;
        }
    complain("%s: --policy: expected random, pct or round-robin, not %s", self->name, word);
    return false;
}

static bool refuse(const struct command *self, const struct arguments *args, const char *const *names,
                   const char *why)
{
    for (; *names; names++)
        if (argument_of(self, args, *names)) {
            complain("%s: --%s %s", self->name, *names, why);
            return false;
        }
    return true;
}

/* Options that belong to the other kind of programs are refused: threads of a Java virtual machine run as they
 * like. Seed and policy only delay them. */
static bool parse_java(const struct command *self, const struct arguments *args, struct java_options *java)
{
    static const char *const serial[] = {"passes", "real-time", "clock", NULL};
    static const char *const ours[] = {"include", "exclude", "blocks", "limit", NULL};

    const struct config *config = configured(self, args);

    if (!config)
        return false;
    java->wanted = argument_of(self, args, "java") || is_java(args->program[0]);
    if (!java->wanted)
        return refuse(self, args, ours, "applies to Java programs only");
    java->include = argument_of(self, args, "include");
    java->exclude = argument_of(self, args, "exclude");
    java->blocks = argument_of(self, args, "blocks");
    if (!java->include)
        java->include = config->java_include;
    if (!java->exclude)
        java->exclude = config->java_exclude;
    java->atomic = config->atomic.names;
    java->deterministic = config->deterministic.names;
    java->megabytes = 1024;
    java->delays = argument_of(self, args, "seed") || argument_of(self, args, "policy");
    if (!refuse(self, args, serial, "does not apply to Java programs, whose threads run freely") ||
        !argument_number(self, args, "limit", 1u << 20, &java->megabytes))
        return false;
    if (java->megabytes == 0)
        complain("%s: --limit must be at least 1", self->name);
    return java->megabytes > 0;
}

/* How often the program is run; false after a complaint. The value in `r` is the command's own. */
static bool choose_passes(const struct command *self, const struct arguments *args, struct recording *r)
{
    static const enum recording_passes values[] = {PASSES_ONE, PASSES_TWO, PASSES_AUTO};
    const char *word = argument_of(self, args, "passes");
    bool one = argument_of(self, args, "one-pass") != NULL, two = argument_of(self, args, "two-pass") != NULL;
    int which = word ? parse_word(self->name, "passes", word, option_words(self, "passes")) : 0;

    if (which < 0)
        return false;
    if (one + two + (word != NULL) > 1) {
        complain("%s: %s and %s exclude each other", self->name, one ? "--one-pass" : "--passes",
                 two ? "--two-pass" : "--passes");
        return false;
    }
    if (word)
        r->passes = values[which];
    else if (one || two)
        r->passes = two ? PASSES_TWO : PASSES_ONE;
    return true;
}

bool recording_parse(const struct command *self, const struct arguments *args, struct recording *r)
{
    const char *policy = argument_of(self, args, "policy"), *grounds = argument_of(self, args, "grounds"),
               *stacks = argument_of(self, args, "stacks");
    uint64_t seconds = 0;

    if (!args->program || !args->program[0]) {
        complain("%s: no program given: heddle %s -- PROGRAM ARGUMENTS", self->name, self->name);
        return false;
    }
    r->program = args->program;
    if (!parse_java(self, args, &r->java))
        return false;
    if (!choose_passes(self, args, r))
        return false;
    r->real_time = argument_of(self, args, "real-time") != NULL;
    if (parse_word(self->name, "grounds", grounds, option_words(self, "grounds")) < 0)
        return false;
    r->grounds = !grounds || strcmp(grounds, "off") != 0;
    r->stacks = !stacks || strcmp(stacks, "on") == 0;
    if (!r->stacks && strcmp(stacks, "off") != 0) {
        complain("%s: --stacks=%s: on or off?", self->name, stacks);
        return false;
    }
    if (policy && !choose_policy(self, policy, &r->policy))
        return false;
    if (!choose_clock(self, args, r) || !argument_number(self, args, "timeout", 1u << 30, &seconds))
        return false;
    r->timeout = (unsigned)seconds;
    if (argument_of(self, args, "seed"))
        return argument_number(self, args, "seed", UINT64_MAX, &r->seed);
    if (getrandom(&r->seed, sizeof r->seed, 0) != sizeof r->seed)
        r->seed = (uint64_t)getpid();
    r->seed %= 1000000;
    return true;
}

/* Options of the scheduler, which do not apply: Valgrind has its own. */
static bool suits_valgrind(const struct command *self, const struct arguments *args)
{
    static const char *const others[] = {"seed", "policy", "passes", "two-pass", "clock"};

    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (argument_of(self, args, others[i])) {
            complain("%s: --%s needs an instrumented program: Valgrind schedules threads itself", self->name,
                     others[i]);
            return false;
        }
    if (argument_if_any(self, args, "confirm")) {
        complain("%s: --confirm needs an instrumented program: build it with `heddle cc` or `heddle c++`",
                 self->name);
        return false;
    }
    return true;
}

bool recording_choose_tool(const struct command *self, const struct arguments *args, struct recording *r)
{
    const char *tool = argument_of(self, args, "tool"), *program = args->program[0];
    bool asked = tool && strcmp(tool, "valgrind") == 0;
    struct program about = {0};
    char path[4096];

    if (tool && !asked && strcmp(tool, "compiler") != 0) {
        complain("%s: --tool: expected compiler or valgrind, not %s", self->name, tool);
        return false;
    }
    if (r->java.wanted) {
        if (asked)
            complain("%s: --tool=valgrind cannot record Java programs", self->name);
        return !asked;
    }
    if (!asked && program_is_python(program)) /* whose extensions may be instrumented */
        return true;
    if (program_find(program, path, sizeof path))
        about = program_look(path);
    if (!asked && (tool || !about.threads || about.hooks || about.own_runtime || about.is_static))
        return true;
    if (!binary_recorder(r->libraries, r->binary, sizeof r->binary)) {
        *r->binary = '\0';
        if (asked)
            complain("%s: --tool=valgrind needs Valgrind and a heddle that was built with it (apt-get install "
                     "valgrind, then build again)",
                     self->name);
        return !asked;
    }
    if (about.is_static) {
        complain("%s: %s is linked statically, so its library calls cannot be intercepted", self->name,
                 program);
        return false;
    }
    if (!suits_valgrind(self, args))
        return false;
    if (!asked)
        note_add(r->notes, NOTE_CAVEAT, "%s is not instrumented; recording it under Valgrind", program);
    return true;
}
