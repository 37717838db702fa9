/* The JSON report, read back by another program's parser. */
#include "support/results.h"

#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct report_options plain = {.schedules = true, .trace_path = "case.std"};

static json_t *parsed(const struct prepared *c, const struct report_options *options)
{
    char *text = prepared_json(c, options);
    json_error_t err;
    json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, &err);

    if (!root)
        fail_msg("line %d: %s", err.line, err.text);
    free(text);
    return root;
}

static const json_t *finding_at(const json_t *root, size_t index)
{
    return json_array_get(json_object_get(root, "findings"), index);
}

static void assert_number(const json_t *object, const char *field, json_int_t number)
{
    assert_true(json_is_integer(json_object_get(object, field)));
    assert_int_equal(json_integer_value(json_object_get(object, field)), number);
}

static void assert_word(const json_t *object, const char *field, const char *text)
{
    assert_true(json_is_string(json_object_get(object, field)));
    assert_string_equal(json_string_value(json_object_get(object, field)), text);
}

static void assert_numbers(const json_t *object, const char *field, const uint32_t *numbers, size_t count)
{
    const json_t *array = json_object_get(object, field);

    assert_true(json_is_array(array));
    assert_int_equal(json_array_size(array), count);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(json_integer_value(json_array_get(array, i)), numbers[i]);
}

/* A schedule: the length of its observed prefix and what follows. */
static void assert_schedule(const json_t *f, json_int_t prefix, const uint32_t *then, size_t count)
{
    const json_t *schedule = json_object_get(f, "schedule");

    assert_number(schedule, "prefix", prefix);
    assert_numbers(schedule, "then", then, count);
}

static const char trace_text[] = "T1|acq(a)|f.c:1\nT1|w(x=1)|f.c:2\nT1|acq(b)|\nT1|rel(b)|\nT1|rel(a)|\n"
                                 "T2|acq(b)|f.c:1\nT2|acq(a)|f.c:3\nT2|rel(a)|\nT2|rel(b)|\nT2|w(x=-9)|f.c:4\n"
                                 "T3|r(x=-9)|f.c:5\nT3|w(x=name)|f.c:6\nT3|w(x=18446744073709551615)|f.c:7\n";

/* A report with findings of every property. */
static json_t *every_property(struct prepared *c)
{
    prepared_init(c, trace_text);
    prepared_add(c, PROPERTY_NONDET, EVENTS(11, 10, 2), 0, TAIL(1, 2, 11));
    prepared_add(c, PROPERTY_FINAL, EVENTS(13, 2), 0, TAIL(6, 7, 8, 9, 10, 11, 12, 13, 1, 2, 3, 4, 5));
    prepared_add(c, PROPERTY_RACE, EVENTS(2, 10), 1, TAIL(6));
    prepared_add(c, PROPERTY_RACE, EVENTS(2, 11), 0, NO_TAIL);
    prepared_add(c, PROPERTY_UNORDERED, EVENTS(2, 10), 0, NO_TAIL);
    prepared_add(c, PROPERTY_DEADLOCK, EVENTS(3, 7), 2, TAIL(6));
    prepared_add(c, PROPERTY_ATOMICITY, EVENTS(11, 2, 12), 0, TAIL(11, 1, 2, 12));
    prepared_add(c, PROPERTY_DETERMINISM, EVENTS(1, 2, 10), 0, NO_TAIL);
    prepared_add(c, PROPERTY_DETERMINISM, EVENTS(1, 10, 2, 10, 10, 11), 0, TAIL(1, 2, 10, 11));
    prepared_add(c, PROPERTY_SERIALIZABILITY, EVENTS(11, 2, 11, 2, 2, 11), 0, NO_TAIL);
    return parsed(c, &plain);
}

/* The fields of semantics §8. */
static void reports_say_what_they_are_of(void **state)
{
    struct prepared c;
    json_t *root = every_property(&c);

    (void)state;
    assert_word(root, "format", "heddle-report");
    assert_number(root, "version", 2);
    assert_word(root, "method", "exact");
    assert_true(json_is_true(json_object_get(root, "complete")));
    const json_t *trace = json_object_get(root, "trace");
    assert_word(trace, "file", "case.std");
    assert_number(trace, "events", 13);
    assert_number(trace, "threads", 3);
    assert_number(trace, "variables", 1);
    assert_number(trace, "locks", 2);
    json_decref(root);
    prepared_free(&c);
}

