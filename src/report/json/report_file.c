/* Finds the reports in a file, and picks one. */
#include "report/json/report_file.h"
#include "base/memory.h"
#include "report/json/json_walk.h"
#include "trace/input.h"

#include <stdlib.h>
#include <string.h>

/* Notes where the reports are in the list; false when it is none. */
static bool find_parts(struct report_file *file, struct json_walk *w)
{
    if (!walk_take(w, '['))
        return false;
    do {
        struct report_part part;
        if (walk_peek(w) != '{')
            return false;
        part.start = w->at;
        if (!walk_skip(w))
            return false;
        part.length = w->at - part.start;
        ARRAY_PUSH(file, parts, part);
    } while (walk_take(w, ','));
    return walk_take(w, ']');
}

/* Whether the text is a document of several reports. What is not one is read as a report, and refused there if it is none. */
static bool is_several(struct report_file *file)
{
    struct error unused;
    struct json_walk w = {.name = file->name, .text = file->text, .length = file->length, .err = &unused};
    bool named = false, listed = false, right = walk_take(&w, '{');

    while (right) {
        json_t *key = walk_key(&w), *value = NULL;
        const char *word = key ? json_string_value(key) : "";
        if (strcmp(word, "reports") == 0 && !listed) {
            listed = right = find_parts(file, &w);
        } else {
            value = key ? walk_value(&w) : NULL;
            right = value && (strcmp(word, "findings") != 0);
        }
        if (right && strcmp(word, "format") == 0)
            named = right = json_is_string(value) && strcmp(json_string_value(value), "heddle-reports") == 0;
        if (right && strcmp(word, "totals") == 0 && !file->totals)
            file->totals = json_incref(value);
        if (right && strcmp(word, "version") == 0 && named)
            right = json_integer_value(value) == 1;
        json_decref(key);
        json_decref(value);
        if (right && !walk_take(&w, ','))
            break;
    }
    return right && named && listed && walk_take(&w, '}') && walk_peek(&w) == '\0';
}

static void take_apart(struct report_file *file)
{
    file->several = is_several(file);
    if (!file->several) {
        file->parts_count = 0;
        ARRAY_PUSH(file, parts, ((struct report_part){0, file->length}));
    }
}

enum status report_file_open(struct report_file *file, const char *path, struct error *err)
{
    memset(file, 0, sizeof *file);
    if (input_load(path, &file->text, &file->length, err) != HEDDLE_OK) {
        report_file_close(file);
        return err->status;
    }
    file->name = memory_text(path, strlen(path));
    take_apart(file);
    return HEDDLE_OK;
}

void report_file_parse(struct report_file *file, const char *name, const char *text, size_t length)
{
    memset(file, 0, sizeof *file);
    file->name = memory_text(name, strlen(name));
    file->text = memory_new(length + 1, 1);
    if (length > 0)
        memcpy(file->text, text, length);
    file->length = length;
    take_apart(file);
}

void report_file_close(struct report_file *file)
{
    free(file->name);
    free(file->text);
    free(file->parts);
    json_decref(file->totals);
    memset(file, 0, sizeof *file);
}

enum status report_file_read(const struct report_file *file, size_t part, bool whole, struct report *report,
                             struct error *err)
{
    const struct report_part *p = &file->parts[part];

    return whole ? report_parse_whole(report, file->name, file->text + p->start, p->length, err)
                 : report_parse(report, file->name, file->text + p->start, p->length, err);
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

enum status report_file_read_of(const struct report_file *file, const char *trace, struct report *report,
                                struct error *err)
{
    size_t similar = 0, last = 0;

    if (!file->several)
        return report_file_read(file, 0, true, report, err);
    for (size_t i = 0; i < file->parts_count; i++) {
        if (report_file_read(file, i, true, report, err) != HEDDLE_OK)
            return err->status;
        if (strcmp(report->trace_file, trace) == 0)
            return HEDDLE_OK;
        if (strcmp(base_name(report->trace_file), base_name(trace)) == 0)
            similar++, last = i;
        report_free(report);
    }
    if (similar == 1)
        return report_file_read(file, last, true, report, err);
    return fail(err, HEDDLE_BAD_REPORT,
                similar > 1
                    ? "%.200s: several of its reports are of a trace called %.200s; name the trace as they do"
                    : "%.200s: none of its reports is of the trace %.200s",
                file->name, trace);
}

enum status report_file_read_with(const struct report_file *file, const char *id, bool whole,
                                  struct report *report, size_t *part, struct error *err)
{
    size_t found = 0;

    for (size_t i = 0; file->several && i < file->parts_count; i++) {
        bool has;
        if (report_file_read(file, i, false, report, err) != HEDDLE_OK)
            return err->status;
        has = report_find(report, id) != SIZE_MAX;
        report_free(report);
        if (has) {
            found = i;
            break;
        }
    }
    if (part)
        *part = found;
    return report_file_read(file, found, whole, report, err);
}
