/* Reads a JSON report: jansson takes the text apart, this checks every type on the way in.
 *
 * Schedules hold most of the text, so findings are read one at a time. */
#include "base/memory.h"
#include "report/json/json_walk.h"
#include "report/json/read_parts.h"
#include "trace/input.h"

#include <stdlib.h>
#include <string.h>

static enum status walk_findings(struct report *report, const struct place *top, struct json_walk *w)
{
    enum status status = HEDDLE_OK;
    size_t item = 0;

    if (!walk_take(w, '['))
        return read_wrong(top, "findings", "is not a list");
    if (walk_take(w, ']'))
        return HEDDLE_OK;
    do {
        json_t *object = walk_value(w);
        status = object ? read_finding(report, top, item++, object) : w->err->status;
        json_decref(object);
    } while (status == HEDDLE_OK && walk_take(w, ','));
    return status == HEDDLE_OK ? walk_expect(w, ']') : status;
}

static enum status get_header(const struct place *top, const json_t *root)
{
    const char *format = json_string_value(json_object_get(root, "format"));
    uint64_t version = 0;

    if (!format || strcmp(format, "heddle-report") != 0)
        return read_wrong(top, "format", "is not heddle-report");
    if (item_number(top, root, "version", INT64_MAX, &version) != HEDDLE_OK)
        return top->err->status;
    if (version != 1 && version != 2)
        return fail(top->err, HEDDLE_UNSUPPORTED,
                    "%.200s: unsupported version %llu of the report format; this heddle reads 1 and 2",
                    top->file, (unsigned long long)version);
    return HEDDLE_OK;
}

static int digit_of(char c)
{
    const char *digits = "0123456789abcdef", *at = c ? strchr(digits, c) : NULL;

    return at ? (int)(at - digits) : -1;
}

/* A name that is not UTF-8 stands there twice: so that it can be shown, and byte by byte. */
static bool read_bytes(const json_t *trace, char **name)
{
    const char *text = json_string_value(json_object_get(trace, "file_bytes"));
    size_t length = text ? strlen(text) : 0;
    char *bytes;

    if (length == 0 || length % 2 != 0)
        return false;
    bytes = memory_new(length / 2 + 1, 1);
    for (size_t i = 0; i < length / 2; i++) {
        int high = digit_of(text[2 * i]), low = digit_of(text[2 * i + 1]);
        if (high < 0 || low < 0 || (high == 0 && low == 0)) {
            free(bytes);
            return false;
        }
        bytes[i] = (char)(high << 4 | low);
    }
    free(*name);
    *name = bytes;
    return true;
}

static enum status get_trace(struct report *report, const struct place *top, const json_t *root)
{
    const json_t *trace = json_object_get(root, "trace");
    struct place at = {.file = top->file, .inside = "trace.", .err = top->err};

    if (!json_is_object(trace))
        return read_wrong(top, "trace", trace ? "is not an object" : "is missing");
    if (item_text(&at, trace, "file", &report->trace_file) != HEDDLE_OK ||
        item_number(&at, trace, "events", INT64_MAX, &report->events) != HEDDLE_OK ||
        item_number(&at, trace, "threads", INT64_MAX, &report->threads) != HEDDLE_OK ||
        item_number(&at, trace, "variables", INT64_MAX, &report->variables) != HEDDLE_OK ||
        item_number(&at, trace, "locks", INT64_MAX, &report->locks) != HEDDLE_OK)
        return top->err->status;
    if (json_object_get(trace, "file_bytes") && !read_bytes(trace, &report->trace_file))
        return read_wrong(&at, "file_bytes", "is not a name as hexadecimal digits");
    return read_flag(&at, trace, "binary", false, &report->binary);
}

/* "values": "ignore" and the like. */
static enum status read_ignored(const struct place *at, const json_t *options, const char *name, bool *ignored)
{
    const json_t *value = json_object_get(options, name);

