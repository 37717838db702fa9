/* What the text reader makes of right text (semantics §7). */
#include "support/traces.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Every kind with every memory order it takes, in an order that makes a possible trace. */
static const struct {
    const char *text;
    enum event_kind kind;
    enum memory_ordering order;
    enum name_class class;
    const char *argument;
} every[] = {
    {"r(x)", EVENT_READ, ORDER_NONE, NAME_VARIABLE, "x"},
    {"w(x)", EVENT_WRITE, ORDER_NONE, NAME_VARIABLE, "x"},
    {"ar(x)", EVENT_ATOMIC_READ, ORDER_NONE, NAME_VARIABLE, "x"},
    {"ar.rlx(x)", EVENT_ATOMIC_READ, ORDER_RELAXED, NAME_VARIABLE, "x"},
    {"ar.acq(x)", EVENT_ATOMIC_READ, ORDER_ACQUIRE, NAME_VARIABLE, "x"},
    {"ar.sc(x)", EVENT_ATOMIC_READ, ORDER_SEQ_CST, NAME_VARIABLE, "x"},
    {"aw(y)", EVENT_ATOMIC_WRITE, ORDER_NONE, NAME_VARIABLE, "y"},
    {"aw.rlx(y)", EVENT_ATOMIC_WRITE, ORDER_RELAXED, NAME_VARIABLE, "y"},
    {"aw.rel(y)", EVENT_ATOMIC_WRITE, ORDER_RELEASE, NAME_VARIABLE, "y"},
    {"aw.sc(y)", EVENT_ATOMIC_WRITE, ORDER_SEQ_CST, NAME_VARIABLE, "y"},
    {"rmw(z)", EVENT_RMW, ORDER_NONE, NAME_VARIABLE, "z"},
    {"rmw.rlx(z)", EVENT_RMW, ORDER_RELAXED, NAME_VARIABLE, "z"},
    {"rmw.acq(z)", EVENT_RMW, ORDER_ACQUIRE, NAME_VARIABLE, "z"},
    {"rmw.rel(z)", EVENT_RMW, ORDER_RELEASE, NAME_VARIABLE, "z"},
    {"rmw.ar(z)", EVENT_RMW, ORDER_ACQ_REL, NAME_VARIABLE, "z"},
    {"rmw.sc(z)", EVENT_RMW, ORDER_SEQ_CST, NAME_VARIABLE, "z"},
    {"cas(z)", EVENT_CAS, ORDER_NONE, NAME_VARIABLE, "z"},
    {"cas.rlx(z)", EVENT_CAS, ORDER_RELAXED, NAME_VARIABLE, "z"},
    {"cas.acq(z)", EVENT_CAS, ORDER_ACQUIRE, NAME_VARIABLE, "z"},
    {"cas.rel(z)", EVENT_CAS, ORDER_RELEASE, NAME_VARIABLE, "z"},
    {"cas.ar(z)", EVENT_CAS, ORDER_ACQ_REL, NAME_VARIABLE, "z"},
    {"cas.sc(z)", EVENT_CAS, ORDER_SEQ_CST, NAME_VARIABLE, "z"},
    {"fence.acq", EVENT_FENCE, ORDER_ACQUIRE, NAME_CLASSES, NULL},
    {"fence.rel", EVENT_FENCE, ORDER_RELEASE, NAME_CLASSES, NULL},
    {"fence.ar", EVENT_FENCE, ORDER_ACQ_REL, NAME_CLASSES, NULL},
    {"fence.sc", EVENT_FENCE, ORDER_SEQ_CST, NAME_CLASSES, NULL},
    {"acq(x)", EVENT_ACQUIRE, ORDER_NONE, NAME_LOCK, "x"},
    {"acq.try(x)", EVENT_ACQUIRE, ORDER_TRY, NAME_LOCK, "x"},
    {"tryfail(x)", EVENT_TRY_FAIL, ORDER_NONE, NAME_LOCK, "x"},
    {"rel(x)", EVENT_RELEASE, ORDER_NONE, NAME_LOCK, "x"},
    {"rel(x)", EVENT_RELEASE, ORDER_NONE, NAME_LOCK, "x"},
    {"racq(x)", EVENT_SHARED_ACQUIRE, ORDER_NONE, NAME_LOCK, "x"},
    {"rrel(x)", EVENT_SHARED_RELEASE, ORDER_NONE, NAME_LOCK, "x"},
    {"racq.try(x)", EVENT_SHARED_ACQUIRE, ORDER_TRY, NAME_LOCK, "x"},
    {"rrel(x)", EVENT_SHARED_RELEASE, ORDER_NONE, NAME_LOCK, "x"},
    {"fork(U)", EVENT_FORK, ORDER_NONE, NAME_THREAD, "U"},
    {"join(U)", EVENT_JOIN, ORDER_NONE, NAME_THREAD, "U"},
    {"waitpre(x)", EVENT_WAIT_PRE, ORDER_NONE, NAME_CONDITION, "x"},
    {"waitpost(x)", EVENT_WAIT_POST, ORDER_NONE, NAME_CONDITION, "x"},
    {"notify(x)", EVENT_NOTIFY, ORDER_NONE, NAME_CONDITION, "x"},
    {"notifyall(x)", EVENT_NOTIFY_ALL, ORDER_NONE, NAME_CONDITION, "x"},
    {"benter(x)", EVENT_BARRIER_ENTER, ORDER_NONE, NAME_BARRIER, "x"},
    {"bexit(x)", EVENT_BARRIER_EXIT, ORDER_NONE, NAME_BARRIER, "x"},
    {"post(x)", EVENT_POST, ORDER_NONE, NAME_SEMAPHORE, "x"},
    {"semwait(x)", EVENT_SEM_WAIT, ORDER_NONE, NAME_SEMAPHORE, "x"},
    {"begin", EVENT_BEGIN, ORDER_NONE, NAME_BLOCK, NULL},
    {"end", EVENT_END, ORDER_NONE, NAME_BLOCK, NULL},
    {"dbegin", EVENT_DET_BEGIN, ORDER_NONE, NAME_BLOCK, NULL},
    {"dend", EVENT_DET_END, ORDER_NONE, NAME_BLOCK, NULL},
    {"seminit(s=2)", EVENT_SEM_INIT, ORDER_NONE, NAME_SEMAPHORE, "s"},
    {"exit", EVENT_EXIT, ORDER_NONE, NAME_CLASSES, NULL},
};

