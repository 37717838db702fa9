/* Lists the test cases of ctest, GoogleTest, Catch2 and pytest. */
#include "cli/hunt_cases.h"
#include "base/buffer.h"
#include "base/memory.h"
#include "record/program.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LISTING_MOST = 64 << 20, CANNOT_RUN = 127 };

static void add_word(struct test_words *to, const char *word)
{
    ARRAY_PUSH(to, words, memory_text(word, strlen(word)));
    ARRAY_PUSH(to, words, NULL); /* ends the list, and is not counted */
    to->words_count--;
}

static void words_drop(struct test_words *words)
{
    for (size_t i = 0; i < words->words_count; i++)
        free(words->words[i]);
    free(words->words);
}

void cases_free(struct test_cases *c)
{
    for (size_t i = 0; i < c->cases_count; i++) {
        struct test_case *t = &c->cases[i];
        free(t->suite);
        free(t->name);
        free(t->folder);
        free(t->skipped);
        words_drop(&t->command);
        words_drop(&t->environment);
    }
    free(c->cases);
    memset(c, 0, sizeof *c);
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

/* The first words of the program. */
static struct test_words start_of(char *const *program, size_t count)
{
    struct test_words words = {0};

    for (size_t i = 0; i < count && program[i]; i++)
        add_word(&words, program[i]);
    return words;
}

static struct test_words whole(char *const *program)
{
    return start_of(program, SIZE_MAX);
}

static struct test_case *add_case(struct test_cases *c, const char *suite, const char *name)
{
    ARRAY_PUSH(c, cases,
               (struct test_case){.suite = memory_text(suite, strlen(suite)),
                                  .name = memory_text(name, strlen(name))});
    return &c->cases[c->cases_count - 1];
}

bool child_read(void (*start)(const void *context), const void *context, int stream, size_t most,
                struct buffer *out, int *status)
{
    char piece[4096];
    ssize_t got;
    int ends[2];
    pid_t child;

    if (pipe2(ends, O_CLOEXEC) != 0)
        return false;
    child = fork();
    if (child == 0) {
        dup2(ends[1], stream);
        start(context);
        _exit(CANNOT_RUN);
    }
    close(ends[1]);
    while (child > 0 && ((got = read(ends[0], piece, sizeof piece)) > 0 || (got < 0 && errno == EINTR)))
        if (got > 0 && out->text_count < most)
            buffer_bytes(out, piece, (size_t)got);
    close(ends[0]);
    while (child > 0 && waitpid(child, status, 0) < 0 && errno == EINTR)
        ;
    return child > 0;
}

static void start_listing(const void *context)
{
    const struct test_words *command = context;

    execvp(command->words[0], command->words);
}

/* What the command prints on standard output, as text ended by NUL; its exit status. */
static enum status run_listing(const struct test_words *command, struct buffer *out, int *status,
                               struct error *err)
{
    bool ran = child_read(start_listing, command, STDOUT_FILENO, LISTING_MOST, out, status);

    buffer_bytes(out, "", 1);
    if (!ran || !WIFEXITED(*status) || WEXITSTATUS(*status) == CANNOT_RUN)
        return fail(err, HEDDLE_BAD_USAGE, "hunt: --each: %.200s could not be asked for its tests",
                    command->words[0]);
    *status = WEXITSTATUS(*status);
    return HEDDLE_OK;
}

/* One of ctest's properties, or NULL. */
static json_t *property_value(const json_t *test, const char *name)
{
    json_t *properties = json_object_get(test, "properties"), *property;
    size_t i;

    json_array_foreach(properties, i, property)
    {
        const char *called = json_string_value(json_object_get(property, "name"));
        if (called && strcmp(called, name) == 0)
            return json_object_get(property, "value");
    }
    return NULL;
}

static const char *ctest_skip_reason(const json_t *test)
{
    if (json_is_true(property_value(test, "DISABLED")))
        return "it is disabled";
    if (json_is_true(property_value(test, "WILL_FAIL")))
        return "it is meant to fail, so that every run would look like a problem";
    if (json_array_size(json_object_get(test, "command")) == 0)
        return "it has no command: perhaps it is not built";
    return NULL;
}

static void take_ctest(struct test_cases *c, const json_t *test)
{
    const char *name = json_string_value(json_object_get(test, "name"));
    const char *folder = json_string_value(property_value(test, "WORKING_DIRECTORY"));
    const char *skipped = ctest_skip_reason(test);
    struct test_case *t = add_case(c, "ctest", name ? name : "");
    json_t *item;
    size_t i;

    t->folder = folder ? memory_text(folder, strlen(folder)) : NULL;
    t->skipped = skipped ? memory_text(skipped, strlen(skipped)) : NULL;
    json_array_foreach(json_object_get(test, "command"), i, item) if (json_is_string(item))
        add_word(&t->command, json_string_value(item));
    json_array_foreach(property_value(test, "ENVIRONMENT"), i, item) if (json_is_string(item))
        add_word(&t->environment, json_string_value(item));
}

static enum status list_ctest(struct test_cases *c, char *const *program, struct error *err)
{
    struct test_words command = whole(program);
    struct buffer out = {0};
    json_t *root = NULL, *test;
    json_error_t why;
    int status = 0;
    size_t i;

    add_word(&command, "--show-only=json-v1");
    if (run_listing(&command, &out, &status, err) == HEDDLE_OK) {
        root = json_loads(out.text, 0, &why);
        if (!root)
            fail(err, HEDDLE_BAD_USAGE, "hunt: --each: cannot read what ctest says of its tests: %.200s",
                 why.text);
    }
    json_array_foreach(json_object_get(root, "tests"), i, test) take_ctest(c, test);
    words_drop(&command);
    buffer_free(&out);
    if (!root)
        return err->status;
    json_decref(root);
    return HEDDLE_OK;
}

/* The text after `#`, and blanks before it, are comments of GoogleTest. */
static void cut_comment(char *line)
{
    char *end = strstr(line, "  # ");

    if (end)
        *end = '\0';
}

/* "Suite." and, indented by two blanks, "Case". */
static enum status list_gtest(struct test_cases *c, char *const *program, struct error *err)
{
    struct test_words command = whole(program);
    struct buffer out = {0};
    char *rest, suite[512] = "", option[1200];
    int status = 0;
    enum status result;

    add_word(&command, "--gtest_list_tests");
    result = run_listing(&command, &out, &status, err);
    if (result == HEDDLE_OK && status != 0)
        result = fail(err, HEDDLE_BAD_USAGE, "hunt: --each: %.200s --gtest_list_tests failed", program[0]);
    for (char *line = strtok_r(out.text, "\r\n", &rest); line && result == HEDDLE_OK;
         line = strtok_r(NULL, "\r\n", &rest)) {
        cut_comment(line);
        size_t length = strlen(line);
        if (line[0] != ' ' && length > 1 && line[length - 1] == '.') {
            snprintf(suite, sizeof suite, "%.*s", (int)(length - 1), line);
        } else if (strncmp(line, "  ", 2) == 0 && *suite) {
            struct test_case *t = add_case(c, suite, line + 2);
            t->command = whole(program);
            snprintf(option, sizeof option, "--gtest_filter=%s.%s", suite, line + 2);
            add_word(&t->command, option);
            if (strncmp(line + 2, "DISABLED_", 9) == 0 || strstr(suite, "DISABLED_"))
                t->skipped = memory_text("it is disabled", strlen("it is disabled"));
        }
    }
    words_drop(&command);
    buffer_free(&out);
    return result;
}

/* A name that Catch2 takes as it is. */
static void catch2_quote(struct buffer *to, const char *name)
{
    for (; *name; name++) {
        if (strchr("\\,[]\"", *name))
            buffer_text(to, "\\");
        buffer_bytes(to, name, 1);
    }
    buffer_bytes(to, "", 1);
}

/* A line for each name. The exit status is the number of tests in some versions. */
static enum status list_catch2(struct test_cases *c, char *const *program, const char *option,
                               struct error *err)
{
    struct test_words command = whole(program);
    struct buffer out = {0};
    char *rest;
    int status = 0;
    enum status result;

    add_word(&command, option);
    if (strcmp(option, "--list-tests") == 0)
        add_word(&command, "--verbosity=quiet");
    result = run_listing(&command, &out, &status, err);
    for (char *line = strtok_r(out.text, "\r\n", &rest); line && result == HEDDLE_OK;
         line = strtok_r(NULL, "\r\n", &rest)) {
        struct buffer quoted = {0};
        while (*line == ' ')
            line++;
        if (!*line)
            continue;
        struct test_case *t = add_case(c, base_name(program[0]), line);
        catch2_quote(&quoted, line);
        t->command = whole(program);
        add_word(&t->command, quoted.text);
        buffer_free(&quoted);
    }
    words_drop(&command);
    buffer_free(&out);
    return result;
}

/* How many words start pytest; 0: they start something else. */
static size_t pytest_words(char *const *program)
{
    const char *name = base_name(program[0]);

    if (strncmp(name, "pytest", 6) == 0 || strncmp(name, "py.test", 7) == 0)
        return 1;
    if (strncmp(name, "python", 6) == 0 && program[1] && strcmp(program[1], "-m") == 0 && program[2] &&
        strcmp(program[2], "pytest") == 0)
        return 3;
    return 0;
}

/* A line "file.py::test" for each. */
static enum status list_pytest(struct test_cases *c, char *const *program, size_t prefix, struct error *err)
{
    enum { NO_TESTS = 5 };
    static const char *const quiet[] = {"-q", "-p", "no:cacheprovider", NULL};
    struct test_words command = whole(program);
    struct buffer out = {0};
    char *rest;
    int status = 0;
    enum status result;

    for (const char *const *word = quiet; *word; word++)
        add_word(&command, *word);
    add_word(&command, "--collect-only");
    result = run_listing(&command, &out, &status, err);
    if (result == HEDDLE_OK && status != 0 && status != NO_TESTS)
        result =
            fail(err, HEDDLE_BAD_USAGE, "hunt: --each: pytest --collect-only failed with status %d", status);
    for (char *line = strtok_r(out.text, "\r\n", &rest); line && result == HEDDLE_OK;
         line = strtok_r(NULL, "\r\n", &rest)) {
        char *name = strstr(line, "::"), *file;
        if (!name || *line == ' ')
            continue;
        file = memory_text(line, (size_t)(name - line));
        struct test_case *t = add_case(c, file, name + 2);
        free(file);
        t->command = start_of(program, prefix);
        for (const char *const *word = quiet; *word; word++)
            add_word(&t->command, *word);
        add_word(&t->command, line);
    }
    words_drop(&command);
    buffer_free(&out);
    return result;
}

/* Whether the file has one of the texts in it, which test frameworks print in their help: its number, from 1. */
static int text_in_file(const char *path, const char *const *texts)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC), found = 0;
    struct stat about;
    void *bytes = MAP_FAILED;

    if (fd >= 0 && fstat(fd, &about) == 0 && S_ISREG(about.st_mode) && about.st_size > 0)
        bytes = mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (fd >= 0)
        close(fd);
    if (bytes == MAP_FAILED)
        return 0;
    for (int i = 0; texts[i] && !found; i++)
        if (memmem(bytes, (size_t)about.st_size, texts[i], strlen(texts[i])))
            found = i + 1;
    munmap(bytes, (size_t)about.st_size);
    return found;
}

