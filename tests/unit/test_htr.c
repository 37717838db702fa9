/* The native format: what goes in comes out, whole files and files cut short. */
#include "base/memory.h"
#include "support/traces.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct trace load(const char *path)
{
    struct trace trace;
    struct error err;

    if (trace_load(&trace, path, &err) != HEDDLE_OK)
        fail_msg("%s", err.text);
    return trace;
}

static struct trace through_native(const struct trace *trace, unsigned features, size_t block)
{
    const char *path = scratch("through.htr");

    write_native(trace, path, features, block);
    return load(path);
}

static void check_round_trip(const char *text, size_t block)
{
    struct trace before = trace_of(text);
    struct trace after = through_native(&before, HTR_FEATURES, block);

    assert_int_equal(before.count, after.count);
    assert_same_events(&before, &after, before.count);
    for (int class = 0; class < NAME_CLASSES; class ++)
        assert_int_equal(trace_names(&before, class), trace_names(&after, class));
    char *one = text_of(&before), *other = text_of(&after);
    assert_string_equal(one, text);
    assert_string_equal(other, text);
    free(one);
    free(other);
    trace_free(&before);
    trace_free(&after);
}

/* Every block size makes other predictions and other name tables. */
static void random_traces_survive(void **state)
{
    static const size_t blocks[] = {1, 7, 100, 100000};

    (void)state;
    for (unsigned seed = 0; seed < 60; seed++) {
        char *text = scribble(seed, 10 + seed * 10);
        check_round_trip(text, blocks[seed % 4]);
        free(text);
    }
}

static void published_traces_survive(void **state)
{
    DIR *folder = opendir(TRACES_FOLDER);
    struct dirent *entry;
    char path[512];
    int seen = 0;

    (void)state;
    assert_non_null(folder);
    while ((entry = readdir(folder))) {
        if (!strstr(entry->d_name, ".std"))
            continue;
        snprintf(path, sizeof path, "%s/%s", TRACES_FOLDER, entry->d_name);
        struct bytes text = file_read(path);
        if (!strchr((char *)text.at, '#') && !strchr((char *)text.at, '\r'))
            check_round_trip((char *)text.at, 1000);
        free(text.at);
        seen++;
    }
    closedir(folder);
    assert_true(seen >= 12);
}

/* More than one block of the largest size. */
static void a_trace_of_many_blocks_survives(void **state)
{
    char *text = scribble(3, 2 * HTR_BLOCK_EVENTS + 100);

    (void)state;
    check_round_trip(text, SIZE_MAX);
    free(text);
}

static void parts_can_be_left_out(void **state)
{
    struct trace before = trace_of("main|w(count=5)|a.c:1\nmain|fork(kid)|a.c:2\nkid|acq(lock)|b.c:1\n"
                                   "kid|r(count=five)|b.c:2\nkid|begin(label)|\n");

    (void)state;
    for (unsigned features = 0; features <= HTR_FEATURES; features++) {
        struct trace after = through_native(&before, features, 2);
        assert_int_equal(after.count, before.count);
        for (size_t e = 1; e <= before.count; e++) {
            assert_int_equal(after.op[e], before.op[e]);
            assert_int_equal(after.thread[e], before.thread[e]);
            assert_int_equal(after.arg[e], before.arg[e]);
            assert_int_equal(after.location[e], features & HTR_LOCATIONS ? before.location[e] : NAME_NONE);
        }
        assert_string_equal(trace_name(&after, NAME_THREAD, 1), features & HTR_NAMES ? "kid" : "T1");
        assert_string_equal(trace_name(&after, NAME_VARIABLE, 0), features & HTR_NAMES ? "count" : "x0");
        assert_string_equal(trace_name(&after, NAME_BLOCK, 0), features & HTR_NAMES ? "label" : "block0");
        assert_int_equal(after.value != NULL, (features & HTR_VALUES) != 0);
        if (features & HTR_VALUES) {
            assert_int_equal(after.value[1], 5);
            assert_int_equal(after.value_tag[4], VALUE_NAME);
            assert_string_equal(trace_name(&after, NAME_VALUE, 0), "five");
        }
        trace_free(&after);
    }
    trace_free(&before);
}