enum { EVERY = sizeof every / sizeof *every };

static void every_kind_and_order_is_read_and_written(void **state)
{
    char text[4096] = "";
    bool kinds[EVENT_KINDS] = {false};

    (void)state;
    for (int i = 0; i < EVERY; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "T|%s|f.c:%d\n", every[i].text, i);
    struct trace t = trace_of(text);
    assert_int_equal(t.count, EVERY);
    for (int i = 0; i < EVERY; i++) {
        struct event e = trace_event(&t, (size_t)i + 1);
        char place[16];
        snprintf(place, sizeof place, "f.c:%d", i);
        kinds[every[i].kind] = true;
        assert_int_equal(op_kind(e.op), every[i].kind);
        assert_int_equal(op_order(e.op), every[i].order);
        assert_int_equal(kind_argument(op_kind(e.op)), every[i].class);
        assert_string_equal(trace_name(&t, NAME_THREAD, e.thread), "T");
        assert_string_equal(trace_name(&t, NAME_LOCATION, e.location), place);
        if (every[i].argument)
            assert_string_equal(trace_name(&t, every[i].class, e.arg), every[i].argument);
        else
            assert_int_equal(e.arg, ARG_NONE);
    }
    for (int kind = 0; kind < EVENT_KINDS; kind++)
        assert_true(kinds[kind]); /* the list above forgets none */
    char *written = text_of(&t);
    assert_string_equal(written, text);
    free(written);
    trace_free(&t);
}

