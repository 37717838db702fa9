/* Damaged and hostile native files: refused with a clear message, never a crash. */
#include "support/htr_file.h"
#include "support/traces.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { NAMED = HTR_NAMES | HTR_LOCATIONS };

/* One event of thread T, operation `op`, coded argument `argument` (below 2^32), no location; one variable x
 * and one lock l. */
static size_t one_event(unsigned char *to, unsigned op, uint32_t argument)
{
    unsigned char payload[] = {1, 1, 1, 'T', 1, 1, 'x', 1, 1, 'l', 0, 0, 0, 0, 0, 0, /* count, names */
                               1, 0, 0,                                              /* one run: T, one event */
                               0,                                                    /* locations: none */
                               1, 0,                                                 /* operations */
                               5, 0, 0, 0,   0, 0};                                  /* arguments */
    uint64_t coded = htr_zigzag(argument);

    payload[21] = (unsigned char)op;
    for (int i = 0; i < 5; i++)
        payload[23 + i] = (unsigned char)(coded >> 8 * i);
    memcpy(to, payload, sizeof payload);
    return sizeof payload;
}

static void check_event(unsigned op, uint32_t argument, const char *expected)
{
    unsigned char payload[64];
    struct htr_file file;

    htr_file_start(&file, HTR_VERSION, NAMED);
    htr_file_block(&file, HTR_EVENTS, 0, payload, one_event(payload, op, argument));
    htr_file_end(&file, 1);
    assert_string_equal(refusal_of(file.bytes, file.bytes_count), expected);
    htr_file_free(&file);
}

static void operations_and_arguments_are_checked(void **state)
{
    static const char bad[] = "t.std: damaged block after event 0: a number is out of range";

    (void)state;
    check_event(EVENT_WRITE, 1, "");
    check_event(EVENT_WRITE, 0, bad); /* no argument */
    check_event(EVENT_WRITE, 2, bad); /* one variable only */
    check_event(EVENT_WRITE, UINT32_MAX, bad);
    check_event(EVENT_POST, 1, bad); /* no semaphore at all */
    check_event(EVENT_POST, UINT32_MAX, bad);
    check_event(EVENT_BEGIN, 0, "");
    check_event(EVENT_BEGIN, 1, bad);
    check_event(op_make(EVENT_FENCE, ORDER_SEQ_CST), 0, "");
    check_event(op_make(EVENT_FENCE, ORDER_SEQ_CST), 1, bad);
    check_event(EVENT_RELEASE, 1, "t.std: event 1: T releases lock l, which it does not hold");
    for (unsigned op = 0; op < 256;
         op++) /* what is no operation, with every argument that could slip through */
        if (op % 32 >= EVENT_KINDS || op / 32 >= ORDERS)
            for (uint32_t argument = UINT32_MAX - 1; argument != 3; argument++)
                check_event(op, argument, bad);
}

static void check_payload(const char *what, unsigned features, const void *payload, size_t length)
{
    struct htr_file file;
    char expected[256];

    htr_file_start(&file, HTR_VERSION, features);
    htr_file_block(&file, HTR_EVENTS, 0, payload, length);
    snprintf(expected, sizeof expected, "t.std: damaged block after event 0: %s", what);
    assert_string_equal(refusal_of(file.bytes, file.bytes_count), expected);
    htr_file_free(&file);
}

#define CHECK_PAYLOAD(what, features, ...)                                                                     \
    check_payload(what, features, (unsigned char[]){__VA_ARGS__}, sizeof((unsigned char[]){__VA_ARGS__}))

