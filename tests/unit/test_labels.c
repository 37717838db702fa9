/* Labels on their way into records (runtime/protocol/labels.h). */
#include "runtime/protocol/labels.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* A label some way behind the last one, with bits that it may have. */
static uint32_t label_behind(uint32_t last, uint32_t behind, unsigned bits)
{
    static const uint32_t kinds[] = {0, LABEL_LINEAR, LABEL_LINEAR | LABEL_EQUAL};

    return (last - behind) | kinds[bits];
}

static const uint32_t distances[] = {0, 1, 2, 77, UNION_FAR - 1, UNION_FAR, UNION_FAR + 1, 1 << 20};
enum { DISTANCES = sizeof distances / sizeof *distances, LAST = 1 << 21 };

static void unions_come_back(void **state)
{
    (void)state;
    for (unsigned i = 0; i < DISTANCES * DISTANCES * 4; i++) {
        uint32_t far = distances[i / 4 % DISTANCES], other_far = distances[i / 4 / DISTANCES];
        uint32_t one = label_behind(LAST, far, i & 1), other = label_behind(LAST, other_far, i >> 1 & 1);
        uint32_t told = union_told(LAST, one, other);

        assert_int_equal(told == 0, far >= UNION_FAR || other_far >= UNION_FAR);
        if (told == 0)
            continue;
        for (int linear = 0; linear < 2; linear++) {
            uint32_t all = told | (linear ? UNION_LINEAR : 0);
            assert_true(tells_union(all));
            assert_int_equal((all & UNION_LINEAR) != 0, linear);
            assert_int_equal(union_one(LAST, all), one);
            assert_int_equal(union_other(LAST, all), other);
        }
    }
}

/* What is told of one label: that of a copy is ahead of the last one. */
static void no_label_is_taken_for_a_union(void **state)
{
    (void)state;
    for (unsigned i = 0; i < DISTANCES; i++)
        for (unsigned bits = 0; bits < 3; bits++) {
            uint32_t label = label_behind(LAST, distances[i], bits), told = label_distance(LAST, label);
            assert_false(tells_union(told));
            assert_int_equal(label_distance(LAST, told), label);
        }
    assert_false(tells_union(label_distance(LAST, LAST + 1)));
    assert_false(tells_union(label_distance(LAST, LABEL_ALL)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unions_come_back),
        cmocka_unit_test(no_label_is_taken_for_a_union),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
