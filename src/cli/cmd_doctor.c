/* heddle doctor: what works here, and what to do about the rest. */
#include "base/buffer.h"
#include "base/temporary.h"
#include "cli/configured.h"
#include "cli/doctor.h"
#include "cli/plugin.h"
#include "crew/ranks.h"
#include "record/binary.h"
#include "record/program.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/utsname.h>
#include <unistd.h>

static const struct option options[] = {{0}};

void doctor_say(enum verdict verdict, const char *what, const char *detail, const char *advice)
{
    static const char *const marks[] = {"ok  ", "note", "MISS"};

    printf("%s  %-22s %s\n", marks[verdict], what, detail);
    if (verdict != GOOD)
        printf("      %-22s %s\n", "", advice);
}

static void look_for(const char *program, const char *use, const char *package, bool needed, int *missing)
{
    char advice[256], path[4096];

    if (program_find(program, path, sizeof path)) {
        doctor_say(GOOD, program, use, "");
        return;
    }
    snprintf(advice, sizeof advice, "apt-get install %s", package);
    doctor_say(needed ? MISSING : ADVICE, program, use, advice);
    *missing += needed;
}

/* The first number in a file under /proc/sys, or -1. */
static int kernel_setting(const char *path)
{
    FILE *file = fopen(path, "re");
    char text[32] = "";

    if (!file)
        return -1;
    if (!fgets(text, sizeof text, file))
        text[0] = '\0';
    fclose(file);
    return *text ? (int)strtol(text, NULL, 10) : -1;
}

static void check_kernel(void)
{
    struct utsname system;
    int pattern = kernel_setting("/proc/sys/kernel/yama/ptrace_scope");
    int old;

    if (uname(&system) == 0) {
        bool known = strcmp(system.machine, "x86_64") == 0;
        doctor_say(known ? GOOD : ADVICE, "machine", system.machine,
                   "traces can be checked on any machine; recording is tested on x86_64");
        doctor_say(GOOD, "kernel", system.release, "");
    }
    old = personality(0xffffffff);
    if (old >= 0 && personality((unsigned long)old | ADDR_NO_RANDOMIZE) >= 0) {
        personality((unsigned long)old);
        doctor_say(GOOD, "address layout", "can be fixed, so the same seed gives the same trace", "");
    } else {
        doctor_say(ADVICE, "address layout", "cannot be fixed: personality() is not permitted",
                   "in a container, allow the personality system call");
    }
    if (pattern > 1)
        doctor_say(ADVICE, "ptrace_scope", "debuggers cannot attach", "sysctl kernel.yama.ptrace_scope=1");
    else
        doctor_say(GOOD, "ptrace_scope", "debuggers can be used", "");
}

static void check_disk(void)
{
    const char *folder = temporary_folder();

    if (access(folder, W_OK | X_OK) == 0)
        doctor_say(GOOD, "temporary files", folder, "");
    else
        doctor_say(ADVICE, "temporary files", folder, "set TMPDIR to a folder that can be written");
}

/* The recorder for programs without hooks, which is built where Valgrind is. */
static void check_binary(const char *libraries)
{
    char folder[4200], advice[] = "apt-get install valgrind, then build heddle again";

    if (binary_recorder(libraries, folder, sizeof folder))
        doctor_say(GOOD, "uninstrumented program", "can be recorded with --tool=valgrind", "");
    else
        doctor_say(ADVICE, "uninstrumented program",
                   "cannot be recorded: Valgrind is missing, or heddle was built without it", advice);
}

/* The plugin that hooks the accesses which gcc leaves without a hook. */
static void check_plugin(const char *folder)
{
    static const char *const found[] = {
        [PLUGIN_FITS] = "programs built with gcc record all accesses and which reads events depend on; those "
                        "built with clang lack the latter",
        [PLUGIN_OTHER] = "was built for another gcc: structures passed by value, inlined memcpy and the reads "
                         "that events depend on are not recorded, so Heddle predicts less",
        [PLUGIN_ABSENT] = "was not built: structures passed by value, inlined memcpy and the reads that events "
                          "depend on are not recorded, so Heddle predicts less"};
    char path[4200];
    enum plugin plugin = plugin_find(folder, "gcc", path, sizeof path);

    doctor_say(plugin == PLUGIN_FITS ? GOOD : ADVICE, "gcc plugin", found[plugin],
               "apt-get install gcc-$(gcc -dumpversion)-plugin-dev and build heddle again, or use clang");
}

static void check_java(const char *folder)
{
    char agent[4200];

    snprintf(agent, sizeof agent, "%s/libheddle-java.so", folder);
    if (access(agent, R_OK) == 0)
        doctor_say(GOOD, "Java agent", "Java programs can be recorded and tell what events stand on", "");
    else
        doctor_say(ADVICE, "Java agent", "was not built: Java programs cannot be recorded",
                   "install a JDK 17 or later (apt-get install default-jdk-headless) and build again");
}

