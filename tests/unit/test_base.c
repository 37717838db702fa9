/* Names, maps, growing memory, error texts, and two things at once. */
#include "base/both.h"
#include "base/error.h"
#include "base/map.h"
#include "base/memory.h"
#include "base/names.h"
#include "base/rising.h"
#include "base/stretches.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#undef fail /* the project's own */

static void names_number_distinct_texts(void **state)
{
    struct names names;

    (void)state;
    names_init(&names);
    assert_int_equal(names_find(&names, "a", 1), NAME_NONE);
    assert_int_equal(names_add(&names, "a", 1), 0);
    assert_int_equal(names_add(&names, "ab", 2), 1);
    assert_int_equal(names_add(&names, "", 0), 2);
    assert_int_equal(names_add(&names, "ab", 1), 0); /* the length counts, not a NUL */
    assert_int_equal(names_find(&names, "ab", 2), 1);
    assert_int_equal(names_find(&names, "", 0), 2);
    assert_int_equal(names_find(&names, "abc", 3), NAME_NONE);
    assert_int_equal(names_count(&names), 3);
    assert_string_equal(names_text(&names, 1), "ab");
    assert_int_equal(names_length(&names, 2), 0);
    names_free(&names);
}

/* Past every doubling of table and pool the old ids still hold. */
static void names_keep_their_ids_as_the_table_grows(void **state)
{
    enum { MANY = 5000 };
    struct names names;
    char text[32];

    (void)state;
    names_init(&names);
    for (uint32_t i = 0; i < MANY; i++)
        assert_int_equal(names_add(&names, text, (size_t)snprintf(text, sizeof text, "name-%u", i)), i);
    for (uint32_t i = 0; i < MANY; i++) {
        size_t length = (size_t)snprintf(text, sizeof text, "name-%u", i);
        assert_int_equal(names_find(&names, text, length), i);
        assert_string_equal(names_text(&names, i), text);
        assert_int_equal(names_length(&names, i), length);
    }
    names_free(&names);
}

/* Appended names go when they are told to, those that may be looked for stay, at whatever place in the pool. */
static void names_forget_what_was_appended(void **state)
{
    enum { MANY = 3000 };
    struct names names;
    char text[32];

    (void)state;
    names_init(&names);
    for (uint32_t i = 0; i < MANY; i++) {
        size_t length = (size_t)snprintf(text, sizeof text, "name-%u", i);
        assert_int_equal(i % 3 ? names_append(&names, text, length) : names_add(&names, text, length), i);
        if (i % 500 == 499)
            names_forget(&names, i - 10);
    }
    assert_int_equal(names_count(&names), MANY);
    assert_true(names.text_count < MANY * 5);
    for (uint32_t i = 0; i < MANY; i++) {
        size_t length = (size_t)snprintf(text, sizeof text, "name-%u", i);
        if (i % 3 && i < MANY - 11)
            continue;
        assert_string_equal(names_text(&names, i), text);
        assert_int_equal(names_length(&names, i), length);
        assert_int_equal(names_find(&names, text, length), i % 3 ? NAME_NONE : i);
    }
    names_forget(&names, MANY);
    assert_int_equal(names.passing_count, 0);
    assert_int_equal(names_add(&names, "another", 7), MANY);
    assert_string_equal(names_text(&names, MANY), "another");
    names_free(&names);
}

static void map_reads_absent_keys_as_zero(void **state)
{
    struct map map = {0};

    (void)state;
    assert_int_equal(map_get(&map, 7), 0);
    *map_at(&map, 7) = 3;
    assert_int_equal(map_get(&map, 7), 3);
    assert_int_equal(map_get(&map, 8), 0);
    assert_int_equal(*map_at(&map, 0), 0); /* key 0 is a key like any other */
    assert_int_equal(map.entries, 2);
    map_free(&map);
    assert_int_equal(map_get(&map, 7), 0);
}

static void map_keeps_entries_as_it_grows(void **state)
{
    struct map map = {0};

    (void)state;
    for (uint32_t i = 0; i < 4000; i++)
        *map_at(&map, map_pair(i, ~i)) = i + 1;
    for (uint32_t i = 0; i < 4000; i++)
        assert_int_equal(map_get(&map, map_pair(i, ~i)), i + 1);
    assert_int_equal(map_get(&map, map_pair(4000, ~4000u)), 0);
    assert_int_equal(map.entries, 4000);
    map_free(&map);
}

static void pairs_of_numbers_are_distinct_keys(void **state)
{
    (void)state;
    assert_true(map_pair(1, 2) != map_pair(2, 1));
    assert_true(map_pair(0, UINT32_MAX) != map_pair(UINT32_MAX, 0));
}

static void prefix_goes_in_front(void **state)
{
    struct error err;

    (void)state;
    assert_int_equal(fail(&err, HEDDLE_BAD_TRACE, "%s is wrong", "it"), HEDDLE_BAD_TRACE);
    assert_int_equal(error_prefix(&err, "%s:%d: ", "file", 3), HEDDLE_BAD_TRACE);
    assert_string_equal(err.text, "file:3: it is wrong");
}

