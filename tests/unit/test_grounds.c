/* Grounds (semantics §1, §7): what the text reader takes and refuses, what the trace tells of them. */
#include "support/traces.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define READS "T|r(x=1)|\nT|r(y=-2)|\nU|r(x=1)|\n"

/* The example of semantics §7: event 7. */
static void the_lists_of_an_event(void **state)
{
    struct trace t = trace_of("T2|r(a)|\nT2|r(b)|\nT1|r(a)|\nT2|r(c)|\nT2|acq(l)|\nT2|r(d)|\n"
                              "T2|w(x=3)|a.c:9|by 2,4[..-1;1..] from 6+1\n");
    struct ground_list by = trace_by(&t, 7), from = trace_from(&t, 7);
    struct ground plain = ground_at(&by, 0), ranges = ground_at(&by, 1), offset = ground_at(&from, 0);

    (void)state;
    assert_true(trace_has_grounds(&t));
    assert_false(trace_by(&t, 6).given || trace_from(&t, 6).given);
    assert_true(by.given && from.given);
    assert_int_equal(by.count, 2);
    assert_int_equal(from.count, 1);
    assert_int_equal(plain.read, 2);
    assert_int_equal(plain.form, GROUND_PLAIN);
    assert_int_equal(ranges.read, 4);
    assert_int_equal(ranges.form, GROUND_RANGES);
    assert_int_equal(ranges.range_count, 2);
    assert_true(ground_allows(&ranges, 5) && ground_allows(&ranges, (uint64_t)-7) &&
                !ground_allows(&ranges, 0));
    assert_int_equal(offset.read, 6);
    assert_int_equal(offset.form, GROUND_OFFSET);
    assert_int_equal(offset.offset, 1);
    trace_drop_grounds(&t);
    assert_false(trace_has_grounds(&t) || trace_by(&t, 7).given);
    trace_free(&t);
}

/* Equal lists share an id however far from each other their events are; a list that is given but empty is not
 * one that is not given. */
static void equal_lists_are_kept_once(void **state)
{
    struct trace t = trace_of("T|r(x)|\nT|w(x)||by - from 1+1\nT|r(x)|\nT|w(x)||by - from 3+1\n"
                              "T|w(x)||by -\nT|w(x)||from -\nT|w(x)|\n");

    (void)state;
    assert_int_equal(t.grounds[2], t.grounds[4]);
    assert_int_equal(grounds_count(t.ground_pool), 4);
    assert_true(trace_by(&t, 5).given && !trace_from(&t, 5).given);
    assert_true(!trace_by(&t, 6).given && trace_from(&t, 6).given);
    assert_int_equal(t.grounds[7], GROUNDS_NONE);
    trace_free(&t);
}

static void lists_are_set_and_replaced(void **state)
{
    struct trace t = trace_of("T|r(x)|\nT|w(x)|\n");
    const struct ground one = {.read = 1, .form = GROUND_OFFSET, .offset = (uint64_t)-1};
    const struct grounds_given given = {.from_given = true, .from_count = 1, .from = &one};
    char *text;

    (void)state;
    trace_set_grounds(&t, 2, &given);
    text = text_of(&t);
    assert_string_equal(text, "T|r(x)|\nT|w(x)||from 1-1\n");
    free(text);
    trace_set_grounds(&t, 2, &(struct grounds_given){0});
    assert_int_equal(t.grounds[2], GROUNDS_NONE);
    trace_free(&t);
}

