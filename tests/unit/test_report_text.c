/* The report for people, word for word: one golden file a property in tests/golden. HEDDLE_GOLDEN=write makes
 * them anew. */
#include "base/memory.h"
#include "report/arrange.h"
#include "support/results.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct report_options plain = {.schedules = true, .trace_path = "case.std"};

static char *read_golden(const char *path)
{
    FILE *file = fopen(path, "re");
    char *text = memory_new(1 << 16, 1);

    if (file) {
        size_t length = fread(text, 1, (1 << 16) - 1, file);
        text[length] = '\0';
        fclose(file);
    }
    return text;
}

static void assert_golden(const struct prepared *c, const struct report_options *options, const char *name)
{
    char path[1024];
    char *text = prepared_text(c, options);
    const char *mode = getenv("HEDDLE_GOLDEN");

    snprintf(path, sizeof path, "%s/%s.txt", GOLDEN, name);
    if (mode && strcmp(mode, "write") == 0) {
        FILE *file = fopen(path, "we");
        assert_non_null(file);
        fputs(text, file);
        fclose(file);
    }
    char *golden = read_golden(path);
    assert_string_equal(text, golden);
    free(golden);
    free(text);
}

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
                                  "T2|rel(lock)|counter.c:10\n"
                                  "T2|acq(lock)|counter.c:11\n"
                                  "T2|w(counter=2)|counter.c:12\n"
                                  "T2|rel(lock)|counter.c:13\n"
                                  "main|join(T1)|counter.c:22\n"
                                  "main|join(T2)|counter.c:23\n"
                                  "main|r(counter=2)|counter.c:24\n";

static const char two_writers[] = "main|fork(T1)|w.c:1\n"
                                  "main|fork(T2)|w.c:2\n"
                                  "T1|acq(lock)|w.c:10\n"
                                  "T1|w(mode=1)|w.c:11\n"
                                  "T1|rel(lock)|w.c:12\n"
                                  "T2|acq(lock)|w.c:20\n"
                                  "T2|w(mode=2)|w.c:21\n"
                                  "T2|rel(lock)|w.c:22\n"
                                  "main|join(T1)|w.c:3\n"
                                  "main|join(T2)|w.c:4\n"
                                  "main|r(mode=2)|w.c:5\n";

static void a_read_that_can_see_another_value(void **state)
{
    struct prepared c;

    (void)state;
    prepared_init(&c, lost_update);
    struct finding *f = prepared_add(&c, PROPERTY_NONDET, EVENTS(10, 7, 0), 2, TAIL(9, 10));
    f->count = 42;
    c.results.grouped = true;
    assert_golden(&c, &plain, "nondeterminism");
    prepared_free(&c);
}

/* The two sections of the lock change places, the rest follows. */
static void sections_that_change_places(void **state)
{
    struct prepared c;

    (void)state;
    prepared_init(&c, two_writers);
    prepared_add(&c, PROPERTY_NONDET, EVENTS(11, 7, 4), 2, TAIL(6, 7, 8, 3, 4, 5, 9, 10, 11));
    assert_golden(&c, &plain, "nondeterminism-swap");
    prepared_free(&c);
}

/* Two writes of one value: told last among the reads, and said to change nothing. */
static void values_that_differ_come_first(void **state)
{
    struct prepared c;

    (void)state;
    prepared_init(&c, "T1|w(x=5)|a.c:1\nT2|w(x=5)|a.c:2\nT3|r(x=5)|a.c:3\nT3|r(y=-3)|a.c:4\n"
                      "T2|w(y=name)|a.c:5\nT2|w(z)|a.c:6\nT3|r(z)|a.c:7\n");
    prepared_add(&c, PROPERTY_NONDET, EVENTS(3, 2, 1), 0, TAIL(1, 3));
    prepared_add(&c, PROPERTY_NONDET, EVENTS(4, 0, 5), 3, TAIL(5, 4));
    prepared_add(&c, PROPERTY_NONDET, EVENTS(7, 6, 0), 5, TAIL(7));
    findings_arrange(&c.results, &c.trace, NULL, NULL, false);
    assert_golden(&c, &plain, "nondeterminism-order");
    prepared_free(&c);
}

