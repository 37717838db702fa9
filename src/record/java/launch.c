/* Starting a Java program with the agent. */
#include "record/java/launch.h"
#include "base/clock.h"
#include "base/memory.h"
#include "record/feed.h"
#include "record/patience.h"
#include "record/printed.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { RECORD_BYTES = 24, TRIAL_RECORDS = 4 << 20, CANNOT_RUN = 127, LOOK_MILLISECONDS = 20 };

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

bool is_java(const char *program)
{
    static const char *const launchers[] = {"java", "mvn",    "mvnw",  "gradle", "gradlew", "ant",
                                            "sbt",  "kotlin", "scala", "groovy", "lein",    NULL};

    for (const char *const *l = launchers; *l; l++)
        if (strcmp(base_name(program), *l) == 0)
            return true;
    return false;
}

bool is_machine(const char *program)
{
    return strcmp(base_name(program), "java") == 0;
}

static bool is_gradle(const char *program)
{
    return strcmp(base_name(program), "gradle") == 0 || strcmp(base_name(program), "gradlew") == 0;
}

/* Text that grows. */
struct agent_words {
    char *bytes;
    size_t bytes_count, bytes_capacity;
};

static void append(struct agent_words *to, const char *piece)
{
    for (; *piece; piece++)
        ARRAY_PUSH(to, bytes, *piece);
}

/* Each of the patterns in a list separated by commas, as a word of the agent's options. */
static void append_patterns(struct agent_words *to, const char *word, const char *list)
{
    while (list && *list) {
        size_t length = strcspn(list, ",");
        if (length > 0) {
            append(to, ",");
            append(to, word);
            append(to, "=");
            for (size_t i = 0; i < length; i++)
                ARRAY_PUSH(to, bytes, list[i]);
        }
        list += length + (list[length] == ',');
    }
}

/* A line of the file of blocks: "atomic pkg.Class.method" or "deterministic …". */
static enum status append_block(struct agent_words *to, const char *path, unsigned number, char *line,
                                struct error *err)
{
    char *rest, *kind = strtok_r(line, " \t\r\n", &rest), *method = strtok_r(NULL, " \t\r\n", &rest);

    if (!kind || *kind == '#')
        return HEDDLE_OK;
    if (!method || strtok_r(NULL, " \t\r\n", &rest) || strchr(method, ',') || !strchr(method, '.') ||
        (strcmp(kind, "atomic") != 0 && strcmp(kind, "deterministic") != 0))
        return fail(err, HEDDLE_BAD_USAGE,
                    "%s:%u: a line is `atomic CLASS.METHOD` or `deterministic CLASS.METHOD`", path, number);
    append_patterns(to, kind, method);
    return HEDDLE_OK;
}

static enum status append_blocks(struct agent_words *to, const char *path, struct error *err)
{
    FILE *file = path ? fopen(path, "re") : NULL;
    enum status status = HEDDLE_OK;
    char *line = NULL;
    size_t room = 0;

    if (path && !file)
        return fail(err, HEDDLE_IO, "%s: %s", path, strerror(errno));
    for (unsigned number = 1; file && status == HEDDLE_OK && getline(&line, &room, file) >= 0; number++)
        status = append_block(to, path, number, line, err);
    free(line);
    if (file)
        fclose(file);
    return status;
}

/* Those of the names that can be CLASS.METHOD; the others are functions of C or C++. */
static void append_methods(struct agent_words *to, const char *kind, char *const *names)
{
    for (; names && *names; names++)
        if (strchr(*names, '.') && !strchr(*names, ','))
            append_patterns(to, kind, *names);
}

enum status java_words(const struct recording *r, char **words, struct error *err)
{
    struct agent_words to = {0};
    enum status status = HEDDLE_OK;

    if (r->java.words) {
        append(&to, r->java.words);
    } else {
        if (r->java.include) {
            append_patterns(&to, "exclude", "*");
            append_patterns(&to, "include", r->java.include);
        }
        append_patterns(&to, "exclude", r->java.exclude);
        status = append_blocks(&to, r->java.blocks, err);
        if (!r->java.blocks) {
            append_methods(&to, "atomic", r->java.atomic);
            append_methods(&to, "deterministic", r->java.deterministic);
        }
    }
    ARRAY_PUSH(&to, bytes, '\0');
    *words = to.bytes;
    return status;
}

/* The first of two passes records the beginning of the run, then lets the program go on as it is. */
static uint64_t records_of(const struct recording *r)
{
    uint64_t records = r->java.megabytes * (1u << 20) / RECORD_BYTES;

    return r->java.pass == 1 && records > TRIAL_RECORDS ? TRIAL_RECORDS : records;
}

