/* Grouping by source locations, whatever order the findings come in. */
#include "report/group.h"
#include "support/results.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

/* Three threads run the same two lines: 2 reads of others' writes at the same places each. */
static const char trace_text[] =
    "T1|w(x)|a\nT1|r(x)|b\nT2|w(x)|a\nT2|r(x)|b\nT3|w(x)|a\nT3|r(x)|b\nT3|w(x)|\nT3|r(x)|\n";

static const uint32_t nondet[][3] = {{2, 1, 3}, {2, 1, 5}, {4, 3, 0}, {4, 3, 1}, {8, 7, 0}, {8, 7, 1}};
static const uint32_t races[][2] = {{1, 3}, {1, 4}, {2, 3}, {1, 5}};

enum { NONDETS = sizeof nondet / sizeof *nondet, RACES = sizeof races / sizeof *races, ALL = NONDETS + RACES };

static void add(struct prepared *c, size_t index)
{
    if (index < NONDETS)
        prepared_add(c, PROPERTY_NONDET, nondet[index], 3, 0, TAIL(nondet[index][0]));
    else
        prepared_add(c, PROPERTY_RACE, races[index - NONDETS], 2, (uint32_t)index, NO_TAIL);
}

/* Every order is a rotation with a stride that has no common factor with the count. */
static void fill(struct prepared *c, size_t stride, size_t offset)
{
    for (size_t i = 0; i < ALL; i++)
        add(c, (i * stride + offset) % ALL);
}

static void assert_group(const struct finding *f, enum property property, uint32_t first, uint32_t last,
                         uint32_t group, uint64_t count)
{
    assert_int_equal(f->property, property);
    assert_int_equal(f->events[0], first);
    assert_int_equal(f->events[f->event_count - 1], last);
    assert_int_equal(f->group, group);
    assert_int_equal(f->count, count);
}

static void one_stays_of_each_set_of_locations(void **state)
{
    static const size_t strides[] = {1, 3, 7, 9};

    (void)state;
    for (size_t s = 0; s < sizeof strides / sizeof *strides; s++) {
        for (size_t offset = 0; offset < ALL; offset++) {
            struct prepared c;
            prepared_init(&c, trace_text);
            c.results.grouped = true;
            fill(&c, strides[s], offset);
            group_findings(&c.results, &c.trace);
            const struct finding *f = c.results.found.findings;
            assert_int_equal(c.results.found.findings_count, 6);
            assert_group(&f[0], PROPERTY_NONDET, 2, 3, 1, 3); /* {a, b} */
            assert_group(&f[1], PROPERTY_NONDET, 4, 0, 2, 1); /* {a, b, initial} */
            assert_group(&f[2], PROPERTY_NONDET, 8, 0, 3, 1); /* {none, initial} */
            assert_group(&f[3], PROPERTY_NONDET, 8, 1, 4, 1); /* {none, a} */
            assert_group(&f[4], PROPERTY_RACE, 1, 3, 1, 2);   /* {a} */
            assert_group(&f[5], PROPERTY_RACE, 1, 4, 2, 2);   /* {a, b} */
            assert_int_equal(f[4].schedule.prefix, NONDETS);
            assert_true(f[4].count_is_exact);
            prepared_free(&c);
        }
    }
}

static void all_stay_when_all_are_asked_for(void **state)
{
    struct prepared c;

    (void)state;
    prepared_init(&c, trace_text);
    fill(&c, 7, 2);
    group_findings(&c.results, &c.trace);
    assert_int_equal(c.results.found.findings_count, ALL);
    const struct finding *f = c.results.found.findings;
    assert_group(&f[0], PROPERTY_NONDET, 2, 3, 1, 1);
    assert_group(&f[1], PROPERTY_NONDET, 2, 5, 1, 1);
    assert_group(&f[2], PROPERTY_NONDET, 4, 0, 2, 1);
    assert_group(&f[3], PROPERTY_NONDET, 4, 1, 1, 1);
    assert_group(&f[NONDETS + 2], PROPERTY_RACE, 1, 5, 1, 1);
    assert_group(&f[NONDETS + 3], PROPERTY_RACE, 2, 3, 2, 1);
    prepared_free(&c);
}

static void counts_add_up(void **state)
{
    struct prepared c;

    (void)state;
    prepared_init(&c, trace_text);
    c.results.grouped = true;
    prepared_add(&c, PROPERTY_RACE, EVENTS(1, 5), 0, NO_TAIL)->count = 5;
    struct finding *f = prepared_add(&c, PROPERTY_RACE, EVENTS(1, 3), 0, NO_TAIL);
    f->count = 37;
    f->count_is_exact = false;
    group_findings(&c.results, &c.trace);
    assert_int_equal(c.results.found.findings_count, 1);
    assert_group(c.results.found.findings, PROPERTY_RACE, 1, 3, 1, 42);
    assert_false(c.results.found.findings[0].count_is_exact);
    prepared_free(&c);
}

/* semantics §4: an undecided candidate is never dropped. One that is not listed is counted; nobody knows its group. */
static void undecided_all_count(void **state)
{
    struct prepared c;

    (void)state;
    for (int grouped = 0; grouped < 2; grouped++)
        for (uint64_t unlisted = 0; unlisted < 2; unlisted++) {
            prepared_init(&c, trace_text);
            c.results.grouped = grouped;
            c.results.stats[PROPERTY_RACE].undecided = 2 + unlisted;
            finding_add(&c.results.undecided, PROPERTY_RACE, EVENTS(1, 5), (struct schedule){0});
            finding_add(&c.results.undecided, PROPERTY_RACE, EVENTS(1, 3), (struct schedule){0});
            group_findings(&c.results, &c.trace);
            const struct finding *f = c.results.undecided.findings;
            assert_int_equal(c.results.undecided.findings_count, grouped ? 1 : 2);
            assert_group(&f[0], PROPERTY_RACE, 1, 3, 1, grouped ? 2 : 1);
            assert_int_equal(f[0].count_is_exact, !grouped || !unlisted);
            if (!grouped)
                assert_group(&f[1], PROPERTY_RACE, 1, 5, 1, 1);
            prepared_free(&c);
        }
}

/* More groups than the table starts with. */
static void many_groups(void **state)
{
    enum { PLACES = 500 };
    struct prepared c;
    char *text;
    size_t length;
    FILE *to = open_memstream(&text, &length);

    (void)state;
    for (int i = 0; i < PLACES; i++)
        fprintf(to, "T%d|w(x)|%d\n", i, i);
    fclose(to);
    prepared_init(&c, text);
    free(text);
    c.results.grouped = true;
    for (uint32_t i = 2; i <= PLACES; i++)
        for (uint32_t twice = 0; twice < 2; twice++)
            prepared_add(&c, PROPERTY_RACE, EVENTS(1, i), 0, NO_TAIL);
    group_findings(&c.results, &c.trace);
    assert_int_equal(c.results.found.findings_count, PLACES - 1);
    for (uint32_t i = 2; i <= PLACES; i++)
        assert_group(&c.results.found.findings[i - 2], PROPERTY_RACE, 1, i, i - 1, 2);
    prepared_free(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_stays_of_each_set_of_locations),
        cmocka_unit_test(all_stay_when_all_are_asked_for),
        cmocka_unit_test(counts_add_up),
        cmocka_unit_test(undecided_all_count),
        cmocka_unit_test(many_groups),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