/* A long message loses its tail, never the place, never the end of the buffer. */
static void prefix_and_message_are_cut_to_fit(void **state)
{
    struct error err;
    char longest[2048];

    (void)state;
    memset(longest, 'x', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    fail(&err, HEDDLE_IO, "%s", longest);
    assert_int_equal(strlen(err.text), sizeof err.text - 1);
    error_prefix(&err, "place: ");
    assert_int_equal(strlen(err.text), sizeof err.text - 1);
    assert_memory_equal(err.text, "place: xxx", 10);

    fail(&err, HEDDLE_IO, "short");
    error_prefix(&err, "%s", longest);
    assert_int_equal(strlen(err.text), sizeof err.text - 1);
    assert_int_equal(err.text[sizeof err.text - 2], 'x');
}

static void memory_grows_by_doubling_and_keeps_contents(void **state)
{
    size_t capacity = 0;
    uint32_t *numbers = memory_grow(NULL, &capacity, 1, sizeof *numbers);

    (void)state;
    assert_int_equal(capacity, 4);
    for (uint32_t i = 0; i < 4; i++)
        numbers[i] = i;
    numbers = memory_grow(numbers, &capacity, 4, sizeof *numbers);
    assert_int_equal(capacity, 4);
    numbers = memory_grow(numbers, &capacity, 100, sizeof *numbers);
    assert_int_equal(capacity, 128);
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(numbers[i], i);
    free(numbers);
}

/* Against the plain column: stretches that end within blocks and between them, blocks of one number, of as many as they have. */
static void stretches_give_each_number_back(void **state)
{
    enum { NUMBERS = 5000 };
    uint32_t plain[NUMBERS], random = 1;

    (void)state;
    for (uint32_t longest = 1; longest <= 1000; longest *= 10) {
        struct stretches column = {0};
        for (size_t at = 0; at < NUMBERS;) {
            random = random * 1103515245u + 12345u;
            size_t end = at + 1 + (random >> 16) % longest;
            uint32_t number = random & 4096 ? UINT32_MAX : random >> 28;
            end = end < NUMBERS ? end : NUMBERS;
            stretches_fill(&column, end, number);
            for (; at < end; at++)
                plain[at] = number;
        }
        stretches_end(&column);
        assert_int_equal(column.count, NUMBERS);
        for (size_t at = 0; at < NUMBERS; at++)
            assert_int_equal(stretches_at(&column, at), plain[at]);
        stretches_free(&column);
        stretches_take(&column, plain, NUMBERS);
        for (size_t at = 0; at < NUMBERS; at++)
            assert_int_equal(stretches_at(&column, at), plain[at]);
        stretches_free(&column);
    }
}

static void equal_numbers_take_no_room(void **state)
{
    struct stretches column = {0};

    (void)state;
    stretches_fill(&column, 100000, 7);
    stretches_end(&column);
    assert_int_equal(column.numbers_count, 1);
    stretches_free(&column);
}

/* Small steps, none, and now and then a large one, after which the rest of the block is far from where it began. */
static void rising_numbers_are_given_back(void **state)
{
    enum { NUMBERS = 5000 };
    uint32_t plain[NUMBERS], random = 1, number = 0;
    struct rising column = {0};

    (void)state;
    for (int rare = 1; rare <= 100; rare *= 10) {
        for (size_t at = 0; at < NUMBERS; at++) {
            random = random * 1103515245u + 12345u;
            number += (random >> 16) % 100 < 100u / (unsigned)rare ? random >> 22 : random >> 30;
            plain[at] = number;
        }
        rising_take(&column, plain, NUMBERS);
        assert_true(column.far.entries > 0);
        for (size_t at = 0; at < NUMBERS; at++)
            assert_int_equal(rising_at(&column, at), plain[at]);
    }
    rising_free(&column);
}

static void new_memory_is_zero_even_for_nothing(void **state)
{
    unsigned char *some = memory_new(100, 3);
    unsigned char *none = memory_new(0, 8);

    (void)state;
    for (int i = 0; i < 300; i++)
        assert_int_equal(some[i], 0);
    assert_non_null(none);
    free(some);
    free(none);
}

/* Who has run, and who is to run out of memory. */
struct halves {
    bool run[2], fails[2];
};

static void run_half(struct halves *h, int which)
{
    h->run[which] = true;
    if (h->fails[which])
        memory_exhausted();
}

static void run_first(void *halves)
{
    run_half(halves, 0);
}

static void run_second(void *halves)
{
    run_half(halves, 1);
}

static bool runs_out(bool at_once, struct halves *h)
{
    struct memory_guard guard;

    if (!MEMORY_GUARD(&guard))
        return true;
    both_run(at_once, run_first, run_second, h);
    memory_guard_leave(&guard);
    return false;
}

static void both_run_to_their_ends_whichever_runs_out_of_memory(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 8; i++) {
        struct halves h = {.fails = {i & 1, i & 2}};
        assert_int_equal(runs_out(i & 4, &h), (i & 3) != 0);
        assert_true(h.run[0] && h.run[1]);
        assert_false(memory_is_guarded());
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_number_distinct_texts),
        cmocka_unit_test(names_keep_their_ids_as_the_table_grows),
        cmocka_unit_test(names_forget_what_was_appended),
        cmocka_unit_test(map_reads_absent_keys_as_zero),
        cmocka_unit_test(map_keeps_entries_as_it_grows),
        cmocka_unit_test(pairs_of_numbers_are_distinct_keys),
        cmocka_unit_test(prefix_goes_in_front),
        cmocka_unit_test(prefix_and_message_are_cut_to_fit),
        cmocka_unit_test(memory_grows_by_doubling_and_keeps_contents),
        cmocka_unit_test(rising_numbers_are_given_back),
        cmocka_unit_test(stretches_give_each_number_back),
        cmocka_unit_test(equal_numbers_take_no_room),
        cmocka_unit_test(new_memory_is_zero_even_for_nothing),
        cmocka_unit_test(both_run_to_their_ends_whichever_runs_out_of_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
