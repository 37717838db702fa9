/* heddle cc, heddle c++: the compiler, with what recording needs. */
#include "base/memory.h"
#include "cli/configured.h"
#include "cli/plugin.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct option options[] = {{0}};

struct cc_line {
    const char **words;
    size_t words_count, words_capacity;
};

static void add(struct cc_line *line, const char *word)
{
    ARRAY_PUSH(line, words, word);
}

/* Copies a word that must outlive the function that made it. */
static void add_made(struct cc_line *line, const char *format, const char *part)
{
    size_t room = strlen(format) + strlen(part) + 1;
    char *text = memory_new(room, 1);

    snprintf(text, room, format, part); // NOLINT(clang-diagnostic-format-nonliteral)
    add(line, text);
}

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* Options whose value is the next word. */
static bool takes_next(const char *word)
{
    static const char *const options_with_value[] = {"-o",
                                                     "-I",
                                                     "-D",
                                                     "-U",
                                                     "-L",
                                                     "-l",
                                                     "-x",
                                                     "-include",
                                                     "-imacros",
                                                     "-MF",
                                                     "-MT",
                                                     "-MQ",
                                                     "-isystem",
                                                     "-iquote",
                                                     "-idirafter",
                                                     "-T",
                                                     "-u",
                                                     "-z",
                                                     "-Xlinker",
                                                     "-Xassembler",
                                                     "-Xpreprocessor",
                                                     "-Xclang",
                                                     "-mllvm",
                                                     "-arch",
                                                     "-target",
                                                     "--param",
                                                     "-aux-info",
                                                     "-B",
                                                     "-isysroot",
                                                     "-iprefix",
                                                     "-iwithprefix",
                                                     "-iwithprefixbefore",
                                                     "-e",
                                                     "--sysroot",
                                                     "-wrapper",
                                                     "-dumpbase",
                                                     "-dumpdir",
                                                     "-dumpbase-ext"};

    for (size_t i = 0; i < sizeof options_with_value / sizeof *options_with_value; i++)
        if (strcmp(word, options_with_value[i]) == 0)
            return true;
    return false;
}

/* Options after which nothing is linked. */
static bool stops_before_linking(const char *word)
{
    static const char *const stops[] = {"-c", "-S", "-E", "-M", "-MM", "-fsyntax-only", "-r", "-Wl,-r"};

    for (size_t i = 0; i < sizeof stops / sizeof *stops; i++)
        if (strcmp(word, stops[i]) == 0)
            return true;
    return false;
}

/* Options by which something else than a program is linked. */
static bool is_library(const char *word)
{
    return strcmp(word, "-shared") == 0 || strcmp(word, "--shared") == 0 || strcmp(word, "-r") == 0;
}

struct build_step {
    bool inputs, links, clang;
    const char *source; /* the first input; or NULL */
    bool library;       /* what is linked is no program */
    bool late;          /* functions may be expanded in place behind their hooks, when the program is linked */
    bool cxx;
    const char *word; /* the compiler, of the words before its options */
};

/* Options by which gcc counts what is executed: its counters have hooks, and threads share them without a lock.
 */
static bool counts_runs(const char *word)
{
    return strcmp(word, "--coverage") == 0 || strcmp(word, "-coverage") == 0 ||
           strcmp(word, "-fprofile-arcs") == 0 || begins(word, "-fprofile-generate");
}

/* What recording cannot live with: why, or NULL. */
static const char *breaks_recording(const struct build_step *step, const char *word)
{
    if (strcmp(word, "-static") == 0 || strcmp(word, "-static-pie") == 0 || strcmp(word, "--static") == 0)
        return "a recorded program is linked dynamically";
    if (strcmp(word, "-static-libstdc++") == 0)
        return "synchronization inside the C++ library is only recorded in the shared library";
    if (begins(word, "-static-libtsan") || begins(word, "-fno-sanitize=thread") ||
        begins(word, "-fno-sanitize=all"))
        return "recording needs -fsanitize=thread";
    if (begins(word, "-D_FORTIFY_SOURCE") || begins(word, "-Wp,-D_FORTIFY_SOURCE"))
        return "its checks hide the accesses of memory functions";
    if (begins(word, "-fsanitize=") &&
        (strstr(word, "address") || strstr(word, "memory") || strstr(word, "leak")))
        return "it cannot be combined with -fsanitize=thread";
    if (step->clang && begins(word, "-fsanitize=") && strcmp(word, "-fsanitize=thread") != 0)
        return "clang's own sanitizer runtime is not linked";
    if (step->clang && begins(word, "-fopenmp") && strcmp(word, "-fopenmp-simd") != 0)
        return "synchronization inside clang's OpenMP library is not recorded; HEDDLE_CC=gcc works";
    if (!step->clang && counts_runs(word))
        return "its counters would be taken for variables of the program";
    return NULL;
}

