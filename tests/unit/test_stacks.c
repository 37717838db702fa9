/* Call stacks in native files: what is written is read, by any order of asking; damage is refused. */
#include "support/htr_file.h"
#include "support/traces.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static uint32_t next(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*seed >> 33);
}

static struct trace load(const char *path)
{
    struct trace trace;
    struct error err;

    assert_int_equal(trace_load(&trace, path, &err), HEDDLE_OK);
    return trace;
}

/* Writes the trace with these stacks, in blocks of at most `block` events. */
static void write_stacked(const struct trace *trace, const struct stacks *stacks, const stack_id *of,
                          const char *path, size_t block)
{
    struct htr_writer *writer;
    struct error err;

    assert_int_equal(htr_create(&writer, path, HTR_FEATURES, trace->names, &err), HEDDLE_OK);
    htr_grounds(writer, trace->ground_pool);
    if (stacks)
        htr_stacks(writer, stacks);
    for (size_t number = 1; number <= trace->count; number++) {
        struct event e = trace_event(trace, number);
        if (stacks)
            htr_stack(writer, of[number]);
        htr_append(writer, &e);
        if (number % block == 0)
            htr_flush(writer);
    }
    assert_int_equal(htr_close(writer, &err), HEDDLE_OK);
}

/* A random tree of calls. */
static struct stacks *grow_tree(uint64_t *seed, size_t sites)
{
    struct stacks *stacks = stacks_new();

    for (size_t i = 0; i < sites; i++) {
        char place[32];
        int length = snprintf(place, sizeof place, "f.c:%u f%u", next(seed) % 20 + 1, next(seed) % 5);
        stacks_add(stacks, place, (size_t)length, next(seed) % (uint32_t)(stacks->sites_count + 1));
    }
    return stacks;
}

static void assert_same_stack(const struct stacks *a, stack_id x, const struct stacks *b, stack_id y)
{
    while (x != STACK_NONE && y != STACK_NONE) {
        assert_string_equal(stack_place(a, x), stack_place(b, y));
        x = stack_rest(a, x);
        y = stack_rest(b, y);
    }
    assert_int_equal(x, y);
}

/* Stays at a stack for a while, comes back to it at the same place, or goes anywhere. */
static stack_id *choose_stacks(const struct trace *trace, const struct stacks *stacks, uint64_t *seed)
{
    stack_id *of = calloc(trace->count + 1, sizeof *of), now = STACK_NONE;

    for (size_t e = 1; e <= trace->count; e++) {
        if (next(seed) % 4 == 0)
            now = next(seed) % (uint32_t)(stacks->sites_count + 1);
        of[e] = next(seed) % 3 == 0 ? (stack_id)(trace->location[e] % (stacks->sites_count + 1)) : now;
    }
    return of;
}

static void check_round_trip(unsigned number, unsigned events, size_t block)
{
    uint64_t seed = number;
    char *text = scribble(number, events);
    struct trace before = trace_of(text), after;
    struct stacks *stacks = grow_tree(&seed, 1 + next(&seed) % 60);
    stack_id *of = choose_stacks(&before, stacks, &seed);
    const char *path = scratch("stacked.htr");

    print_message("seed %u, %zu events, blocks of %zu\n", number, before.count, block);
    write_stacked(&before, stacks, of, path, block);
    after = load(path);
    assert_same_events(&before, &after, before.count);
    for (size_t e = 1; e <= before.count; e++)
        assert_same_stack(stacks, of[e], after.stacks, trace_stack(&after, e));
    for (unsigned i = 0; i < 200 && before.count > 0; i++) {
        size_t e = 1 + next(&seed) % before.count;
        assert_same_stack(stacks, of[e], after.stacks, trace_stack(&after, e));
    }
    trace_free(&after);
    trace_free(&before);
    stacks_free(stacks);
    free(of);
    free(text);
}

static void random_stacks_survive(void **state)
{
    (void)state;
    for (unsigned seed = 1; seed <= 30; seed++)
        check_round_trip(seed, 40 * seed, 1 + seed * 7 % 90);
    check_round_trip(31, 70000, SIZE_MAX); /* more than a block holds */
}

static void a_stack_is_kept_once(void **state)
{
    struct stacks *s = stacks_new();
    stack_id outer = stacks_add(s, "a.c:1 main", 10, STACK_NONE), inner = stacks_add(s, "a.c:9 f", 7, outer);

    (void)state;
    assert_int_equal(outer, 1);
    assert_int_equal(inner, 2);
    assert_int_equal(stacks_add(s, "a.c:9 f", 7, outer), inner);
    assert_int_equal(stacks_add(s, "a.c:9 f", 7, inner), 3);
    assert_int_equal(names_count(&s->places), 2);
    assert_string_equal(stack_place(s, inner), "a.c:9 f");
    assert_int_equal(stack_rest(s, inner), outer);
    stacks_free(s);
}

/* Nothing is told of stacks where no event has one: such files are as they were before there were stacks. */
static void without_stacks_nothing_is_written(void **state)
{
    struct trace t = trace_of("A|w(x)|a.c:1\nB|w(x)|a.c:2\n"), after;
    stack_id none[3] = {0};
    const char *plain = scratch("plain.htr"), *empty = scratch("empty.htr");
    struct stacks *stacks = stacks_new();

    (void)state;
    stacks_add(stacks, "a.c:1 main", 10, STACK_NONE);
    write_stacked(&t, NULL, NULL, plain, 1);
    write_stacked(&t, stacks, none, empty, 1);
    struct bytes a = file_read(plain), b = file_read(empty);
    assert_int_equal(a.count, b.count);
    assert_memory_equal(a.at, b.at, a.count);
    after = load(plain);
    assert_null(after.stacks);
    assert_int_equal(trace_stack(&after, 1), STACK_NONE);
    trace_free(&after);
    trace_free(&t);
    stacks_free(stacks);
    free(a.at);
    free(b.at);
}

