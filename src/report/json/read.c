/* Reads the findings of a JSON report: every type is checked on the way in. */
#include "base/memory.h"
#include "report/fingerprint.h"
#include "report/json/read_parts.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum status read_wrong(const struct place *at, const char *field, const char *what)
{
    fail(at->err, HEDDLE_BAD_REPORT, "%.200s: %s%s %s", at->file, at->inside, field, what);
    return HEDDLE_BAD_REPORT;
}

enum status item_number(const struct place *at, const json_t *object, const char *field, uint64_t most,
                        uint64_t *to)
{
    const json_t *value = json_object_get(object, field);

    if (!value)
        return read_wrong(at, field, "is missing");
    if (!json_is_integer(value) || json_integer_value(value) < 0 || (uint64_t)json_integer_value(value) > most)
        return read_wrong(at, field, "is not a number in range");
    *to = (uint64_t)json_integer_value(value);
    return HEDDLE_OK;
}

enum status item_text(const struct place *at, const json_t *object, const char *field, char **to)
{
    const json_t *value = json_object_get(object, field);

    if (!value)
        return read_wrong(at, field, "is missing");
    if (!json_is_string(value))
        return read_wrong(at, field, "is not a string");
    *to = memory_text(json_string_value(value), json_string_length(value));
    return HEDDLE_OK;
}

enum status read_flag(const struct place *at, const json_t *object, const char *field, bool needed, bool *to)
{
    const json_t *value = json_object_get(object, field);

    if (!value && !needed)
        return HEDDLE_OK;
    if (!value)
        return read_wrong(at, field, "is missing");
    if (!json_is_boolean(value))
        return read_wrong(at, field, "is not true or false");
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
        return read_wrong(at, field, "is missing");
    if (!json_is_array(array) || length > UINT32_MAX)
        return read_wrong(at, field, "is not a list of events");
    to = memory_new(length, sizeof *to);
    for (size_t i = 0; i < length; i++) {
        const json_t *number = json_array_get(array, i);
        if (!json_is_integer(number) || json_integer_value(number) < 0 ||
            json_integer_value(number) > UINT32_MAX) {
            free(to);
            return read_wrong(at, field, "has an item that is not an event number");
        }
        to[i] = (uint32_t)json_integer_value(number);
    }
    *numbers = to;
    *count = (uint32_t)length;
    return HEDDLE_OK;
}

/* Whether data is ignored, and what exact says then. */
static enum status get_kind(const struct place *at, const json_t *object, struct finding *f)
{
    const json_t *kind = json_object_get(object, "schedule_kind");
    const json_t *word = json_object_get(object, "confirmation");

    f->synchronization = kind != NULL;
    if (kind && (!json_is_string(kind) || strcmp(json_string_value(kind), "synchronization") != 0))
        return read_wrong(at, "schedule_kind", "is not one that this version knows");
    if (!word)
        return HEDDLE_OK;
    for (f->confirmation = CONFIRMATION_EXACT; f->confirmation <= CONFIRMATION_UNDECIDED; ++f->confirmation)
        if (json_is_string(word) && strcmp(json_string_value(word), confirmation_word(f->confirmation)) == 0)
            return HEDDLE_OK;
    f->confirmation = CONFIRMATION_NONE;
    return read_wrong(at, "confirmation", "is not one that this version knows");
}

/* The length of the prefix and what follows. In version 1 it was one list: what that has of the observed order,
 * from its beginning, becomes the prefix; not if it has synchronization events only. */
static enum status get_schedule(const struct place *at, const json_t *object, struct schedule *to)
{
    const json_t *schedule = json_object_get(object, "schedule");
    struct place inside = {.file = at->file, .err = at->err};
    uint32_t *events, count = 0, prefix = 0;
    uint64_t observed;

    if (json_is_object(schedule)) {
        snprintf(inside.inside, sizeof inside.inside, "%.*sschedule.", (int)(sizeof inside.inside - 16),
                 at->inside);
        if (item_number(&inside, schedule, "prefix", UINT32_MAX, &observed) != HEDDLE_OK ||
            get_events(&inside, schedule, "then", &events, &count) != HEDDLE_OK)
            return at->err->status;
        *to = (struct schedule){(uint32_t)observed, count, events};
        return HEDDLE_OK;
    }
    get_events(at, object, "schedule", &events, &count);
    if (!events)
        return at->err->status;
    while (!json_object_get(object, "schedule_kind") && prefix < count && events[prefix] == prefix + 1)
        prefix++;
    memmove(events, events + prefix, (count - prefix) * sizeof *events);
    *to = (struct schedule){prefix, count - prefix, events};
    return HEDDLE_OK;
}