/* The same of findings, property by property. */
static void accesses_have_their_fields(void **state)
{
    struct prepared c;
    json_t *root = every_property(&c);

    (void)state;
    const json_t *f = finding_at(root, 0);
    assert_word(f, "id", "N1");
    assert_word(f, "property", "nondeterminism");
    assert_number(f, "read", 11);
    assert_number(f, "observed", 10);
    assert_number(f, "alternative", 2);
    assert_schedule(f, 2, EVENTS(11));
    assert_number(f, "observed_value", -9);
    assert_number(f, "alternative_value", 1);
    assert_word(f, "variable", "x");
    assert_string_equal(json_string_value(json_array_get(json_object_get(f, "locations"), 2)), "f.c:2");
    assert_string_equal(json_string_value(json_array_get(json_object_get(f, "threads"), 0)), "T3");

    f = finding_at(root, 1);
    assert_word(f, "id", "F1");
    assert_word(f, "property", "final-state");
    assert_number(f, "observed", 13);
    assert_number(f, "alternative", 2);
    assert_word(f, "observed_value", "18446744073709551615");

    f = finding_at(root, 2);
    assert_word(f, "id", "R1");
    assert_number(f, "first", 2);
    assert_number(f, "second", 10);
    assert_schedule(f, 1, EVENTS(6));
    f = finding_at(root, 3);
    assert_word(f, "id", "R2");
    assert_schedule(f, 0, NULL, 0);

    f = finding_at(root, 4);
    assert_word(f, "id", "U1");
    assert_word(f, "property", "unordered");
    assert_null(json_object_get(f, "schedule"));
    json_decref(root);
    prepared_free(&c);
}

static void locks_and_scopes_have_their_fields(void **state)
{
    struct prepared c;
    json_t *root = every_property(&c);

    (void)state;
    const json_t *f = finding_at(root, 5);
    assert_word(f, "id", "L1");
    assert_numbers(f, "events", EVENTS(3, 7));
    assert_true(json_is_null(json_array_get(json_object_get(f, "locations"), 0)));
    assert_null(json_object_get(f, "variable"));

    f = finding_at(root, 6);
    assert_word(f, "id", "A1");
    assert_number(f, "first", 11);
    assert_number(f, "remote", 2);
    assert_number(f, "second", 12);
    json_decref(root);
    prepared_free(&c);
}

static void blocks_have_their_fields(void **state)
{
    struct prepared c;
    json_t *root = every_property(&c);

    (void)state;
    const json_t *f = finding_at(root, 7);
    assert_word(f, "id", "D1");
    assert_word(f, "kind", "conflict");
    assert_number(f, "block", 1);
    assert_number(f, "first", 2);
    assert_number(f, "second", 10);
    assert_word(f, "variable", "x");
    assert_null(json_object_get(f, "schedule"));
    f = finding_at(root, 8);
    assert_word(f, "kind", "interference");
    assert_numbers(f, "cycle", EVENTS(1, 10));
    assert_int_equal(json_array_size(json_object_get(f, "edges")), 2);
    assert_int_equal(json_integer_value(json_array_get(json_array_get(json_object_get(f, "edges"), 1), 0)), 10);
    assert_int_equal(json_integer_value(json_array_get(json_array_get(json_object_get(f, "edges"), 1), 1)), 11);
    assert_schedule(f, 2, EVENTS(10, 11));

    f = finding_at(root, 9);
    assert_word(f, "id", "S1");
    assert_null(json_object_get(f, "kind"));
    assert_numbers(f, "cycle", EVENTS(11, 2));
    assert_null(json_object_get(f, "events"));
    json_decref(root);
    prepared_free(&c);
}

static void grouped_reports_count(void **state)
{
    struct prepared c;
    struct report_options options = plain;

    (void)state;
    prepared_init(&c, trace_text);
    struct finding *f = prepared_add(&c, PROPERTY_RACE, EVENTS(2, 10), 1, TAIL(6));
    f->count = 41;
    f->count_is_exact = false;
    c.results.grouped = true;
    options.schedules = false;
    json_t *root = parsed(&c, &options);
    assert_number(finding_at(root, 0), "count", 41);
    assert_true(json_is_false(json_object_get(finding_at(root, 0), "count_exact")));
    assert_null(json_object_get(finding_at(root, 0), "schedule"));
    json_decref(root);
    prepared_free(&c);
}

