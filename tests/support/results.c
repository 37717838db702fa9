/* Results made by hand. */
#include "support/results.h"
#include "base/memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

void prepared_init(struct prepared *c, const char *text)
{
    struct error err;

    memset(c, 0, sizeof *c);
    if (trace_parse(&c->trace, "case", text, strlen(text), &err) != HEDDLE_OK)
        fail_msg("%s", err.text);
    if (model_build(&c->model, &c->trace, &err) != HEDDLE_OK)
        fail_msg("%s", err.text);
    c->results = (struct results){.method = "exact", .complete = true};
}

void prepared_free(struct prepared *c)
{
    finding_list_free(&c->results.found);
    finding_list_free(&c->results.undecided);
    model_free(&c->model);
    trace_free(&c->trace);
}

struct finding *prepared_add(struct prepared *c, enum property property, const uint32_t *events, uint32_t count,
                             uint32_t prefix, const uint32_t *tail)
{
    struct schedule s = {.prefix = prefix};

    while (tail[s.tail_count] != 0)
        s.tail_count++;
    if (s.tail_count > 0) {
        s.tail = memory_resize(NULL, s.tail_count, sizeof *s.tail);
        memcpy(s.tail, tail, s.tail_count * sizeof *s.tail);
    }
    finding_add(&c->results.found, property, events, count, s);
    c->results.stats[property].checked = true;
    c->results.stats[property].feasible++;
    results_number(&c->results);
    return &c->results.found.findings[c->results.found.findings_count - 1];
}

enum shape { SHAPE_TEXT, SHAPE_JSON, SHAPE_HTML };

static char *captured(const struct prepared *c, const struct report_options *options, enum shape shape)
{
    char *text = NULL;
    size_t length = 0;
    struct results numbered = c->results; /* shares its lists */
    struct error err;
    FILE *to = open_memstream(&text, &length);

    assert_non_null(to);
    results_number(&numbered);
    if (shape == SHAPE_JSON)
        assert_int_equal(report_json(&c->results, &c->trace, options->trace_path, options, to, &err),
                         HEDDLE_OK);
    else if (shape == SHAPE_HTML)
        assert_int_equal(report_html(&c->results, &c->model, options, to, &err), HEDDLE_OK);
    else
        assert_int_equal(report_text(&c->results, &c->model, options, to, &err), HEDDLE_OK);
    assert_int_equal(fclose(to), 0);
    return text;
}

char *prepared_text(const struct prepared *c, const struct report_options *options)
{
    return captured(c, options, SHAPE_TEXT);
}

char *prepared_json(const struct prepared *c, const struct report_options *options)
{
    return captured(c, options, SHAPE_JSON);
}

char *prepared_html(const struct prepared *c, const struct report_options *options)
{
    return captured(c, options, SHAPE_HTML);
}

json_t *page_report(const char *page)
{
    static const char opening[] = "<script type=\"application/json\" id=\"report\">";
    const char *start = strstr(page, opening);

    assert_non_null(start);
    start += sizeof opening - 1;
    const char *end = strstr(start, "</script>");
    assert_non_null(end);
    json_error_t err;
    json_t *root = json_loadb(start, (size_t)(end - start), JSON_REJECT_DUPLICATES, &err);
    if (!root)
        fail_msg("line %d: %s", err.line, err.text);
    return root;
}
