/* Fingerprints: what changes them and what does not. */
#include "report/fingerprint.h"
#include "support/results.h"
#include "support/traces.h"
#include "trace/source.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static uint64_t fingerprint(const char *text, const char *function, enum property property,
                            const uint32_t *events, uint32_t count)
{
    struct trace trace = trace_of(text);
    struct finding f = {.property = property, .event_count = count, .events = (uint32_t *)events};
    struct fingerprints *fingerprints;
    uint64_t result;

    if (function)
        names_add(&trace.functions, function, strlen(function));
    fingerprints = fingerprints_new(&trace);
    result = fingerprint_of(fingerprints, &f);
    fingerprints_free(fingerprints);
    trace_free(&trace);
    return result;
}

static const char before[] = "A|w(x)|src/q.c:10 push\nB|r(x)|src/q.c:12 push\n";

static void lines_count_from_the_function(void **state)
{
    uint64_t known = fingerprint(before, "src/q.c:8 push", PROPERTY_RACE, EVENTS(1, 2));

    (void)state;
    /* The function moves, the file moves to another folder. */
    assert_int_equal(known, fingerprint("A|w(x)|q.c:30 push\nB|r(x)|q.c:32 push\n", "q.c:28 push",
                                        PROPERTY_RACE, EVENTS(1, 2)));
    /* The place moves inside the function; the function gets another name; the file too. */
    assert_int_not_equal(known, fingerprint("A|w(x)|src/q.c:10 push\nB|r(x)|src/q.c:13 push\n",
                                            "src/q.c:8 push", PROPERTY_RACE, EVENTS(1, 2)));
    assert_int_not_equal(known, fingerprint("A|w(x)|src/q.c:10 pull\nB|r(x)|src/q.c:12 pull\n",
                                            "src/q.c:8 pull", PROPERTY_RACE, EVENTS(1, 2)));
    assert_int_not_equal(known, fingerprint("A|w(x)|src/p.c:10 push\nB|r(x)|src/p.c:12 push\n",
                                            "src/p.c:8 push", PROPERTY_RACE, EVENTS(1, 2)));
}

static void of_several_functions_the_last_before_counts(void **state)
{
    struct trace trace = trace_of("A|w(x)|q.cc:20 push\nB|r(x)|q.cc:21 push\n");
    struct finding f = {.property = PROPERTY_RACE, .event_count = 2, .events = (uint32_t[]){1, 2}};

    (void)state;
    for (const char *const *at = (const char *const[]){"q.cc:30 push", "q.cc:3 push", "q.cc:18 push", NULL};
         *at; at++)
        names_add(&trace.functions, *at, strlen(*at));
    struct fingerprints *all = fingerprints_new(&trace);
    assert_int_equal(fingerprint_of(all, &f), fingerprint("A|w(x)|q.cc:20 push\nB|r(x)|q.cc:21 push\n",
                                                          "q.cc:18 push", PROPERTY_RACE, EVENTS(1, 2)));
    fingerprints_free(all);
    trace_free(&trace);
}

static void without_functions_lines_are_as_they_are(void **state)
{
    uint64_t known = fingerprint(before, NULL, PROPERTY_RACE, EVENTS(1, 2));

    (void)state;
    assert_int_not_equal(known, fingerprint("A|w(x)|src/q.c:11 push\nB|r(x)|src/q.c:13 push\n", NULL,
                                            PROPERTY_RACE, EVENTS(1, 2)));
    assert_int_equal(known, fingerprint(before, "src/other.c:8 push", PROPERTY_RACE, EVENTS(1, 2)));
}

static void variable_and_property_count_kinds_do_not(void **state)
{
    uint64_t known = fingerprint(before, NULL, PROPERTY_RACE, EVENTS(1, 2));

    (void)state;
    assert_int_not_equal(known, fingerprint("A|w(y)|src/q.c:10 push\nB|r(y)|src/q.c:12 push\n", NULL,
                                            PROPERTY_RACE, EVENTS(1, 2)));
    assert_int_equal(known, fingerprint(before, NULL, PROPERTY_UNORDERED, EVENTS(1, 2)));
    assert_int_not_equal(known, fingerprint(before, NULL, PROPERTY_DEADLOCK, EVENTS(1, 2)));
    /* A line that reads and writes: which access stands for the finding differs from run to run. */
    assert_int_equal(known, fingerprint("A|w(x)|src/q.c:10 push\nB|w(x)|src/q.c:12 push\n", NULL, PROPERTY_RACE,
                                        EVENTS(1, 2)));
    assert_int_not_equal(fingerprint("A|w(x1)|a.c:1\nB|r(x1)|a.c:2\n", NULL, PROPERTY_RACE, EVENTS(1, 2)),
                         fingerprint("A|w(x2)|a.c:1\nB|r(x2)|a.c:2\n", NULL, PROPERTY_RACE, EVENTS(1, 2)));
}

