/* Joins reports of one format. */
#include "report/bundle.h"
#include "base/json_out.h"
#include "report/ci/card.h"
#include "report/html/html_parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void bundle_begin(struct bundle *b, const struct report_format *format, FILE *direct)
{
    *b = (struct bundle){.format = format, .direct = direct};
    b->to = open_memstream(&b->text, &b->length);
}

void bundle_free(struct bundle *b)
{
    if (b->to)
        fclose(b->to);
    free(b->text);
    json_decref(b->merged);
    *b = (struct bundle){0};
}

static size_t total_of(const struct report_file *file, const char *name)
{
    json_int_t number = json_integer_value(json_object_get(file->totals, name));

    return number > 0 ? (size_t)number : 0;
}

void totals_recall(const struct report_file *file, struct bundle_totals *totals)
{
    *totals = (struct bundle_totals){.problems = total_of(file, "problems"),
                                     .notes = total_of(file, "notes"),
                                     .repeated = total_of(file, "repeated"),
                                     .unchecked = total_of(file, "unchecked")};
}

static bool is(const struct bundle *b, const char *format)
{
    return strcmp(b->format->name, format) == 0;
}

/* Adds the items of a list to another, which then has at most `most`; how many that leaves out. */
static size_t add_items(json_t *to, json_t *from, size_t most)
{
    size_t i, left_out = 0;
    json_t *item;

    json_array_foreach(from, i, item)
    {
        if (json_array_size(to) < most)
            json_array_append(to, item);
        else
            left_out++;
    }
    return left_out;
}

static json_t *first_run(json_t *sarif)
{
    return json_array_get(json_object_get(sarif, "runs"), 0);
}

/* SARIF and GitLab: the items of the lists are added to those of the first report. */
static enum status merge(struct bundle *b, const char *report, size_t length, struct error *err)
{
    json_error_t problem;
    json_t *root = json_loadb(report, length, 0, &problem);

    if (!root)
        return fail(err, HEDDLE_BAD_REPORT, "the report of a trace is not JSON: %.200s", problem.text);
    if (!b->merged) {
        b->merged = root;
        return HEDDLE_OK;
    }
    if (is(b, "gitlab")) {
        add_items(b->merged, root, SIZE_MAX);
    } else {
        json_t *to = first_run(b->merged), *from = first_run(root);
        b->left_out +=
            add_items(json_object_get(to, "results"), json_object_get(from, "results"), SARIF_RESULTS_MOST);
        add_items(json_object_get(to, "invocations"), json_object_get(from, "invocations"), SIZE_MAX);
    }
    json_decref(root);
    return HEDDLE_OK;
}

/* The report's data, without the page around it. */
static void add_page(struct bundle *b, const char *report, size_t length)
{
    struct template_part before, after;

    template_parts(&before, &after);
    if (b->count == 0) {
        fwrite(before.text, 1, before.length, b->to);
        fputs("{\"reports\":[", b->to);
    }
    fputs(b->count > 0 ? ",\n" : "\n", b->to);
    fwrite(report + before.length, 1, length - before.length - after.length, b->to);
}

static void add_json(struct bundle *b, const char *report, size_t length)
{
    if (b->count == 0)
        fputs("{ \"format\": \"heddle-reports\",\n  \"version\": 1,\n  \"reports\": [", b->to);
    fputs(b->count > 0 ? ",\n" : "\n", b->to);
    while (length > 0 && report[length - 1] == '\n')
        length--;
    fwrite(report, 1, length, b->to);
}

enum status bundle_add(struct bundle *b, const char *report, size_t length, struct error *err)
{
    enum status status = HEDDLE_OK;

    if (is(b, "json"))
        add_json(b, report, length);
    else if (is(b, "html"))
        add_page(b, report, length);
    else if (is(b, "text"))
        fwrite(report, 1, length, b->direct ? b->direct : b->to);
    else
        status = merge(b, report, length, err);
    b->count++;
    return status;
}

/* The last members of a JSON document, and of a page. */
static void put_totals(const struct bundle_totals *totals, FILE *to)
{
    struct json_out out = {.to = to};

    json_object_open(&out, NULL);
    json_count(&out, "problems", totals->problems);
    json_count(&out, "notes", totals->notes);
    json_count(&out, "repeated", totals->repeated);
    json_count(&out, "unchecked", totals->unchecked);
    json_close(&out);
    json_end(&out);
}

static void notify(json_t *sarif, const char *level, const char *text)
{
    json_t *invocation = json_array_get(json_object_get(first_run(sarif), "invocations"), 0);
    json_t *list = json_object_get(invocation, "toolExecutionNotifications");

    if (!list) {
        list = json_array();
        json_object_set_new(invocation, "toolExecutionNotifications", list);
    }
    json_array_append_new(list, json_pack("{s:s, s:{s:s}}", "level", level, "message", "text", text));
}

static void finish(struct bundle *b, const struct bundle_totals *totals)
{
    struct template_part before, after;

    if (is(b, "json")) {
        fputs(" ],\n  \"totals\": ", b->to);
        put_totals(totals, b->to);
        fputs(" }\n", b->to);
    } else if (is(b, "html")) {
        fputs("],\n\"totals\":", b->to);
        put_totals(totals, b->to);
        fputs("}", b->to);
        template_parts(&before, &after);
        fwrite(after.text, 1, after.length, b->to);
    } else if (b->merged) {
        if (is(b, "sarif") && totals->unchecked > 0)
            notify(b->merged, "warning", "Interrupted: not all of the traces were checked.");
        if (b->left_out > 0)
            notify(b->merged, "note", "There are more findings than fit; the JSON report has them all.");
        json_dumpf(b->merged, b->to, JSON_INDENT(1));
        fputc('\n', b->to);
    }
}

enum status bundle_end(struct bundle *b, const struct bundle_totals *totals, FILE *to, struct error *err)
{
    finish(b, totals);
    if (fflush(b->to) != 0 || ferror(b->to))
        return fail(err, HEDDLE_IO, "the report does not fit into memory");
    if (b->length > 0)
        fwrite(b->text, 1, b->length, to);
    if (fflush(to) != 0 || ferror(to))
        return fail(err, HEDDLE_IO, "the report could not be written: %s", strerror(errno));
    return HEDDLE_OK;
}
