/* Recording Java: parts that a whole program shows only by luck. */
#include "opcodes.h"
#include "record/java/jdk_calls.h"
#include "record/java/jdk_edges.h"
#include "rewrite.h"
#include "runtime/protocol/java_log.h"
#include "stackmap.h"
#include "startup.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define SPAN(...) ((struct span){(const uint8_t[]){__VA_ARGS__}, sizeof(uint8_t[]){__VA_ARGS__}})

static struct span name_of(const char *text)
{
    return (struct span){(const uint8_t *)text, strlen(text)};
}

static void ends_require_the_beginnings_before_them(void **state)
{
    struct java_edges e = {0};

    (void)state;
    java_give(&e, 4, 1, 5, false);
    java_give(&e, 4, 2, 6, false);
    java_take(&e, 4, 2, 7, false); /* of thread 1 only: its own comes before anyway */
    java_take(&e, 4, 2, 8, false); /* nothing new */
    java_take(&e, 9, 2, 8, false); /* another object */
    assert_int_equal(e.edges_count, 1);
    assert_int_equal(e.edges[0].from, 5);
    assert_int_equal(e.edges[0].to, 7);
    java_give(&e, 4, 1, 9, false);
    java_give(&e, 4, 1, 10, false); /* the last counts */
    java_give(&e, 4, 3, 11, false);
    java_take(&e, 4, 2, 12, false);
    assert_int_equal(e.edges_count, 3);
    java_edges_sort(&e, NULL);
    for (size_t i = 0; i < 3; i++) /* by beginning */
        assert_int_equal(e.edges[e.by_from[i]].from, ((int[]){5, 10, 11})[i]);
    assert_int_equal(e.channels_count, 2);
    java_edges_free(&e);
}

static void looks_require_changes_and_what_they_may_follow(void **state)
{
    struct java_edges e = {0};

    (void)state;
    java_give(&e, 4, 1, 1, true);
    java_take(&e, 4, 1, 2, true);
    java_give(&e, 4, 2, 3, true);
    java_take(&e, 4, 2, 4, true); /* two looks */
    assert_int_equal(e.edges_count, 0);
    java_give(&e, 4, 3, 5, false);
    java_change_begins(&e, 4);
    java_give(&e, 4, 1, 6, true);
    java_take(&e, 4, 2, 7, true); /* a change is under way: it may have followed the look that has begun */
    assert_int_equal(e.edges_count, 2);
    java_take(&e, 4, 3, 8, false);
    java_change_ends(&e, 4);
    assert_int_equal(e.edges_count, 4); /* after all that began before */
    java_give(&e, 4, 1, 9, true);
    java_take(&e, 4, 4, 10, true); /* the change and what came before it, not the look after it */
    assert_int_equal(e.edges_count, 7);
    for (size_t i = 4; i < 7; i++)
        assert_true(e.edges[i].from < 7);
    java_edges_free(&e);
}

static void lengths_of_instructions(void **state)
{
    (void)state;
    assert_int_equal(instruction_length(SPAN(0), 0), 1);
    assert_int_equal(instruction_length(SPAN(178, 0, 1), 0), 3);
    assert_int_equal(instruction_length(SPAN(178, 0), 0), 0); /* cut off */
    assert_int_equal(instruction_length(SPAN(196, 132, 0, 1, 0, 1), 0), 6);
    assert_int_equal(instruction_length(SPAN(196, 21, 0, 1), 0), 4);
    assert_int_equal(instruction_length(SPAN(203), 0), 0); /* none */
    /* tableswitch at 1: two bytes of padding, default, 3 to 4, two targets */
    struct span table = SPAN(0, 170, 0, 0, 0, 0, 0, 9, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0, 1, 0, 0, 0, 2);
    assert_int_equal(instruction_length(table, 1), 23);
    struct span backwards = SPAN(0, 170, 0, 0, 0, 0, 0, 9, 0, 0, 0, 9, 0, 0, 0, 4);
    assert_int_equal(instruction_length(backwards, 1), 0);
    /* lookupswitch at 0: three bytes of padding, default, one pair */
    struct span lookup = SPAN(171, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 1, 0, 0, 0, 7, 0, 0, 0, 1);
    assert_int_equal(instruction_length(lookup, 0), 20);
}

static void frames_move(void **state)
{
    uint32_t moved[] = {0, UINT32_MAX, 4, 90, 91};
    struct bytes out = {0};
    /* same at 2; same with one type, the `new` at 0, at 3 */
    struct span old = SPAN(0, 2, 2, 64, 8, 0, 0);

    (void)state;
    assert_true(stackmap_move(old, moved, 5, 200, 77, &out));
    struct span now = SPAN(0, 3, 4, 247, 0, 85, 8, 0, 0, 255, 0, 109, 0, 0, 0, 1, 7, 0, 77);
    assert_int_equal(out.data_count, now.count);
    assert_memory_equal(out.data, now.data, now.count);
    out.data_count = 0;
    assert_false(stackmap_move(SPAN(0, 1, 1), moved, 5, 0, 0, &out));         /* no instruction begins there */
    assert_false(stackmap_move(SPAN(0, 1, 9), moved, 5, 0, 0, &out));         /* beyond the code */
    assert_false(stackmap_move(SPAN(0, 1, 200, 0, 0), moved, 5, 0, 0, &out)); /* no kind of frame */
    assert_false(stackmap_move(SPAN(0, 2, 2), moved, 5, 0, 0, &out));         /* cut off */
    bytes_free(&out);
}

