/* Fuzzes the report reader, and the certifier with whatever the reader lets through. */
#include "certify/happens_before.h"
#include "report/format.h"
#include "report/json/recall.h"
#include "report/json/report_file.h"
#include "report/reported.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

/* Has something of every kind that schedules are checked for. */
static const char trace_text[] =
    "M|fork(A)|\nM|fork(B)|\nA|acq(l)|\nA|w(x=1)|\nA|acq(m)|\nA|rel(m)|\nB|tryfail(l)|\n"
    "A|rel(l)|\nB|acq(m)|\nB|racq(l)|\nB|r(x=1)|\nB|rmw(y=2)|\nB|rrel(l)|\nB|acq(l)|\n"
    "B|waitpre(c)|\nB|rel(l)|\nA|notify(c)|\nA|post(s)|\nB|acq(l)|\nB|waitpost(c)|\n"
    "B|rel(l)|\nB|rel(m)|\nB|semwait(s)|\nA|begin|\nA|r(x=1)|\nB|w(x=3)|\nA|w(x=1)|\n"
    "A|end|\nA|ar(y=2)|\nA|benter(b)|\nB|benter(b)|\nA|bexit(b)|\nB|bexit(b)|\n"
    "M|join(A)|\nM|join(B)|\nM|r(x=1)|\nM|dbegin|\nM|fork(C)|\nC|w(x=1)|\nM|r(x=1)|\nM|dend|\n";

static void certify(const struct report *report, const struct trace *trace)
{
    struct certify_index *index = certify_index_new(trace);
    struct certifier *certifier = certifier_new(index);
    struct certify_options options = {report->values_ignore, report->grounds_ignore, report->atomic_locks};

    for (size_t i = 0; i < report->found.findings_count; i++) {
        const struct finding *f = &report->found.findings[i];
        struct error why = {.text = ""};
        bool accepted = certifier_accepts(certifier, f, &options, &why);
        assert(accepted || why.text[0]);
        assert(certifier_accepts(certifier, f, &options, NULL) == accepted);
        if (finding_cycle(f) > 0)
            certifier_observed(certifier, f, &why);
        if (finding_is_conflict(f) && certifier_block_conflict(certifier, f, &why)) {
            struct order_query query = {.first = f->events[1], .second = f->events[2]};
            order_answer_deterministic(index, &query, 1);
        }
        if (f->property != PROPERTY_UNORDERED || !certifier_conflict(certifier, f, &why))
            continue;
        struct order_query query = {.first = f->events[0], .second = f->events[1]};
        order_answer(index, &query, 1);
    }
    certifier_free(certifier);
    certify_index_free(index);
}

/* The JSON inside a page: no '<' before the end of its element. */
static const char *inside_page(const char *page, size_t *length)
{
    static const char opening[] = "id=\"report\">";
    const char *start = memmem(page, *length, opening, sizeof opening - 1);

    assert(start);
    start += sizeof opening - 1;
    *length = (size_t)((const char *)memchr(start, '<', *length - (size_t)(start - page)) - start);
    return start;
}

/* Whatever of it passes the checks can be told in every format, and the JSON ones are JSON. */
static void tell(const struct report *report, const struct model *model, const struct report_format *format)
{
    struct report_options options = {.schedules = true, .trace_path = "t"};
    struct results results;
    struct marks marks;
    struct finding_note *notes = notes_recall(report);
    struct error err;
    char *text = NULL;
    size_t length;
    FILE *to = open_memstream(&text, &length);

    results_recall(&results, report);
    marks_recall(&marks, report);
    options.marks = &marks;
    options.notes = notes;
    if (model)
        format->write(&results, model, &options, to, &err);
    else if (format->write_recalled)
        format->write_recalled(report, &options, to, &err);
    fclose(to);
    if (length > 0 && strcmp(format->name, "text") != 0) {
        const char *data = strcmp(format->name, "html") == 0 ? inside_page(text, &length) : text;
        json_t *root = json_loadb(data, length, 0, NULL);
        assert(root);
        json_decref(root);
    }
    marks_free(&marks);
    free(notes);
    free(text);
}

static void convert(const uint8_t *bytes, size_t length, const struct trace *trace)
{
    struct report report;
    struct model model;
    struct error err = {.text = ""};

    if (report_parse_whole(&report, "input", (const char *)bytes, length, &err) != HEDDLE_OK) {
        assert(err.text[0] && report.found.findings_count == 0 && !report.rest);
        return;
    }
    if (model_build(&model, trace, &err) == HEDDLE_OK) {
        bool holds = report_holds(&report, &model, &err) == HEDDLE_OK;
        for (const struct report_format *format = report_formats; format->name; format++) {
            tell(&report, NULL, format);
            if (holds)
                tell(&report, &model, format);
        }
        model_free(&model);
    }
    report_free(&report);
}

/* Reads every report of a file of several. */
static void read_parts(const uint8_t *bytes, size_t length)
{
    struct report_file file;
    struct report report;
    struct error err = {.text = ""};

    report_file_parse(&file, "input", (const char *)bytes, length);
    assert(file.parts_count > 0);
    for (size_t i = 0; file.several && i < file.parts_count; i++)
        if (report_file_read(&file, i, true, &report, &err) == HEDDLE_OK)
            report_free(&report);
    report_file_close(&file);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    struct report report;
    struct trace trace;
    struct error err = {.text = ""};

    read_parts(bytes, length);

    if (report_parse(&report, "input", (const char *)bytes, length, &err) != HEDDLE_OK) {
        assert(err.text[0] && report.found.findings_count == 0);
        return 0;
    }
    assert(report.entries_count == report.found.findings_count);
    if (trace_parse(&trace, "trace", trace_text, strlen(trace_text), &err) == HEDDLE_OK) {
        certify(&report, &trace);
        convert(bytes, length, &trace);
    }
    trace_free(&trace);
    report_free(&report);
    return 0;
}
