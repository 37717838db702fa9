/* The store hands out what it was given, from memory and from its file; a rest only in place of its own batch.
 */
#include "base/memory.h"
#include "record/collect/store.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

enum { BATCHES = 40, RECORDS = 9000, REST = 3 };

/* Record `i` of a batch: with addresses and values that do not pack well, so that the file is needed. */
static struct record record_of(unsigned batch, unsigned i)
{
    uint64_t mixed = (batch * UINT64_C(1000003) + i) * UINT64_C(0x9e3779b97f4a7c15);

    return (struct record){record_word(mixed >> 16, RECORD_READ, 8), (mixed >> 40) | RECORD_VALUED, mixed};
}

static bool has_rest(unsigned batch)
{
    return batch % 3 != 0;
}

static struct record rest_of(unsigned batch, unsigned i)
{
    return (struct record){record_word(0, RECORD_TICKS, 0), batch, i};
}

struct reader {
    unsigned batch;
    bool takes_rest; /* of every other batch that has one */
    unsigned rests;
};

static void take(void *to, const struct record *records, size_t count)
{
    struct reader *r = to;

    assert_int_equal(count, RECORDS + r->batch);
    for (unsigned i = 0; i < count; i++) {
        struct record wanted = record_of(r->batch, i);
        assert_int_equal(records[i].word, wanted.word);
        assert_int_equal(records[i].pc, wanted.pc);
        assert_int_equal(records[i].value, wanted.value);
    }
    r->batch++;
}

static bool take_rest(void *to, const struct batch_rest *rest)
{
    struct reader *r = to;

    assert_true(has_rest(r->batch));
    assert_int_equal(rest->count, REST);
    assert_int_equal(rest->left_out, RECORDS - r->batch);
    assert_int_equal(rest->runs_count, 2);
    assert_int_equal(rest->runs[1].first, r->batch);
    for (unsigned i = 0; i < REST; i++)
        assert_int_equal(rest->records[i].pc, r->batch);
    if (!r->takes_rest || r->batch % 2)
        return false;
    r->batch++;
    r->rests++;
    return true;
}

static void append(struct store *store, unsigned batch)
{
    struct record *records = memory_new(RECORDS + batch, sizeof *records), left[REST];
    struct granule_run runs[2] = {{7, 1}, {batch, 2}};
    struct batch_rest rest = {left, REST, RECORDS - batch, runs, 2};

    for (unsigned i = 0; i < RECORDS + batch; i++)
        records[i] = record_of(batch, i);
    for (unsigned i = 0; i < REST; i++)
        left[i] = rest_of(batch, i);
    store_append(store, records, RECORDS + batch, has_rest(batch) ? &rest : NULL);
    free(records);
}

static void all_comes_back(void **state)
{
    unsigned batches = BATCHES, rests = 0;
    struct store store;
    struct error err;

    (void)state;
    store_init(&store);
    for (unsigned batch = 0; batch < BATCHES; batch++)
        append(&store, batch);
    assert_non_null(store.file);
    for (unsigned batch = BATCHES; store.bytes_count == 0; batch++, batches++) /* some are still in memory */
        append(&store, batch);
    for (unsigned batch = 0; batch < batches; batch += 2)
        rests += has_rest(batch);
    for (int walk = 0; walk < 3; walk++) {
        struct reader r = {.takes_rest = walk == 2};
        struct store_reader reader = {.to = &r, .take = take, .take_rest = walk ? take_rest : NULL};
        assert_int_equal(store_replay(&store, &reader, &err), HEDDLE_OK);
        assert_int_equal(r.batch, batches);
        assert_int_equal(r.rests, walk == 2 ? rests : 0);
    }
    store_free(&store);
}

/* A walk whose time is up ends between two batches and says what is left; the next one is whole again. */
static void time_ends_a_walk(void **state)
{
    struct reader none = {0}, all = {0};
    struct store_reader limited = {.to = &none, .take = take, .seconds = 1e-9};
    struct store_reader free_one = {.to = &all, .take = take, .seconds = 1e9};
    struct store store;
    struct error err;

    (void)state;
    store_init(&store);
    for (unsigned batch = 0; batch < BATCHES; batch++)
        append(&store, batch);
    assert_int_equal(store_replay(&store, &limited, &err), HEDDLE_OK);
    assert_true(none.batch < BATCHES && limited.beyond > 0);
    assert_int_equal(store_replay(&store, &free_one, &err), HEDDLE_OK);
    assert_int_equal(all.batch, BATCHES);
    assert_int_equal(free_one.beyond, 0);
    store_free(&store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_comes_back), cmocka_unit_test(time_ends_a_walk)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