/* A place in the code that stands on the same reads each time costs next to nothing. */
static void grounds_that_repeat_are_small(void **state)
{
    enum { ROUNDS = 2000 };
    char *plain = memory_new(ROUNDS, 128), *grounded = memory_new(ROUNDS, 128);
    size_t lengths[2] = {0};

    (void)state;
    for (size_t i = 0; i < ROUNDS; i++) {
        static const char *const lines[] = {"T%zu|r(x)|a.c:1", "T%zu|w(x)|a.c:1", "T%zu|r(f)|a.c:2",
                                            "T%zu|acq(l%zu)|a.c:3", "T%zu|rel(l%zu)|a.c:4"};
        size_t t = i / 7 % 3, before = 5 * i;
        for (size_t k = 0; k < 5; k++) {
            char line[64];
            snprintf(line, sizeof line, lines[k], t, t);
            lengths[0] += (size_t)sprintf(plain + lengths[0], "%s\n", line);
            lengths[1] += (size_t)sprintf(grounded + lengths[1], "%s", line);
            if (k == 1)
                lengths[1] += (size_t)sprintf(grounded + lengths[1], "|by - from %zu+1", before + 1);
            if (k == 3)
                lengths[1] += (size_t)sprintf(grounded + lengths[1], "|by %zu[..-1;1..]", before + 3);
            lengths[1] += (size_t)sprintf(grounded + lengths[1], "\n");
        }
    }
    struct trace without = trace_of(plain), with = trace_of(grounded);
    assert_true(grounds_count(with.ground_pool) < 10);
    write_native(&without, scratch("plain.htr"), HTR_USUAL, SIZE_MAX);
    write_native(&with, scratch("grounded.htr"), HTR_FEATURES, SIZE_MAX);
    struct bytes a = file_read(scratch("plain.htr")), b = file_read(scratch("grounded.htr"));
    assert_true(b.count < a.count + ROUNDS * 2 / 8); /* less than a bit an event with grounds */
    free(a.at);
    free(b.at);
    trace_free(&without);
    trace_free(&with);
    free(plain);
    free(grounded);
}

/* A sum costs next to nothing, whatever is added: the values tell. Where they do not, it is written out. */
static void sums_are_small(void **state)
{
    enum { ROUNDS = 2000 };
    char *text = memory_new(ROUNDS, 96);
    size_t length = 0, lengths[2];

    (void)state;
    for (size_t i = 0, sum = 0; i < ROUNDS; i++) {
        size_t more = i * i % 1009 + i;
        length += (size_t)sprintf(text + length, "T|r(x=%zu)|a.c:1\nT|w(x=%zu)|a.c:1|from %zu%+zd\n", sum,
                                  sum + more, 2 * i + 1, (ssize_t)more);
        sum += more;
    }
    for (unsigned differences = 0; differences < 2; differences++) {
        struct trace before = trace_of(text);
        struct trace after =
            through_native(&before, HTR_USUAL | HTR_GROUNDS | (differences ? HTR_DIFFERENCES : 0), 500);
        struct bytes file = file_read(scratch("through.htr"));
        lengths[differences] = file.count;
        for (uint32_t e = 2; e <= 2 * ROUNDS; e += 2)
            assert_int_equal(trace_from(&after, e).items[0].offset, trace_from(&before, e).items[0].offset);
        free(file.at);
        trace_free(&after);
        trace_free(&before);
    }
    assert_true(lengths[1] + ROUNDS < lengths[0]);
    free(text);
    check_round_trip("T|r(x=7)|\nT|rmw(y=9)||from 1+2\nT|rmw(y=12)||from 3+3\nT|w(x=13)||from 2+4\n", 1);
    check_round_trip("#type x i8\nT|r(x=127)|\nT|w(x=-128)||from 1+1\nT|r(y)|\nT|w(y=4)||from 3+4\n", 1);
}

static void types_and_the_end_of_the_run_are_kept(void **state)
{
    static const char *const texts[] = {
        "#type x i32\n#type z u64\nT|w(x=1)|\nT|r(y=1)|\nT|w(z=2)||from 2+1\n#end signal 11\n",
        "T|seminit(s=3)|\nT|cas.ar(x)||from 2\nT|exit||by 2\n#end deadlock\n#wait T|lock b|x.c:7|U\n",
        "T|w(x)|\n#end assertion x.c:3: n > 0\n#incomplete one reason\n#incomplete another\n",
        "T|w(x)|\n#end exception\n",
        "T|r(x)|\nT|w(x)|\nT|rmw(x)|\n#output 1\n#output 3\n#end exit 1\n",
        "T|w(x)|\n#end hang\n",
        "T|w(x)|\n#end exit 0\n",
    };

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        check_round_trip(texts[i], 1);
}

/* A native file may hold grounds that contradict its values; that is told by event. */
static void grounds_must_agree_with_values(void **state)
{
    struct trace before = trace_of("T|r(x=1)|\nT|w(x=2)||from 1+1\n"), after;
    const char *path = scratch("disagree.htr");
    struct error err;

    (void)state;
    before.value[2] = 3;
    write_native(&before, path, HTR_FEATURES, 10);
    assert_int_equal(trace_load(&after, path, &err), HEDDLE_BAD_TRACE);
    assert_string_equal(err.text + strlen(path),
                        ": event 2: from says read 1+1, which is 2, but another value was written");
    trace_free(&after);
    trace_free(&before);
}