static void undecided_have_ids_of_their_own(void **state)
{
    struct prepared c;

    (void)state;
    prepared_init(&c, trace_text);
    prepared_add(&c, PROPERTY_RACE, EVENTS(2, 10), 1, TAIL(6));
    finding_add(&c.results.undecided, PROPERTY_RACE, EVENTS(2, 11), (struct schedule){0});
    c.results.complete = false;
    c.results.interrupted = true;
    json_t *root = parsed(&c, &plain);
    const json_t *u = json_array_get(json_object_get(root, "undecided"), 0);
    assert_word(u, "id", "R2");
    assert_number(u, "second", 11);
    assert_null(json_object_get(u, "schedule"));
    assert_true(json_is_false(json_object_get(root, "complete")));
    assert_true(json_is_true(json_object_get(root, "interrupted")));
    json_decref(root);
    prepared_free(&c);
}

/* Timings differ from run to run: they are there only for those who ask. */
static void statistics_are_the_same_in_every_run(void **state)
{
    struct prepared c;
    struct report_options options = plain;

    (void)state;
    prepared_init(&c, trace_text);
    c.results.stats[PROPERTY_NONDET] = (struct property_stats){
        .checked = true, .subjects = 1, .candidates = 9, .refuted = {5, 3, 1}, .skipped = 2, .seconds = 0.5};
    c.results.certified = 77;
    c.results.load_seconds = 1.25;
    json_t *root = parsed(&c, &plain);
    const json_t *all = json_object_get(root, "statistics");
    const json_t *nondet = json_object_get(all, "nondeterminism");
    assert_number(all, "certified", 77);
    assert_null(json_object_get(all, "load_seconds"));
    assert_null(json_object_get(all, "race"));
    assert_number(nondet, "subjects", 1);
    assert_number(nondet, "candidates", 9);
    assert_number(nondet, "feasible", 0);
    assert_number(nondet, "undecided", 0);
    assert_number(nondet, "skipped", 2);
    assert_number(json_object_get(nondet, "refuted"), "must_order", 5);
    assert_number(json_object_get(nondet, "refuted"), "causality_cycle", 3);
    assert_number(json_object_get(nondet, "refuted"), "exhausted_choices", 1);
    assert_null(json_object_get(nondet, "seconds"));
    json_decref(root);

    options.stats = true;
    root = parsed(&c, &options);
    all = json_object_get(root, "statistics");
    assert_true(json_real_value(json_object_get(all, "load_seconds")) == 1.25);
    assert_true(json_real_value(json_object_get(json_object_get(all, "nondeterminism"), "seconds")) == 0.5);
    json_decref(root);
    prepared_free(&c);
}

static void hostile_names_are_escaped(void **state)
{
    struct prepared c;
    struct report_options options = plain;

    (void)state;
    prepared_init(
        &c, "T\"\\\x01|w(x\xff\xc0\x80\xed\xa0\x80)|\xe2\x82\xac\x7f.c\nT2|r(x\xff\xc0\x80\xed\xa0\x80)|\n");
    prepared_add(&c, PROPERTY_NONDET, EVENTS(2, 1, 0), 0, TAIL(2));
    options.trace_path = "dir\n\xf0\x9f\x90\x91\xf8.std\xe2\x82";
    json_t *root = parsed(&c, &options);
    const json_t *f = finding_at(root, 0);
    assert_word(json_object_get(root, "trace"), "file", "dir\n\xf0\x9f\x90\x91\ufffd.std\ufffd\ufffd");
    assert_word(f, "variable", "x\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd");
    assert_string_equal(json_string_value(json_array_get(json_object_get(f, "threads"), 1)), "T\"\\\x01");
    assert_string_equal(json_string_value(json_array_get(json_object_get(f, "locations"), 1)), "\u20ac\x7f.c");
    assert_true(json_is_null(json_array_get(json_object_get(f, "locations"), 2)));
    assert_null(json_object_get(f, "observed_value"));
    json_decref(root);
    prepared_free(&c);
}

