/* The options of commands that check, and the files they name. */
#include "base/memory.h"
#include "cli/baseline.h"
#include "cli/checking.h"
#include "cli/memory_budget.h"
#include "report/json/report_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool parse_method(const char *name, enum method *method)
{
    *method = name ? method_named(name) : METHOD_EXACT;
    if (*method == METHODS)
        complain("check: --method=%s: expected exact, graph, ucg or csp", name);
    return *method < METHODS;
}

static bool add_property(const char *command, const char *option, const char *name, size_t length, bool *wanted)
{
    struct suggestion near = {0};

    if (property_choose(name, length, wanted))
        return true;
    suggest_word(&near, name, length, PROPERTY_WORDS " all");
    if (near.word)
        complain("%s: --%s: unknown name %.*s: did you mean %s? See heddle %s --help", command, option,
                 (int)length, name, near.word, command);
    else if (length)
        complain("%s: --%s: unknown name %.*s; see heddle %s --help", command, option, (int)length, name,
                 command);
    else
        complain("%s: --%s has an empty name; see heddle %s --help", command, option, command);
    return false;
}

/* "race,nondet" → flags; false after a complaint about the option. */
static bool parse_properties(const char *command, const char *option, const char *list, bool *wanted)
{
    for (;;) {
        size_t length = strcspn(list, ",");

        if (!add_property(command, option, list, length, wanted))
            return false;
        if (!list[length])
            return true;
        list += length + 1;
    }
}

static bool choose_properties(struct check_request *r, const char *list)
{
    struct error err;

    if (!list)
        method_default_properties(r->method, r->check.properties);
    else if (!parse_properties(r->command, "property", list, r->check.properties))
        return false;
    if (method_check_properties(r->method, r->check.properties, &err) == HEDDLE_OK)
        return true;
    complain("%s: %s", r->command, err.text);
    return false;
}

/* "a b c" as "a, b or c". */
static void list_words(const char *words, char *to, size_t room)
{
    size_t used = 0;

    for (const char *word = words; *word && used < room;) {
        size_t length = strcspn(word, " ");
        const char *rest = word + length + (word[length] == ' ');
        used += (size_t)snprintf(to + used, room - used, "%.*s%s", (int)length, word,
                                 !*rest              ? ""
                                 : strchr(rest, ' ') ? ", "
                                                     : " or ");
        word = rest;
    }
}

int parse_word(const char *command, const char *option, const char *value, const char *words)
{
    char list[256];
    int index = 0;

    for (const char *word = words; value; index++) {
        size_t length = strcspn(word, " ");
        if (strlen(value) == length && strncmp(value, word, length) == 0)
            return index;
        if (!word[length])
            break;
        word += length + 1;
    }
    if (!value)
        return 0;
    struct suggestion near = {0};
    suggest_word(&near, value, strlen(value), words);
    list_words(words, list, sizeof list);
    if (near.word)
        complain("%s: --%s=%s: did you mean %s? Expected %s", command, option, value, near.word, list);
    else
        complain("%s: --%s=%s: expected %s", command, option, value, list);
    return -1;
}

bool parse_number(const char *command, const char *name, const char *text, uint64_t *number, const char **rest)
{
    char *end;

    errno = 0;
    *number = strtoull(text, &end, 10);
    if (end == text || errno != 0 || *text == '-' || (rest ? strcmp(end, "s") != 0 && *end : *end)) {
        complain("%s: --%s=%s is not a number", command, name, text);
        return false;
    }
    if (rest)
        *rest = end;
    return true;
}

static bool parse_budget(const char *text, struct check_request *r)
{
    const char *unit = "";
    uint64_t number;

    r->check.budget = method_default_budget(r->method);
    if (!text)
        return true;
    if (!parse_number(r->command, "budget", text, &number, &unit))
        return false;
    if (*unit == 's')
        r->seconds = number ? number : 1;
    else
        r->check.budget = number;
    return true;
}