static void functions_are_kept_and_add_up(void **state)
{
    static const char *const places[] = {"a.c:3 f", "a.c:9 g", "b.c:1 f", "a.c:20 f"};
    struct trace before = trace_of("A|w(x)|a.c:4 f\n"), after;
    const char *path = scratch("functions.htr");
    struct htr_writer *writer;
    struct names more;
    struct error err;

    (void)state;
    names_init(&more);
    for (size_t i = 0; i < 4; i++)
        names_add(i < 2 ? &before.functions : &more, places[i], strlen(places[i]));
    assert_int_equal(htr_create(&writer, path, HTR_FEATURES, before.names, &err), HEDDLE_OK);
    htr_functions(writer, &before.functions);
    struct event e = trace_event(&before, 1);
    htr_append(writer, &e);
    htr_functions(writer, &more);
    assert_int_equal(htr_close(writer, &err), HEDDLE_OK);
    assert_int_equal(trace_load(&after, path, &err), HEDDLE_OK);
    assert_int_equal(names_count(&after.functions), 4);
    for (uint32_t i = 0; i < 4; i++)
        assert_string_equal(names_text(&after.functions, i), places[i]);
    names_free(&more);
    trace_free(&before);
    trace_free(&after);
}

static void the_origin_is_kept_and_the_last_counts(void **state)
{
    struct trace empty = trace_of("# nothing\n");
    struct trace_origin first = {1, 2, "old", false}, last = {UINT64_MAX, 7, "prog --flag \"x y\"", true};
    struct htr_writer *writer;
    struct error err;
    const char *path = scratch("origin.htr");

    (void)state;
    assert_int_equal(htr_create(&writer, path, HTR_FEATURES, empty.names, &err), HEDDLE_OK);
    htr_origin(writer, &first);
    htr_origin(writer, &last);
    assert_int_equal(htr_close(writer, &err), HEDDLE_OK);
    struct trace after = load(path);
    assert_int_equal(after.count, 0);
    assert_true(after.origin.dropped_variables == UINT64_MAX);
    assert_int_equal(after.origin.dropped_events, 7);
    assert_string_equal(after.origin.program, "prog --flag \"x y\"");
    assert_true(after.origin.binary);
    assert_null(after.note);
    trace_free(&after);
    trace_free(&empty);
}

/* A recorder may know names that no event uses: they stay out. */
static void only_used_names_are_written(void **state)
{
    struct trace before = trace_of("T|w(x)|a\nT|w(y)|b\n");

    (void)state;
    names_add(&before.names[NAME_VARIABLE], "unused", 6);
    struct trace after = through_native(&before, HTR_FEATURES, 10);
    assert_int_equal(trace_names(&after, NAME_VARIABLE), 2);
    trace_free(&before);
    trace_free(&after);
}

/* Names with characters that the text reserves go out escaped and no two alike. */
static void reserved_characters_are_escaped_in_text(void **state)
{
    static const char *const variables[] = {"a|b", "a%7Cb", "p(1)", "n\nl", "q=1", "a|b_"};
    static const char written[] = "%23t|w(a%7Cb%)|%7C\r\r\n"
                                  "%23t|w(a%7Cb)|%7C\r\r\n"
                                  "%23t|w(p%281%29)|%7C\r\r\n"
                                  "%23t|w(n%0Al)|%7C\r\r\n"
                                  "%23t|w(q%3D1)|%7C\r\r\n"
                                  "%23t|w(a%7Cb_)|%7C\r\r\n";
    struct trace t;

    (void)state;
    trace_init(&t);
    names_add(&t.names[NAME_THREAD], "#t", 2);
    names_add(&t.names[NAME_LOCATION], "|\r", 2);
    for (uint32_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        names_add(&t.names[NAME_VARIABLE], variables[i], strlen(variables[i]));
        struct event e = {.op = op_make(EVENT_WRITE, ORDER_NONE), .arg = i};
        trace_append(&t, &e);
    }
    char *text = text_of(&t);
    assert_string_equal(text, written);
    struct trace again = trace_of(text);
    assert_int_equal(again.count, t.count);
    assert_int_equal(trace_names(&again, NAME_VARIABLE), trace_names(&t, NAME_VARIABLE));
    free(text);
    trace_free(&again);
    trace_free(&t);
}

/* A name may begin like a compressed file; its text must not. */
static void text_is_never_taken_for_a_compressed_file(void **state)
{
    struct trace t = trace_of("\x1f\x8b|w(x)|\n"), again;
    const char *path = scratch("text_of.std");
    struct error err;
    char *text = text_of(&t);

    (void)state;
    assert_string_equal(text, "\n\x1f\x8b|w(x)|\n");
    assert_int_equal(trace_load(&again, path, &err), HEDDLE_OK);
    assert_int_equal(again.count, 1);
    free(text);
    trace_free(&again);
    trace_free(&t);
}

