/* What the model says of small traces, worked out by hand: threads, accesses, sources, sections, holds. */
#include "model/model.h"
#include "support/traces.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct built {
    struct trace trace;
    struct model m;
};

static struct built *build(const char *text)
{
    struct built *b = malloc(sizeof *b);
    struct error err;

    b->trace = trace_of(text);
    assert_int_equal(model_build(&b->m, &b->trace, &err), HEDDLE_OK);
    return b;
}

static void discard(struct built *b)
{
    model_free(&b->m);
    trace_free(&b->trace);
    free(b);
}

static void events_are_listed_by_thread(void **state)
{
    struct built *b = build("A|w(x)|\nB|w(x)|\nA|r(x)|\nA|fork(C)|\nB|r(x)|\n");
    static const uint32_t positions[] = {0, 0, 1, 2, 1};
    static const event_id of_a[] = {1, 3, 4}, of_b[] = {2, 5};

    (void)state;
    assert_int_equal(b->m.event_count, 5);
    assert_int_equal(b->m.thread_count, 3);
    assert_int_equal(thread_length(&b->m, 0), 3);
    assert_int_equal(thread_length(&b->m, 1), 2);
    assert_int_equal(thread_length(&b->m, 2), 0);
    for (event_id e = 1; e <= 5; e++)
        assert_int_equal(b->m.position[e], positions[e - 1]);
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(event_at(&b->m, 0, i), of_a[i]);
    for (uint32_t i = 0; i < 2; i++)
        assert_int_equal(event_at(&b->m, 1, i), of_b[i]);
    discard(b);
}

static void reads_have_the_last_write_as_source(void **state)
{
    struct built *b = build("A|r(x)|\nA|w(x)|\nB|ar(x)|\nB|rmw(x)|\nA|rmw(x)|\nA|r(y)|\nB|aw.rel(y)|\nA|r(y)|\n"
                            "A|acq(x)|\n");
    static const event_id sources[] = {EVENT_INIT, EVENT_NONE, 2, 2, 4, EVENT_INIT, EVENT_NONE, 7, EVENT_NONE};
    static const event_id of_x[] = {1, 2, 3, 4, 5}, of_y[] = {6, 7, 8};

    (void)state;
    assert_int_equal(b->m.source[EVENT_INIT], EVENT_NONE);
    for (event_id e = 1; e <= 9; e++)
        assert_int_equal(b->m.source[e], sources[e - 1]);
    assert_int_equal(accesses_of(&b->m, 0).count, 5);
    assert_memory_equal(accesses_of(&b->m, 0).events, of_x, sizeof of_x);
    assert_int_equal(accesses_of(&b->m, 1).count, 3);
    assert_memory_equal(accesses_of(&b->m, 1).events, of_y, sizeof of_y);
    discard(b);
}

static void check_section(const struct model *m, uint32_t lock, uint32_t index, struct section expected)
{
    assert_true(index < m->section_start[lock + 1] - m->section_start[lock]);
    const struct section *s = &m->sections[m->section_start[lock] + index];

    assert_int_equal(s->acquire, expected.acquire);
    assert_int_equal(s->release, expected.release);
    assert_int_equal(s->owner, expected.owner);
    assert_int_equal(s->shared, expected.shared);
    assert_int_equal(section_lock(s), lock);
}

static void sections_skip_reentrant_pairs(void **state)
{
    struct built *b = build("A|acq(l)|\nA|acq(l)|\nA|rel(l)|\nA|rel(l)|\nB|acq(m)|\nB|acq(l)|\nB|rel(l)|\n");

    (void)state;
    assert_int_equal(b->m.lock_count, 2);
    assert_int_equal(b->m.section_start[1], 2);
    assert_int_equal(b->m.section_start[2], 3);
    check_section(&b->m, 0, 0, (struct section){.acquire = 1, .release = 4, .owner = 0, .shared = false});
    check_section(&b->m, 0, 1, (struct section){.acquire = 6, .release = 7, .owner = 1, .shared = false});
    check_section(&b->m, 1, 0,
                  (struct section){
                      .acquire = 5, .release = EVENT_NONE, .owner = 1, .shared = false}); /* never given back */
    discard(b);
}

static void sections_of_readers_overlap(void **state)
{
    struct built *b =
        build("A|racq(l)|\nB|racq(l)|\nA|racq(l)|\nA|rrel(l)|\nA|rrel(l)|\nB|rrel(l)|\nA|acq(l)|\n");

    (void)state;
    check_section(&b->m, 0, 0, (struct section){.acquire = 1, .release = 5, .owner = 0, .shared = true});
    check_section(&b->m, 0, 1, (struct section){.acquire = 2, .release = 6, .owner = 1, .shared = true});
    check_section(&b->m, 0, 2,
                  (struct section){.acquire = 7, .release = EVENT_NONE, .owner = 0, .shared = false});
    discard(b);
}

