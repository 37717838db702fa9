/* What report_json writes, report_parse reads back. */
#include "report/json/read.h"
#include "report/report.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char text[] =
    "A|acq(k)|\nA|w(x)|\nA|acq(l)|\nA|rel(l)|\nA|rel(k)|\nB|acq(l)|\nB|acq(k)|\nB|r(x)|\n"
    "B|rel(k)|\nB|rel(l)|\nA|begin|\nA|r(y)|\nA|w(y)|\nA|end|\nB|w(y)|\n";

static const struct {
    enum property property;
    uint32_t events[3], event_count;
    uint32_t prefix, tail[3], tail_count;
} findings[] = {
    {PROPERTY_NONDET, {8, 2, 0}, 3, 0, {6, 7, 8}, 3}, {PROPERTY_FINAL, {15, 13}, 2, 12, {15, 13, 14}, 3},
    {PROPERTY_RACE, {12, 15}, 2, 11, {0}, 0},         {PROPERTY_UNORDERED, {13, 15}, 2, 0, {0}, 0},
    {PROPERTY_DEADLOCK, {3, 7}, 2, 2, {6}, 1},        {PROPERTY_ATOMICITY, {12, 15, 13}, 3, 12, {15, 13}, 2},
};

enum { FINDINGS = sizeof findings / sizeof *findings };

static void fill(struct results *results)
{
    for (size_t i = 0; i < FINDINGS; i++) {
        struct schedule schedule = {findings[i].prefix, findings[i].tail_count,
                                    malloc(sizeof findings[i].tail)};
        assert_non_null(schedule.tail);
        memcpy(schedule.tail, findings[i].tail, sizeof findings[i].tail);
        finding_add(&results->found, findings[i].property, findings[i].events, findings[i].event_count,
                    schedule);
    }
}

static char *write_report(const struct trace *trace, const struct results *results, bool schedules)
{
    struct report_options options = {.schedules = schedules};
    char *json = NULL;
    size_t length;
    FILE *out = open_memstream(&json, &length);
    struct error err;

    assert_non_null(out);
    assert_int_equal(report_json(results, trace, "a \"trace\"\n.std", &options, out, &err), HEDDLE_OK);
    fclose(out);
    return json;
}

static void assert_same(const struct finding *f, size_t i, bool schedules)
{
    assert_int_equal(f->property, findings[i].property);
    assert_int_equal(f->event_count, findings[i].event_count);
    assert_memory_equal(f->events, findings[i].events, f->event_count * sizeof *f->events);
    assert_int_equal(f->schedule.prefix, schedules ? findings[i].prefix : 0);
    assert_int_equal(f->schedule.tail_count, schedules ? findings[i].tail_count : 0);
    if (f->schedule.tail_count > 0)
        assert_memory_equal(f->schedule.tail, findings[i].tail, f->schedule.tail_count * sizeof(uint32_t));
}

static void round_trip(bool schedules)
{
    struct results results = {.method = "exact", .complete = true};
    struct trace trace;
    struct report report;
    struct error err;

    assert_int_equal(trace_parse(&trace, "case", text, strlen(text), &err), HEDDLE_OK);
    fill(&results);
    char *json = write_report(&trace, &results, schedules);
    if (report_parse(&report, "r.json", json, strlen(json), &err) != HEDDLE_OK)
        fail_msg("%s\n%s", err.text, json);

    assert_string_equal(report.trace_file, "a \"trace\"\n.std");
    assert_string_equal(report.method, "exact");
    assert_int_equal(report.events, 15);
    assert_int_equal(report.threads, 2);
    assert_int_equal(report.variables, 2);
    assert_int_equal(report.locks, 2);
    assert_int_equal(report.found.findings_count, FINDINGS);
    for (size_t i = 0; i < FINDINGS; i++) {
        assert_same(&report.found.findings[i], i, schedules);
        assert_int_equal(report.entries[i].has_schedule,
                         schedules && findings[i].property != PROPERTY_UNORDERED);
        assert_int_equal(report_find(&report, report.entries[i].id), i);
    }
    assert_true(report_find(&report, "N99") == SIZE_MAX);
    report_free(&report);
    free(json);
    finding_list_free(&results.found);
    trace_free(&trace);
}

static void with_schedules(void **state)
{
    (void)state;
    round_trip(true);
}

static void without_schedules(void **state)
{
    (void)state;
    round_trip(false);
}

/* Compact or spread out, members in any order, unknown ones among them: JSON is JSON. */
static void any_layout(void **state)
{
    static const char *const layouts[] = {
        "{\"findings\":[],\"complete\":false,\"method\":\"m\",\"trace\":{\"locks\":0,\"variables\":0,"
        "\"threads\":0,"
        "\"events\":0,\"file\":\"\"},\"version\":1,\"format\":\"heddle-report\"}",
        "\r\n{ \"format\" : \"heddle-report\" ,\t\"more\" : [ 1.5 , { } ] , \"version\" : 1 , \"trace\" : { "
        "\"file\" : "
        "\"\" , \"events\" : 0 , \"threads\" : 0 , \"variables\" : 0 , \"locks\" : 0 } , \"method\" : \"m\" , "
        "\"complete\" : false , \"findings\" : [ { \"id\" : \"S1\" , \"property\" : \"serializability\" , "
        "\"cycle\" : [ 1 , 2 ] , \"edges\" : [ [ 1 , 2 ] , [ 2 , 1 ] ] } ] "
        "}\n",
    };

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct report report;
        struct error err;
        if (report_parse(&report, "r.json", layouts[i], strlen(layouts[i]), &err) != HEDDLE_OK)
            fail_msg("%s", err.text);
        assert_int_equal(report.found.findings_count, i);
        report_free(&report);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(with_schedules),
        cmocka_unit_test(without_schedules),
        cmocka_unit_test(any_layout),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
