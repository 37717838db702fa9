/* Suppression files, and what marks make of findings. */
#include "report/ci/suppress.h"
#include "support/results.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void refused(const char *text, const char *message)
{
    struct suppressions s;
    struct error err = {.text = ""};

    assert_int_equal(suppressions_parse(&s, "s", text, strlen(text), &err), HEDDLE_BAD_USAGE);
    assert_string_equal(err.text, message);
    assert_int_equal(s.entries_count, 0);
    assert_null(s.path);
}

static void mistakes_are_named_with_their_line(void **state)
{
    (void)state;
    refused("property=race\n", "s:1: the line must end in reason: and the reason");
    refused("# x\n\nproperty=race reason:  \n", "s:3: the reason is missing: why may this finding be ignored?");
    refused("reason: because\n", "s:1: a reason without a condition: which findings does it suppress?");
    refused("property=rice reason: x\n", "s:1: unknown property rice");
    refused("property=race property=nondet reason: x\n", "s:1: property appears twice");
    refused("fingerprint=12 reason: x\n", "s:1: fingerprint=12: expected 16 hexadecimal digits");
    refused("variable= reason: x\n", "s:1: a condition has no value");
    refused("variable=\"a b reason: x\n", "s:1: a quoted value does not end on its line");
    refused("variable=\"a\"b reason: x\n", "s:1: a blank is missing after a quoted value");
    refused("var=x reason: x\n", "s:1: unknown condition var: expected fingerprint, property, variable, lock, "
                                 "function, file, only-file or "
                                 "no-file");
    refused("race reason: x\n", "s:1: expected KEY=VALUE or reason:");

    struct suppressions s;
    struct error err;
    assert_int_equal(suppressions_parse(&s, "s", "file=a\0 reason: x\n", 18, &err), HEDDLE_BAD_USAGE);
    assert_string_equal(err.text, "s:1: a NUL character: this is not text");
}

static const char trace_text[] =
    "A|acq(l)|src/a.c:1 work\nA|w(stats.hits)|src/a.c:2 work\nA|acq(m)|src/a.c:3 work\n"
    "A|rel(m)|\nA|rel(l)|\nB|acq(m)|src/b.c:9 rest\nB|acq(l)|src/b.c:10 rest\n"
    "B|rel(l)|\nB|rel(m)|\nB|r(stats.hits)|src/b.c:12 rest\n";

/* Whether the line's entry is about the race of 2 and 10, and about the deadlock of 3 and 7. */
static void about(const char *line, bool race, bool deadlock)
{
    struct prepared c;
    struct suppressions s;
    struct marks marks;
    struct error err;

    prepared_init(&c, trace_text);
    prepared_add(&c, PROPERTY_RACE, EVENTS(2, 10), 1, NO_TAIL);
    prepared_add(&c, PROPERTY_DEADLOCK, EVENTS(3, 7), 2, TAIL(6));
    if (suppressions_parse(&s, "s", line, strlen(line), &err) != HEDDLE_OK)
        fail_msg("%s", err.text);
    marks_init(&marks, &c.results, &c.trace);
    marks_suppress(&marks, &s, &c.results, &c.trace);
    if (mark_is_suppressed(&marks, 0) != race || mark_is_suppressed(&marks, 1) != deadlock)
        fail_msg("%s: %d %d", line, mark_is_suppressed(&marks, 0), mark_is_suppressed(&marks, 1));
    assert_int_equal(marks.suppressed, race + deadlock);
    assert_int_equal(marks.stale_count, !race && !deadlock);
    assert_int_equal(marks_exit_status(&marks, &c.results, &(struct fail_on){0}), race && deadlock ? 0 : 2);
    if (race)
        assert_string_equal(marks.found[0].reason, "fine = ok \"so\"");
    marks_free(&marks);
    suppressions_free(&s);
    prepared_free(&c);
}

#define REASON " reason: fine = ok \"so\" \n"

static void all_conditions_must_hold(void **state)
{
    (void)state;
    about("property=race" REASON, true, false);
    about("property=deadlock" REASON, false, true);
    about("property=race variable=x" REASON, false, false);
    about("variable=stats.*" REASON, true, false);
    about("variable=stat" REASON, false, false);
    about("lock=m" REASON, false, true);
    about("lock=?" REASON, false, true);
    about("function=work" REASON, true, true);
    about("function=work function=rest" REASON, true, true);
    about("function=work function=other" REASON, false, false);
    about("file=src/*" REASON, true, true);
    about("file=*.h" REASON, false, false);
    about("only-file=src/a.c" REASON, false, false);
    about("only-file=src/a.c only-file=src/b.*" REASON, true, true);
    about("only-file=src/* property=race" REASON, true, false);
    about("no-file=src/a.c" REASON, false, false);
    about("no-file=src/c.c no-file=*.h" REASON, true, true);
    about("no-file=src/c.c only-file=src/*" REASON, true, true);
    about("property=race file=src/b.c function=w*" REASON, true, false);
    about("property=race lock=m" REASON, false, false);
    about("  variable=\"stats\\.hits\"\t" REASON, true, false);
    about("fingerprint=0123456789abcdef" REASON, false, false);
    about("\r\n# comment\r\nproperty=race" REASON "property=deadlock reason: known\r\n", true, true);
}