/* Classes have names of their own: variable x, lock x and condition x are three things. */
static void classes_do_not_share_names(void **state)
{
    struct trace t = trace_of("x|w(x)|x\nx|acq(x)|x\nx|post(x)|x\n");

    (void)state;
    for (int class = 0; class < NAME_CLASSES; class ++)
        assert_int_equal(trace_names(&t, class), class == NAME_THREAD || class == NAME_VARIABLE ||
                                                     class == NAME_LOCK || class == NAME_SEMAPHORE ||
                                                     class == NAME_LOCATION);
    trace_free(&t);
}

static void check_value(const char *text, enum value_tag tag, uint64_t value, const char *name)
{
    char line[256];
    snprintf(line, sizeof line, "T|r(x=%s)|\n", text);
    struct trace t = trace_of(line);
    struct event e = trace_event(&t, 1);

    assert_int_equal(e.value_tag, tag);
    if (tag == VALUE_NAME)
        assert_string_equal(trace_name(&t, NAME_VALUE, (uint32_t)e.value), name);
    else
        assert_int_equal(e.value, value);
    assert_string_equal(trace_name(&t, NAME_VARIABLE, e.arg), "x");
    char *written = text_of(&t);
    assert_string_equal(written, line);
    free(written);
    trace_free(&t);
}

static void values_are_kept_to_the_letter(void **state)
{
    (void)state;
    check_value("0", VALUE_UNSIGNED, 0, NULL);
    check_value("5", VALUE_UNSIGNED, 5, NULL);
    check_value("18446744073709551615", VALUE_UNSIGNED, UINT64_MAX, NULL);
    check_value("-1", VALUE_NEGATIVE, UINT64_MAX, NULL);
    check_value("-9223372036854775808", VALUE_NEGATIVE, (uint64_t)1 << 63, NULL);
    check_value("18446744073709551616", VALUE_NAME, 0, "18446744073709551616");
    check_value("-9223372036854775809", VALUE_NAME, 0, "-9223372036854775809");
    check_value("99999999999999999999999999", VALUE_NAME, 0, "99999999999999999999999999");
    check_value("-0", VALUE_NAME, 0, "-0");
    check_value("007", VALUE_NAME, 0, "007");
    check_value("-", VALUE_NAME, 0, "-");
    check_value("+1", VALUE_NAME, 0, "+1");
    check_value("1 ", VALUE_NAME, 0, "1 ");
    check_value("1.5", VALUE_NAME, 0, "1.5");
    check_value("null", VALUE_NAME, 0, "null");
}

/* The last '=' of an access splits it; other operations have no values. */
static void equals_in_a_name_stays(void **state)
{
    struct trace t = trace_of("T|w(a=b=3)|\nT|acq(l=2)|\nT|begin(x=1)|\n");

    (void)state;
    assert_string_equal(trace_name(&t, NAME_VARIABLE, t.arg[1]), "a=b");
    assert_int_equal(t.value[1], 3);
    assert_string_equal(trace_name(&t, NAME_LOCK, t.arg[2]), "l=2");
    assert_int_equal(t.value_tag[2], VALUE_NONE);
    assert_string_equal(trace_name(&t, NAME_BLOCK, t.arg[3]), "x=1");
    trace_free(&t);
}

static void values_may_begin_late(void **state)
{
    struct trace t = trace_of("T|w(x)|\nT|w(x)|\nT|w(x=9)|\nT|w(x)|\n");

    (void)state;
    assert_int_equal(t.value_tag[1], VALUE_NONE);
    assert_int_equal(t.value_tag[3], VALUE_UNSIGNED);
    assert_int_equal(t.value[3], 9);
    assert_int_equal(t.value_tag[4], VALUE_NONE);
    trace_free(&t);
}

static void line_ends_comments_and_empty_lines(void **state)
{
    struct trace t = trace_of("# a comment | with ( everything\r\n\r\n\nT|w(x)|a.c:1\r\n#\nT|r(x)|a.c:1");

    (void)state;
    assert_int_equal(t.count, 2);
    assert_int_equal(t.location[1], t.location[2]);
    assert_string_equal(trace_name(&t, NAME_LOCATION, t.location[1]), "a.c:1");
    trace_free(&t);
}