static void a_race(void **state)
{
    struct prepared c;

    (void)state;
    prepared_init(&c, "T1|acq(l)|r.c:1\nT1|w(x)|r.c:2\nT1|w(y)|r.c:3\nT1|rel(l)|r.c:4\nT2|acq(l)|r.c:5\n"
                      "T2|r(z)|r.c:6\nT2|rel(l)|r.c:7\nT2|r(y)|r.c:8\n");
    prepared_add(&c, PROPERTY_RACE, EVENTS(3, 8), 0, TAIL(5, 6, 7, 1, 2))->count_is_exact = false;
    c.results.grouped = true;
    assert_golden(&c, &plain, "race");
    prepared_free(&c);
}

static void an_unordered_pair(void **state)
{
    struct prepared c;

    (void)state;
    prepared_init(&c, "T1|w(x)|u.c:1\nT1|aw.rlx(f=1)|u.c:2\nT2|ar.rlx(f=1)|u.c:3\nT2|r(x)|u.c:4\n");
    prepared_add(&c, PROPERTY_UNORDERED, EVENTS(1, 4), 0, NO_TAIL);
    assert_golden(&c, &plain, "unordered");
    prepared_free(&c);
}

static void a_deadlock(void **state)
{
    struct prepared c;

    (void)state;
    prepared_init(&c, "T1|acq(a)|d.c:1\nT1|acq(b)|d.c:2\nT1|rel(b)|d.c:3\nT1|rel(a)|d.c:4\nT2|acq(b)|d.c:5\n"
                      "T2|acq(a)|d.c:6\nT2|rel(a)|d.c:7\nT2|rel(b)|d.c:8\n");
    prepared_add(&c, PROPERTY_DEADLOCK, EVENTS(2, 6), 1, TAIL(5));
    assert_golden(&c, &plain, "deadlock");
    prepared_free(&c);
}

/* More threads than fit abreast: every line is led by its thread. */
static void a_deadlock_of_many(void **state)
{
    struct prepared c;
    char text[4096] = "";
    uint32_t events[5];
    uint32_t tail[6] = {0};

    (void)state;
    for (unsigned i = 0; i < 5; i++) {
        sprintf(text + strlen(text),
                "philosopher%u|acq(fork%u)|p.c:1\nphilosopher%u|acq(fork%u)|p.c:2\nphilosopher%u|rel(fork%u)|p."
                "c:3\n"
                "philosopher%u|rel(fork%u)|p.c:4\n",
                i, i, i, (i + 1) % 5, i, (i + 1) % 5, i, i);
        events[i] = 4 * i + 2;
        tail[i] = 4 * i + 1;
    }
    prepared_init(&c, text);
    prepared_add(&c, PROPERTY_DEADLOCK, events, 5, 0, tail);
    assert_golden(&c, &plain, "deadlock-many");
    prepared_free(&c);
}

static void an_atomicity_violation(void **state)
{
    struct prepared c;

    (void)state;
    prepared_init(&c, "T1|begin|a.c:1\nT1|r(x=0)|a.c:2\nT1|w(x=1)|a.c:3\nT1|end|a.c:4\nT2|w(x=7)|a.c:5\n");
    prepared_add(&c, PROPERTY_ATOMICITY, EVENTS(2, 5, 3), 2, TAIL(5, 3));
    assert_golden(&c, &plain, "atomicity");
    prepared_free(&c);
}

static void another_final_state(void **state)
{
    struct prepared c;

    (void)state;
    prepared_init(&c, two_writers);
    prepared_add(&c, PROPERTY_FINAL, EVENTS(7, 4), 2, TAIL(6, 7, 8, 3, 4, 5, 9, 10, 11));
    assert_golden(&c, &plain, "final-state");
    prepared_free(&c);
}