/* "-agentpath:…=…" for this recording. */
static char *agent_option(const struct recording *r, const char *folder, const char *words)
{
    struct agent_words to = {0};
    char records[64];

    append(&to, "-agentpath:");
    append(&to, r->libraries);
    append(&to, "/" JAVA_AGENT "=folder=");
    append(&to, folder);
    snprintf(records, sizeof records, ",records=%llu", (unsigned long long)records_of(r));
    append(&to, records);
    if (r->script_fd) {
        append(&to, ",script=");
        append(&to, folder);
        append(&to, "/" JAVA_SCRIPT);
    }
    if (r->script_fd && (r->policy & POLICY_KIND) == POLICY_RANDOM && policy_length(r->policy) > 0) {
        snprintf(records, sizeof records, ",drawn=%u", (unsigned)(r->seed % UINT32_MAX) + 1);
        append(&to, records);
    }
    if (r->java.pass) {
        snprintf(records, sizeof records, ",passes=%u", r->java.pass);
        append(&to, records);
    }
    if (r->grounds)
        append(&to, ",grounds=on");
    if (r->java.delays) {
        snprintf(records, sizeof records, ",seed=%llu,delays=%u", (unsigned long long)r->seed,
                 (r->policy & POLICY_KIND) <= POLICY_ROUND_ROBIN ? (r->policy & POLICY_KIND) + 1u
                                                                 : POLICY_PCT + 1u);
        append(&to, records);
    }
    append(&to, words);
    ARRAY_PUSH(&to, bytes, '\0');
    return to.bytes;
}

/* In the child: input and output as they are wanted. */
static void redirect(const struct recording *r, const struct feed *input)
{
    if (input->fd >= 0)
        dup2(input->fd, STDIN_FILENO);
    else if (r->input_fd > 0)
        dup2(r->input_fd, STDIN_FILENO);
    if (r->java.silent) {
        int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
        dup2(nowhere, STDOUT_FILENO);
        dup2(nowhere, STDERR_FILENO);
    } else if (r->outputs) {
        dup2(r->outputs[0].fd, STDOUT_FILENO);
        dup2(r->outputs[1].fd, STDERR_FILENO);
    }
}

/* What JAVA_TOOL_OPTIONS must hold; to be freed. */
static char *tool_options(const char *option)
{
    const char *old = getenv("JAVA_TOOL_OPTIONS");
    struct agent_words to = {0};

    append(&to, old ? old : "");
    append(&to, old ? " \"" : "\"");
    append(&to, option);
    append(&to, "\"");
    ARRAY_PUSH(&to, bytes, '\0');
    return to.bytes;
}

/* Gradle's daemon outlives a build and hands its own environment on, so this script for Gradle hands the option to the
 * machines that tasks start. A test that has passed would not run again. */
static enum status write_gradle_script(const char *path, const char *option, struct error *err)
{
    FILE *file = fopen(path, "we");
    char *options = tool_options(option);
    struct agent_words to = {0};
    bool written;

    append(&to, "gradle.taskGraph.whenReady { graph ->\n"
                "    graph.allTasks.findAll { it instanceof org.gradle.process.JavaForkOptions }.each {\n"
                "        it.environment 'JAVA_TOOL_OPTIONS', '");
    for (const char *c = options; *c; c++) {
        if (*c == '\'' || *c == '\\')
            ARRAY_PUSH(&to, bytes, '\\');
        ARRAY_PUSH(&to, bytes, *c);
    }
    append(&to, "'\n"
                "        it.outputs.upToDateWhen { false }\n"
                "        it.outputs.cacheIf { false }\n"
                "    }\n"
                "}\n");
    written = file && fwrite(to.bytes, to.bytes_count, 1, file) == 1;
    written = file && fclose(file) == 0 && written;
    free(to.bytes);
    free(options);
    return written ? HEDDLE_OK : fail(err, HEDDLE_IO, "cannot write %s: %s", path, strerror(errno));
}

/* In the child: `java` gets the option on its command line, where nobody sees it, Gradle in a script, other tools in the
 * environment. */
static void start_program(const struct recording *r, const char *option, const char *script, int report)
{
    size_t count = 0, added = 0;
    char *arguments_added[2];
    char **arguments;
    int error;

    if (is_machine(r->program[0])) {
        arguments_added[added++] = memory_text(option, strlen(option));
    } else if (is_gradle(r->program[0])) {
        arguments_added[added++] = memory_text("--init-script", strlen("--init-script"));
        arguments_added[added++] = memory_text(script, strlen(script));
    } else {
        setenv("JAVA_TOOL_OPTIONS", tool_options(option), 1);
    }
    while (r->program[count])
        count++;
    arguments = memory_new(count + added + 1, sizeof *arguments);
    arguments[0] = r->program[0];
    memcpy(arguments + 1, arguments_added, added * sizeof *arguments);
    memcpy(arguments + 1 + added, r->program + 1, (count - 1) * sizeof *arguments);
    execvp(arguments[0], arguments);
    error = errno;
    if (write(report, &error, sizeof error) < 0)
        _exit(CANNOT_RUN);
    _exit(CANNOT_RUN);
}

