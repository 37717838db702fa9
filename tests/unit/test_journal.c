/* Journals keep what they are given, in parts or whole, and damaged ones are refused. */
#include "base/memory.h"
#include "support/htr_file.h"
#include "trace/journal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { THREADS = 3, SLICES = 1000, INPUTS = 300, PARTS = 4 };

static void fill(struct journal *j)
{
    uint64_t positions[THREADS] = {0};

    memset(j, 0, sizeof *j);
    j->seed = 7;
    for (unsigned i = 0; i < THREADS; i++)
        ARRAY_PUSH(j, threads, (struct journal_thread){.parent = i ? 1 : 0, .ordinal = i ? i : 1});
    for (unsigned i = 0; i < SLICES; i++) {
        positions[i % THREADS] += (uint64_t)i * i;
        ARRAY_PUSH(j, slices, (struct journal_slice){i % THREADS, positions[i % THREADS]});
    }
    ARRAY_PUSH(j, slices, (struct journal_slice){0, JOURNAL_TO_THE_END});
    for (unsigned i = 0; i < INPUTS; i++)
        ARRAY_PUSH(j, inputs, (struct journal_input){i % THREADS, i % 4, UINT64_MAX / (i + 1)});
}

static void assert_same_run(const struct journal *a, const struct journal *b)
{
    assert_int_equal(a->slices_count, b->slices_count);
    for (size_t i = 0; i < a->slices_count; i++) {
        assert_int_equal(a->slices[i].thread, b->slices[i].thread);
        assert_int_equal(a->slices[i].position, b->slices[i].position);
    }
    assert_int_equal(a->inputs_count, b->inputs_count);
    for (size_t i = 0; i < a->inputs_count; i++) {
        assert_int_equal(a->inputs[i].thread, b->inputs[i].thread);
        assert_int_equal(a->inputs[i].kind, b->inputs[i].kind);
        assert_int_equal(a->inputs[i].value, b->inputs[i].value);
    }
}

struct pieces {
    unsigned char *rest;
    size_t rest_length;
    unsigned char *parts;
    size_t parts_count, parts_capacity;
    size_t lengths[PARTS];
};

/* All slices and inputs in PARTS parts, and the journal without them. */
static struct pieces take_apart(const struct journal *whole)
{
    struct pieces p = {0};
    struct journal rest = *whole;

    for (size_t i = 0; i < PARTS; i++) {
        size_t first = whole->slices_count * i / PARTS, end = whole->slices_count * (i + 1) / PARTS;
        size_t in = whole->inputs_count * i / PARTS, in_end = whole->inputs_count * (i + 1) / PARTS;
        struct journal part = {.slices = whole->slices + first,
                               .slices_count = end - first,
                               .inputs = whole->inputs + in,
                               .inputs_count = in_end - in};
        unsigned char *bytes = journal_encode_part(&part, &p.lengths[i]);
        for (size_t k = 0; k < p.lengths[i]; k++)
            ARRAY_PUSH(&p, parts, bytes[k]);
        free(bytes);
    }
    rest.slices_count = rest.inputs_count = 0;
    p.rest = journal_encode(&rest, &p.rest_length);
    return p;
}

static void free_pieces(struct pieces *p)
{
    free(p->rest);
    free(p->parts);
}

static void whole_and_parts_say_the_same(void **state)
{
    struct journal whole, back;
    struct error err;
    struct journal_bytes from = {0};
    struct pieces p;
    unsigned char *bytes;
    size_t at = 0;

    (void)state;
    fill(&whole);
    from.bytes = bytes = journal_encode(&whole, &from.length);
    assert_int_equal(journal_decode(&back, &from, &err), HEDDLE_OK);
    assert_same_run(&whole, &back);
    journal_free(&back);
    free(bytes);

    p = take_apart(&whole);
    for (size_t i = 0; i < PARTS; i++) {
        assert_int_equal(journal_part_length(p.parts + at, p.parts_count - at), p.lengths[i]);
        at += p.lengths[i];
    }
    from = (struct journal_bytes){p.rest, p.parts, p.rest_length, p.parts_count};
    assert_int_equal(journal_decode(&back, &from, &err), HEDDLE_OK);
    assert_int_equal(back.seed, 7);
    assert_same_run(&whole, &back);
    journal_free(&back);
    free_pieces(&p);
    journal_free(&whole);
}

static void damaged_parts_are_refused(void **state)
{
    static const unsigned char strange[] = {1, THREADS, 1, 0};
    struct journal whole, back;
    struct error err;
    struct pieces p;

    (void)state;
    fill(&whole);
    p = take_apart(&whole);
    for (size_t length = 1; length < p.lengths[0]; length++) {
        struct journal_bytes from = {p.rest, p.parts, p.rest_length, length};
        assert_int_equal(journal_part_length(p.parts, length), 0);
        assert_int_equal(journal_decode(&back, &from, &err), HEDDLE_BAD_TRACE);
    }
    /* A thread that there is not. */
    struct journal_bytes from = {p.rest, strange, p.rest_length, sizeof strange};
    assert_int_equal(journal_part_length(strange, sizeof strange), sizeof strange);
    assert_int_equal(journal_decode(&back, &from, &err), HEDDLE_BAD_TRACE);
    free_pieces(&p);
    journal_free(&whole);
}

static enum status load(const struct htr_file *file, struct trace *trace, struct error *err)
{
    return trace_parse(trace, "test", (const char *)file->bytes, file->bytes_count, err);
}

/* In a file, parts come before the journal; without one they are of no use, and do no harm. */
static void files_hold_parts(void **state)
{
    struct journal whole, back;
    struct trace trace;
    struct error err;
    struct pieces p;

    (void)state;
    fill(&whole);
    p = take_apart(&whole);
    for (int order = 0; order < 3; order++) { /* right, without the journal, the other way round */
        struct htr_file file = {0};
        size_t at = 0;
        htr_file_start(&file, HTR_VERSION, 0);
        if (order == 2)
            htr_file_block(&file, HTR_JOURNAL, 0, p.rest, p.rest_length);
        for (size_t i = 0; i < PARTS; at += p.lengths[i++])
            htr_file_block(&file, HTR_PART, 0, p.parts + at, p.lengths[i]);
        if (order == 0)
            htr_file_block(&file, HTR_JOURNAL, 0, p.rest, p.rest_length);
        htr_file_end(&file, 0);
        if (order == 2) {
            assert_int_equal(load(&file, &trace, &err), HEDDLE_BAD_TRACE);
        } else {
            assert_int_equal(load(&file, &trace, &err), HEDDLE_OK);
            assert_int_equal(trace.journal != NULL, order == 0);
        }
        if (order == 0) {
            struct journal_bytes from = {trace.journal, trace.parts, trace.journal_length, trace.parts_length};
            assert_int_equal(journal_decode(&back, &from, &err), HEDDLE_OK);
            assert_same_run(&whole, &back);
            journal_free(&back);
        }
        trace_free(&trace);
        htr_file_free(&file);
    }
    free_pieces(&p);
    journal_free(&whole);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_and_parts_say_the_same),
        cmocka_unit_test(damaged_parts_are_refused),
        cmocka_unit_test(files_hold_parts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
