/* Ranges from comparisons, against every value that a byte can have. */
#include "record/convert/compared.h"
#include "runtime/protocol/session.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static bool in_ranges(const struct value_range *ranges, uint32_t count, int64_t number)
{
    for (uint32_t i = 0; i < count; i++)
        if (number >= ranges[i].low && number <= ranges[i].high)
            return true;
    return false;
}

static bool outcome(unsigned operation, int a, int b)
{
    return operation == COMPARED_EQ   ? a == b
           : operation == COMPARED_NE ? a != b
           : operation == COMPARED_LT ? a < b
           : operation == COMPARED_LE ? a <= b
           : operation == COMPARED_GT ? a > b
                                      : a >= b;
}

static int as_byte(int number, bool is_signed)
{
    return is_signed ? (int8_t)number : (uint8_t)number;
}

/* A byte that was read, plus a constant, compared as a byte of either sign: the ranges hold just the values for
 * which the comparison comes out the same. */
static void check_sum(int seen, int added, int constant, unsigned operation, unsigned signs)
{
    bool seen_signed = signs & 1, is_signed = signs & 2;
    int value = as_byte(seen + added, is_signed);
    struct seen_number read = {seen_signed ? TYPE_I8 : TYPE_U8, (uint64_t)(int64_t)as_byte(seen, seen_signed)};
    struct comparison c = {.value = (uint64_t)(int64_t)value,
                           .constant = (uint64_t)(int64_t)as_byte(constant, is_signed),
                           .how = operation | (is_signed ? SESSION_SIGNED : 0)};
    struct value_range ranges[COMPARED_RANGES];
    uint32_t count = compared_ranges(&read, &c, ranges);

    assert_true(count > 0);
    for (int other = 0; other < 256; other++) {
        bool same = outcome(operation, as_byte(other + added, is_signed), as_byte(constant, is_signed)) ==
                    outcome(operation, value, as_byte(constant, is_signed));
        assert_int_equal(in_ranges(ranges, count, as_byte(other, seen_signed)), same);
    }
}

static void sums_of_bytes(void **state)
{
    static const int numbers[] = {0, 1, 2, 126, 127, 128, 129, 200, 254, 255};
    enum { COUNT = sizeof numbers / sizeof *numbers };

    (void)state;
    for (unsigned i = 0; i < COUNT * COUNT * COUNT; i++)
        for (unsigned operation = COMPARED_EQ; operation <= COMPARED_GE; operation++)
            for (unsigned signs = 0; signs < 4; signs++)
                check_sum(numbers[i % COUNT], numbers[i / COUNT % COUNT], numbers[i / COUNT / COUNT], operation,
                          signs);
}

/* The same number in a wider type. */
static void widened_bytes(void **state)
{
    struct value_range ranges[COMPARED_RANGES];

    (void)state;
    for (int constant = -300; constant <= 300; constant += 7)
        for (unsigned operation = COMPARED_EQ; operation <= COMPARED_GE; operation++) {
            struct seen_number read = {TYPE_I8, (uint64_t)(int64_t)-5};
            struct comparison c = {.value = (uint64_t)(int64_t)-5,
                                   .constant = (uint64_t)(int64_t)constant,
                                   .how = operation | 2 << SESSION_SIZE_SHIFT | SESSION_SIGNED,
                                   .equal = true};
            uint32_t count = compared_ranges(&read, &c, ranges);
            for (int other = -128; other < 128 && count > 0; other++)
                assert_int_equal(in_ranges(ranges, count, other),
                                 outcome(operation, other, constant) == outcome(operation, -5, constant));
            c.equal = false;
            assert_int_equal(compared_ranges(&read, &c, ranges), 0);
        }
}

/* Unsigned numbers beyond the middle are negative as patterns. */
static void large_numbers(void **state)
{
    struct seen_number read = {TYPE_U64, 5};
    struct comparison c = {.value = 5, .constant = 3, .how = COMPARED_GT | 3 << SESSION_SIZE_SHIFT};
    struct value_range ranges[COMPARED_RANGES];

    (void)state;
    assert_int_equal(compared_ranges(&read, &c, ranges), 2);
    assert_true(in_ranges(ranges, 2, 4) && in_ranges(ranges, 2, INT64_MAX) && in_ranges(ranges, 2, -1));
    assert_false(in_ranges(ranges, 2, 3) || in_ranges(ranges, 2, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_of_bytes),
        cmocka_unit_test(widened_bytes),
        cmocka_unit_test(large_numbers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
