/* heddle hunt --each: a hunt for each test case, within its share of the time. */
#include "cli/hunt_each.h"
#include "base/buffer.h"
#include "base/clock.h"
#include "base/json_out.h"
#include "base/memory.h"
#include "crew/ranks.h"
#include "record/program.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* A session of hunts. */
struct each {
    const struct command *self;
    const struct arguments *args;
    double deadline;                          /* of all cases; 0: none */
    char folder[PATH_MAX];                    /* absolute */
    char config[PATH_MAX], isolate[PATH_MAX]; /* of these options, absolute; or "" */
    struct test_cases cases;
    struct case_result *results;
};

static volatile sig_atomic_t stopped;

static void stop(int signal)
{
    (void)signal;
    stopped = 1;
}

static char *copy(const char *text)
{
    return memory_text(text, strlen(text));
}

/* A folder for the case: its name as far as it suits a file, and its number. */
static char *folder_of(const struct each *e, size_t number)
{
    const struct test_case *t = &e->cases.cases[number];
    size_t room = strlen(e->folder) + 160;
    char *path = memory_new(room, 1), name[120];

    snprintf(name, sizeof name, "%.50s.%.60s", t->suite, t->name);
    for (char *p = name; *p; p++)
        if (!isalnum((unsigned char)*p) && !strchr("._-", *p))
            *p = '_';
    snprintf(path, room, "%s/%zu-%s", e->folder, number + 1, name);
    return path;
}

/* What the hunt of a case is not told as it stands. */
static bool is_own(const char *option)
{
    static const char *const own[] = {"each", "for", "output", "format", "quiet", "config", "isolate", NULL};

    for (const char *const *o = own; *o; o++)
        if (strcmp(option, *o) == 0)
            return true;
    return false;
}

static void push(struct test_words *to, char *word)
{
    ARRAY_PUSH(to, words, word);
}

static char *option_word(const char *name, const char *value)
{
    struct buffer b = {0};
    char *word;

    buffer_format(&b, "--%s%s", name, *value ? "=" : "");
    buffer_text(&b, value);
    word = memory_text(b.text, b.text_count);
    buffer_free(&b);
    return word;
}

/* The command line of the case's hunt. */
static struct test_words hunt_words(const struct each *e, const struct test_case *t, const char *folder,
                                    double seconds)
{
    struct test_words words = {0};
    char time[40];

    push(&words, copy("heddle"));
    push(&words, copy("hunt"));
    for (int i = 0; e->self->options[i].name; i++)
        if (e->args->value[i] && !is_own(e->self->options[i].name))
            push(&words, option_word(e->self->options[i].name, e->args->value[i]));
    if (*e->config)
        push(&words, option_word("config", e->config));
    if (*e->isolate)
        push(&words, option_word("isolate", e->isolate));
    snprintf(time, sizeof time, "%.3f", seconds);
    push(&words, option_word("for", time));
    push(&words, option_word("output", folder));
    push(&words, copy("--quiet"));
    push(&words, copy("--"));
    for (size_t i = 0; i < t->command.words_count; i++)
        push(&words, copy(t->command.words[i]));
    push(&words, NULL);
    return words;
}

/* A hunt that is about to begin. */
struct case_start {
    const struct test_case *test;
    char **words;
};

static void start_hunt(const void *context)
{
    const struct case_start *c = context;

    for (size_t i = 0; i < c->test->environment.words_count; i++) {
        char *name = copy(c->test->environment.words[i]), *equals = strchr(name, '=');
        if (equals) {
            *equals = '\0';
            setenv(name, equals + 1, 1);
        }
    }
    if (c->test->folder && chdir(c->test->folder) != 0) {
        complain("%s: %s", c->test->folder, strerror(errno));
        return;
    }
    execv("/proc/self/exe", c->words);
    complain("cannot be started again: %s", strerror(errno));
}

/* The last of Heddle's messages, which says why a hunt failed; or NULL. */
static char *last_message(const struct buffer *b)
{
    const char *best = NULL, *end = b->text + b->text_count;

    for (const char *at = b->text; at && at < end;) {
        const char *newline = memchr(at, '\n', (size_t)(end - at)), *stop_at = newline ? newline : end;
        if (stop_at - at > 8 && memcmp(at, "heddle: ", 8) == 0)
            best = at + 8;
        at = newline ? newline + 1 : end;
    }
    if (!best)
        return NULL;
    const char *newline = memchr(best, '\n', (size_t)(end - best));
    return memory_text(best, (size_t)((newline ? newline : end) - best));
}