static void only_one_carriage_return_ends_a_line(void **state)
{
    static const char text[] = "T\r1|w(x\ry)|a\rb\r\r\n";
    struct trace t = trace_of(text);

    (void)state;
    assert_string_equal(trace_name(&t, NAME_LOCATION, t.location[1]), "a\rb\r");
    char *written = text_of(&t);
    assert_string_equal(written, text);
    free(written);
    trace_free(&t);
}

static void rapid_dialects_load(void **state)
{
    struct trace t = trace_of("T0|req(l)|1\nT0|acq(l)|2\nT0|begin(m)|3\nT0|end(m)|4\nT0|begin()|5\n");

    (void)state;
    assert_int_equal(t.count, 4); /* req is no event */
    assert_int_equal(op_kind(t.op[1]), EVENT_ACQUIRE);
    assert_int_equal(op_kind(t.op[2]), EVENT_BEGIN);
    assert_int_equal(t.arg[4], ARG_NONE);
    trace_free(&t);
}

static void names_are_any_text(void **state)
{
    static const char text[] = "main thread #1|w(java.lang.Object@1f[3]{é})|A.java:7 <init> %41\n"
                               "main thread #1|fork(#2)|\n";
    struct trace t = trace_of(text);
    char *written = text_of(&t);

    (void)state;
    assert_string_equal(written, text);
    free(written);
    trace_free(&t);
}

/* A line longer than every buffer, then a normal one. */
static void long_lines_are_read(void **state)
{
    enum { LONG = 400000 };
    char *text = malloc(LONG + 100);

    (void)state;
    memcpy(text, "T|w(", 4);
    memset(text + 4, 'x', LONG);
    strcpy(text + 4 + LONG, ")|\nT|r(y)|\n");
    struct trace t = trace_of(text);
    assert_int_equal(t.count, 2);
    assert_int_equal(names_length(&t.names[NAME_VARIABLE], 0), LONG);
    trace_free(&t);
    free(text);
}

static void comments_alone_are_a_trace(void **state)
{
    struct trace t = trace_of("# nothing\n\n");
    struct trace u = trace_of("# only a comment");

    (void)state;
    assert_int_equal(t.count, 0);
    assert_int_equal(u.count, 0);
    assert_int_equal(t.thread[EVENT_INIT], NAME_NONE);
    trace_free(&t);
    trace_free(&u);
}

static void an_empty_file_is_no_trace(void **state)
{
    struct trace t;
    struct error err;

    (void)state;
    assert_int_equal(trace_parse(&t, "t.std", "", 0, &err), HEDDLE_BAD_TRACE);
    assert_string_equal(err.text, "t.std: the file is empty, not a trace");
    trace_free(&t);
}

static void an_event_is_shown_in_a_line(void **state)
{
    struct trace t = trace_of("T|rmw.ar(x)|a\nT|fence.sc|\n");
    char text[64], small[8];

    (void)state;
    assert_int_equal(std_event_text(&t, 1, text, sizeof text), strlen("T|rmw.ar(x)"));
    assert_string_equal(text, "T|rmw.ar(x)");
    std_event_text(&t, 2, text, sizeof text);
    assert_string_equal(text, "T|fence.sc");
    assert_int_equal(std_event_text(&t, 1, small, sizeof small), sizeof small - 1);
    assert_string_equal(small, "T|rmw.a");
    trace_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_and_order_is_read_and_written),
        cmocka_unit_test(classes_do_not_share_names),
        cmocka_unit_test(values_are_kept_to_the_letter),
        cmocka_unit_test(equals_in_a_name_stays),
        cmocka_unit_test(values_may_begin_late),
        cmocka_unit_test(line_ends_comments_and_empty_lines),
        cmocka_unit_test(only_one_carriage_return_ends_a_line),
        cmocka_unit_test(rapid_dialects_load),
        cmocka_unit_test(names_are_any_text),
        cmocka_unit_test(long_lines_are_read),
        cmocka_unit_test(comments_alone_are_a_trace),
        cmocka_unit_test(an_empty_file_is_no_trace),
        cmocka_unit_test(an_event_is_shown_in_a_line),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
