/* Reads a JSON report: jansson takes the text apart, this checks every type on the way in.
 *
 * Schedules hold most of the text, so findings are read one at a time. */
#include "report/read.h"
#include "base/memory.h"
#include "report/fingerprint.h"
#include "report/walk.h"
#include "trace/input.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Where in the report we are, for errors. */
struct place {
    const char *file;
    char inside[48]; /* what goes before a field's name: "findings[3]." */
    bool whole;      /* everything is wanted */
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

static enum status get_text(const struct place *at, const json_t *object, const char *field, char **to)
{
    const json_t *value = json_object_get(object, field);

    if (!value)
        return wrong(at, field, "is missing");
    if (!json_is_string(value))
        return wrong(at, field, "is not a string");
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

/* Ids get printed as they stand. */
static enum status get_id(const struct place *at, const json_t *object, char **to)
{
    const char *id = json_string_value(json_object_get(object, "id"));

    for (; id && *id; id++)
        if (iscntrl((unsigned char)*id))
            return wrong(at, "id", "has control characters in it");
    return get_text(at, object, "id", to);
}

/* A conflict: three numbers; else a cycle and as many pairs, one list after the other. */
static enum status get_blocks(const struct place *at, const json_t *object, enum property property,
                              uint32_t **events, uint32_t *count)
{
    const char *kind = json_string_value(json_object_get(object, "kind"));
    const json_t *edges = json_object_get(object, "edges");
    uint32_t length = 0;

    if (property == PROPERTY_DETERMINISM && (!kind || strcmp(kind, "interference") != 0))
        return wrong(at, "kind", "is not conflict or interference");
    if (get_events(at, object, "cycle", events, &length) != HEDDLE_OK)
        return at->err->status;
    if (length < 2 || length > UINT32_MAX / 3 || !json_is_array(edges) || json_array_size(edges) != length) {
        free(*events);
        *events = NULL;
        return wrong(at, "edges", "is not a list of one pair for each in the cycle, of two or more");
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
                return wrong(at, "edges", "has an item that is not a pair of event numbers");
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

    return property == PROPERTY_DETERMINISM && kind && strcmp(kind, "conflict") == 0 ? conflict
                                                                                     : event_fields[property];
}

/* The events that a finding is about; *events is NULL on failure. */
static enum status get_finding_events(const struct place *at, const json_t *object, enum property property,
                                      uint32_t **events, uint32_t *count)
{
    const char *const *fields = fields_of(object, property);

    *events = NULL;
    *count = 0;
    if (property == PROPERTY_DEADLOCK)
        return get_events(at, object, "events", events, count);
    if (property >= PROPERTY_DETERMINISM && !fields[0])
        return get_blocks(at, object, property, events, count);
    *events = memory_new(3, sizeof **events);
    for (; *count < 3 && fields[*count]; ++*count) {
        uint64_t number;
        if (get_number(at, object, fields[*count], UINT32_MAX, &number) != HEDDLE_OK) {
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

    if (json_object_get(object, "count") && get_number(at, object, "count", INT64_MAX, &f->count) != HEDDLE_OK)
        return at->err->status;
    if (json_object_get(object, "group") && get_number(at, object, "group", UINT32_MAX, &group) != HEDDLE_OK)
        return at->err->status;
    f->group = (uint32_t)group;
    if (f->property == PROPERTY_NONDET && kind && kind[0] == 'k' && kind[1] >= '1' && kind[1] <= '3' &&
        !kind[2])
        f->kind = (unsigned)(kind[1] - '0');
    return get_flag(at, object, "count_exact", false, &f->count_is_exact);
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
    return at->whole ? get_counts(at, object, &report->found.findings[report->found.findings_count - 1])
                     : HEDDLE_OK;
}

static enum status get_finding(struct report *report, const struct place *top, size_t item,
                               const json_t *object)
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

static enum status walk_findings(struct report *report, const struct place *top, struct walk *w)
{
    enum status status = HEDDLE_OK;
    size_t item = 0;

    if (!walk_take(w, '['))
        return wrong(top, "findings", "is not a list");
    if (walk_take(w, ']'))
        return HEDDLE_OK;
    do {
        json_t *object = walk_value(w);
        status = object ? get_finding(report, top, item++, object) : w->err->status;
        json_decref(object);
    } while (status == HEDDLE_OK && walk_take(w, ','));
    return status == HEDDLE_OK ? walk_expect(w, ']') : status;
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

/* A member of the report. Reports of another version may have other findings: that is said first. */
static enum status walk_member(struct report *report, const struct place *top, struct walk *w, json_t *root)
{
    json_t *key = walk_key(w), *value = NULL;
    enum status status = HEDDLE_OK;

    if (!key)
        return w->err->status;
    if (json_object_get(root, json_string_value(key))) {
        status = wrong(top, json_string_value(key), "is there twice");
    } else if (strcmp(json_string_value(key), "findings") == 0) {
        if (json_object_get(root, "version"))
            status = get_header(top, root);
        if (status == HEDDLE_OK)
            status = walk_findings(report, top, w);
        value = json_true();
    } else {
        value = walk_value(w);
        status = value ? HEDDLE_OK : w->err->status;
    }
    if (value)
        json_object_set_new(root, json_string_value(key), value);
    json_decref(key);
    return status;
}

static enum status walk_report(struct report *report, const struct place *top, struct walk *w, json_t *root)
{
    if (!walk_take(w, '{'))
        return wrong(top, "it", "is not a report: no JSON object");
    if (walk_peek(w) != '}') {
        do {
            if (walk_member(report, top, w, root) != HEDDLE_OK)
                return top->err->status;
        } while (walk_take(w, ','));
    }
    if (walk_expect(w, '}') != HEDDLE_OK)
        return top->err->status;
    if (walk_peek(w) != '\0' || w->at < w->length)
        return wrong(top, "it", "goes on after its end");
    return HEDDLE_OK;
}

static enum status get_rest(struct report *report, const struct place *top, const json_t *root)
{
    if (get_header(top, root) != HEDDLE_OK || get_trace(report, top, root) != HEDDLE_OK ||
        get_text(top, root, "method", &report->method) != HEDDLE_OK ||
        get_flag(top, root, "complete", true, &report->complete) != HEDDLE_OK)
        return top->err->status;
    if (!json_object_get(root, "findings"))
        return wrong(top, "findings", "is missing");
    return get_options(report, top, root);
}

/* What could not be decided: findings without a schedule and without an entry. */
static enum status get_undecided(struct report *report, const struct place *top, const json_t *root)
{
    const json_t *list = json_object_get(root, "undecided");

    if (list && !json_is_array(list))
        return wrong(top, "undecided", "is not a list");
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

static enum status parse(struct report *report, const char *name, const char *text, size_t length, bool whole,
                         struct error *err)
{
    struct walk w = {.name = name, .text = text, .length = length, .err = err};
    struct place top = {.file = name, .whole = whole, .err = err};
    json_t *root = json_object(); /* all but the findings */
    enum status status;

    memset(report, 0, sizeof *report);
    status = walk_report(report, &top, &w, root);
    if (status == HEDDLE_OK)
        status = get_rest(report, &top, root);
    if (status == HEDDLE_OK && whole)
        status = get_undecided(report, &top, root);
    if (whole)
        report->rest = json_incref(root);
    json_decref(root);
    if (status != HEDDLE_OK)
        report_free(report);
    return status;
}

enum status report_parse(struct report *report, const char *name, const char *text, size_t length,
                         struct error *err)
{
    return parse(report, name, text, length, false, err);
}

enum status report_parse_whole(struct report *report, const char *name, const char *text, size_t length,
                               struct error *err)
{
    return parse(report, name, text, length, true, err);
}

struct bytes {
    char *text;
    size_t text_count, text_capacity;
};

static enum status read_all(struct input *in, struct bytes *to, struct error *err)
{
    enum { PIECE = 1 << 16 };
    size_t got;

    do {
        to->text = memory_grow(to->text, &to->text_capacity, to->text_count + PIECE, 1);
        if (input_read(in, to->text + to->text_count, PIECE, &got, err) != HEDDLE_OK)
            return err->status;
        to->text_count += got;
    } while (got > 0);
    return HEDDLE_OK;
}

static enum status load(struct report *report, const char *path, bool whole, struct error *err)
{
    struct input *in;
    struct bytes bytes = {0};
    enum status status;

    memset(report, 0, sizeof *report);
    status = input_open(&in, path, err);
    if (status != HEDDLE_OK)
        return status;
    status = read_all(in, &bytes, err);
    input_close(in);
    if (status == HEDDLE_OK)
        status = parse(report, path, bytes.text, bytes.text_count, whole, err);
    free(bytes.text);
    return status;
}

enum status report_load(struct report *report, const char *path, struct error *err)
{
    return load(report, path, false, err);
}

enum status report_load_whole(struct report *report, const char *path, struct error *err)
{
    return load(report, path, true, err);
}

void report_free(struct report *report)
{
    finding_list_free(&report->found);
    finding_list_free(&report->undecided);
    for (size_t i = 0; i < report->entries_count; i++) {
        free(report->entries[i].id);
        json_decref(report->entries[i].rest);
    }
    json_decref(report->rest);
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