static enum status get_property(const struct place *at, const json_t *object, enum property *to)
{
    const char *title = json_string_value(json_object_get(object, "property"));

    if (!title)
        return read_wrong(at, "property", "is not a string");
    for (*to = 0; *to < PROPERTIES; ++*to)
        if (strcmp(title, property_title(*to)) == 0)
            return HEDDLE_OK;
    return read_wrong(at, "property", "is not one that this version knows");
}

/* Ids get printed as they stand. */
static enum status get_id(const struct place *at, const json_t *object, char **to)
{
    const char *id = json_string_value(json_object_get(object, "id"));

    for (; id && *id; id++)
        if (iscntrl((unsigned char)*id))
            return read_wrong(at, "id", "has control characters in it");
    return item_text(at, object, "id", to);
}

/* A conflict: three numbers; else a cycle and as many pairs, one list after the other. */
static enum status get_blocks(const struct place *at, const json_t *object, enum property property,
                              uint32_t **events, uint32_t *count)
{
    const char *kind = json_string_value(json_object_get(object, "kind"));
    const json_t *edges = json_object_get(object, "edges");
    uint32_t length = 0;

    if (property == PROPERTY_DETERMINISM && (!kind || strcmp(kind, "interference") != 0))
        return read_wrong(at, "kind", "is not conflict or interference");
    if (get_events(at, object, "cycle", events, &length) != HEDDLE_OK)
        return at->err->status;
    if (length < 2 || length > UINT32_MAX / 3 || !json_is_array(edges) || json_array_size(edges) != length) {
        free(*events);
        *events = NULL;
        return read_wrong(at, "edges", "is not a list of one pair for each in the cycle, of two or more");
    }
    *events = memory_resize(*events, (size_t)3 * length, sizeof **events);
    for (*count = length; *count < 3 * length; *count += 2) {
        const json_t *pair = json_array_get(edges, (*count - length) / 2);
        for (size_t i = 0; i < 2; i++) {
            const json_t *number =
                json_is_array(pair) && json_array_size(pair) == 2 ? json_array_get(pair, i) : NULL;
            if (!json_is_integer(number) || json_integer_value(number) < 0 ||
                json_integer_value(number) > UINT32_MAX) {
                free(*events);
                *events = NULL;
                return read_wrong(at, "edges", "has an item that is not a pair of event numbers");
            }
            (*events)[*count + i] = (uint32_t)json_integer_value(number);
        }
    }
    return HEDDLE_OK;
}

/* The names of the events in the report; those of a conflict are three, as of no other finding about blocks. */
static const char *const *fields_of(const json_t *object, enum property property)
{
    static const char *const conflict[3] = {"block", "first", "second"};
    const char *kind = json_string_value(json_object_get(object, "kind"));

    return property == PROPERTY_DETERMINISM && kind && strcmp(kind, "conflict") == 0
               ? conflict
               : property_traits(property)->fields;
}

/* The events that a finding is about; *events is NULL on failure. */
static enum status get_finding_events(const struct place *at, const json_t *object, enum property property,
                                      uint32_t **events, uint32_t *count)
{
    const char *const *fields = fields_of(object, property);

    *events = NULL;
    *count = 0;
    if (!fields[0] && property_traits(property)->about_blocks)
        return get_blocks(at, object, property, events, count);
    if (property == PROPERTY_OBSERVED && !json_object_get(object, "events")) {
        *events = memory_new(1, sizeof **events); /* how the run ended is in the trace */
        return HEDDLE_OK;
    }
    if (!fields[0])
        return get_events(at, object, property_traits(property)->list, events, count);
    *events = memory_new(3, sizeof **events);
    for (; *count < 3 && fields[*count]; ++*count) {
        uint64_t number;
        if (item_number(at, object, fields[*count], UINT32_MAX, &number) != HEDDLE_OK) {
            free(*events);
            *events = NULL;
            return at->err->status;
        }
        (*events)[*count] = (uint32_t)number;
    }
    return HEDDLE_OK;
}

/* What is said of how often the finding comes and what the graph method calls it. */
static enum status get_counts(const struct place *at, const json_t *object, struct finding *f)
{
    const char *kind = json_string_value(json_object_get(object, "kind"));
    uint64_t group = 0;