/* The modes of one thread nest freely: an upgrade and what is left of it are two sections. */
static void an_upgrade_makes_a_section_of_each_mode(void **state)
{
    struct built *b = build("A|racq(l)|\nA|acq(l)|\nA|rrel(l)|\nA|rel(l)|\n");

    (void)state;
    check_section(&b->m, 0, 0, (struct section){.acquire = 1, .release = 3, .owner = 0, .shared = true});
    check_section(&b->m, 0, 1, (struct section){.acquire = 2, .release = 4, .owner = 0, .shared = false});
    discard(b);
}

/* "acquire acquire …" of the sections open just before event e, innermost first. */
static const char *holds_before(const struct model *m, event_id e)
{
    static char text[256];
    size_t used = 0;

    text[0] = '\0';
    for (uint32_t h = model_hold_at(m, thread_of(m, e), m->position[e]); h != HOLD_NONE; h = m->holds[h].outer)
        used +=
            (size_t)snprintf(text + used, sizeof text - used, "%u ", m->sections[m->holds[h].section].acquire);
    return text;
}

static void holds_are_what_is_open(void **state)
{
    struct built *b = build("A|acq(l)|\nA|acq(m)|\nB|w(x)|\nA|acq(m)|\nA|rel(m)|\nA|w(x)|\nA|rel(m)|\nA|w(x)|\n"
                            "A|rel(l)|\nA|w(x)|\n");

    (void)state;
    assert_string_equal(holds_before(&b->m, 1), "");
    assert_string_equal(holds_before(&b->m, 2), "1 ");
    assert_string_equal(holds_before(&b->m, 3), ""); /* another thread */
    assert_string_equal(holds_before(&b->m, 4), "2 1 ");
    assert_string_equal(holds_before(&b->m, 6), "2 1 "); /* the inner pair changed nothing */
    assert_string_equal(holds_before(&b->m, 8), "1 ");
    assert_string_equal(holds_before(&b->m, 10), "");
    discard(b);
}

static void crossing_sections_leave_the_others_open(void **state)
{
    struct built *b =
        build("A|acq(k)|\nA|acq(l)|\nA|racq(m)|\nA|acq(n)|\nA|rel(l)|\nA|w(x)|\nA|rel(k)|\nA|w(x)|\n"
              "A|rel(n)|\nA|w(x)|\n");

    (void)state;
    assert_string_equal(holds_before(&b->m, 5), "4 3 2 1 ");
    assert_string_equal(holds_before(&b->m, 6), "4 3 1 ");
    assert_string_equal(holds_before(&b->m, 8), "4 3 ");
    assert_string_equal(holds_before(&b->m, 10), "3 ");
    discard(b);
}

/* The first of very many nested locks is given back first: no stack grows with it. */
static void deep_chains_are_no_trouble(void **state)
{
    enum { DEEP = 200000 };
    char *text = malloc(DEEP * 20 + 40), *at = text;

    (void)state;
    for (int i = 0; i < DEEP; i++)
        at += sprintf(at, "A|acq(l%d)|\n", i);
    strcpy(at, "A|rel(l0)|\nA|w(x)|\n");
    struct built *b = build(text);
    uint32_t h = model_hold_at(&b->m, 0, DEEP + 1), count = 0;
    for (; h != HOLD_NONE; h = b->m.holds[h].outer, count++)
        assert_int_equal(b->m.sections[b->m.holds[h].section].acquire, DEEP - count);
    assert_int_equal(count, DEEP - 1);
    discard(b);
    free(text);
}

/* Takes by an exchange that a waiter repeats: the next event asks for the free value, or for more. */
static void a_take_may_be_told_by_what_it_saw(void **state)
{
    static const char *const trace = "A|cas(m=1)||by - from -\nA|w(x)||by -\nA|rmw(m=0)||by - from -\n"
                                     "B|rmw(m=2)||by - from -\nB|w(x)||by 4[%s]\nB|rmw(m=0)||by - from -\n";
    static const struct {
        const char *range;
        uint32_t words;
    } cases[] = {{"0..0", 1}, {"0..1", 0}, {"0..", 0}, {"0..0;2..2", 0}};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[256];
        sprintf(text, trace, cases[i].range);
        struct built *b = build(text);
        assert_int_equal(b->m.word_count, cases[i].words);
        assert_int_equal(exclusive_around(&b->m, b->m.lock_count, 5) != NULL, cases[i].words);
        discard(b);
    }
}