static void by_fingerprint(void **state)
{
    struct prepared c;
    struct marks marks;
    char line[100];

    (void)state;
    prepared_init(&c, trace_text);
    prepared_add(&c, PROPERTY_RACE, EVENTS(2, 10), 1, NO_TAIL);
    marks_init(&marks, &c.results, &c.trace);
    snprintf(line, sizeof line, "fingerprint=%016llx" REASON, (unsigned long long)marks.found[0].fingerprint);
    about(line, true, false);
    marks_free(&marks);
    prepared_free(&c);
}

/* An entry about a property that was not looked for, or in a check that did not end, may still be needed. */
static void not_everything_unused_is_stale(void **state)
{
    static const char line[] = "property=atomicity reason: x\nvariable=gone reason: y\n";
    struct prepared c;
    struct suppressions s;
    struct marks marks;
    struct error err;

    (void)state;
    prepared_init(&c, trace_text);
    assert_int_equal(suppressions_parse(&s, "s", line, strlen(line), &err), HEDDLE_OK);
    marks_init(&marks, &c.results, &c.trace);
    marks_suppress(&marks, &s, &c.results, &c.trace);
    assert_int_equal(marks.stale_count, 1);
    assert_int_equal(marks.stale[0], 2);
    marks_free(&marks);

    c.results.complete = false;
    marks_init(&marks, &c.results, &c.trace);
    marks_suppress(&marks, &s, &c.results, &c.trace);
    assert_int_equal(marks.stale_count, 0);
    assert_int_equal(marks_exit_status(&marks, &c.results, &(struct fail_on){0}), 3);
    marks_free(&marks);
    suppressions_free(&s);
    prepared_free(&c);
}

static void what_is_known_or_not_asked_for_does_not_count(void **state)
{
    const struct fail_on deadlocks = {.restricted = true, .only = {[PROPERTY_DEADLOCK] = true}};
    const struct fail_on problems = {0}, reads = {.also = {[PROPERTY_NONDET] = true}};
    struct prepared c;
    struct marks marks;
    uint64_t known[2];

    (void)state;
    prepared_init(&c, trace_text);
    prepared_add(&c, PROPERTY_RACE, EVENTS(2, 10), 1, NO_TAIL);
    prepared_add(&c, PROPERTY_DEADLOCK, EVENTS(3, 7), 2, TAIL(6));
    marks_init(&marks, &c.results, &c.trace);
    assert_int_equal(marks_exit_status(&marks, &c.results, &deadlocks), 2);
    known[0] = 1;
    known[1] = marks.found[1].fingerprint;
    marks_compare(&marks, known, 2);
    assert_int_equal(marks.known, 1);
    assert_false(mark_is_known(&marks, 0));
    assert_true(mark_is_known(&marks, 1));
    assert_int_equal(marks_exit_status(&marks, &c.results, &problems), 2);
    assert_int_equal(marks_exit_status(&marks, &c.results, &deadlocks), 0);
    marks_compare(&marks, known, 0);
    assert_int_equal(marks.known, 0);
    marks_free(&marks);
    prepared_free(&c);

    /* A note counts when it is asked for, and when its replay made it a problem. */
    prepared_init(&c, trace_text);
    struct finding *note = prepared_add(&c, PROPERTY_NONDET, EVENTS(10, 2, 0), 9, TAIL(10));
    marks_init(&marks, &c.results, &c.trace);
    assert_int_equal(marks_exit_status(&marks, &c.results, &problems), 0);
    assert_int_equal(marks_exit_status(&marks, &c.results, &reads), 2);
    note->severity = SEVERITY_CHANGED;
    assert_int_equal(marks_exit_status(&marks, &c.results, &problems), 2);
    assert_int_equal(marks_exit_status(&marks, &c.results, &deadlocks), 0);
    marks_free(&marks);
    prepared_free(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mistakes_are_named_with_their_line),
        cmocka_unit_test(all_conditions_must_hold),
        cmocka_unit_test(by_fingerprint),
        cmocka_unit_test(not_everything_unused_is_stale),
        cmocka_unit_test(what_is_known_or_not_asked_for_does_not_count),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