/* Runs the hunt; its exit status. */
static int run_hunt(const struct test_case *t, char **words, struct buffer *messages)
{
    struct case_start start = {t, words};
    int status = 0;

    if (!child_read(start_hunt, &start, STDERR_FILENO, 1 << 20, messages, &status) || !WIFEXITED(status))
        return EXIT_ERROR;
    return WEXITSTATUS(status);
}

/* "H1 Deadlock …, at a.c:3", a line for each problem that is no note. */
static void read_problems(struct case_result *r)
{
    struct buffer path = {0}, lines = {0};
    json_t *root, *problem;
    json_error_t why;
    size_t i;

    buffer_text(&path, r->folder);
    buffer_bytes(&path, "/hunt.json", sizeof "/hunt.json");
    root = json_load_file(path.text, 0, &why);
    r->runs = json_array_size(json_object_get(root, "runs"));
    json_array_foreach(json_object_get(root, "problems"), i, problem)
    {
        const char *kind = json_string_value(json_object_get(problem, "kind"));
        const char *id = json_string_value(json_object_get(problem, "id"));
        const char *title = json_string_value(json_object_get(problem, "title"));
        const char *place = json_string_value(json_object_get(problem, "place"));
        if (!kind || !id || !title || strcmp(kind, "note") == 0)
            continue;
        r->problems_count++;
        buffer_format(&lines, "%s%s %s", lines.text_count > 0 ? "\n" : "", id, title);
        if (place && *place && strcmp(kind, "predicted") == 0)
            buffer_format(&lines, ", at %s", place);
    }
    json_decref(root);
    r->problems = lines.text_count > 0 ? memory_text(lines.text, lines.text_count) : NULL;
    buffer_free(&path);
    buffer_free(&lines);
}

static void hunt_case(struct each *e, size_t number)
{
    const struct test_case *t = &e->cases.cases[number];
    struct case_result *r = &e->results[number];
    double start = seconds_now(), share = 0;
    struct test_words words;
    struct buffer messages = {0};
    char *folder;
    int status;

    if (t->skipped || stopped) {
        r->words = copy(t->skipped ? t->skipped : "interrupted before its turn");
        return;
    }
    if (e->deadline > 0) {
        share = (e->deadline - start) / (double)(e->cases.cases_count - number);
        share = share < 1 ? 1 : share;
    }
    folder = folder_of(e, number);
    words = hunt_words(e, t, folder, share);
    status = run_hunt(t, words.words, &messages);
    r->seconds = seconds_now() - start;
    r->verdict = status == EXIT_FINDINGS        ? CASE_FAILED
                 : status == EXIT_INCOMPLETE    ? CASE_OPEN
                 : status == EXIT_NOTHING_FOUND ? CASE_CLEAN
                                                : CASE_ERROR;
    if (r->verdict == CASE_ERROR) {
        r->words = last_message(&messages);
        rmdir(folder);
        free(folder);
    } else {
        r->folder = folder;
        read_problems(r);
    }
    for (size_t i = 0; i < words.words_count; i++)
        free(words.words[i]);
    free(words.words);
    buffer_free(&messages);
}

static void tell_case(const struct test_case *t, const struct case_result *r)
{
    static const char *const verdicts[] = {"skipped", "clean", "open", "FAILED", "error"};
    struct buffer b = {0};

    buffer_format(&b, "%-8s %5llu runs %7.1f s  ", verdicts[r->verdict], (unsigned long long)r->runs,
                  r->seconds);
    buffer_safe(&b, t->suite);
    buffer_text(&b, "  ");
    buffer_safe(&b, t->name);
    if (r->words) {
        buffer_text(&b, ": ");
        buffer_safe(&b, r->words);
    }
    buffer_text(&b, "\n");
    for (const char *line = r->problems; line && *line;) {
        size_t length = strcspn(line, "\n");
        char *one = memory_text(line, length);
        buffer_text(&b, "           ");
        buffer_safe(&b, one);
        buffer_text(&b, "\n");
        free(one);
        line += length + (line[length] == '\n');
    }
    buffer_flush(&b, stdout);
    buffer_free(&b);
    fflush(stdout);
}

static size_t count(const struct each *e, int verdict)
{
    return cases_with(e->results, e->cases.cases_count, verdict);
}

