/* Reads a JSON report: jansson takes the text apart, this checks every type on the way in. */
#include "report/read.h"
#include "base/memory.h"

#include <ctype.h>
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

/* Where in the report we are, for errors. */
struct place {
    const char *file;
    char inside[48]; /* what goes before a field's name: "findings[3]." */
    struct error *err;
};

static enum status wrong(const struct place *at, const char *field, const char *what)
{
    fail(at->err, HEDDLE_BAD_REPORT, "%.200s: %s%s %s", at->file, at->inside, field, what);
    return HEDDLE_BAD_REPORT;
}

static enum status get_number(const struct place *at, const json_t *object, const char *field, uint64_t most,
                              uint64_t *to)
{
    const json_t *value = json_object_get(object, field);

    if (!value)
        return wrong(at, field, "is missing");
    if (!json_is_integer(value) || json_integer_value(value) < 0 || (uint64_t)json_integer_value(value) > most)
        return wrong(at, field, "is not a number in range");
    *to = (uint64_t)json_integer_value(value);
    return HEDDLE_OK;
}

/* Text that can be printed as it stands. */
static enum status get_text(const struct place *at, const json_t *object, const char *field, char **to)
{
    const json_t *value = json_object_get(object, field);

    if (!value)
        return wrong(at, field, "is missing");
    if (!json_is_string(value))
        return wrong(at, field, "is not a string");
    for (const char *c = json_string_value(value); *c; c++)
        if (iscntrl((unsigned char)*c))
            return wrong(at, field, "has control characters in it");
    *to = memory_text(json_string_value(value), json_string_length(value));
    return HEDDLE_OK;
}

/* A missing flag is false unless it is `needed`. */
static enum status get_flag(const struct place *at, const json_t *object, const char *field, bool needed,
                            bool *to)
{
    const json_t *value = json_object_get(object, field);

    if (!value && !needed)
        return HEDDLE_OK;
    if (!value)
        return wrong(at, field, "is missing");
    if (!json_is_boolean(value))
        return wrong(at, field, "is not true or false");
    *to = json_is_true(value);
    return HEDDLE_OK;
}

/* An array of event numbers; *numbers is NULL on failure. */
static enum status get_events(const struct place *at, const json_t *object, const char *field,
                              uint32_t **numbers, uint32_t *count)
{
    const json_t *array = json_object_get(object, field);
    size_t length = json_array_size(array);
    uint32_t *to;

    *numbers = NULL;
    if (!array)
        return wrong(at, field, "is missing");
    if (!json_is_array(array) || length > UINT32_MAX)
        return wrong(at, field, "is not a list of events");
    to = memory_new(length, sizeof *to);
    for (size_t i = 0; i < length; i++) {
        const json_t *number = json_array_get(array, i);
        if (!json_is_integer(number) || json_integer_value(number) < 0 ||
            json_integer_value(number) > UINT32_MAX) {
            free(to);
            return wrong(at, field, "has an item that is not an event number");
        }
        to[i] = (uint32_t)json_integer_value(number);
    }
    *numbers = to;
    *count = (uint32_t)length;
    return HEDDLE_OK;
}

/* What the schedule has of the observed order, from its beginning, becomes its prefix. */
static enum status get_schedule(const struct place *at, const json_t *object, struct schedule *to)
{
    uint32_t *events, count = 0, prefix = 0;

    get_events(at, object, "schedule", &events, &count);
    if (!events)
        return at->err->status;
    while (prefix < count && events[prefix] == prefix + 1)
        prefix++;
    memmove(events, events + prefix, (count - prefix) * sizeof *events);
    *to = (struct schedule){prefix, count - prefix, events};
    return HEDDLE_OK;
}

/* The fields that name a finding's events, in the order of struct finding. */
static const char *const event_fields[PROPERTIES][3] = {
    [PROPERTY_NONDET] = {"read", "observed", "alternative"},
    [PROPERTY_FINAL] = {"observed", "alternative"},
    [PROPERTY_RACE] = {"first", "second"},
    [PROPERTY_UNORDERED] = {"first", "second"},
    [PROPERTY_ATOMICITY] = {"first", "remote", "second"},
};

static enum status get_property(const struct place *at, const json_t *object, enum property *to)
{
    const char *title = json_string_value(json_object_get(object, "property"));

    if (!title)
        return wrong(at, "property", "is not a string");
    for (*to = 0; *to < PROPERTIES; ++*to)
        if (strcmp(title, property_title(*to)) == 0)
            return HEDDLE_OK;
    return wrong(at, "property", "is not one that this version knows");
}

static enum status add_finding(struct report *report, const struct place *at, const json_t *object,
                               enum property property)
{
    uint32_t fixed[3], count = 0, *events = NULL;
    struct report_entry entry = {.has_schedule = json_object_get(object, "schedule") != NULL};
    struct schedule schedule = {0};

    for (; count < 3 && event_fields[property][count]; count++) {
        uint64_t number;
        if (get_number(at, object, event_fields[property][count], UINT32_MAX, &number) != HEDDLE_OK)
            return at->err->status;
        fixed[count] = (uint32_t)number;
    }
    if (property == PROPERTY_DEADLOCK && get_events(at, object, "events", &events, &count) != HEDDLE_OK)
        return at->err->status;
    if ((entry.has_schedule && get_schedule(at, object, &schedule) != HEDDLE_OK) ||
        get_text(at, object, "id", &entry.id) != HEDDLE_OK) {
        free(schedule.tail);
        free(events);
        return at->err->status;
    }
    finding_add(&report->found, property, events ? events : fixed, count, schedule);
    ARRAY_PUSH(report, entries, entry);
    free(events);
    return HEDDLE_OK;
}