static void blocks_of_the_observed_run(void **state)
{
    struct prepared c;

    (void)state;
    prepared_init(&c, "T1|dbegin(b)|b.c:1\nT1|fork(T2)|b.c:2\nT2|begin|b.c:3\nT1|acq(l)|b.c:4\nT1|r(x)|b.c:5\n"
                      "T1|rel(l)|b.c:6\nT2|acq(l)|b.c:7\nT2|w(x)|b.c:8\nT2|rel(l)|b.c:9\nT3|w(x)|b.c:10\n"
                      "T1|post(s)|b.c:11\nT2|semwait(s)|b.c:12\nT1|semwait(s)|b.c:13\nT2|r(x)|b.c:14\n"
                      "T2|end|b.c:15\nT1|join(T2)|b.c:16\nT1|dend(b)|b.c:17\n");
    prepared_add(&c, PROPERTY_DETERMINISM, EVENTS(1, 5, 8), 0, NO_TAIL);
    prepared_add(&c, PROPERTY_DETERMINISM, EVENTS(1, 6, 7), 0, NO_TAIL);
    prepared_add(&c, PROPERTY_DETERMINISM, EVENTS(1, 12, 13), 0, NO_TAIL);
    prepared_add(&c, PROPERTY_DETERMINISM, EVENTS(1, 10, 8, 10, 10, 14), 0, NO_TAIL);
    prepared_add(&c, PROPERTY_SERIALIZABILITY, EVENTS(3, 10, 8, 10, 10, 14), 0, NO_TAIL);
    assert_golden(&c, &plain, "blocks");
    prepared_free(&c);
}

static void nothing_found_comes_with_numbers(void **state)
{
    struct prepared c;

    (void)state;
    prepared_init(&c, lost_update);
    c.results.stats[PROPERTY_NONDET] = (struct property_stats){
        .checked = true, .subjects = 12004, .candidates = 3001, .refuted = {2900, 100, 1}, .seconds = 0.25};
    for (enum property p = PROPERTY_FINAL; p < PROPERTIES; p++)
        c.results.stats[p] = (struct property_stats){.checked = true, .subjects = 1};
    c.results.certified = 3;
    struct report_options options = plain;
    options.stats = true;
    assert_golden(&c, &options, "nothing-found");
    prepared_free(&c);
}

/* A program without blocks is not told that its blocks are fine. */
static void no_blocks_are_not_good_blocks(void **state)
{
    struct prepared c;

    (void)state;
    prepared_init(&c, "T1|w(x)|\n");
    c.results.stats[PROPERTY_ATOMICITY].checked = true;
    char *text = prepared_text(&c, &plain);
    assert_non_null(strstr(text, "no atomic blocks to check"));
    assert_null(strstr(text, "Atomic:"));
    free(text);
    prepared_free(&c);
}

static void assert_untold(struct prepared *c, const char *words)
{
    char *text = prepared_text(c, &plain);

    assert_null(strstr(text, words));
    free(text);
}

static void undecided_is_never_deterministic(void **state)
{
    struct prepared c;

    (void)state;
    prepared_init(&c, lost_update);
    c.results.complete = false;
    c.results.stats[PROPERTY_NONDET] = (struct property_stats){
        .checked = true, .subjects = 3, .candidates = 4, .refuted = {3}, .undecided = 1};
    c.results.stats[PROPERTY_RACE] = (struct property_stats){.checked = true, .subjects = 5};
    finding_add(&c.results.undecided, PROPERTY_NONDET, EVENTS(10, 7, 0), (struct schedule){0});
    assert_golden(&c, &plain, "undecided");

    c.results.idle_reads = 2; /* others may matter */
    assert_untold(&c, "No order-dependent read matters");
    c.results.interrupted = true;
    char *text = prepared_text(&c, &plain);
    assert_non_null(strstr(text, "Incomplete: the check was interrupted"));
    assert_non_null(strstr(text, "No problem found, but the check is incomplete"));
    assert_null(strstr(text, "Deterministic:"));
    free(text);
    assert_untold(&c, "No race predicted");
    prepared_free(&c);
}

/* What is undecided of problems leaves no all-clear but for the properties that were decided. */
static void undecided_problems_are_no_all_clear(void **state)
{
    struct prepared c;

    (void)state;
    prepared_init(&c, lost_update);
    c.results.complete = false;
    c.results.stats[PROPERTY_DEADLOCK] = (struct property_stats){.checked = true};
    c.results.stats[PROPERTY_RACE] = (struct property_stats){.checked = true, .undecided = 1};
    finding_add(&c.results.undecided, PROPERTY_RACE, EVENTS(4, 10), (struct schedule){0});
    char *text = prepared_text(&c, &plain);
    assert_non_null(strstr(text, "No problem found, but the check is incomplete"));
    assert_non_null(strstr(text, "Incomplete: some candidates of race remain undecided."));
    assert_non_null(strstr(text, "No race found, but not everything was decided: this is not an all-clear."));
    assert_non_null(strstr(text, "No deadlock predicted from this run."));
    free(text);
    finding_list_free(&c.results.undecided); /* incomplete for a reason that nobody knows */
    assert_untold(&c, "No deadlock predicted");
    prepared_free(&c);
}

