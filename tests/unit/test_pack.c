/* Packed records come back as they were, whatever they are, but for the bytes of values that belong to no
 * access. */
#include "record/collect/pack.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { BATCHES = 40, MOST = 600, PLACES = 300 };

static uint64_t state;

static uint64_t draw(void)
{
    state += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t z = (state ^ state >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    return z ^ z >> 31;
}

/* Numbers of all lengths. */
static uint64_t draw_number(void)
{
    return draw() >> draw() % 64;
}

/* Mostly from a few places that come in turn, with addresses near the last ones; some are like no other. */
static struct record draw_record(size_t i, const struct record *last)
{
    uint64_t place = draw() % 8 ? i % 7 : draw() % PLACES, kind = 1 + place % (RECORD_KINDS - 1);
    uint64_t address = draw() % 4 ? last->word + draw() % 512 - 256 : draw_number();
    static const unsigned sizes[] = {0, 1, 2, 4, 8, 16};

    if (draw() % 3 == 0)
        address = last->word + 8;
    return (struct record){record_word(address, (unsigned)kind, sizes[place % 6]),
                           draw() % 50 ? place * 0x1001 + (place % 2 ? RECORD_VALUED : 0) +
                                             (place % 4 == 1 ? RECORD_MADE : 0)
                                       : draw_number(),
                           draw() % 3 ? last->value + draw() % 70000 - 35000 : draw_number()};
}

static uint64_t meant(const struct record *r)
{
    unsigned size = record_size(r->word), kind = record_kind(r->word);
    bool access = kind >= RECORD_READ && kind <= RECORD_CAS;
    uint64_t label = r->pc & RECORD_MADE ? UINT64_MAX << RECORD_MADE_SHIFT : 0;

    return access && r->pc & RECORD_VALUED && size > 0 && size < 8
               ? r->value & (((UINT64_C(1) << 8 * size) - 1) | label)
               : r->value;
}

static void records_come_back(void **unused)
{
    struct pack *in = calloc(1, sizeof *in), *out = calloc(1, sizeof *out);
    unsigned char *bytes = malloc((MOST + 1) * PACK_LONGEST);
    static struct record records[MOST], back[MOST];
    struct record last = {0};

    (void)unused;
    state = 20261115;
    print_message("seed %llu\n", (unsigned long long)state);
    for (int batch = 0; batch < BATCHES; batch++) {
        size_t count = 1 + draw() % MOST;
        for (size_t i = 0; i < count; i++)
            last = records[i] = draw_record(i, &last);
        size_t length = pack_records(in, records, count, bytes);
        assert_in_range(length, count, count * PACK_LONGEST);
        assert_true(unpack_records(out, bytes, length, back, count));
        for (size_t i = 0; i < count; i++) {
            assert_int_equal(back[i].word, records[i].word);
            assert_int_equal(back[i].pc, records[i].pc);
            assert_int_equal(back[i].value, meant(&records[i]));
        }
    }
    free(in);
    free(out);
    free(bytes);
}

static void a_loop_takes_few_bytes(void **unused)
{
    struct pack *pack = calloc(1, sizeof *pack);
    unsigned char *bytes = malloc((MOST + 1) * PACK_LONGEST);
    static struct record records[MOST];
    size_t length;

    (void)unused;
    for (unsigned i = 0; i < MOST; i++)
        records[i] =
            (struct record){record_word(0x7f0000001000 + 4 * (i / 2), i % 2 ? RECORD_WRITE : RECORD_READ, 4),
                            (0x401000 + i % 2 * 8) | RECORD_VALUED, i / 2};
    length = pack_records(pack, records, MOST, bytes);
    assert_in_range(length, MOST, 2 * MOST + 100);
    free(pack);
    free(bytes);
}

static void other_lengths_are_refused(void **unused)
{
    struct pack *in = calloc(1, sizeof *in), *out = calloc(1, sizeof *out);
    unsigned char bytes[8 * PACK_LONGEST] = {0};
    struct record records[4] = {{record_word(16, RECORD_READ, 8), 3, 4},
                                {record_word(24, RECORD_READ, 8), 3, 400}};
    size_t length = pack_records(in, records, 2, bytes);

    (void)unused;
    assert_false(unpack_records(out, bytes, length, records, 3));
    memset(out, 0, sizeof *out);
    assert_false(unpack_records(out, bytes, length, records, 1));
    free(in);
    free(out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records_come_back),
        cmocka_unit_test(a_loop_takes_few_bytes),
        cmocka_unit_test(other_lengths_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