/* What is written is what was read, in its shortest form. */
static void text_comes_back(void **state)
{
    static const char *const lines[][2] = {
        {"T|w(x)|a|by -", NULL},
        {"T|acq(l)|a|by 1", NULL},
        {"T|w(x)|a|from -", NULL},
        {"T|w(x)|a|by 1,2 from 1,2", NULL},
        {"T|w(x=1)|a|from 1+0", NULL},
        {"T|w(x=0)|a|from 1-1", NULL},
        {"T|rmw(x=2)|a|from 4+1", NULL},
        {"T|cas.ar(x=2)|a|by 1 from 4", NULL},
        {"T|w(x)|a|from 1+9223372036854775807", NULL},
        {"T|w(x)|a|from 1-9223372036854775808", NULL},
        {"T|w(x)|a|by 1[..],2[-2..-2;5..7]", NULL},
        {"T|w(x)|a| by  1 , 2[ ..1 ; 3.. ]  from  1 , 2 ", "T|w(x)|a|by 1,2[..1;3..] from 1,2"},
        {"T|w(x)|a|from 1+18446744073709551615", "T|w(x)|a|from 1-1"},
        {"T|w(x)|a|by 1[-9223372036854775808..9223372036854775807]", "T|w(x)|a|by 1[..]"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        char text[256], wanted[256];
        snprintf(text, sizeof text, READS "%s\n", lines[i][0]);
        snprintf(wanted, sizeof wanted, READS "%s\n", lines[i][1] ? lines[i][1] : lines[i][0]);
        struct trace t = trace_of(text);
        char *written = text_of(&t);
        assert_string_equal(written, wanted);
        free(written);
        trace_free(&t);
    }
}

static void malformed_grounds(void **state)
{
    (void)state;
    assert_refused(READS "T|w(x)||\n",
                   "t.std:4: grounds are not of the form by LIST, from LIST or by LIST from LIST: ");
    assert_refused(READS "T|w(x)||b\n",
                   "t.std:4: grounds are not of the form by LIST, from LIST or by LIST from LIST: b");
    assert_refused(READS "T|w(x)||from - by -\n",
                   "t.std:4: the number of an event is missing in a ground: - by -");
    assert_refused(READS "T|w(x)||by  from -\n", "t.std:4: an empty list of grounds is written -: ");
    assert_refused(READS "T|w(x)||by 1,\n", "t.std:4: the number of an event is missing in a ground: ");
    assert_refused(READS "T|w(x)||by x\n", "t.std:4: the number of an event is missing in a ground: x");
    assert_refused(READS "T|w(x)||by 01\n", "t.std:4: the number of an event is missing in a ground: 01");
    assert_refused(READS "T|w(x)||by 1x\n",
                   "t.std:4: neither ranges in brackets nor +k or -k after the number in a ground: 1x");
    assert_refused(READS "T|w(x)||from 1+-1\n",
                   "t.std:4: neither ranges in brackets nor +k or -k after the number in a ground: 1+-1");
    assert_refused(READS "T|w(x)||by 1[5]\n", "t.std:4: a range is not of the form low..high: 5");
    assert_refused(READS "T|w(x)||by 1[]\n", "t.std:4: a range is not of the form low..high: ");
    assert_refused(READS "T|w(x)||by 1[a..]\n",
                   "t.std:4: a side of a range is no number between -2^63 and 2^63-1: a..");
    assert_refused(READS "T|w(x)||by 1[..9223372036854775808]\n",
                   "t.std:4: a side of a range is no number between -2^63 and 2^63-1: ..9223372036854775808");
    assert_refused(READS "T|w(x)||by 1[3..2]\n", "t.std:4: the range 3..2 of read 1 is empty");
}

static void grounds_that_name_no_earlier_read(void **state)
{
    (void)state;
    assert_refused(READS "T|w(x)||by 0\n", "t.std:4: by names 0, which is no earlier event");
    assert_refused(READS "T|w(x)||by 4\n", "t.std:4: by names 4, the event itself");
    assert_refused(READS "T|w(x)||from 4\n", "t.std:4: from names 4, the event itself, which reads nothing");
    assert_refused(READS "T|rmw(x)||by 4\n", "t.std:4: by names 4, the event itself");
    assert_refused(READS "T|w(x)||by 5\n", "t.std:4: a ground names no earlier event: 5");
    assert_refused(READS "T|w(x)||by 4294967296\n",
                   "t.std:4: the number of an event is missing in a ground: 4294967296");
    assert_refused(READS "T|w(x)||from 3\n", "t.std:4: from names 3, an event of U and not of T");
    assert_refused(READS "T|w(x)|\nT|w(x)||by 4\n", "t.std:5: by names 4, which is no read: w");
}

static void forms_where_they_do_not_belong(void **state)
{
    (void)state;
    assert_refused(READS "T|acq(l)||from 1\n", "t.std:4: acq writes nothing, so it has no from");
    assert_refused(READS "T|r(x)||from -\n", "t.std:4: r writes nothing, so it has no from");
    assert_refused(READS "T|w(x)||by 1+1\n", "t.std:4: by names 1 with an offset, which belongs in from");
    assert_refused(READS "T|w(x)||from 1[1..]\n", "t.std:4: from names 1 with ranges, which belong in by");
    assert_refused(READS "T|w(x)||from 2,1+1\n", "t.std:4: from names 1 with an offset among other reads");
}

static void grounds_that_contradict_values(void **state)
{
    (void)state;
    assert_refused(READS "T|w(z)||by 1[2..;..0]\n",
                   "t.std:4: by names read 1 with ranges that leave out the value it saw, 1");
    assert_refused(READS "T|w(z=4)||from 2+5\n",
                   "t.std:4: from says read 2+5, which is 3, but another value was written");
    assert_refused(READS "T|w(z=a)||from 2+5\n",
                   "t.std:4: from says read 2+5, which is 3, but another value was written");
    /* An rmw records what it wrote; it saw what the last write left, or the initial value. */
    assert_refused("T|w(x=1)|\nT|rmw(x=5)|\nT|w(y)||by 2[5..]\n",
                   "t.std:3: by names read 2 with ranges that leave out the value it saw, 1");
    assert_refused("T|rmw(x=5)||from 1+1\nU|w(y)|\nT|r(z=4)|\nT|w(x=9)|\nT|rmw(z=7)||from 5+2\n",
                   "t.std:5: from says read 5+2, which is 6, but another value was written");
    assert_refused("#type z u8\nT|r(x=255)|\nT|w(z=511)||from 1+0\nT|w(z=1)||from 1+1\n",
                   "t.std:4: from says read 1+1, which is 0, but another value was written");
}

static void grounds_that_agree_with_values(void **state)
{
    static const char *const texts[] = {
        READS "T|w(z=3)||from 2+5\n",
        READS "T|w(z=1)||by 1[..0;1..1] from 1+0\n",
        "T|r(x=name)|\nT|w(z=1)||by 1[5..] from 1+0\n", /* a name is no number */
        "#type z u8\nT|r(x=255)|\nT|w(z=0)||from 1+1\n",
        "T|r(x=127)|\nT|w(z=-128)||from 1+1\n#type z i8\n", /* types may come late */
        "T|r(x=18446744073709551615)|\nT|w(z=0)||by 1[-1..-1] from 1+1\n",
        "T|rmw(x=5)||from 1+1\n", /* its initial value is unknown */
    };

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_string_equal(refusal_of(texts[i], strlen(texts[i])), "");
}

static void types_are_of_variables_with_events(void **state)
{
    struct trace t =
        trace_of("#type a b i32\n#type gone u8\n#type x i33\n#type  u8\n#type of lock\nT|w(a b=1)|\nT|w(x)|\n");
    char *text = text_of(&t);

    (void)state;
    assert_int_equal(trace_names(&t, NAME_VARIABLE), 2);
    assert_int_equal(trace_variable_type(&t, 0), TYPE_I32);
    assert_int_equal(trace_variable_type(&t, 1), TYPE_UNKNOWN);
    assert_string_equal(text, "#type a b i32\nT|w(a b=1)|\nT|w(x)|\n");
    free(text);
    trace_free(&t);
}

static void numbers_wrap_as_their_type_does(void **state)
{
    (void)state;
    assert_int_equal(type_wrap(TYPE_U8, 256), 0);
    assert_int_equal(type_wrap(TYPE_I8, 128), (uint64_t)-128);
    assert_int_equal(type_wrap(TYPE_U16, (uint64_t)-1), 65535);
    assert_int_equal(type_wrap(TYPE_I16, 65535), (uint64_t)-1);
    assert_int_equal(type_wrap(TYPE_U32, (uint64_t)1 << 32), 0);
    assert_int_equal(type_wrap(TYPE_I32, (uint64_t)1 << 31), (uint64_t) - ((int64_t)1 << 31));
    assert_int_equal(type_wrap(TYPE_U64, (uint64_t)-1), (uint64_t)-1);
    assert_int_equal(type_wrap(TYPE_I64, (uint64_t)-1), (uint64_t)-1);
    assert_int_equal(type_wrap(TYPE_UNKNOWN, 256), 256);
}

/* How the run ended stands in comments; comments that only look like it are comments. */
static void the_end_of_the_run(void **state)
{
    static const char *const text = "T|w(x)|\n#end deadlock\n#wait T1|lock b|x.c:7|T2\n#wait T2|lock a||\n"
                                    "#incomplete the log limit was reached\n#incomplete two\n";
    struct trace t = trace_of(text);
    char *written = text_of(&t);

    (void)state;
    assert_string_equal(written, text);
    assert_int_equal(t.end.outcome, RUN_DEADLOCK);
    assert_true(trace_end_failed(&t.end));
    assert_int_equal(t.end.waiters_count, 2);
    assert_string_equal(t.end.waiters[0].what, "lock b");
    assert_string_equal(t.end.waiters[0].holder, "T2");
    assert_string_equal(t.end.waiters[1].place, "");
    assert_int_equal(t.end.incomplete_count, 2);
    free(written);
    trace_free(&t);

    t = trace_of(
        "T|w(x)|\n#end of file\n#end exit\n#end exit -1\n#end deadlock soon\n#wait for it\n#incomplete\n");
    assert_int_equal(t.end.outcome, RUN_UNKNOWN);
    assert_int_equal(t.end.waiters_count + t.end.incomplete_count, 0);
    trace_free(&t);
}

/* Only reads of the trace can be printed. */
static void what_is_printed(void **state)
{
    struct trace t =
        trace_of("#output 3\nT|w(x)|\nT|r(x)|\nT|r(x)|\n#output 3\n#output 2\n#output 1\n#output 4\n"
                 "#output 0\n#output -2\n#output 2,3\n#output\n");
    char *text = text_of(&t);

    (void)state;
    assert_string_equal(text, "T|w(x)|\nT|r(x)|\nT|r(x)|\n#output 2\n#output 3\n");
    assert_true(trace_is_printed(&t, 2));
    assert_true(trace_is_printed(&t, 3));
    assert_false(trace_is_printed(&t, 1));
    free(text);
    trace_free(&t);
}

/* Only plain writes of the trace can free memory. */
static void what_frees(void **state)
{
    struct trace t =
        trace_of("#free 3\nT|w(x)|\nT|r(x)|\nT|w(x)|\nT|aw(x)|\n#free 2\n#free 4\n#free 0\n#free 9\n");
    char *text = text_of(&t);

    (void)state;
    assert_string_equal(text, "T|w(x)|\nT|r(x)|\nT|w(x)|\nT|aw(x)|\n#free 3\n");
    assert_true(trace_is_freeing(&t, 3));
    assert_false(trace_is_freeing(&t, 1));
    free(text);
    trace_free(&t);
}

static void check_outcome(const char *line, enum run_outcome outcome, uint64_t number, const char *text,
                          bool failed)
{
    char whole[256];

    snprintf(whole, sizeof whole, "T|w(x)|\n%s\n", line);
    struct trace t = trace_of(whole);
    char *written = text_of(&t);
    assert_string_equal(written, whole);
    assert_int_equal(t.end.outcome, outcome);
    assert_int_equal(t.end.number, number);
    assert_int_equal(trace_end_failed(&t.end), failed);
    if (text)
        assert_string_equal(t.end.text, text);
    else
        assert_null(t.end.text);
    free(written);
    trace_free(&t);
}

static void outcomes(void **state)
{
    (void)state;
    check_outcome("#end exit 0", RUN_EXIT, 0, NULL, false);
    check_outcome("#end exit 3", RUN_EXIT, 3, NULL, true);
    check_outcome("#end signal 6", RUN_SIGNAL, 6, NULL, true);
    check_outcome("#end hang", RUN_HANG, 0, NULL, true);
    check_outcome("#end assertion x.c:7: main: n == 1", RUN_ASSERTION, 0, "x.c:7: main: n == 1", true);
    check_outcome("#end exception std::runtime_error: gone", RUN_EXCEPTION, 0, "std::runtime_error: gone",
                  true);
    check_outcome("#end exception", RUN_EXCEPTION, 0, NULL, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_lists_of_an_event),
        cmocka_unit_test(equal_lists_are_kept_once),
        cmocka_unit_test(lists_are_set_and_replaced),
        cmocka_unit_test(text_comes_back),
        cmocka_unit_test(malformed_grounds),
        cmocka_unit_test(grounds_that_name_no_earlier_read),
        cmocka_unit_test(forms_where_they_do_not_belong),
        cmocka_unit_test(grounds_that_contradict_values),
        cmocka_unit_test(grounds_that_agree_with_values),
        cmocka_unit_test(types_are_of_variables_with_events),
        cmocka_unit_test(numbers_wrap_as_their_type_does),
        cmocka_unit_test(the_end_of_the_run),
        cmocka_unit_test(what_is_printed),
        cmocka_unit_test(what_frees),
        cmocka_unit_test(outcomes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