/* A thousand events as observed take one line, and no run more than its share of the screen. */
static void a_long_prefix_is_left_out(void **state)
{
    struct prepared c;
    char *text;
    size_t length;
    FILE *to = open_memstream(&text, &length);

    (void)state;
    for (unsigned i = 0; i < 1000; i++)
        fprintf(to, "T1|w(v%u)|loop.c:%u\n", i % 7, i % 7);
    fprintf(to, "T1|w(x=1)|x.c:1\nT2|acq(l)|x.c:2\nT2|rel(l)|x.c:3\n");
    for (unsigned i = 0; i < 100; i++)
        fprintf(to, "T2|w(own)|x.c:4\n");
    fprintf(to, "T2|r(x=1)|x.c:5\n");
    fclose(to);
    prepared_init(&c, text);
    free(text);
    uint32_t tail[104] = {0};
    for (uint32_t i = 0; i < 103; i++)
        tail[i] = 1002 + i;
    prepared_add(&c, PROPERTY_NONDET, EVENTS(1104, 1001, 0), 1000, tail);
    assert_golden(&c, &plain, "long-prefix");

    text = prepared_text(&c, &plain);
    unsigned lines = 0;
    for (const char *at = text; (at = strchr(at, '\n')); at++)
        lines++;
    assert_in_range(lines, 1, 20);
    free(text);
    prepared_free(&c);
}

/* Hundreds of swapped lock operations: only the twenty that matter most are shown. */
static void many_swaps_are_cut(void **state)
{
    struct prepared c;
    char *text;
    size_t length;
    FILE *to = open_memstream(&text, &length);
    uint32_t tail[802] = {0};
    uint32_t used = 0;

    (void)state;
    fprintf(to, "T2|w(x)|s.c:0\n");
    for (unsigned i = 0; i < 200; i++)
        fprintf(to, "T1|acq(l)|s.c:1\nT1|rel(l)|s.c:2\n");
    for (unsigned i = 0; i < 200; i++)
        fprintf(to, "T2|acq(l)|s.c:3\nT2|rel(l)|s.c:4\n");
    fprintf(to, "T1|r(x)|s.c:5\n");
    fclose(to);
    prepared_init(&c, text);
    free(text);
    for (uint32_t i = 0; i < 400; i++)
        tail[used++] = 402 + i;
    for (uint32_t i = 0; i < 400; i++)
        tail[used++] = 2 + i;
    tail[used++] = 802;
    prepared_add(&c, PROPERTY_NONDET, EVENTS(802, 1, 0), 0, tail);
    text = prepared_text(&c, &plain);
    unsigned lines = 0;
    for (const char *at = text; (at = strchr(at, '\n')); at++)
        lines++;
    assert_in_range(lines, 20, 38);
    free(text);
    prepared_free(&c);
}

/* What a write carries in the possible run is made of what its thread reads there. */
static void values_are_those_of_the_run(void **state)
{
    struct prepared c;

    (void)state;
    prepared_init(&c, "T1|r(x=0)|a.c:1|by -\nT1|w(x=1)|a.c:2|by - from 1+1\nT2|r(x=1)|a.c:3|by -\n"
                      "T2|w(x=2)|a.c:4|by - from 3+1\nT2|w(y=7)|a.c:5|by - from 3\nT3|r(x=2)|a.c:6|by -\n");
    prepared_add(&c, PROPERTY_NONDET, EVENTS(6, 4, 4), 0, TAIL(3, 4, 5, 6));
    char *text = prepared_text(&c, &plain);
    assert_non_null(strstr(text, "reads x = 0"));
    assert_non_null(strstr(text, "writes x = 1"));
    assert_null(strstr(text, "writes y = 7"));
    free(text);
    prepared_free(&c);
}

