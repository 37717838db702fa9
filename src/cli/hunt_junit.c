/* The results of all test cases as JUnit's XML. */
#include "base/buffer.h"
#include "cli/hunt_each.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Text from outside for an attribute or an element, line by line. */
static void put_text(struct buffer *b, const char *text)
{
    struct buffer line = {0};

    while (*text) {
        size_t length = strcspn(text, "\n");
        line.text_count = 0;
        buffer_bytes(&line, text, length);
        buffer_bytes(&line, "", 1);
        buffer_markup(b, line.text);
        if (text[length])
            buffer_text(b, "\n");
        text += length + (text[length] == '\n');
    }
    buffer_free(&line);
}

static void put_attribute(struct buffer *b, const char *name, const char *text)
{
    buffer_format(b, " %s=\"", name);
    put_text(b, text);
    buffer_text(b, "\"");
}

static void put_element(struct buffer *b, const char *name, const char *message, const char *text)
{
    size_t first = strcspn(message, "\n");
    char line[400];

    snprintf(line, sizeof line, "%.*s", (int)(first < 390 ? first : 390), message);
    buffer_format(b, "      <%s", name);
    put_attribute(b, "message", line);
    buffer_text(b, ">");
    put_text(b, text);
    buffer_format(b, "</%s>\n", name);
}

static void put_case(struct buffer *b, const struct test_case *t, const struct case_result *r)
{
    buffer_text(b, "    <testcase");
    put_attribute(b, "classname", t->suite);
    put_attribute(b, "name", t->name);
    buffer_format(b, " time=\"%.3f\">\n", r->seconds);
    if (r->verdict == CASE_FAILED)
        put_element(b, "failure", r->problems ? r->problems : "problems", r->problems ? r->problems : "");
    else if (r->verdict == CASE_ERROR)
        put_element(b, "error", r->words ? r->words : "could not be hunted", "");
    else if (r->verdict == CASE_SKIPPED)
        put_element(b, "skipped", r->words ? r->words : "not hunted", "");
    if (r->folder) {
        buffer_format(b, "      <system-out>%llu runs; ", (unsigned long long)r->runs);
        put_text(b,
                 r->verdict == CASE_OPEN ? "no problem, but not everything was decided; report: " : "report: ");
        put_text(b, r->folder);
        buffer_text(b, "/hunt.html</system-out>\n");
    }
    buffer_text(b, "    </testcase>\n");
}

enum status junit_write(const char *path, const struct test_cases *cases, const struct case_result *results,
                        struct error *err)
{
    struct buffer b = {0};
    double seconds = 0;
    char counts[200];
    FILE *to;

    for (size_t i = 0; i < cases->cases_count; i++)
        seconds += results[i].seconds;
    snprintf(counts, sizeof counts,
             "tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\" time=\"%.3f\"", cases->cases_count,
             cases_with(results, cases->cases_count, CASE_FAILED),
             cases_with(results, cases->cases_count, CASE_ERROR),
             cases_with(results, cases->cases_count, CASE_SKIPPED), seconds);
    buffer_format(&b, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"heddle\" %s>\n", counts);
    buffer_format(&b, "  <testsuite name=\"heddle hunt\" %s>\n", counts);
    for (size_t i = 0; i < cases->cases_count; i++)
        put_case(&b, &cases->cases[i], &results[i]);
    buffer_text(&b, "  </testsuite>\n</testsuites>\n");
    to = fopen(path, "we");
    if (to)
        buffer_flush(&b, to);
    buffer_free(&b);
    if (!to || fclose(to) != 0)
        return fail(err, HEDDLE_IO, "%s: %s", path, strerror(errno));
    return HEDDLE_OK;
}