static void payloads_are_checked(void **state)
{
    (void)state;
    CHECK_PAYLOAD("bad count of events", NAMED, 0);
    CHECK_PAYLOAD("bad count of events", NAMED, 0x81, 0x80, 0x04); /* one more than a block may have */
    CHECK_PAYLOAD("bad count of events", NAMED, 0x80);             /* the number goes on */
    CHECK_PAYLOAD("bad count of names", NAMED, 1);
    CHECK_PAYLOAD("bad name, or one that stands twice", NAMED, 1, 1, 5, 'T');
    CHECK_PAYLOAD("bad name, or one that stands twice", NAMED, 1, 1, 0);
    CHECK_PAYLOAD("bad name, or one that stands twice", NAMED, 1, 1, 1, 0);
    CHECK_PAYLOAD("bad name, or one that stands twice", NAMED, 1, 2, 1, 'T', 1, 'T');
    CHECK_PAYLOAD("bad column", NAMED, 1, 1, 1, 'T', 0, 0, 0, 0, 0, 0, 0, 0);             /* no threads */
    CHECK_PAYLOAD("bad column", NAMED, 1, 1, 1, 'T', 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0);    /* thread 1 of 1 */
    CHECK_PAYLOAD("bad column", NAMED, 1, 1, 1, 'T', 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1);    /* two of one event */
    CHECK_PAYLOAD("bad column", NAMED, 1, 1, 1, 'T', 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 9); /* nine planes */
    CHECK_PAYLOAD("bad column", NAMED, 1, 1, 1, 'T', 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 1); /* one is missing */
    CHECK_PAYLOAD("bad column", NAMED, 1, 1, 1, 'T', 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0); /* two columns */
    CHECK_PAYLOAD("bad column", NAMED, 1, 1, 1, 'T', 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0,
                  7);                                            /* left over */
    CHECK_PAYLOAD("bad count of names", 0, 1, 0x81, 0x80, 0x10); /* unnamed threads: one too many */
    CHECK_PAYLOAD("bad count of names", 0, 1, 1, 0x80, 0x80, 0x10);
}

/* A small block must not make the reader believe in millions of objects, block after block. */
static void unnamed_objects_have_a_limit_in_all_classes_together(void **state)
{
    (void)state;
    CHECK_PAYLOAD("bad count of names", 0, 1, 0xff, 0xff, 0x07, 0xff, 0xff, 0x07, 3);
}

static void values_are_checked(void **state)
{
    static const char bad[] = "a number is out of range";

    (void)state;
    /* T|w(x) with tag and value: a tag of 4, a negative that is not, a name that is not there */
    CHECK_PAYLOAD(bad, HTR_NAMES | HTR_VALUES, 1, 1, 1, 'T', 1, 1, 'x', 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 1,
                  EVENT_WRITE, 1, 2, 1, 4, 0);
    CHECK_PAYLOAD(bad, HTR_NAMES | HTR_VALUES, 1, 1, 1, 'T', 1, 1, 'x', 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 1,
                  EVENT_WRITE, 1, 2, 1, VALUE_NEGATIVE, 1, 2);
    CHECK_PAYLOAD(bad, HTR_NAMES | HTR_VALUES, 1, 1, 1, 'T', 1, 1, 'x', 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 1,
                  EVENT_WRITE, 1, 2, 1, VALUE_NAME, 0);
    /* a value on what is no access: T|begin */
    CHECK_PAYLOAD(bad, HTR_NAMES | HTR_VALUES, 1, 1, 1, 'T', 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 1, EVENT_BEGIN, 0,
                  1, VALUE_UNSIGNED, 0);
}

/* T|r(x), T|w(x)||from 1+1; `count` bytes from `at` on are replaced. */
static void check_grounds(const char *expected, size_t at, const void *bytes, size_t count)
{
    unsigned char payload[] = {2, 1, 1, 'T', 1, 1, 'x', 0, 0, 0, 0, 0, 0, 0, /* events, names */
                               1, 2, 1, 6,   2,               /* a shape at 14: from, 1 back, +1 */
                               1, 0, 1, 1,   0, 1, 1,   2, 0, /* threads, operations, arguments */
                               1, 0, 2};                      /* grounds, at 28 */
    struct htr_file file;

    memcpy(payload + at, bytes, count);
    htr_file_start(&file, HTR_VERSION, HTR_NAMES | HTR_GROUNDS);
    htr_file_block(&file, HTR_EVENTS, 0, payload, sizeof payload);
    htr_file_end(&file, 2);
    assert_string_equal(refusal_of(file.bytes, file.bytes_count), expected);
    htr_file_free(&file);
}

/* T|r(x=7)|, T|w(x=9)||from 1 and the difference; `count` bytes from `at` on are replaced. */
static void check_difference(const char *expected, unsigned feature, size_t at, const void *bytes, size_t count)
{
    unsigned char payload[] = {2, 1, 1, 'T', 1,  1, 'x', 0, 0, 0, 0, 0, 0, 0, /* events, names */
                               1, 2, 1, 7,                     /* a shape: from, 1 back, form 3 */
                               1, 0, 1, 1,   0,  1, 1,   2, 0, /* threads, operations, arguments */
                               1, 1, 1, 1,   14, 4,            /* value tags at 28, values */
                               1, 0, 2};                       /* grounds */
    struct htr_file file;

    memcpy(payload + at, bytes, count);
    htr_file_start(&file, HTR_VERSION, HTR_NAMES | HTR_VALUES | feature);
    htr_file_block(&file, HTR_EVENTS, 0, payload, sizeof payload);
    htr_file_end(&file, 2);
    assert_string_equal(refusal_of(file.bytes, file.bytes_count), expected);
    htr_file_free(&file);
}