/* A loop that polls: eighteen reads of the same take a line. */
static void equal_steps_are_folded(void **state)
{
    struct prepared c;
    char trace[2048] = "A|w(d)|p.c:1\n";

    (void)state;
    for (int i = 0; i < 18; i++)
        strcat(trace, "B|ar(flag=0)|p.c:7\n");
    strcat(trace, "B|ar(flag=1)|p.c:7\nB|r(d)|p.c:8\n");
    prepared_init(&c, trace);
    prepared_add(&c, PROPERTY_UNORDERED, EVENTS(1, 21), 0, NO_TAIL);
    char *text = prepared_text(&c, &plain);
    assert_non_null(strstr(text, "reads flag = 0 (atomic)  p.c:7  18 times\n"));
    assert_non_null(strstr(text, "reads flag = 1 (atomic)  p.c:7\n"));
    free(text);
    prepared_free(&c);
}

static void hostile_names_do_nothing(void **state)
{
    struct prepared c;

    (void)state;
    prepared_init(&c, "T\033[2J|w(x\xff\a)|\033]0;title\033\\.c\nT2|r(x\xff\a)|\xe2\x80\xae"
                      "cod.c\n");
    prepared_add(&c, PROPERTY_NONDET, EVENTS(2, 1, 0), 0, TAIL(2));
    struct report_options options = plain;
    options.trace_path = "it's \033[31m here.std";
    char *text = prepared_text(&c, &options);
    for (const char *at = text; *at; at++)
        assert_true((unsigned char)*at >= 0x20 || *at == '\n');
    assert_null(strstr(text, "\xe2\x80\xae"));
    assert_null(strchr(text, '\xff'));
    assert_non_null(strstr(text, "$'it\\'s \\033[31m here.std'"));
    free(text);

    /* Colours are the report's own. */
    options.color = true;
    text = prepared_text(&c, &options);
    assert_non_null(strstr(text, "\033[1m"));
    assert_null(strstr(text, "\033[2J"));
    free(text);
    prepared_free(&c);
}

/* A name of a hundred columns is cut in the picture and whole in the words. */
static void long_names_are_cut(void **state)
{
    struct prepared c;
    char text[1024];
    char name[101];

    (void)state;
    memset(name, 'n', 96);
    strcpy(name + 96, "\u00e4+8");
    sprintf(text, "T1|w(%s)|\nT2|r(%s)|\n", name, name);
    prepared_init(&c, text);
    prepared_add(&c, PROPERTY_NONDET, EVENTS(2, 1, 0), 0, TAIL(2));
    char *report = prepared_text(&c, &plain);
    assert_non_null(strstr(report, name));
    assert_non_null(strstr(report, "reads nnnnnnnnnnnnnnnnnnnnnn\u2026nnnnnnnnnnnn\u00e4+8"));
    free(report);
    prepared_free(&c);
}

static void the_rest_takes_a_line_each(void **state)
{
    struct prepared c;
    struct report_options options = plain;

    (void)state;
    prepared_init(&c, two_writers);
    prepared_add(&c, PROPERTY_NONDET, EVENTS(11, 7, 4), 2, TAIL(6, 7, 8, 3, 4, 5, 9, 10, 11))->count = 7;
    prepared_add(&c, PROPERTY_FINAL, EVENTS(7, 4), 2, TAIL(6, 7, 8, 3, 4, 5, 9, 10, 11))->count = 1200;
    options.most = 1;
    findings_arrange(&c.results, &c.trace, NULL, NULL, false);
    assert_golden(&c, &options, "most");
    prepared_free(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_read_that_can_see_another_value),
        cmocka_unit_test(sections_that_change_places),
        cmocka_unit_test(values_that_differ_come_first),
        cmocka_unit_test(a_race),
        cmocka_unit_test(an_unordered_pair),
        cmocka_unit_test(a_deadlock),
        cmocka_unit_test(a_deadlock_of_many),
        cmocka_unit_test(an_atomicity_violation),
        cmocka_unit_test(another_final_state),
        cmocka_unit_test(blocks_of_the_observed_run),
        cmocka_unit_test(nothing_found_comes_with_numbers),
        cmocka_unit_test(no_blocks_are_not_good_blocks),
        cmocka_unit_test(undecided_is_never_deterministic),
        cmocka_unit_test(undecided_problems_are_no_all_clear),
        cmocka_unit_test(a_long_prefix_is_left_out),
        cmocka_unit_test(many_swaps_are_cut),
        cmocka_unit_test(values_are_those_of_the_run),
        cmocka_unit_test(equal_steps_are_folded),
        cmocka_unit_test(hostile_names_do_nothing),
        cmocka_unit_test(long_names_are_cut),
        cmocka_unit_test(the_rest_takes_a_line_each),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