static enum status list_cases(struct test_cases *c, char *const *program, struct error *err)
{
    static const char *const marks[] = {"gtest_list_tests", "list-test-names-only", "list-tests", NULL};
    char path[4096];
    size_t prefix = pytest_words(program);

    if (strcmp(base_name(program[0]), "ctest") == 0)
        return list_ctest(c, program, err);
    if (prefix > 0)
        return list_pytest(c, program, prefix, err);
    if (!program_find(program[0], path, sizeof path))
        return fail(err, HEDDLE_BAD_USAGE, "hunt: --each: %.200s: cannot be run", program[0]);
    switch (text_in_file(path, marks)) {
    case 1:
        return list_gtest(c, program, err);
    case 2:
        return list_catch2(c, program, "--list-test-names-only", err);
    case 3:
        return list_catch2(c, program, "--list-tests", err);
    default:
        return fail(
            err, HEDDLE_BAD_USAGE,
            "hunt: --each: %.200s is neither ctest nor pytest nor a program made with GoogleTest or Catch2",
            program[0]);
    }
}

enum status cases_list(struct test_cases *c, char *const *program, struct error *err)
{
    enum status status;

    memset(c, 0, sizeof *c);
    status = list_cases(c, program, err);
    if (status == HEDDLE_OK && c->cases_count == 0)
        status = fail(err, HEDDLE_BAD_USAGE, "hunt: --each: %.200s has no test case", program[0]);
    if (status != HEDDLE_OK)
        cases_free(c);
    return status;
}