/* A flag that A sets where it finds it free, and B frees where it finds it set; B looks again before it goes on. */
static void a_flag_is_handed_over(void **state)
{
    static const char *const trace = "M|aw(f=0)|\nM|fork(A)|\nM|fork(B)|\n"
                                     "A|ar(f=0)||by -\nA|w(x)||by 4[%s]\nA|aw(f=1)||by - from -\n"
                                     "B|ar(f=1)||by -\nB|ar(f=1)||by 7[1..;..-1]\nB|w(x)||by 8[%s]\n"
                                     "B|aw(f=%s)||by - from -\n"
                                     "A|ar(f=%s)||by -\nA|w(x)||by 11[%s]\nA|aw(f=2)||by - from -\n"
                                     "B|ar(f=2)||by -\nB|w(x)||by 14[1..]\n%s";
    static const struct {
        const char *first, *second, *third, *freed, *end;
        uint32_t words;
    } cases[] = {
        {"0..0", "1..", "0..0", "0", "", 1},
        {"0..1", "1..", "0..0", "0", "", 0},                          /* A goes on though it is set */
        {"0..0", "1..", "3..3", "3", "", 0},                          /* B leaves something else */
        {"0..0", "1..", "0..0", "0", "M|aw(f=0)||by - from -\n", 0}}; /* so does another thread, at any time */

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[512];
        sprintf(text, trace, cases[i].first, cases[i].second, cases[i].freed, cases[i].freed, cases[i].third,
                cases[i].end);
        struct built *b = build(text);
        assert_int_equal(b->m.word_count, cases[i].words);
        assert_int_equal(b->m.take_words, 0);
        if (cases[i].words == 1) {
            const struct section *s = exclusive_around(&b->m, b->m.lock_count, 9);
            assert_non_null(s);
            assert_int_equal(s->acquire, 7);
            assert_int_equal(s->release, 10);
            assert_null(exclusive_around(&b->m, b->m.lock_count, 7));
        }
        discard(b);
    }
}

static void nothing_has_a_model(void **state)
{
    struct built *b = build("# nothing\n");

    (void)state;
    assert_int_equal(b->m.event_count, 0);
    assert_int_equal(model_required(&b->m, 1).count, 0);
    discard(b);
}

/* Threads that change a few variables under locks, in a trace long enough to be built by two threads. */
static char *long_text(void)
{
    enum { TURNS = 6000, THREADS = 5 };
    char *text = NULL;
    size_t length;
    uint32_t random = 1;
    FILE *out = open_memstream(&text, &length);

    for (int t = 1; t < THREADS; t++)
        fprintf(out, "T0|fork(T%d)|\n", t);
    for (int i = 0; i < TURNS; i++) {
        random = random * 1103515245 + 12345;
        unsigned t = 1 + (random >> 16) % (THREADS - 1), x = (random >> 20) % 7;
        fprintf(out, "T%u|acq(l%u)|\nT%u|r(x%u)|\nT%u|w(x%u)|\nT%u|rel(l%u)|\nT%u|w(y%u)|\n", t, x % 3, t, x, t,
                x, t, x % 3, t, x);
    }
    fclose(out);
    return text;
}

static void assert_same_columns(const struct model *a, const struct model *b)
{
    size_t slots = (size_t)a->event_count + 1;

    assert_memory_equal(a->position, b->position, slots * sizeof *a->position);
    assert_memory_equal(a->thread_events, b->thread_events, a->event_count * sizeof *a->thread_events);
    assert_memory_equal(a->source, b->source, slots * sizeof *a->source);
    assert_memory_equal(a->accesses, b->accesses, a->access_start[a->variable_count] * sizeof *a->accesses);
    assert_memory_equal(a->section_start, b->section_start, (a->lock_count + 1) * sizeof *a->section_start);
    for (uint32_t i = 0; i < a->section_start[a->lock_count]; i++)
        assert_int_equal(a->sections[i].release, b->sections[i].release);
    for (event_id e = 1; e <= a->event_count; e++) {
        thread_id t = thread_of(a, e);
        assert_int_equal(model_section_of(a, e), model_section_of(b, e));
        assert_int_equal(model_hold_at(a, t, a->position[e]), model_hold_at(b, t, b->position[e]));
        assert_memory_equal(clocks_forward_row(a, t, a->position[e]), clocks_forward_row(b, t, b->position[e]),
                            a->thread_count * sizeof(uint32_t));
    }
}

static void two_threads_build_the_same(void **state)
{
    char *text = long_text();
    struct trace trace = trace_of(text);
    struct model one, two;
    struct error err;

    (void)state;
    assert_int_equal(model_build_with(&one, &trace, (struct model_options){.at_once = false}, &err), HEDDLE_OK);
    assert_int_equal(model_build_with(&two, &trace, (struct model_options){.at_once = true}, &err), HEDDLE_OK);
    assert_same_columns(&one, &two);
    model_free(&one);
    model_free(&two);
    trace_free(&trace);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(events_are_listed_by_thread),
        cmocka_unit_test(reads_have_the_last_write_as_source),
        cmocka_unit_test(sections_skip_reentrant_pairs),
        cmocka_unit_test(sections_of_readers_overlap),
        cmocka_unit_test(an_upgrade_makes_a_section_of_each_mode),
        cmocka_unit_test(holds_are_what_is_open),
        cmocka_unit_test(crossing_sections_leave_the_others_open),
        cmocka_unit_test(deep_chains_are_no_trouble),
        cmocka_unit_test(a_take_may_be_told_by_what_it_saw),
        cmocka_unit_test(a_flag_is_handed_over),
        cmocka_unit_test(nothing_has_a_model),
        cmocka_unit_test(two_threads_build_the_same),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