static bool parse_check(const struct command *self, const struct arguments *args, struct check_request *r)
{
    const char *jobs = argument_of(self, args, "jobs"), *memory = argument_of(self, args, "memory");
    uint64_t workers = 0;
    int atomic = parse_word(self->name, "atomic", argument_of(self, args, "atomic"), "blocks locks");
    int values = parse_word(self->name, "values", argument_of(self, args, "values"), "use ignore");
    const char *how = argument_of(self, args, "grounds");
    int grounds = parse_word(self->name, "grounds", how, option_words(self, "grounds"));

    if (atomic < 0 || values < 0 || grounds < 0 ||
        !parse_method(argument_if_any(self, args, "method"), &r->method) ||
        !choose_properties(r, argument_of(self, args, "property")) ||
        !parse_budget(argument_of(self, args, "budget"), r) ||
        (jobs && !parse_number(self->name, "jobs", jobs, &workers, NULL)))
        return false;
    if (!memory_budget_parse(memory, &r->memory)) {
        complain("%s: --memory=%s is no size: a number that may end in K, M, G or T", self->name, memory);
        return false;
    }
    if (workers == 0)
        workers = (uint64_t)sysconf(_SC_NPROCESSORS_ONLN);
    r->check.workers = workers > 256 ? 256 : (unsigned)workers;
    r->check.all = argument_of(self, args, "all") != NULL;
    r->deterministic = argument_of(self, args, "deterministic") != NULL;
    r->check.predict = argument_of(self, args, "predict") != NULL;
    r->check.values_ignore = values == 1;
    r->check.grounds_ignore = how && strcmp(how, "ignore") == 0;
    r->check.atomic_locks = atomic == 1;
    if ((values == 1 || r->check.grounds_ignore) && r->method != METHOD_EXACT) {
        complain(
            "%s: --values and --grounds need --method=exact; the other methods use neither values nor grounds",
            self->name);
        return false;
    }
    return true;
}

bool parse_fail_on(const char *command, const char *list, struct fail_on *to)
{
    bool named[PROPERTIES] = {false}, problems = false;

    while (list) {
        const char *comma = strchr(list, ',');
        size_t length = comma ? (size_t)(comma - list) : strlen(list);
        if (length == strlen("problems") && strncmp(list, "problems", length) == 0)
            problems = true;
        else if (!add_property(command, "fail-on", list, length, named))
            return false;
        list = comma ? comma + 1 : NULL;
    }
    for (enum property p = 0; p < PROPERTIES; p++) {
        bool problem = severity_is_problem(property_traits(p)->severity);
        to->only[p] = named[p] && problem;
        to->also[p] = named[p] && !problem;
        to->restricted |= to->only[p];
    }
    to->restricted &= !problems;
    return true;
}

static bool parse_verdict(const struct command *self, const struct arguments *args, struct check_request *r)
{
    const char *fail_on = argument_of(self, args, "fail-on"), *baseline = argument_of(self, args, "baseline");
    const char *suppressions = argument_of(self, args, "suppressions");
    const char *root = argument_of(self, args, "source-root");
    struct error err;

    if (!fail_on)
        fail_on = r->config->fail_on;
    if (!root && r->config->source_roots.names_count > 0) {
        r->source_roots = &r->config->source_roots;
        root = r->source_roots->names[0];
    }
    char *folder = root ? realpath(root, NULL) : getcwd(NULL, 0);
    snprintf(r->source_root, sizeof r->source_root, "%s", folder ? folder : "");
    free(folder);
    r->source_named = root != NULL;
    if (root && !*r->source_root) {
        complain("%s: %s%s: %s", r->source_roots ? r->config->path : self->name,
                 r->source_roots ? "source-roots: " : "--source-root=", root, strerror(errno));
        return false;
    }
    if ((fail_on && !parse_fail_on(self->name, fail_on, &r->fail_on)) ||
        (baseline && !baseline_load(baseline, r)))
        return false;
    r->has_suppressions = suppressions != NULL;
    if (suppressions && suppressions_load(&r->suppressions, suppressions, &err) != HEDDLE_OK) {
        complain("%s", err.text);
        return false;
    }
    return true;
}

static bool parse_window(const struct command *self, const struct arguments *args, struct check_request *r)
{
    const char *text = argument_if_any(self, args, "window");

    if (!text)
        return true;
    if (!parse_number(self->name, "window", text, &r->limits.window, NULL))
        return false;
    if (r->limits.window == 0)
        complain("%s: --window=%s: at least one event is needed", self->name, text);
    return r->limits.window > 0;
}

bool request_parse(const struct command *self, const struct arguments *args, struct check_request *r)
{
    memset(r, 0, sizeof *r);
    r->command = self->name;
    int threads = parse_word(self->name, "threads", argument_if_any(self, args, "threads"), "keep match");
    r->match_threads = threads == 1;
    r->config = configured(self, args);
    if (r->config && threads >= 0 && argument_limits(self, args, &r->limits) && parse_window(self, args, r) &&
        parse_check(self, args, r) && parse_verdict(self, args, r))
        return true;
    request_free(r);
    return false;
}

void request_free(struct check_request *r)
{
    free(r->baseline);
    suppressions_free(&r->suppressions);
    memset(r, 0, sizeof *r);
}