/* The plug-in for several machines. */
static void check_mpi(const char *folder)
{
    char words[400], found[500];
    bool there = ranks_describe(folder, words, sizeof words);

    snprintf(found, sizeof found, there ? "hunt, explore and check can use several machines, with %s" : "%s",
             words);
    doctor_say(there ? GOOD : ADVICE, "MPI", found,
               "only needed for several machines: apt-get install libopenmpi-dev openmpi-bin and build again");
}

/* What recording needs: the runtime, memory that programs can inherit, room at a fixed place for the runtime's.
 */
static void check_recording(int *missing)
{
    char folder[4096];
    int fd = memfd_create("heddle-doctor", MFD_CLOEXEC);
    void *wanted = (void *)0x300000000000; // NOLINT(performance-no-int-to-ptr)
    void *at = mmap(wanted, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

    if (runtime_folder(folder, sizeof folder))
        doctor_say(GOOD, "runtime library", folder, "");
    else
        ++*missing;
    check_binary(folder);
    check_plugin(folder);
    check_java(folder);
    check_mpi(folder);
    if (fd >= 0)
        doctor_say(GOOD, "shared memory", "programs can be recorded", "");
    else
        doctor_say(MISSING, "shared memory", "memfd_create() is not permitted",
                   "in a container, allow the memfd_create system call");
    *missing += fd < 0;
    if (fd >= 0)
        close(fd);
    if (at == wanted)
        munmap(at, 4096);
    else
        doctor_say(ADVICE, "address space", "limited or in use: recording may lack room",
                   "lift the limit (ulimit -v unlimited)");
}

static void add_list(struct buffer *b, const char *word, const struct config_names *list)
{
    for (size_t i = 0; i < list->names_count; i++)
        buffer_format(b, "%s%s%s",
                      i > 0               ? " "
                      : b->text_count > 0 ? "; "
                                          : "",
                      i > 0 ? "" : word, list->names[i]);
}

static void add_value(struct buffer *b, const char *word, const char *value)
{
    if (value)
        buffer_format(b, "%s%s%s", b->text_count > 0 ? "; " : "", word, value);
}

/* What the project has decided in its .heddle.yaml. */
static void check_configuration(int *missing)
{
    const struct config *config = configured_for(".");
    struct buffer words = {0}, safe = {0};

    if (!config) {
        doctor_say(MISSING, "configuration", "cannot be used", "see the message above");
        ++*missing;
        return;
    }
    if (!config->path) {
        doctor_say(GOOD, "configuration", "no .heddle.yaml here or in a folder above", "");
        return;
    }
    add_value(&words, "fail-on: ", config->fail_on);
    add_list(&words, "source-roots: ", &config->source_roots);
    if (config->suppressions.entries_count > 0)
        buffer_format(&words, "%ssuppressions: %zu", words.text_count > 0 ? "; " : "",
                      config->suppressions.entries_count);
    add_list(&words, "ignore: ", &config->ignore);
    add_list(&words, "include: ", &config->include);
    add_list(&words, "atomic: ", &config->atomic);
    add_list(&words, "deterministic: ", &config->deterministic);
    add_value(&words, "java include: ", config->java_include);
    add_value(&words, "java exclude: ", config->java_exclude);
    buffer_bytes(&words, "", 1);
    buffer_safe(&safe, config->path);
    buffer_text(&safe, "\n      ");
    buffer_spaces(&safe, 23);
    buffer_safe(&safe, *words.text ? words.text : "says nothing");
    buffer_bytes(&safe, "", 1);
    doctor_say(GOOD, "configuration", safe.text, "");
    buffer_free(&words);
    buffer_free(&safe);
}

static int run(const struct command *self, const struct arguments *args)
{
    int missing = 0;

    (void)self;
    look_for("gcc", "compiler for programs to record", "gcc", true, &missing);
    look_for("g++", "the same for C++", "g++", false, &missing);
    look_for("clang", "alternative compiler", "clang", false, &missing);
    look_for("gdb", "to debug a replayed run", "gdb", false, &missing);
    look_for("valgrind", "to record programs without source", "valgrind", false, &missing);
    look_for("java", "to record Java programs", "default-jdk-headless", false, &missing);
    check_kernel();
    check_disk();
    check_recording(&missing);
    check_configuration(&missing);
    if (args->operand_count > 0)
        doctor_program(args->operands[0], &missing);
    printf("\n%s\n", missing ? "Something needed is missing; see above." : "Everything needed is here.");
    return missing ? EXIT_ERROR : 0;
}

const struct command command_doctor = {
    .name = "doctor",
    .operands = "[PROGRAM]",
    .summary = "checks what works on this machine, and how to fix the rest",
    .description = "Looks for the compilers, tools and kernel settings that recording and replay use. Exits "
                   "with 1 when something needed is missing. With PROGRAM: whether it can be recorded, and in "
                   "which of its libraries accesses are not recorded.",
    .options = options,
    .operands_max = 1,
    .run = run,
};