    if (!value)
        return HEDDLE_OK;
    if (!json_is_string(value) || strcmp(json_string_value(value), "ignore") != 0)
        return read_wrong(at, name, "is not \"ignore\"");
    *ignored = true;
    return HEDDLE_OK;
}

static enum status get_options(struct report *report, const struct place *top, const json_t *root)
{
    const json_t *options = json_object_get(root, "options");
    struct place at = {.file = top->file, .inside = "options.", .err = top->err};

    if (!options)
        return HEDDLE_OK;
    if (!json_is_object(options))
        return read_wrong(top, "options", "is not an object");
    if (read_ignored(&at, options, "values", &report->values_ignore) != HEDDLE_OK ||
        read_ignored(&at, options, "grounds", &report->grounds_ignore) != HEDDLE_OK)
        return top->err->status;
    return read_flag(&at, options, "atomic_locks", false, &report->atomic_locks);
}

/* A member of the report. Reports of another version may have other findings: that is said first. */
static enum status walk_member(struct report *report, const struct place *top, struct json_walk *w,
                               json_t *root)
{
    json_t *key = walk_key(w), *value = NULL;
    enum status status = HEDDLE_OK;

    if (!key)
        return w->err->status;
    if (json_object_get(root, json_string_value(key))) {
        status = read_wrong(top, json_string_value(key), "appears twice");
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

static enum status walk_report(struct report *report, const struct place *top, struct json_walk *w,
                               json_t *root)
{
    if (!walk_take(w, '{'))
        return read_wrong(top, "it", "is not a report: no JSON object");
    if (walk_peek(w) != '}') {
        do {
            if (walk_member(report, top, w, root) != HEDDLE_OK)
                return top->err->status;
        } while (walk_take(w, ','));
    }
    if (walk_expect(w, '}') != HEDDLE_OK)
        return top->err->status;
    if (walk_peek(w) != '\0' || w->at < w->length)
        return read_wrong(top, "it", "has text after the JSON object");
    return HEDDLE_OK;
}

static enum status get_rest(struct report *report, const struct place *top, const json_t *root)
{
    if (get_header(top, root) != HEDDLE_OK || get_trace(report, top, root) != HEDDLE_OK ||
        item_text(top, root, "method", &report->method) != HEDDLE_OK ||
        read_flag(top, root, "complete", true, &report->complete) != HEDDLE_OK)
        return top->err->status;
    if (!json_object_get(root, "findings"))
        return read_wrong(top, "findings", "is missing");
    return get_options(report, top, root);
}

/* In a grouped report each finding is a group, numbered within its property. */
static void number_groups(struct report *report, const json_t *root)
{
    uint32_t numbers[PROPERTIES] = {0};

    for (size_t i = 0; json_is_true(json_object_get(root, "grouped")) && i < report->found.findings_count;
         i++) {
        struct finding *f = &report->found.findings[i];
        f->group = ++numbers[f->property];
    }
}

static enum status parse(struct report *report, const char *name, const char *text, size_t length, bool whole,
                         struct error *err)
{
    struct json_walk w = {.name = name, .text = text, .length = length, .err = err};
    struct place top = {.file = name, .whole = whole, .err = err};
    json_t *root = json_object(); /* all but the findings */
    enum status status;

    memset(report, 0, sizeof *report);
    status = walk_report(report, &top, &w, root);
    if (status == HEDDLE_OK)
        status = get_rest(report, &top, root);
    if (status == HEDDLE_OK && whole)
        status = read_undecided(report, &top, root);
    if (whole) {
        number_groups(report, root);
        report->rest = json_incref(root);
    }
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

static enum status load(struct report *report, const char *path, bool whole, struct error *err)
{
    char *text;
    size_t length;
    enum status status;

    memset(report, 0, sizeof *report);
    status = input_load(path, &text, &length, err);
    if (status == HEDDLE_OK)
        status = parse(report, path, text, length, whole, err);
    free(text);
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