static void differences_are_checked(void **state)
{
    static const char bad[] = "t.std: damaged block after event 0: bad grounds";

    (void)state;
    check_difference("", HTR_DIFFERENCES, 0, "", 0);
    check_difference(bad, HTR_GROUNDS, 0, "", 0);                 /* without the feature */
    check_difference(bad, HTR_DIFFERENCES, 28, "\0\1\1\0\22", 5); /* the read has no value */
    check_difference(bad, HTR_DIFFERENCES, 29, "\0\1\16\0", 4);   /* the write has none */
    check_difference(bad, HTR_DIFFERENCES, 22, "\4\5", 2);        /* what is read is an rmw, which wrote 7 */
}

static void grounds_are_checked(void **state)
{
    static const char bad[] = "t.std: damaged block after event 0: bad grounds";

    (void)state;
    check_grounds("", 0, "", 0);
    check_grounds(bad, 15, "\0", 1);         /* no list at all */
    check_grounds(bad, 15, "\4", 1);         /* a third list */
    check_grounds(bad, 16, "\x7f", 1);       /* more items than bytes */
    check_grounds(bad, 17, "\7", 1);         /* form 3 */
    check_grounds(bad, 17, "\5\x7f", 2);     /* more ranges than bytes */
    check_grounds(bad, 17, "\5\0", 2);       /* no range */
    check_grounds(bad, 17, "\12", 1);        /* two reads back: there is one */
    check_grounds(bad, 30, "\4", 1);         /* shape 2 of 1 */
    check_grounds(bad, 30, "\1", 1);         /* shape -1 */
    check_grounds(bad, 14, "\2\2\0\2\0", 5); /* the same shape twice */
    check_grounds("t.std: event 2: from names 2, the event itself, which reads nothing", 17, "\2", 1);
    check_grounds("t.std: event 2: by names 1 with an offset, which belongs in from", 15, "\1", 1);
}

static void check_block(unsigned type, const char *expected, const void *payload, size_t length)
{
    unsigned char event[64];
    struct htr_file file;

    htr_file_start(&file, HTR_VERSION, NAMED);
    htr_file_block(&file, HTR_EVENTS, 0, event, one_event(event, EVENT_WRITE, 1));
    htr_file_block(&file, type, 1, payload, length);
    htr_file_end(&file, 1);
    assert_string_equal(refusal_of(file.bytes, file.bytes_count), expected);
    htr_file_free(&file);
}