/* Which of two comes first, and which write is the one that was seen, is chance. */
static void the_order_of_the_run_does_not_count(void **state)
{
    (void)state;
    assert_int_equal(
        fingerprint(before, NULL, PROPERTY_RACE, EVENTS(1, 2)),
        fingerprint("B|r(x)|src/q.c:12 push\nA|w(x)|src/q.c:10 push\n", NULL, PROPERTY_RACE, EVENTS(1, 2)));
    assert_int_equal(fingerprint(before, NULL, PROPERTY_NONDET, EVENTS(2, 1, 0)),
                     fingerprint("B|r(x)|src/q.c:12 push\nA|w(x)|src/q.c:10 push\n", NULL, PROPERTY_NONDET,
                                 EVENTS(1, 0, 2)));
    /* But which one reads does. */
    static const char updates[] = "A|rmw(x)|a.c:1\nB|rmw(x)|a.c:2\n";
    assert_int_not_equal(fingerprint(updates, NULL, PROPERTY_NONDET, EVENTS(2, 1, 0)),
                         fingerprint(updates, NULL, PROPERTY_NONDET, EVENTS(1, 0, 2)));
}

/* Names that differ in which one of many it is. */
static void one_of_many_is_as_good_as_another(void **state)
{
    static const char *const alike[][2] = {
        {"items[3]", "items[14]"},
        {"table[1].next[2]", "table[7].next[0]"},
        {"heap block of 64 bytes allocated at queue.c:41 +8",
         "heap block of 72 bytes allocated at queue.c:44 #2"},
        {"local of run used at q.c:12", "local of run used at q.c:14 #3"},
        {"memory at 0x7ffd0010", "memory at 0x55551234"},
    };
    static const char *const different[][2] = {
        {"items[3].head", "items[3].tail"},
        {"x10", "x11"},
        {"heap block of 64 bytes allocated at queue.c:41", "heap block of 64 bytes allocated at pool.c:41"},
        {"local of run used at q.c:12", "local of stop used at q.c:12"},
    };
    char text[2][400];

    (void)state;
    for (size_t i = 0; i < 9; i++) {
        const char *const *names = i < 5 ? alike[i] : different[i - 5];
        for (size_t k = 0; k < 2; k++)
            snprintf(text[k], sizeof text[k], "A|w(%s)|a.c:1\nB|r(%s)|a.c:2\n", names[k], names[k]);
        bool same = fingerprint(text[0], NULL, PROPERTY_RACE, EVENTS(1, 2)) ==
                    fingerprint(text[1], NULL, PROPERTY_RACE, EVENTS(1, 2));
        if (same != (i < 5))
            fail_msg("%s and %s", names[0], names[1]);
    }
}

static void text_and_back(void **state)
{
    char text[FINGERPRINT_ROOM];
    uint64_t number;

    (void)state;
    fingerprint_text(UINT64_C(0x0b4f1d0a1ca11d67), text);
    assert_string_equal(text, "0b4f1d0a1ca11d67");
    assert_true(fingerprint_parse(text, 16, &number));
    assert_int_equal(number, UINT64_C(0x0b4f1d0a1ca11d67));
    assert_false(fingerprint_parse("0b4f1d0a1ca11d6", 15, &number));
    assert_false(fingerprint_parse("0B4f1d0a1ca11d67", 16, &number));
    assert_false(fingerprint_parse("0b4f1d0a1ca11d6\0", 16, &number));
}

static void locations_are_taken_apart(void **state)
{
    struct source s;

    (void)state;
    assert_true(source_parse("a b/q.c:41 operator__ const", &s));
    assert_int_equal(s.file_length, 7);
    assert_int_equal(s.line, 41);
    assert_string_equal(s.function, "operator__ const");
    assert_true(source_parse("c:/q.c:7", &s));
    assert_int_equal(s.file_length, 6);
    assert_string_equal(s.function, "");
    for (const char *const *text =
             (const char *const[]){"", "123", "q.c", "q.c:", "q.c:x", "q.c:0", "q.c:12x", ":12",
                                   "lib.so+0x12 f", "q.c:99999999999999999999 f", NULL};
         *text; text++)
        assert_false(source_parse(*text, &s));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_count_from_the_function),
        cmocka_unit_test(of_several_functions_the_last_before_counts),
        cmocka_unit_test(without_functions_lines_are_as_they_are),
        cmocka_unit_test(variable_and_property_count_kinds_do_not),
        cmocka_unit_test(the_order_of_the_run_does_not_count),
        cmocka_unit_test(one_of_many_is_as_good_as_another),
        cmocka_unit_test(text_and_back),
        cmocka_unit_test(locations_are_taken_apart),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