static enum status get_findings(struct report *report, const struct place *top, const json_t *root)
{
    const json_t *array = json_object_get(root, "findings");

    if (!array)
        return wrong(top, "findings", "is missing");
    if (!json_is_array(array))
        return wrong(top, "findings", "is not a list");
    for (size_t i = 0; i < json_array_size(array); i++) {
        const json_t *object = json_array_get(array, i);
        struct place at = {.file = top->file, .err = top->err};
        enum property property = PROPERTIES;

        if (!json_is_object(object))
            return fail(top->err, HEDDLE_BAD_REPORT, "%.200s: findings[%zu] is not an object", top->file, i);
        snprintf(at.inside, sizeof at.inside, "findings[%zu].", i);
        if (get_property(&at, object, &property) != HEDDLE_OK ||
            add_finding(report, &at, object, property) != HEDDLE_OK)
            return top->err->status;
    }
    return HEDDLE_OK;
}

static enum status get_header(const struct place *top, const json_t *root)
{
    const char *format = json_string_value(json_object_get(root, "format"));
    uint64_t version = 0;

    if (!format || strcmp(format, "heddle-report") != 0)
        return wrong(top, "format", "is not heddle-report");
    if (get_number(top, root, "version", INT64_MAX, &version) != HEDDLE_OK)
        return top->err->status;
    if (version != 1)
        return fail(top->err, HEDDLE_UNSUPPORTED, "%.200s: version %llu of the format is not known, only 1 is",
                    top->file, (unsigned long long)version);
    return HEDDLE_OK;
}

static enum status get_trace(struct report *report, const struct place *top, const json_t *root)
{
    const json_t *trace = json_object_get(root, "trace");
    struct place at = {.file = top->file, .inside = "trace.", .err = top->err};

    if (!json_is_object(trace))
        return wrong(top, "trace", trace ? "is not an object" : "is missing");
    if (get_text(&at, trace, "file", &report->trace_file) != HEDDLE_OK ||
        get_number(&at, trace, "events", INT64_MAX, &report->events) != HEDDLE_OK ||
        get_number(&at, trace, "threads", INT64_MAX, &report->threads) != HEDDLE_OK ||
        get_number(&at, trace, "variables", INT64_MAX, &report->variables) != HEDDLE_OK ||
        get_number(&at, trace, "locks", INT64_MAX, &report->locks) != HEDDLE_OK)
        return top->err->status;
    return HEDDLE_OK;
}

static enum status get_options(struct report *report, const struct place *top, const json_t *root)
{
    const json_t *options = json_object_get(root, "options");
    struct place at = {.file = top->file, .inside = "options.", .err = top->err};

    if (!options)
        return HEDDLE_OK;
    if (!json_is_object(options))
        return wrong(top, "options", "is not an object");
    if (get_flag(&at, options, "same_value", false, &report->same_value) != HEDDLE_OK)
        return top->err->status;
    return get_flag(&at, options, "atomic_locks", false, &report->atomic_locks);
}

static enum status get_all(struct report *report, const struct place *top, const json_t *root)
{
    if (!json_is_object(root))
        return fail(top->err, HEDDLE_BAD_REPORT, "%.200s: is not a report: no JSON object", top->file);
    if (get_header(top, root) != HEDDLE_OK || get_trace(report, top, root) != HEDDLE_OK ||
        get_text(top, root, "method", &report->method) != HEDDLE_OK ||
        get_flag(top, root, "complete", true, &report->complete) != HEDDLE_OK ||
        get_options(report, top, root) != HEDDLE_OK)
        return top->err->status;
    return get_findings(report, top, root);
}

static enum status take(struct report *report, const char *name, json_t *root, const json_error_t *problem,
                        struct error *err)
{
    struct place top = {.file = name, .err = err};
    enum status status;

    if (!root)
        return fail(err, HEDDLE_BAD_REPORT, "%.200s:%d:%d: %.300s", name, problem->line, problem->column,
                    problem->text);
    status = get_all(report, &top, root);
    json_decref(root);
    if (status != HEDDLE_OK)
        report_free(report);
    return status;
}

enum status report_parse(struct report *report, const char *name, const char *text, size_t length,
                         struct error *err)
{
    json_error_t problem;

    memset(report, 0, sizeof *report);
    return take(report, name, json_loadb(text, length, JSON_REJECT_DUPLICATES, &problem), &problem, err);
}

enum status report_load(struct report *report, const char *path, struct error *err)
{
    bool is_stdin = strcmp(path, "-") == 0;
    FILE *file = is_stdin ? stdin : fopen(path, "rb");
    json_error_t problem;
    json_t *root;

    memset(report, 0, sizeof *report);
    if (!file)
        return fail(err, HEDDLE_IO, "%.200s: %s", path, strerror(errno));
    root = json_loadf(file, JSON_REJECT_DUPLICATES, &problem);
    if (!is_stdin)
        fclose(file);
    return take(report, path, root, &problem, err);
}

void report_free(struct report *report)
{
    finding_list_free(&report->found);
    for (size_t i = 0; i < report->entries_count; i++)
        free(report->entries[i].id);
    free(report->entries);
    free(report->trace_file);
    free(report->method);
    memset(report, 0, sizeof *report);
}

size_t report_find(const struct report *report, const char *id)
{
    for (size_t i = 0; i < report->entries_count; i++)
        if (strcmp(report->entries[i].id, id) == 0)
            return i;
    return SIZE_MAX;
}