/* However long the observed prefix is, it costs a number. */
static void long_prefixes_are_short(void **state)
{
    enum { PREFIX = 100000 };
    struct prepared c;
    char *text;
    size_t length;
    FILE *to = open_memstream(&text, &length);

    (void)state;
    for (int i = 0; i < PREFIX; i++)
        fprintf(to, "T1|w(y)|\n");
    fprintf(to, "T1|w(x)|\nT2|r(y)|\nT2|r(x)|\n");
    fclose(to);
    prepared_init(&c, text);
    free(text);
    prepared_add(&c, PROPERTY_NONDET, EVENTS(PREFIX + 3, PREFIX + 1, 0), PREFIX, TAIL(PREFIX + 2, PREFIX + 3));
    json_t *root = parsed(&c, &plain);
    assert_schedule(finding_at(root, 0), PREFIX, EVENTS(PREFIX + 2, PREFIX + 3));
    json_decref(root);
    prepared_free(&c);
}

/* The value of an rmw is the one it wrote, and only as long as it reads what it read. */
static void values_of_updates_are_not_guessed(void **state)
{
    struct prepared c;

    (void)state;
    prepared_init(&c, "T1|w(x=1)|\nT2|rmw(x=2)|\nT3|rmw(x=3)|\nT4|r(x=3)|\nT5|w(x=8)|\nT6|r(x=8)|\n");
    prepared_add(&c, PROPERTY_NONDET, EVENTS(4, 3, 2), 2, TAIL(4));
    prepared_add(&c, PROPERTY_NONDET, EVENTS(6, 5, 3), 1, TAIL(2, 3, 6));
    prepared_add(&c, PROPERTY_NONDET, EVENTS(6, 5, 3), 0, TAIL(2, 3, 6));
    prepared_add(&c, PROPERTY_NONDET, EVENTS(6, 5, 3), 0, TAIL(1, 3, 6));
    prepared_add(&c, PROPERTY_NONDET, EVENTS(3, 2, 0), 0, TAIL(3));
    json_t *root = parsed(&c, &plain);
    assert_number(finding_at(root, 0), "alternative_value", 2);
    assert_number(finding_at(root, 1), "alternative_value", 3);
    assert_null(json_object_get(finding_at(root, 2), "alternative_value"));
    assert_null(json_object_get(finding_at(root, 3), "alternative_value"));
    assert_null(json_object_get(finding_at(root, 4), "alternative_value"));
    assert_number(finding_at(root, 4), "observed_value", 2);
    json_decref(root);
    prepared_free(&c);
}

static void a_full_disk_is_an_error(void **state)
{
    struct prepared c;
    struct error err;
    FILE *to = fopen("/dev/full", "we");

    (void)state;
    if (!to)
        skip();
    prepared_init(&c, trace_text);
    assert_int_equal(report_json(&c.results, &c.trace, "x", &plain, to, &err), HEDDLE_IO);
    assert_non_null(strstr(err.text, "could not be written"));
    fclose(to);
    prepared_free(&c);
}

static void exit_statuses(void **state)
{
    struct prepared c;

    (void)state;
    prepared_init(&c, trace_text);
    assert_int_equal(results_open_status(&c.results), 0);
    c.results.stats[PROPERTY_RACE].undecided = 1;
    assert_int_equal(results_open_status(&c.results), 3);
    c.results.stats[PROPERTY_RACE].undecided = 0;
    c.results.complete = false;
    assert_int_equal(results_open_status(&c.results), 3);
    c.results.complete = true;
    finding_add(&c.results.undecided, PROPERTY_RACE, EVENTS(2, 11), (struct schedule){0});
    assert_int_equal(results_open_status(&c.results), 3);
    prepared_free(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reports_say_what_they_are_of),
        cmocka_unit_test(accesses_have_their_fields),
        cmocka_unit_test(locks_and_scopes_have_their_fields),
        cmocka_unit_test(blocks_have_their_fields),
        cmocka_unit_test(grouped_reports_count),
        cmocka_unit_test(undecided_have_ids_of_their_own),
        cmocka_unit_test(statistics_are_the_same_in_every_run),
        cmocka_unit_test(hostile_names_are_escaped),
        cmocka_unit_test(long_prefixes_are_short),
        cmocka_unit_test(values_of_updates_are_not_guessed),
        cmocka_unit_test(a_full_disk_is_an_error),
        cmocka_unit_test(exit_statuses),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