/* Every length of a file of several blocks: inside the header a refusal, later the whole blocks and a note. */
static void every_cut_gives_the_whole_blocks(void **state)
{
    enum { BLOCK = 20 };
    char *text = scribble(6, 90);
    struct trace whole = trace_of(text);
    const char *path = scratch("cut.htr");
    size_t last_count = 0, grew = 0;

    (void)state;
    write_native(&whole, path, HTR_FEATURES, BLOCK);
    struct bytes file = file_read(path);
    for (size_t length = 1; length <= file.count; length++) {
        struct trace part;
        struct error err;
        enum status status = trace_parse(&part, "cut.htr", (char *)file.at, length, &err);
        if (length < HTR_HEADER_SIZE) {
            assert_int_equal(status, HEDDLE_BAD_TRACE);
            assert_string_equal(err.text, "cut.htr: the file ends inside its header");
        } else {
            assert_int_equal(status, HEDDLE_OK);
            assert_true(part.count % BLOCK == 0 || part.count == whole.count);
            assert_true(part.count >= last_count);
            grew += part.count > last_count;
            last_count = part.count;
            assert_same_events(&part, &whole, part.count);
            assert_int_equal(part.note == NULL, length == file.count);
            if (part.note) {
                char expected[64];
                snprintf(expected, sizeof expected, "the file stops before its end after event %zu (",
                         part.count);
                assert_memory_equal(part.note, expected, strlen(expected));
            }
        }
        trace_free(&part);
    }
    assert_int_equal(last_count, whole.count);
    assert_int_equal(grew, (whole.count + BLOCK - 1) / BLOCK);
    free(file.at);
    trace_free(&whole);
    free(text);
}

/* What was flushed is in the file before it is closed. */
static void flushed_events_are_on_disk(void **state)
{
    struct trace t = trace_of("T|w(x)|a\nT|w(x)|a\nT|w(x)|a\n");
    const char *path = scratch("flushed.htr");
    struct htr_writer *writer;
    struct error err;

    (void)state;
    assert_int_equal(htr_create(&writer, path, HTR_FEATURES, t.names, &err), HEDDLE_OK);
    for (size_t number = 1; number <= 3; number++) {
        struct event e = trace_event(&t, number);
        htr_append(writer, &e);
        if (number == 2)
            htr_flush(writer);
    }
    struct trace part = load(path);
    assert_int_equal(part.count, 2);
    assert_non_null(part.note);
    trace_free(&part);
    assert_int_equal(htr_close(writer, &err), HEDDLE_OK);
    struct trace whole = load(path);
    assert_int_equal(whole.count, 3);
    assert_null(whole.note);
    trace_free(&whole);
    trace_free(&t);
}

/* Without names a block may not claim more objects than any reader will make up. */
static void too_many_unnamed_objects_are_refused_when_written(void **state)
{
    struct trace t = trace_of("T|w(x)|\n");
    const char *path = scratch("unnamed.htr");
    struct htr_writer *writer;
    struct error err;
    char expected[256];

    (void)state;
    struct event e = {.op = op_make(EVENT_WRITE, ORDER_NONE), .arg = HTR_UNNAMED};
    assert_int_equal(htr_create(&writer, path, 0, t.names, &err), HEDDLE_OK);
    htr_append(writer, &e);
    assert_int_equal(htr_close(writer, &err), HEDDLE_UNSUPPORTED);
    snprintf(expected, sizeof expected, "%s: too many objects at once to leave their names out", path);
    assert_string_equal(err.text, expected);
    trace_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_traces_survive),
        cmocka_unit_test(published_traces_survive),
        cmocka_unit_test(a_trace_of_many_blocks_survives),
        cmocka_unit_test(parts_can_be_left_out),
        cmocka_unit_test(the_origin_is_kept_and_the_last_counts),
        cmocka_unit_test(functions_are_kept_and_add_up),
        cmocka_unit_test(grounds_that_repeat_are_small),
        cmocka_unit_test(sums_are_small),
        cmocka_unit_test(types_and_the_end_of_the_run_are_kept),
        cmocka_unit_test(grounds_must_agree_with_values),
        cmocka_unit_test(only_used_names_are_written),
        cmocka_unit_test(reserved_characters_are_escaped_in_text),
        cmocka_unit_test(text_is_never_taken_for_a_compressed_file),
        cmocka_unit_test(every_cut_gives_the_whole_blocks),
        cmocka_unit_test(flushed_events_are_on_disk),
        cmocka_unit_test(too_many_unnamed_objects_are_refused_when_written),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
