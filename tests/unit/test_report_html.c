/* The data inside an HTML report: nothing breaks out of it, runs are whole, source lines are the right ones. */
#include "random/generate.h"
#include "report/group.h"
#include "report/html/html_parts.h"
#include "support/results.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static const struct report_options plain = {.trace_path = "case.std"};

static const char lost_update[] = "main|fork(T1)|counter.c:20\n"
                                  "main|fork(T2)|counter.c:21\n"
                                  "T1|acq(lock)|counter.c:8\n"
                                  "T1|r(counter=0)|counter.c:9\n"
                                  "T1|rel(lock)|counter.c:10\n"
                                  "T1|acq(lock)|counter.c:11\n"
                                  "T1|w(counter=1)|counter.c:12\n"
                                  "T1|rel(lock)|counter.c:13\n"
                                  "T2|acq(lock)|counter.c:8\n"
                                  "T2|r(counter=1)|counter.c:9\n"
                                  "T2|rel(lock)|counter.c:10\n";

static void prepare_lost_update(struct prepared *c)
{
    prepared_init(c, lost_update);
    prepared_add(c, PROPERTY_NONDET, EVENTS(10, 7, 0), 5, TAIL(9, 10));
    group_findings(&c->results, &c->trace);
}

static const json_t *finding_at(const json_t *root, size_t i)
{
    return json_array_get(json_object_get(json_object_get(root, "findings"), "list"), i);
}

static const char *text_of(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

static void a_run_holds_each_event_once(void **state)
{
    struct prepared c;
    (void)state;
    prepare_lost_update(&c);
    char *page = prepared_html(&c, &plain);
    json_t *root = page_report(page);
    const json_t *finding = finding_at(root, 0);
    char *observed = json_dumps(json_object_get(json_object_get(finding, "observed"), "items"), JSON_COMPACT);
    char *witness = json_dumps(json_object_get(finding, "witness"), JSON_COMPACT);
    char *sections = json_dumps(json_object_get(finding, "sections"), JSON_COMPACT);

    assert_string_equal(text_of(finding, "id"), "N1");
    assert_string_equal(text_of(finding, "title"), "Nondeterministic read: counter can be 0 instead of 1");
    /* A stretch: how many events, then those that can be unfolded. */
    assert_string_equal(observed, "[[3,1,2,3],4,5,6,7,8,9,10,11]");
    assert_string_equal(witness, "{\"length\":7,\"prefix\":5,\"items\":[[3,1,2,3],4,5,9,10],\"values\":{\"10\":"
                                 "\"0\"},\"marks\":{\"10\":\"sees the initial value, not event 7\"}}");
    /* Acquire, release, and where they are in the other run. */
    assert_string_equal(sections, "[[9,11,6,0],[6,8,0,0]]");
    free(observed);
    free(witness);
    free(sections);
    json_decref(root);
    free(page);
    prepared_free(&c);
}

static void long_stretches_are_cut(void **state)
{
    struct buffer text = {0};
    struct prepared c;
    (void)state;

    for (int i = 0; i < 500; i++)
        buffer_text(&text, "A|w(other)|a.c:1\n");
    buffer_text(&text, "A|w(x)|a.c:2\nB|r(x)|b.c:1\n");
    buffer_bytes(&text, "", 1);
    prepared_init(&c, text.text);
    prepared_add(&c, PROPERTY_NONDET, EVENTS(502, 501, 0), 500, TAIL(502));
    char *page = prepared_html(&c, &plain);
    json_t *root = page_report(page);
    json_t *items = json_object_get(json_object_get(finding_at(root, 0), "witness"), "items");
    json_t *gap = json_array_get(items, 0);
    assert_int_equal(json_array_size(items), 2);
    assert_int_equal(json_integer_value(json_array_get(gap, 0)), 500);
    assert_int_equal(json_array_size(gap), 1 + PAGE_GAP_MOST);
    assert_int_equal(json_integer_value(json_array_get(gap, 1)), 1);
    assert_int_equal(json_integer_value(json_array_get(gap, PAGE_GAP_MOST)), 500);
    json_decref(root);
    free(page);
    prepared_free(&c);
    buffer_free(&text);
}

/* Names as a hostile trace may have them: none ends the element, and all come back as they were. */
static void names_stay_inside(void **state)
{
    struct prepared c;
    (void)state;

    prepared_init(&c, "</script><b>|w(<!--<script>&\"'\\)|a.c:1\nB|r(<!--<script>&\"'\\)|]]>\xe2\x80\xa8\n");
    prepared_add(&c, PROPERTY_RACE, EVENTS(1, 2), 0, NO_TAIL);
    char *page = prepared_html(&c, &plain);
    const char *data = strstr(page, "id=\"report\">") + strlen("id=\"report\">");
    size_t length = (size_t)(strstr(data, "</script>") - data);
    json_t *root = page_report(page);

    assert_null(memchr(data, '<', length));
    assert_null(memchr(data, '>', length));
    assert_null(memchr(data, '&', length));
    assert_null(memmem(data, length, "\xe2\x80\xa8", 3));
    assert_string_equal(text_of(finding_at(root, 0), "variable"), "<!--<script>&\"'\\");
    assert_string_equal(text_of(json_object_get(root, "threads"), "0"), "</script><b>");
    json_decref(root);
    free(page);
    prepared_free(&c);
}

static void write_file(const char *path, const char *text, size_t length)
{
    FILE *to = fopen(path, "we");

    assert_non_null(to);
    fwrite(text, 1, length, to);
    fclose(to);
}

/* A race between two lines of a file; returns the page's data about the file. */
static json_t *source_shown(const char *file, json_t **root)
{
    char trace[512];
    struct prepared c;

    snprintf(trace, sizeof trace, "A|w(x)|%s:2 f\nB|w(x)|%s:30 g\n", file, file);
    prepared_init(&c, trace);
    prepared_add(&c, PROPERTY_RACE, EVENTS(1, 2), 0, NO_TAIL);
    char *page = prepared_html(&c, &plain);
    *root = page_report(page);
    free(page);
    prepared_free(&c);
    return json_array_get(json_object_get(*root, "sources"), 0);
}

static void lines_around_events_are_shown(void **state)
{
    struct buffer text = {0};
    json_t *root;
    (void)state;

    for (int i = 1; i <= 40; i++) {
        buffer_text(&text, "line ");
        buffer_number(&text, (uint64_t)i);
        buffer_text(&text, i == 3 ? "\t\xe2\x80\xae\xff\r\n" : "\n");
    }
    write_file("shown.c", text.text, text.text_count);
    write_file("shown.txt", text.text, text.text_count);
    buffer_free(&text);

    json_t *lines = json_object_get(source_shown("shown.c", &root), "lines");
    assert_int_equal(json_array_size(lines), 2);
    assert_int_equal(json_integer_value(json_array_get(json_array_get(lines, 0), 0)), 1);
    assert_int_equal(json_array_size(json_array_get(lines, 0)), 1 + 7); /* lines 1 to 7 */
    assert_string_equal(json_string_value(json_array_get(json_array_get(lines, 0), 3)),
                        "line 3    \u27e8U+202E\u27e9\ufffd");
    assert_int_equal(json_integer_value(json_array_get(json_array_get(lines, 1), 0)), 25);
    assert_int_equal(json_array_size(json_array_get(lines, 1)), 1 + 11); /* lines 25 to 35 */
    json_decref(root);

    /* Not a source file by its name, not there, not a file. */
    assert_null(json_object_get(source_shown("shown.txt", &root), "lines"));
    json_decref(root);
    assert_null(json_object_get(source_shown("missing.c", &root), "lines"));
    json_decref(root);
    assert_int_equal(mkdir("folder.c", 0700), 0);
    assert_null(json_object_get(source_shown("folder.c", &root), "lines"));
    json_decref(root);
    rmdir("folder.c");
    unlink("shown.c");
    unlink("shown.txt");
}

/* Whatever bytes a source file has, and whichever lines are asked for: the page's data is JSON. */
static void any_bytes_make_source(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        uint64_t numbers = seed;
        char text[600];
        size_t length = random_below(&numbers, sizeof text);
        json_t *root;

        for (size_t i = 0; i < length; i++)
            text[i] = (char)(random_below(&numbers, 4) == 0 ? '\n' : random_below(&numbers, 256));
        write_file("bytes.c", text, length);
        source_shown("bytes.c", &root);
        json_decref(root);
    }
    unlink("bytes.c");
}