/* A writer that is killed between a block and its stacks leaves events without. */
static void a_cut_file_has_the_stacks_of_its_whole_blocks(void **state)
{
    struct trace t = trace_of("A|w(x)|a.c:1\nB|w(x)|a.c:2\nA|r(x)|a.c:3\n");
    stack_id of[] = {0, 2, 2, 1};
    struct stacks *stacks = stacks_new();
    const char *path = scratch("cut.htr");
    unsigned seen[4] = {0};

    (void)state;
    stacks_add(stacks, "a.c:9 main", 10, STACK_NONE);
    stacks_add(stacks, "a.c:5 f", 7, 1);
    write_stacked(&t, stacks, of, path, 2);
    struct bytes whole = file_read(path);
    for (size_t length = HTR_HEADER_SIZE; length <= whole.count; length++) {
        file_write(path, whole.at, length);
        struct trace part = load(path);
        assert_true(part.count == 0 || part.count == 2 || part.count == 3);
        assert_int_equal(part.note == NULL, length == whole.count);
        unsigned stacked = 0;
        for (size_t e = 1; e <= part.count; e++) {
            stack_id stack = trace_stack(&part, e);
            stacked += stack != STACK_NONE;
            if (stack != STACK_NONE)
                assert_same_stack(stacks, of[e], part.stacks, stack);
        }
        assert_true(stacked <= 3);
        seen[stacked] = 1;
        trace_free(&part);
    }
    assert_true(seen[0] && !seen[1] && seen[2] && seen[3]);
    trace_free(&t);
    stacks_free(stacks);
    free(whole.at);
}

/* Two events of thread T that write x, at no place. */
static const unsigned char two_events[] = {2, 1, 1, 'T', 1, 1, 'x', 0, 0, 0, 0, 0, 0, 0, /* count, names */
                                           1, 0, 1,                                      /* one run */
                                           0,                                            /* locations: none */
                                           1, 1, 0,                                      /* operations */
                                           1, 2, 0};                                     /* arguments */

static void check_block(const void *payload, size_t length, bool events_before, const char *expected)
{
    struct htr_file file;

    htr_file_start(&file, HTR_VERSION, HTR_NAMES | HTR_LOCATIONS);
    htr_file_block(&file, HTR_EVENTS, 0, two_events, sizeof two_events);
    if (!events_before)
        htr_file_block(&file, HTR_FUNCTIONS, 2, "\1\1f", 3);
    htr_file_block(&file, HTR_STACKS, 2, payload, length);
    htr_file_end(&file, 2);
    assert_string_equal(refusal_of(file.bytes, file.bytes_count), expected);
    htr_file_free(&file);
}

#define CHECK_BLOCK(expected, ...)                                                                             \
    do {                                                                                                       \
        const unsigned char payload[] = {__VA_ARGS__};                                                         \
        check_block(payload, sizeof payload, true, expected);                                                  \
    } while (0)

static void damage_is_refused(void **state)
{
    static const char bad[] = "t.std: damaged block after event 2: bad stacks";
    static const unsigned char right[] = {2, 1, 1, 'f', 1, 0, 0, 1, 0, 1};

    (void)state;
    check_block(right, sizeof right, true, "");
    check_block(right, sizeof right, false, bad); /* not behind its events */
    for (size_t length = 1; length < sizeof right; length++)
        check_block(right, length, true, bad);
    CHECK_BLOCK("", 2, 1, 1, 'f', 2, 0, 0, 0, 1, 2, 0, 2, 0, 1);
    CHECK_BLOCK("", 2, 0, 0, 0);  /* says nothing */
    CHECK_BLOCK(bad, 0, 0, 0, 0); /* other events */
    CHECK_BLOCK(bad, 3, 0, 0, 0);
    CHECK_BLOCK(bad, 2, 1, 0, 1, 0, 0, 0);                  /* a place without a name */
    CHECK_BLOCK(bad, 2, 1, 1, 0, 1, 0, 0, 0);               /* NUL in it */
    CHECK_BLOCK(bad, 2, 2, 1, 'f', 1, 'f', 0, 0);           /* twice */
    CHECK_BLOCK(bad, 2, 1, 1, 'f', 1, 1, 0, 0);             /* no such place */
    CHECK_BLOCK(bad, 2, 1, 1, 'f', 1, 0, 1, 0);             /* built on itself */
    CHECK_BLOCK(bad, 2, 1, 1, 'f', 1, 0, 0, 1, 0, 2);       /* no such stack */
    CHECK_BLOCK(bad, 2, 1, 1, 'f', 1, 0, 0, 1, 2, 1);       /* no such event */
    CHECK_BLOCK(bad, 2, 1, 1, 'f', 1, 0, 0, 2, 0, 1, 1, 0); /* the same for the second change */
    CHECK_BLOCK(bad, 2, 1, 1, 'f', 1, 0, 0, 3, 0, 1, 0, 0, 0, 1);
    CHECK_BLOCK(bad, 2, 1, 1, 'f', 1, 0, 0, 1, 0, 1, 0); /* more after it */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_stacks_survive),
        cmocka_unit_test(a_stack_is_kept_once),
        cmocka_unit_test(without_stacks_nothing_is_written),
        cmocka_unit_test(a_cut_file_has_the_stacks_of_its_whole_blocks),
        cmocka_unit_test(damage_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