static void types_and_ends_of_runs_are_checked(void **state)
{
    static const char types[] = "t.std: damaged block after event 1: bad types";
    static const char freeing[] = "t.std: damaged block after event 1: bad list of freeing writes";
    static const char printed[] = "t.std: damaged block after event 1: bad list of printed reads";
    static const char ends[] = "t.std: damaged block after event 1: bad end of the run";

    (void)state;
    check_block(HTR_TYPES, "", "\1\0\1", 3);
    check_block(HTR_TYPES, types, "\0", 1);       /* none */
    check_block(HTR_TYPES, types, "\1\1\1", 3);   /* variable 1 of 1 */
    check_block(HTR_TYPES, types, "\1\0\0", 3);   /* no type */
    check_block(HTR_TYPES, types, "\1\0\11", 3);  /* type 9 of 8 */
    check_block(HTR_TYPES, types, "\1\0\1\1", 4); /* left over */
    check_block(HTR_TYPES, types, "\2\0\1", 3);   /* one is missing */
    check_block(HTR_TYPE_RUNS, "", "\1\0\0\1", 4);
    check_block(HTR_TYPE_RUNS, types, "\0", 1);                           /* none */
    check_block(HTR_TYPE_RUNS, types, "\1\1\0\1", 4);                     /* variable 1 of 1 */
    check_block(HTR_TYPE_RUNS, types, "\1\0\1\1", 4);                     /* two variables of one */
    check_block(HTR_TYPE_RUNS, types, "\1\0\0\0", 4);                     /* no type */
    check_block(HTR_TYPE_RUNS, types, "\1\0\0\11", 4);                    /* type 9 of 8 */
    check_block(HTR_TYPE_RUNS, types, "\1\0\0\1\1", 5);                   /* left over */
    check_block(HTR_TYPE_RUNS, types, "\2\0\0\1", 4);                     /* one is missing */
    check_block(HTR_TYPE_RUNS, types, "\1\377\377\377\377\377\1\0\1", 9); /* beyond all ids */
    check_block(HTR_PRINTED, printed, "\0", 1);                           /* none */
    check_block(HTR_PRINTED, printed, "\1\1", 2);                         /* a write */
    check_block(HTR_PRINTED, printed, "\1\2", 2);                         /* event 2 of 1 */
    check_block(HTR_PRINTED, printed, "\1", 1);                           /* one is missing */
    check_block(HTR_FREEING, freeing, "\0", 1);                           /* none */
    check_block(HTR_FREEING, freeing, "\1\2", 2);                         /* event 2 of 1 */
    check_block(HTR_FREEING, freeing, "\1", 1);                           /* one is missing */
    check_block(HTR_ENDING, "", "\1\3\0\0\0", 5);
    check_block(HTR_ENDING, "", "\3\0\0\1\1T\0\0\0\1\1x", 12);
    check_block(HTR_ENDING, ends, "\7\0\0\0\0", 5);         /* outcome 7 of 6 */
    check_block(HTR_ENDING, ends, "\1\0\0\0", 4);           /* cut */
    check_block(HTR_ENDING, ends, "\1\0\0\0\0\0", 6);       /* left over */
    check_block(HTR_ENDING, ends, "\1\0\1\n\0\0", 6);       /* a line break */
    check_block(HTR_ENDING, ends, "\1\0\5a\0\0", 6);        /* a text longer than the block */
    check_block(HTR_ENDING, ends, "\3\0\0\1\0\0\0\0\0", 9); /* a waiter without a name */
    check_block(HTR_ENDING, ends, "\1\0\0\0\1\0", 6);       /* an empty reason */
    check_block(HTR_ENDING, ends, "\1\0\0\x7f", 4);         /* more waiters than bytes */
}

static void check_header(size_t at, unsigned char byte, const char *expected)
{
    struct htr_file file;

    htr_file_start(&file, HTR_VERSION, NAMED);
    htr_file_end(&file, 0);
    assert_string_equal(refusal_of(file.bytes, file.bytes_count), "");
    file.bytes[at] = byte;
    assert_string_equal(refusal_of(file.bytes, file.bytes_count), expected);
    htr_file_free(&file);
}

static void unknown_versions_and_features_are_refused(void **state)
{
    (void)state;
    check_header(8, 2, "t.std: trace format version 2; this heddle reads version 1");
    check_header(9, 1, "t.std: trace format version 257; this heddle reads version 1");
    check_header(12, 32 | NAMED, "t.std: the trace uses features this heddle does not know (mask 0x20)");
    check_header(12, 24 | NAMED, "t.std: the trace uses features this heddle does not know (mask 0x8)");
    check_header(15, 0x80, "t.std: the trace uses features this heddle does not know (mask 0x80000000)");
    check_header(10, 1, "t.std: the header's reserved bytes are not zero");
    check_header(11, 1, "t.std: the header's reserved bytes are not zero");
}

static void unknown_blocks_are_refused(void **state)
{
    struct htr_file file;

    (void)state;
    htr_file_start(&file, HTR_VERSION, NAMED);
    htr_file_block(&file, 99, 0, "x", 1);
    assert_string_equal(refusal_of(file.bytes, file.bytes_count),
                        "t.std: a block of unknown type 99 after event 0");
    htr_file_free(&file);
}

static void block_headers_are_checked(void **state)
{
    static const char bad[] = "t.std: damaged block after event 0: bad block header";
    struct htr_file file;
    unsigned char *block;

    (void)state;
    htr_file_start(&file, HTR_VERSION, NAMED);
    htr_file_block(&file, HTR_END, 1, "", 1); /* counts an event that is not there */
    assert_string_equal(refusal_of(file.bytes, file.bytes_count), bad);
    htr_file_free(&file);

    htr_file_start(&file, HTR_VERSION, NAMED);
    htr_file_end(&file, 0);
    block = file.bytes + HTR_HEADER_SIZE;
    block[12] = 1; /* reserved */
    assert_string_equal(refusal_of(file.bytes, file.bytes_count), bad);
    block[12] = 0;
    block[7] = 0x80; /* 2 GiB uncompressed */
    assert_string_equal(refusal_of(file.bytes, file.bytes_count), bad);
    block[7] = 0;
    block[4]++; /* one byte more than there is */
    htr_file_sign(block);
    assert_string_equal(refusal_of(file.bytes, file.bytes_count),
                        "t.std: damaged block after event 0: it does not decompress");
    block[4] = 0;
    assert_string_equal(refusal_of(file.bytes, file.bytes_count), bad);
    htr_file_free(&file);
}