static void replays_leave_notes(void **state)
{
    static const struct finding_note notes[] = {{.confirmed = CONFIRMED_YES, .outcome = "crashed: signal 6"}};
    struct report_options options = {.trace_path = "case.std", .notes = notes};
    struct prepared c;
    (void)state;

    prepare_lost_update(&c);
    char *page = prepared_html(&c, &options);
    json_t *root = page_report(page);
    assert_true(json_is_true(json_object_get(finding_at(root, 0), "confirmed")));
    assert_string_equal(text_of(finding_at(root, 0), "outcome"), "crashed: signal 6");
    json_decref(root);
    free(page);
    page = prepared_html(&c, &plain);
    root = page_report(page);
    assert_null(json_object_get(finding_at(root, 0), "confirmed"));
    json_decref(root);
    free(page);
    prepared_free(&c);
}

static void a_full_disk_is_an_error(void **state)
{
    struct prepared c;
    struct error err;
    FILE *full = fopen("/dev/full", "we");
    (void)state;

    assert_non_null(full);
    prepare_lost_update(&c);
    assert_int_equal(report_html(&c.results, &c.model, &plain, full, &err), HEDDLE_IO);
    fclose(full);
    prepared_free(&c);
}

/* Files are read from where the program runs: a folder of its own. */
static int enter_folder(void **state)
{
    static char folder[] = "/tmp/heddle-html-XXXXXX";

    *state = mkdtemp(folder);
    return *state ? chdir(*state) : -1;
}

static int leave_folder(void **state)
{
    return chdir("/") != 0 || rmdir(*state) != 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_holds_each_event_once), cmocka_unit_test(long_stretches_are_cut),
        cmocka_unit_test(names_stay_inside),           cmocka_unit_test(lines_around_events_are_shown),
        cmocka_unit_test(any_bytes_make_source),       cmocka_unit_test(replays_leave_notes),
        cmocka_unit_test(a_full_disk_is_an_error),
    };

    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