/* Copies the user's words but those that break recording; learns what the compiler is asked to do. */
static void copy_words(struct cc_line *line, struct build_step *step, char **argv)
{
    step->links = true;
    for (; *argv; argv++) {
        const char *why = breaks_recording(step, *argv);
        if (why) {
            remark("%s is ignored: %s", *argv, why);
            continue;
        }
        step->links &= !stops_before_linking(*argv);
        step->library |= is_library(*argv);
        step->late |= begins(*argv, "-flto");
        step->inputs |= **argv != '-' || strcmp(*argv, "-") == 0;
        if (**argv != '-' && !step->source)
            step->source = *argv;
        add(line, *argv);
        if (takes_next(*argv) && argv[1])
            add(line, *++argv);
    }
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

/* The compiler after --compiler, as build systems put it behind a launcher. */
static void add_named_compiler(struct cc_line *line, struct build_step *step, const char *name)
{
    step->clang = strstr(base_name(name), "clang") != NULL;
    step->word = name;
    add(line, name);
}

/* heddle cc behind heddle cc, where a project and its toolchain file both ask for it: once is enough. */
static bool is_ours(const char *compiler)
{
    return strcmp(base_name(compiler), "heddle-cc") == 0 || strcmp(base_name(compiler), "heddle-c++") == 0;
}

/* The compiler in HEDDLE_CC, HEDDLE_CXX, which may be several words ("ccache gcc"), or gcc. */
static void add_compiler(struct cc_line *line, struct build_step *step)
{
    const char *chosen = getenv(step->cxx ? "HEDDLE_CXX" : "HEDDLE_CC"), *other = getenv("HEDDLE_CC");

    if (!chosen && step->cxx && other)
        chosen = strstr(other, "clang") ? "clang++" : NULL;
    if (!chosen || !*chosen)
        chosen = step->cxx ? "g++" : "gcc";
    step->clang = strstr(chosen, "clang") != NULL;
    while (*chosen) {
        size_t length = strcspn(chosen, " ");
        if (length) {
            add(line, memory_text(chosen, length));
            if (*chosen != '-')
                step->word = line->words[line->words_count - 1];
        }
        chosen += length + (chosen[length] == ' ');
    }
}

/* Calls the compiler would replace by code of its own, unseen. */
static void keep_calls(struct cc_line *line)
{
    static const char *const calls[] = {
        "memcpy",   "memmove",  "memset",     "memcmp",      "memchr",  "mempcpy", "strcpy",
        "strncpy",  "strcat",   "strncat",    "strcmp",      "strncmp", "strlen",  "strnlen",
        "strchr",   "strrchr",  "strstr",     "stpcpy",      "strdup",  "strndup", "sprintf",
        "snprintf", "vsprintf", "vsnprintf",  "bzero",       "bcopy",   "bcmp",    "strspn",
        "strcspn",  "strpbrk",  "strcasecmp", "strncasecmp", "memccpy"};

    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        add_made(line, "-fno-builtin-%s", calls[i]);
}

/* The configuration that applies to the first source; NULL after a complaint. */
static const struct config *config_of(const struct build_step *step)
{
    const char *slash = step->source ? strrchr(step->source, '/') : NULL;
    char *folder = slash ? memory_text(step->source, (size_t)(slash - step->source + 1)) : NULL;
    const struct config *config = configured_for(folder ? folder : ".");

    free(folder);
    return config;
}

/* The plugin hooks the accesses that gcc leaves without a hook, if there is a plugin for this gcc. */
static void add_plugin(struct cc_line *line, const struct build_step *step, const char *folder,
                       const struct config *config)
{
    char path[4200];

    if (step->word && plugin_find(folder, step->word, path, sizeof path) == PLUGIN_FITS) {
        add_made(line, "-fplugin=%s", path);
        for (size_t i = 0; i < config->atomic.names_count; i++)
            add_made(line, "-fplugin-arg-heddle_gcc-atomic=%s", config->atomic.names[i]);
        for (size_t i = 0; i < config->deterministic.names_count; i++)
            add_made(line, "-fplugin-arg-heddle_gcc-deterministic=%s", config->deterministic.names[i]);
    } else if (step->links)
        fprintf(stderr,
                "heddle: note: without a plugin for %s, some accesses are not recorded; see heddle doctor\n",
                step->word ? step->word : "the compiler");
}

/* Our options come first: of two contrary options the user's wins. */
static void add_flags(struct cc_line *line, bool clang)
{
    add(line, "-g");
    add(line, "-fno-omit-frame-pointer"); /* who called is found by them */
    add(line, "-U_FORTIFY_SOURCE");       /* some compilers set it by themselves */
    add(line, "-fsanitize=thread");
    if (clang) {
        add(line, "-fno-sanitize-link-runtime");
        /* The second: clang before 21 takes members and elements of a local variable for its thread's own, whoever knows the
         * variable (LLVM's issue 132739); it takes none for that if it may follow no use of an address. The third: as below. */
        for (const char *const *p = (const char *const[]){"-tsan-instrument-read-before-write=1",
                                                          "-capture-tracking-max-uses-to-explore=0",
                                                          "-disable-licm-promotion", NULL};
             *p; p++) {
            add(line, "-mllvm");
            add(line, *p);
        }
        add(line, "-gdwarf-aranges"); /* which unit holds an address: found at once */
        add(line, "-Qunused-arguments");
    } else {
        add(line, "--param");
        add(line, "tsan-instrument-func-entry-exit=0");
        /* gcc assumes that hooks do not read static variables, and delays stores to them. */
        add(line, "-fno-ipa-reference");
        /* It would read before a loop what the loop may never come to. */
        add(line, "-fno-tree-loop-im");
        add(line, "-Wno-tsan"); /* it warns of fences, which are recorded here */
        /* A hook in place is no call to gcc, which makes frames before calls, but the runtime may be called there. */
        add(line, "-fno-shrink-wrap");
    }
    keep_calls(line);
}

static bool has_file(const char *folder, const char *name)
{
    char path[4200];

    snprintf(path, sizeof path, "%s/%s", folder, name);
    return access(path, R_OK) == 0;
}

/* gcc links -ltsan by itself, and finds ours first. */
static void add_link_flags(struct cc_line *line, const struct build_step *step, const char *folder)
{
    if (!step->library) {
        add(line, "-x"); /* the user's sources may have been of a language given by -x */
        add(line, "none");
        add_made(line, "%s/heddle-hooks.o", folder);
        if (step->clang && !step->late)
            add_made(line, "%s/heddle-frames.o", folder);
    }
    add_made(line, "-L%s", folder);
    add_made(line, "-Wl,-rpath,%s", folder);
    if (step->cxx && has_file(folder, "libheddle-cxx.a"))
        add(line, "-lheddle-cxx"); /* before the C++ library, which has the same without hooks */
    add(line, "-Wl,-Bdynamic");    /* the user's last word may have been -Bstatic */
}

/* gcc puts its runtime before all other libraries, some of which define what it stands in for: so do we for
 * clang. */
static void add_runtime(struct cc_line *line, const char *folder)
{
    add_made(line, "-L%s", folder);
    add(line, "-Wl,--push-state,--no-as-needed");
    add(line, "-lheddle-rt");
    add(line, "-Wl,--pop-state");
}

static int run_compiler(const struct command *self, char **argv)
{
    struct cc_line line = {0}, user = {0};
    char folder[4096];
    struct build_step step = {.cxx = self == &command_cxx};
    const struct config *config;

    if (!runtime_folder(folder, sizeof folder))
        return EXIT_ERROR;
    if (*argv && strcmp(*argv, "--compiler") == 0) {
        if (!argv[1])
            return complain("%s: --compiler needs the compiler as the next word", self->name);
        if (is_ours(argv[1])) {
            execvp(argv[1], argv + 1);
            return complain("%s: cannot run %s: %s", self->name, argv[1], strerror(errno));
        }
        add_named_compiler(&line, &step, argv[1]);
        argv += 2;
    } else {
        add_compiler(&line, &step);
    }
    copy_words(&user, &step, argv);
    config = config_of(&step);
    if (!config)
        return EXIT_ERROR;
    if (step.clang && step.links && config->atomic.names_count + config->deterministic.names_count > 0)
        remark("%s: clang cannot mark functions as atomic or deterministic; HEDDLE_CC=gcc works", config->path);
    if (step.inputs)
        add_flags(&line, step.clang);
    if (step.inputs && step.links && step.clang)
        add_runtime(&line, folder);
    if (step.inputs && !step.clang)
        add_plugin(&line, &step, folder, config);
    for (size_t i = 0; i < user.words_count; i++)
        add(&line, user.words[i]);
    if (step.inputs && step.links)
        add_link_flags(&line, &step, folder);
    add(&line, NULL);
    execvp(line.words[0], (char *const *)line.words);
    return complain("%s: cannot run %s: %s", self->name, line.words[0], strerror(errno));
}

const struct command command_cc = {
    .name = "cc",
    .operands = "ARGUMENTS",
    .summary = "runs the C compiler with the instrumentation that recording needs",
    .description =
        "Runs gcc (or the compiler that HEDDLE_CC names) with ARGUMENTS so that the program can be recorded. "
        "Use it as the compiler in any build: CC=\"heddle cc\", or heddle-cc where a single word is needed. As "
        "a launcher, heddle cc --compiler COMPILER ARGUMENTS runs that compiler.",
    .options = options,
    .run_raw = run_compiler,
};

const struct command command_cxx = {
    .name = "c++",
    .operands = "ARGUMENTS",
    .summary = "runs the C++ compiler with the instrumentation that recording needs",
    .description =
        "Runs g++ (or the compiler that HEDDLE_CXX names) with ARGUMENTS so that the program can be recorded. "
        "Use it as the compiler in any build: CXX=\"heddle c++\", or heddle-c++ where a single word is needed. "
        "As a launcher, heddle c++ --compiler COMPILER ARGUMENTS runs that compiler.",
    .options = options,
    .run_raw = run_compiler,
};