static enum status launch(const struct recording *r, const struct feed *input, const char *folder,
                          const char *option, const sigset_t *signals, pid_t *pid, struct error *err)
{
    char script[4096];
    int ends[2], error = 0;
    ssize_t got;

    snprintf(script, sizeof script, "%s/heddle.gradle", folder);
    if (is_gradle(r->program[0]) && write_gradle_script(script, option, err) != HEDDLE_OK)
        return err->status;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return fail(err, HEDDLE_IO, "cannot create a pipe: %s", strerror(errno));
    *pid = fork();
    if (*pid == 0) {
        sigprocmask(SIG_SETMASK, signals, NULL);
        redirect(r, input);
        start_program(r, option, script, ends[1]);
    }
    close(ends[1]);
    got = *pid < 0 ? 0 : read(ends[0], &error, sizeof error);
    close(ends[0]);
    if (*pid < 0)
        return fail(err, HEDDLE_IO, "cannot fork: %s", strerror(errno));
    if (got == sizeof error) {
        waitpid(*pid, NULL, 0);
        return fail(err, HEDDLE_BAD_USAGE, "%s: cannot be run: %s", r->program[0], strerror(error));
    }
    return HEDDLE_OK;
}

/* Ends the program and every machine it started: their files are named by process. */
static void end_all(const char *folder, pid_t pid)
{
    DIR *all = opendir(folder);
    struct dirent *entry;

    kill(pid, SIGKILL);
    while (all && (entry = readdir(all))) {
        long machine = strtol(entry->d_name, NULL, 10);
        if (machine > 1)
            kill((pid_t)machine, SIGKILL);
    }
    if (all)
        closedir(all);
}

static uint64_t milliseconds(void)
{
    return (uint64_t)(seconds_now() * 1000);
}

static void wait_for_end(struct recording *r, struct feed *input, const char *folder, pid_t pid,
                         const sigset_t *awaited)
{
    struct timespec look = {.tv_nsec = LOOK_MILLISECONDS * 1000000L}, at_once = {0};
    struct patience patience;
    uint64_t now = milliseconds();
    int status;

    patience_begin(&patience, r->timeout, r->longest, now);
    while (waitpid(pid, &status, WNOHANG) != pid) {
        feed_step(input);
        printed_step(r->outputs);
        int signal = sigtimedwait(awaited, NULL, &look);
        if (signal == SIGTERM || signal == SIGHUP || signal == SIGUSR1 || signal == SIGUSR2)
            kill(pid, signal);
        r->interrupted |= signal == SIGTERM || signal == SIGHUP || signal == SIGINT || signal == SIGQUIT;
        if (r->impatient && r->interrupted)
            end_all(folder, pid);
        now = milliseconds();
        if (!r->timed_out && patience_over(&patience, pid, now)) {
            r->timed_out = true;
            r->starved = patience_starved(&patience, now);
            end_all(folder, pid);
        }
    }
    r->ended = status;
    r->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    r->status = r->signal ? 128 + r->signal : WEXITSTATUS(status);
    while (sigtimedwait(awaited, NULL, &at_once) >
           0) /* a signal that ended the program must not end the recorder */
        ;
}

enum status java_launch(struct recording *r, const char *folder, const char *words, struct error *err)
{
    sigset_t awaited, before;
    char *option = agent_option(r, folder, words);
    int given = r->input_fd > 0 ? r->input_fd : -1;
    struct feed input;
    enum status status;
    pid_t pid = -1;

    /* Signals from the terminal reach the program directly; the recorder stays to write the trace. */
    sigemptyset(&awaited);
    for (const int *s = (const int[]){SIGCHLD, SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGUSR1, SIGUSR2, 0}; *s; s++)
        sigaddset(&awaited, *s);
    sigprocmask(SIG_BLOCK, &awaited, &before);
    feed_open(&input, given, true);
    status = launch(r, &input, folder, option, &before, &pid, err);
    if (status == HEDDLE_OK) {
        wait_for_end(r, &input, folder, pid, &awaited);
        feed_keep(&input, given, &r->journal);
    }
    feed_close(&input);
    sigprocmask(SIG_SETMASK, &before, NULL);
    free(option);
    return status;
}