static void ends_are_checked(void **state)
{
    struct htr_file file;

    (void)state;
    htr_file_start(&file, HTR_VERSION, NAMED);
    htr_file_block(&file, HTR_END, 0, "\1", 1);
    assert_string_equal(refusal_of(file.bytes, file.bytes_count),
                        "t.std: damaged block after event 0: the end counts other events");
    htr_file_free(&file);

    htr_file_start(&file, HTR_VERSION, NAMED);
    htr_file_end(&file, 0);
    htr_file_end(&file, 0);
    assert_string_equal(refusal_of(file.bytes, file.bytes_count),
                        "t.std: damaged block after event 0: bytes after the end");
    htr_file_free(&file);

    htr_file_start(&file, HTR_VERSION, NAMED);
    htr_file_block(&file, HTR_ORIGIN, 0, "\0\0\5abc", 6); /* a text of five, three are there */
    assert_string_equal(refusal_of(file.bytes, file.bytes_count),
                        "t.std: damaged block after event 0: bad origin");
    htr_file_free(&file);
}

/* Every single bit of a small file, flipped, is refused; but a block that claims to be longer than the file
 * looks like a file cut short, and gives the blocks before it and a note. */
static void functions_are_checked(void **state)
{
    static const struct {
        const char *payload;
        size_t length;
    } wrong[] = {
        {"\0", 1},           /* none */
        {"\1\4abc", 5},      /* a text of four, three are there */
        {"\1\0", 2},         /* an empty one */
        {"\1\3a\0c", 5},     /* a NUL */
        {"\2\1a", 3},        /* two, one is there */
        {"\1\1ab", 4},       /* more bytes than it says */
        {"\377\377\377", 3}, /* no whole number */
    };

    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct htr_file file;
        htr_file_start(&file, HTR_VERSION, 0);
        htr_file_block(&file, HTR_FUNCTIONS, 0, wrong[i].payload, wrong[i].length);
        htr_file_end(&file, 0);
        assert_string_equal(refusal_of(file.bytes, file.bytes_count),
                            "t.std: damaged block after event 0: bad functions");
        htr_file_free(&file);
    }
}

static void every_flipped_bit_is_noticed(void **state)
{
    struct trace whole = trace_of("T|w(x=5)|a\nT|fork(U)|b\nU|r(x=-7)|c\nU|acq(l)|d\n");
    const char *path = scratch("flip.htr");
    size_t refused = 0;

    (void)state;
    write_native(&whole, path, HTR_FEATURES, 2);
    struct bytes file = file_read(path);
    for (size_t bit = 0; bit < 8 * file.count; bit++) {
        struct trace trace;
        struct error err;
        file.at[bit / 8] ^= (unsigned char)(1 << bit % 8);
        if (trace_parse(&trace, "flip.htr", (char *)file.at, file.count, &err) == HEDDLE_OK) {
            assert_non_null(trace.note);
            assert_same_events(&trace, &whole, trace.count);
        } else {
            refused++;
        }
        trace_free(&trace);
        file.at[bit / 8] ^= (unsigned char)(1 << bit % 8);
    }
    assert_true(refused >= 7 * file.count);
    free(file.at);
    trace_free(&whole);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operations_and_arguments_are_checked),
        cmocka_unit_test(payloads_are_checked),
        cmocka_unit_test(unnamed_objects_have_a_limit_in_all_classes_together),
        cmocka_unit_test(values_are_checked),
        cmocka_unit_test(grounds_are_checked),
        cmocka_unit_test(differences_are_checked),
        cmocka_unit_test(types_and_ends_of_runs_are_checked),
        cmocka_unit_test(unknown_versions_and_features_are_refused),
        cmocka_unit_test(unknown_blocks_are_refused),
        cmocka_unit_test(block_headers_are_checked),
        cmocka_unit_test(ends_are_checked),
        cmocka_unit_test(functions_are_checked),
        cmocka_unit_test(every_flipped_bit_is_noticed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