    if (json_object_get(object, "count") && item_number(at, object, "count", INT64_MAX, &f->count) != HEDDLE_OK)
        return at->err->status;
    if (json_object_get(object, "group") && item_number(at, object, "group", UINT32_MAX, &group) != HEDDLE_OK)
        return at->err->status;
    f->group = (uint32_t)group;
    if (json_object_get(object, "reads") && item_number(at, object, "reads", INT64_MAX, &f->reads) != HEDDLE_OK)
        return at->err->status;
    if (f->property == PROPERTY_NONDET && kind && kind[0] == 'k' && kind[1] >= '1' && kind[1] <= '3' &&
        !kind[2])
        f->kind = (unsigned)(kind[1] - '0');
    return read_flag(at, object, "count_exact", false, &f->count_is_exact);
}

/* Whether the report calls it a problem or a note; reports of version 1 do not say. */
static enum status get_severity(const struct place *at, const json_t *object, struct finding *f)
{
    const json_t *severity = json_object_get(object, "severity");
    const char *word = json_string_value(severity);

    if (!severity)
        return HEDDLE_OK;
    if (!word || (strcmp(word, "problem") != 0 && strcmp(word, "note") != 0))
        return read_wrong(at, "severity", "is not problem or note");
    if (strcmp(word, "problem") == 0 && !severity_is_problem(f->severity))
        f->severity = SEVERITY_CHANGED;
    if (strcmp(word, "note") == 0 && severity_is_problem(f->severity))
        f->severity = SEVERITY_NOTE;
    return HEDDLE_OK;
}

/* The schedule is by far the longest; it is kept elsewhere. */
static void keep_rest(struct report_entry *entry, const json_t *object)
{
    entry->rest = json_copy((json_t *)object);
    json_object_del(entry->rest, "schedule");
}

static enum status add_finding(struct report *report, const struct place *at, const json_t *object,
                               enum property property)
{
    const json_t *fingerprint = json_object_get(object, "fingerprint");
    uint32_t count = 0, *events;
    struct report_entry entry = {.has_schedule = json_object_get(object, "schedule") != NULL};
    struct schedule schedule = {0};

    if (get_finding_events(at, object, property, &events, &count) != HEDDLE_OK)
        return at->err->status;
    entry.has_fingerprint =
        json_is_string(fingerprint) &&
        fingerprint_parse(json_string_value(fingerprint), json_string_length(fingerprint), &entry.fingerprint);
    if ((entry.has_schedule && get_schedule(at, object, &schedule) != HEDDLE_OK) ||
        get_id(at, object, &entry.id) != HEDDLE_OK) {
        free(schedule.tail);
        free(events);
        return at->err->status;
    }
    finding_add(&report->found, property, events, count, schedule);
    if (at->whole)
        keep_rest(&entry, object);
    ARRAY_PUSH(report, entries, entry);
    free(events);
    struct finding *f = &report->found.findings[report->found.findings_count - 1];
    if (get_kind(at, object, f) != HEDDLE_OK || get_severity(at, object, f) != HEDDLE_OK)
        return at->err->status;
    return at->whole ? get_counts(at, object, f) : HEDDLE_OK;
}

enum status read_finding(struct report *report, const struct place *top, size_t item, const json_t *object)
{
    struct place at = {.file = top->file, .whole = top->whole, .err = top->err};
    enum property property = PROPERTIES;

    if (!json_is_object(object))
        return fail(top->err, HEDDLE_BAD_REPORT, "%.200s: findings[%zu] is not an object", top->file, item);
    snprintf(at.inside, sizeof at.inside, "findings[%zu].", item);
    if (get_property(&at, object, &property) != HEDDLE_OK)
        return top->err->status;
    return add_finding(report, &at, object, property);
}

enum status read_undecided(struct report *report, const struct place *top, const json_t *root)
{
    const json_t *list = json_object_get(root, "undecided");

    if (list && !json_is_array(list))
        return read_wrong(top, "undecided", "is not a list");
    for (size_t i = 0; i < json_array_size(list); i++) {
        struct place at = {.file = top->file, .err = top->err};
        const json_t *object = json_array_get(list, i);
        enum property property = PROPERTIES;
        uint32_t *events, count;

        snprintf(at.inside, sizeof at.inside, "undecided[%zu].", i);
        if (!json_is_object(object))
            return fail(top->err, HEDDLE_BAD_REPORT, "%.200s: undecided[%zu] is not an object", top->file, i);
        if (get_property(&at, object, &property) != HEDDLE_OK ||
            get_finding_events(&at, object, property, &events, &count) != HEDDLE_OK)
            return top->err->status;
        finding_add(&report->undecided, property, events, count, (struct schedule){0});
        free(events);
    }
    return HEDDLE_OK;
}
