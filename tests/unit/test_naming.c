/* What names of recorded variables rest on: which pointers hold a block, which frames hold a place on a stack,
 * how values are spelled. */
#include "record/convert/call_frames.h"
#include "record/convert/pointers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

enum { BLOCK = 0x5000, OTHER = 0x6000, HERE = 0x1000, THERE = 0x1008 };

static void a_pointer_names_its_only_block(void **state)
{
    struct pointers p = {0};

    (void)state;
    pointers_add(&p, BLOCK);
    pointers_add(&p, OTHER);
    pointers_wrote(&p, HERE, BLOCK);
    pointers_wrote(&p, HERE, 0);       /* taken away again: it still held no other */
    pointers_wrote(&p, THERE, 0x5008); /* into a block, not at its start */
    assert_int_equal(pointers_pointer(&p, 0, 0), HERE);
    assert_int_equal(pointers_pointer(&p, 0, 1), 0);
    assert_int_equal(pointers_pointer(&p, 1, 0), 0);
    pointers_wrote(&p, HERE, OTHER);
    assert_int_equal(pointers_pointer(&p, 0, 0), 0);
    assert_int_equal(pointers_pointer(&p, 1, 0), 0);
    pointers_free(&p);
}

/* Memory that is handed out again is another block. */
static void a_pointer_to_a_freed_block_names_none(void **state)
{
    struct pointers p = {0};

    (void)state;
    pointers_add(&p, BLOCK);
    pointers_wrote(&p, HERE, BLOCK);
    pointers_wrote(&p, THERE, BLOCK);
    pointers_add(&p, BLOCK);
    pointers_wrote(&p, HERE, BLOCK);
    assert_int_equal(pointers_pointer(&p, 0, 0), THERE);
    assert_int_equal(pointers_pointer(&p, 1, 0), 0);
    pointers_free(&p);
}

static void unknown_values_make_pointers_unknown(void **state)
{
    struct pointers p = {0};

    (void)state;
    pointers_add(&p, BLOCK);
    pointers_wrote(&p, HERE, BLOCK);
    pointers_wrote(&p, THERE, BLOCK);
    pointers_overwrote(&p, HERE + 4, 4); /* half of it is enough */
    assert_int_equal(pointers_pointer(&p, 0, 0), THERE);
    pointers_overwrote(&p, 0, 1 << 20);
    assert_int_equal(pointers_pointer(&p, 0, 0), 0);
    pointers_free(&p);
}

static void frames_are_known_around_the_present(void **state)
{
    struct call_frames f = {0};
    struct scope_frame frame;
    bool any;

    (void)state;
    frames_begin(&f, 0); /* main called start */
    frames_add(&f, 0x401, 100);
    frames_add(&f, 0x402, 200);
    frames_add(&f, 0x403, 300);
    frames_begin(&f, 1); /* another thread's */
    frames_begin(&f, 0); /* main alone */
    frames_add(&f, 0x402, 150);
    frames_add(&f, 0x403, 300);
    assert_false(frames_before(&f, 0, 120, &frame, &any));
    assert_false(any);
    assert_true(frames_after(&f, 0, 120, &frame, &any));
    assert_int_equal(frame.pc, 0x401);
    assert_int_equal(frame.high, 200);
    frames_pass(&f, 0);
    assert_true(frames_before(&f, 0, 120, &frame, &any));
    assert_false(frames_after(&f, 0, 120, &frame, &any));
    assert_true(any);
    assert_true(frames_after(&f, 0, 250, &frame, &any));
    assert_int_equal(frame.low, 150);
    assert_false(frames_before(&f, 0, 300, &frame, &any)); /* of the outermost only the lower end is known */
    frames_pass(&f, 0);
    assert_false(frames_after(&f, 0, 250, &frame, &any));
    assert_false(any);
    frames_free(&f);
}

static void check_spelling(enum spelling_kind kind, unsigned size, uint64_t raw, const char *expected)
{
    struct spelling spelling = {.kind = kind, .size = (uint8_t)size};
    char room[64], number_text[64];
    uint64_t number;
    bool negative;
    const char *text = spelling_value(&spelling, raw, &number, &negative, room, sizeof room);

    if (!text) {
        snprintf(number_text, sizeof number_text, negative ? "%lld" : "%llu", (unsigned long long)number);
        text = number_text;
    }
    assert_string_equal(text, expected);
}

static void values_are_spelled_by_type(void **state)
{
    (void)state;
    check_spelling(SPELL_RAW, 4, 0xffffffff, "4294967295");
    check_spelling(SPELL_SIGNED, 4, 0xffffffff, "-1");
    check_spelling(SPELL_SIGNED, 2, 0x7fff, "32767");
    check_spelling(SPELL_SIGNED, 8, UINT64_C(1) << 63, "-9223372036854775808");
    check_spelling(SPELL_BOOL, 1, 1, "true");
    check_spelling(SPELL_BOOL, 1, 7, "7");
    check_spelling(SPELL_CHARACTER, 1, 'a', "'a'");
    check_spelling(SPELL_CHARACTER, 1, '(', "40"); /* the text format reserves it */
    check_spelling(SPELL_CHARACTER, 1, 0xff, "-1");
    check_spelling(SPELL_FLOAT, 8, UINT64_C(0x3fe0000000000000), "0.5");
    check_spelling(SPELL_FLOAT, 8, UINT64_C(0x4008000000000000), "3.0");
    check_spelling(SPELL_FLOAT, 4, 0x3dcccccd, "0.100000001");
    check_spelling(SPELL_FLOAT, 8, UINT64_C(0x7ff0000000000000), "inf");
    check_spelling(SPELL_FLOAT, 4, 0x7fc00001, "nan:0x7fc00001");
    check_spelling(SPELL_POINTER, 8, 0, "NULL");
    check_spelling(SPELL_POINTER, 8, 0x1234, "0x1234");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pointer_names_its_only_block),
        cmocka_unit_test(a_pointer_to_a_freed_block_names_none),
        cmocka_unit_test(unknown_values_make_pointers_unknown),
        cmocka_unit_test(frames_are_known_around_the_present),
        cmocka_unit_test(values_are_spelled_by_type),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