static void the_last_pattern_decides(void **state)
{
    struct pattern patterns[] = {{"*", false}, {"com.acme.*", true}, {"*Test", false}};
    struct rewriter all = {0}, some = {.patterns = patterns, .patterns_count = 3};

    (void)state;
    assert_true(rewrite_wanted(&all, name_of("com/acme/Main")));
    assert_false(rewrite_wanted(&all, name_of("java/util/ArrayList")));
    assert_true(rewrite_wanted(&some, name_of("com/acme/deep/Main$1")));
    assert_false(rewrite_wanted(&some, name_of("com/acme/MainTest")));
    assert_false(rewrite_wanted(&some, name_of("org/Main")));
    assert_false(rewrite_wanted(&some, name_of("com/acme")));
}

static void families_by_class(void **state)
{
    (void)state;
    assert_int_equal(java_family("Ljava/util/ArrayList$Itr;"), FAMILY_PLAIN);
    assert_int_equal(java_family("Ljava/util/concurrent/locks/ReentrantReadWriteLock$ReadLock;"),
                     FAMILY_READ_LOCK);
    assert_int_equal(java_family("Ljava/util/concurrent/ConcurrentHashMap;"), FAMILY_CONCURRENT);
    assert_int_equal(java_family("Ljava/util/concurrent/ForkJoinPool;"), FAMILY_POOL);
    assert_int_equal(java_atomic("lazySet"), ATOMIC_STORES);
    assert_int_equal(java_atomic("getAndAdd"), ATOMIC_CHANGES);
    assert_int_equal(java_atomic("getAcquire"), ATOMIC_LOADS);
}

/* A record of thread 1. */
static struct java_record record_of(unsigned kind, uint32_t site, uint32_t object, uint32_t index,
                                    uint64_t value)
{
    return (struct java_record){
        .word = 1 << 8 | kind, .site = site, .object = object, .index = index, .value = value};
}

static void of_a_thread_alone_last_writes_are_kept(void **state)
{
    static const uint32_t fields[] = {0, 77, 77, 88,
                                      0}; /* by site: 1 and 2 access a field, 3 another, 4 elements */
    struct java_record log[] = {
        record_of(JAVA_THREAD, 0, 1, 0, 0),    record_of(JAVA_WRITE, 1, 5, 0, 10),
        record_of(JAVA_READ, 2, 5, 0, 10),     record_of(JAVA_BY, 0, 0, 1, 0),
        record_of(JAVA_ACQUIRED, 0, 6, 0, 0),  record_of(JAVA_WRITE, 4, 7, 0, 20),
        record_of(JAVA_WRITE, 4, 7, 1, 21),    record_of(JAVA_WRITE, 4, 7, 0, 22),
        record_of(JAVA_RELEASING, 0, 6, 0, 0), record_of(JAVA_READ, 2, 5, 0, 10),
        record_of(JAVA_WRITE, 1, 5, 9, 11),    record_of(JAVA_READ, 4, 7, 0, 22),
        record_of(JAVA_READ, 4, 7, 0, 22),     record_of(JAVA_READ, 4, 7, 0, 22),
        record_of(JAVA_READ, 4, 7, 0, 22),     record_of(JAVA_STATIC_READ, 3, 0, 0, 1),
        record_of(JAVA_READ, 4, 7, 0, 22),     record_of(JAVA_READ, 4, 7, 0, 22),
        record_of(JAVA_READ, 4, 7, 0, 22),     record_of(JAVA_READ, 4, 7, 0, 22),
    };
    const struct java_record expected[] = {
        record_of(JAVA_THREAD, 0, 1, 0, 0),    record_of(JAVA_SKIPPED, 0, 0, 12, 2),
        record_of(JAVA_ACQUIRED, 0, 6, 0, 0),  record_of(JAVA_SKIPPED, 0, 0, 12, 1),
        record_of(JAVA_WRITE, 4, 7, 1, 21),    record_of(JAVA_WRITE, 4, 7, 0, 22),
        record_of(JAVA_RELEASING, 0, 6, 0, 0), record_of(JAVA_SKIPPED, 0, 0, 12, 1),
        record_of(JAVA_WRITE, 1, 5, 9, 11),    record_of(JAVA_SKIPPED, 0, 0, 12, 9),
    };
    const size_t count = sizeof log / sizeof *log, left = sizeof expected / sizeof *expected;

    (void)state;
    assert_int_equal(startup_shorten(log, count, 12, fields, 5, false), left);
    assert_memory_equal(log, expected, sizeof expected);
    for (size_t i = left; i < count; i++)
        assert_int_equal(log[i].word, 0);
    assert_int_equal(startup_shorten(log, left, 12, fields, 5, false), left); /* nothing more to be had */
    assert_memory_equal(log, expected, sizeof expected);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ends_require_the_beginnings_before_them),
        cmocka_unit_test(looks_require_changes_and_what_they_may_follow),
        cmocka_unit_test(lengths_of_instructions),
        cmocka_unit_test(frames_move),
        cmocka_unit_test(the_last_pattern_decides),
        cmocka_unit_test(families_by_class),
        cmocka_unit_test(of_a_thread_alone_last_writes_are_kept),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