static void tell_json(const struct each *e)
{
    static const char *const verdicts[] = {"skipped", "clean", "open", "failed", "error"};
    struct json_out o = {.to = stdout, .spaced = true};

    json_object_open(&o, NULL);
    json_text(&o, "format", "heddle-hunt-each");
    json_count(&o, "version", 1);
    json_array_open(&o, "cases");
    for (size_t i = 0; i < e->cases.cases_count; i++) {
        const struct case_result *r = &e->results[i];
        json_line(&o, 2);
        json_object_open(&o, NULL);
        json_text(&o, "suite", e->cases.cases[i].suite);
        json_text(&o, "name", e->cases.cases[i].name);
        json_text(&o, "verdict", verdicts[r->verdict]);
        json_count(&o, "problems", r->problems_count);
        json_count(&o, "runs", r->runs);
        json_seconds(&o, "seconds", r->seconds);
        if (r->folder)
            json_text(&o, "folder", r->folder);
        if (r->words)
            json_text(&o, "reason", r->words);
        json_close(&o);
    }
    json_close(&o);
    json_line(&o, 0);
    json_close(&o);
    json_end(&o);
    putchar('\n');
}

/* All cases, and the summary; the exit status. */
static int hunt_all(struct each *e, bool json, bool quiet)
{
    char path[PATH_MAX + 16];
    struct error err;
    size_t failed, hunted;

    for (size_t i = 0; i < e->cases.cases_count; i++) {
        hunt_case(e, i);
        if (!json && !quiet)
            tell_case(&e->cases.cases[i], &e->results[i]);
    }
    snprintf(path, sizeof path, "%s/junit.xml", e->folder);
    if (junit_write(path, &e->cases, e->results, &err) != HEDDLE_OK)
        return complain("%s", err.text);
    failed = count(e, CASE_FAILED);
    hunted = failed + count(e, CASE_CLEAN) + count(e, CASE_OPEN);
    if (json)
        tell_json(e);
    else if (!quiet)
        printf("%zu test case%s: %zu with problems, %zu without, %zu not decided in full, %zu not hunted\n"
               "Written: %s, and a folder for each case\n",
               e->cases.cases_count, e->cases.cases_count == 1 ? "" : "s", failed, count(e, CASE_CLEAN),
               count(e, CASE_OPEN), e->cases.cases_count - hunted, path);
    if (failed > 0)
        return EXIT_FINDINGS;
    if (hunted == 0)
        return complain("hunt: --each: no test case could be hunted");
    return count(e, CASE_OPEN) > 0 || count(e, CASE_ERROR) > 0 || stopped ? EXIT_INCOMPLETE
                                                                          : EXIT_NOTHING_FOUND;
}

/* Cases may work elsewhere, so that paths must be absolute. False after a complaint. */
static bool whole_path(const char *option, const char *path, char *to)
{
    if (path && !realpath(path, to)) {
        complain("hunt: --%s=%s: %s", option, path, strerror(errno));
        return false;
    }
    return true;
}

int hunt_each(const struct command *self, const struct arguments *args, double seconds, const char *folder)
{
    const char *config = argument_of(self, args, "config"), *format = argument_of(self, args, "format");
    struct each e = {.self = self, .args = args};
    struct error err;
    int status;

    if (ranks_expected())
        return complain("hunt: --each does not work under MPI");
    if (!whole_path("output", folder, e.folder) ||
        !whole_path("isolate", argument_of(self, args, "isolate"), e.isolate))
        return EXIT_ERROR;
    if (config && strcmp(config, "none") == 0)
        snprintf(e.config, sizeof e.config, "none");
    else if (!whole_path("config", config, e.config))
        return EXIT_ERROR;
    if (cases_list(&e.cases, args->program, &err) != HEDDLE_OK)
        return complain("%s", err.text);
    e.deadline = seconds > 0 ? seconds_now() + seconds : 0;
    e.results = memory_new(e.cases.cases_count, sizeof *e.results);
    sigaction(SIGINT, &(struct sigaction){.sa_handler = stop}, NULL);
    sigaction(SIGTERM, &(struct sigaction){.sa_handler = stop}, NULL);
    status = hunt_all(&e, format && strcmp(format, "json") == 0, argument_of(self, args, "quiet") != NULL);
    for (size_t i = 0; i < e.cases.cases_count; i++) {
        free(e.results[i].folder);
        free(e.results[i].words);
        free(e.results[i].problems);
    }
    free(e.results);
    cases_free(&e.cases);
    return status;
}
