/* Rows of numbers: what whole vectors tell is what number by number does. */
#include "base/row.h"
#include "random/generate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { LONGEST = 150, ROUNDS = 20000 };

static uint32_t first_larger(const uint32_t *a, const uint32_t *b, uint32_t start, uint32_t count)
{
    while (start < count && a[start] <= b[start])
        start++;
    return start;
}

/* Rows that are mostly alike, with numbers beyond those that have a sign. */
static void fill(uint32_t *a, uint32_t *b, uint32_t count, uint64_t *seed)
{
    unsigned rare = 1 + random_below(seed, 60);

    for (uint32_t i = 0; i < count; i++) {
        a[i] = b[i] = random_below(seed, 2) ? UINT32_MAX - random_below(seed, 3) : random_below(seed, 3);
        if (random_below(seed, rare) == 0)
            a[i] = random_below(seed, 2) ? UINT32_MAX : 0;
    }
}

static void rows_are_compared_and_joined(void **state)
{
    uint32_t a[LONGEST], b[LONGEST], larger[LONGEST], raised[LONGEST];
    uint64_t seed = 1;

    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        uint32_t count = random_below(&seed, LONGEST), start = random_below(&seed, count + 1);
        fill(a, b, count, &seed);
        assert_int_equal(row_first_larger(a, b, start, count), first_larger(a, b, start, count));
        row_larger(larger, a, b, count);
        memcpy(raised, b, sizeof raised);
        assert_int_equal(row_raise(raised, a, count), first_larger(a, b, 0, count) < count);
        for (uint32_t i = 0; i < count; i++) {
            assert_int_equal(larger[i], a[i] > b[i] ? a[i] : b[i]);
            assert_int_equal(raised[i], larger[i]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(rows_are_compared_and_joined)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
