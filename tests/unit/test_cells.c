/* Cells are exactly the runs of bytes that are always accessed together (semantics §6): against all pairs of bytes,
 * on random accesses with blocks allocated again in between. */
#include "record/convert/cells.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

enum { BYTES = 48, ACCESSES = 40, THREADS = 3, TRIALS = 3000, BASE = 0x1000 };

struct access {
    unsigned from, to; /* bytes from..to-1 */
    unsigned thread;
    bool write;
    bool renews; /* not an access: the bytes are new from here on */
};

struct facts {
    bool apart;  /* from the byte before it, by some access */
    bool shared; /* touched by two threads */
    bool written;
};

/* What is true of byte `b` from the last renewal before access `at` to the next one after it. */
static struct facts facts_of(const struct access *all, unsigned at, unsigned b)
{
    unsigned first = at, last = at;
    struct facts f = {0};
    int owner = -1;

    while (first > 0 && !(all[first - 1].renews && b >= all[first - 1].from && b < all[first - 1].to))
        first--;
    while (last < ACCESSES && !(all[last].renews && b >= all[last].from && b < all[last].to))
        last++;
    for (unsigned i = first; i < last; i++) {
        const struct access *a = &all[i];
        bool here = b >= a->from && b<a->to, before = b> a->from && b <= a->to;
        if (a->renews)
            continue;
        f.apart |= here != before;
        if (!here)
            continue;
        f.written |= a->write;
        f.shared |= owner >= 0 && owner != (int)a->thread;
        owner = owner < 0 ? (int)a->thread : owner;
    }
    return f;
}

static struct access random_access(void)
{
    struct access a = {.thread = (unsigned)rand() % THREADS, .write = rand() % 2, .renews = rand() % 12 == 0};

    a.from = (unsigned)rand() % BYTES;
    a.to = a.from + 1 + (unsigned)rand() % (rand() % 4 ? 8 : 24);
    if (a.renews) { /* blocks are aligned, and nothing reaches across their ends */
        a.from = (unsigned)rand() % 2 * (BYTES / 2);
        a.to = a.from + BYTES / 2;
    } else if (a.from < BYTES / 2 && a.to > BYTES / 2) {
        a.to = BYTES / 2;
    }
    a.to = a.to > BYTES ? BYTES : a.to;
    return a;
}

static void check_access(struct cells *cells, const struct access *all, unsigned at)
{
    const struct access *a = &all[at];
    struct cell first;

    if (!cells_first(cells, BASE + a->from, BASE + a->to, &first)) {
        for (unsigned b = a->from; b < a->to; b++)
            assert_false(facts_of(all, at, b).shared && facts_of(all, at, b).written);
        assert_true(cells_drop(cells, BASE + a->from, a->to - a->from));
        first = cells_next(cells, BASE + a->from, BASE + a->to);
    }
    for (unsigned b = a->from; b < a->to;) {
        struct cell cell = b == a->from ? first : cells_next(cells, BASE + b, BASE + a->to);
        struct facts f = facts_of(all, at, b);
        assert_int_equal(cell.address, BASE + b);
        assert_int_equal(cell.dropped, !(f.shared && f.written));
        for (unsigned i = b + 1; i < b + cell.length; i++) {
            struct facts inner = facts_of(all, at, i);
            assert_int_equal(cell.dropped, !(inner.shared && inner.written));
            assert_false(inner.apart && !cell.dropped);
        }
        b += (unsigned)cell.length;
        assert_true(b <= a->to);
        if (b < a->to)
            assert_true(facts_of(all, at, b).apart || cell.dropped);
    }
}

static void cells_are_maximal_runs(void **state)
{
    struct access all[ACCESSES];

    (void)state;
    srand(1);
    for (int trial = 0; trial < TRIALS; trial++) {
        struct cells cells;
        cells_init(&cells);
        for (unsigned i = 0; i < ACCESSES; i++) {
            all[i] = random_access();
            if (all[i].renews)
                cells_renew(&cells, BASE + all[i].from, all[i].to - all[i].from);
            else
                cells_survey(&cells, BASE + all[i].from, all[i].to - all[i].from, all[i].thread, all[i].write);
        }
        cells_rewind(&cells);
        for (unsigned i = 0; i < ACCESSES; i++) {
            if (all[i].renews)
                cells_renew(&cells, BASE + all[i].from, all[i].to - all[i].from);
            else
                check_access(&cells, all, i);
        }
        cells_free(&cells);
    }
}

enum { BLOCKS = 20000, BLOCK = 64, SHARED_EACH = 1000 };

/* Blocks that are taken and given back: what was known of them is there in the second walk, and little of it is
 * held in memory at any time. One block stays; `shares`: each so many is touched by two threads. */
static void churn(struct cells *cells, unsigned shares, bool survey)
{
    size_t most = 0;

    for (unsigned block = 0; block < BLOCKS; block++) {
        uint64_t at = BASE + 4096 + block % 16 * BLOCK;
        bool shared = block % shares == 0;
        cells_renew(cells, at, BLOCK);
        for (unsigned i = 0; i < BLOCK && survey; i += 4) {
            cells_survey(cells, at + i, 4, 0, true);
            cells_survey(cells, at + i, 4, shared, false);
            cells_survey(cells, BASE, 8, block % 2, true);
        }
        for (unsigned i = 0; i < BLOCK && !survey; i += 4) {
            struct cell cell = cells_next(cells, at + i, at + i + 4);
            assert_int_equal(cell.dropped, !shared);
            assert_int_equal(cell.length, 4);
            assert_false(cell.number && *cell.number);
            if (cell.number)
                *cell.number = block + 1;
            assert_false(cells_drop(cells, BASE, 8));
            assert_int_equal(*cells_next(cells, BASE, BASE + 8).number, block || i ? 7 : 0);
            *cells_next(cells, BASE, BASE + 8).number = 7;
        }
        most = cells->pages_held > most ? cells->pages_held : most;
    }
    assert_in_range(most, 1, 4);
}

static void memory_given_back_needs_no_memory(void **state)
{
    static const unsigned shares[] = {1, SHARED_EACH, BLOCKS + 1};

    (void)state;
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++) {
        struct cells cells;
        size_t shared = (BLOCKS + shares[i] - 1) / shares[i];
        cells_init(&cells);
        churn(&cells, shares[i], true);
        cells_rewind(&cells);
        assert_int_equal(cells_dropped(&cells), (BLOCKS - shared) * (BLOCK / 4));
        churn(&cells, shares[i], false);
        assert_false(cells.failed);
        assert_in_range(cells.numbers_count, 8, 8 * 3 * 4096);
        cells_free(&cells);
    }
}

/* The number a caller keeps for a cell stays with it, and goes when the block is allocated again. */
static void numbers_follow_cells(void **state)
{
    struct cells cells;

    (void)state;
    cells_init(&cells);
    for (int walk = 0; walk < 2; walk++) {
        for (int block = 0; block < 2; block++) {
            cells_renew(&cells, BASE, 16);
            if (walk == 0) {
                cells_survey(&cells, BASE + 4, 4, 0, true);
                cells_survey(&cells, BASE + 4, 4, 1, false);
                continue;
            }
            struct cell cell = cells_next(&cells, BASE + 4, BASE + 8);
            assert_false(cell.dropped);
            assert_int_equal(*cell.number, 0);
            *cell.number = 7;
            assert_int_equal(*cells_next(&cells, BASE + 4, BASE + 8).number, 7);
        }
        if (walk == 0)
            cells_rewind(&cells);
    }
    cells_free(&cells);
}

enum { EXPECTED = 3 * 4096 };

/* What is fetched ahead of accesses is of those that come, and of nothing where their memory was given back meanwhile. */
static void numbers_are_expected(void **state)
{
    struct cells_ahead survey = {0}, ahead = {0};
    struct cells cells;

    (void)state;
    cells_init(&cells);
    for (unsigned i = 0; i < 2 * EXPECTED; i++) {
        cells_expect_survey(&cells, &survey, BASE + 8 * (i / 2));
        cells_survey(&cells, BASE + 8 * (i / 2), 8, i % 2, true);
    }
    cells_renew(&cells, BASE, 8 * EXPECTED);
    for (unsigned i = 0; i < EXPECTED; i++)
        cells_expect_survey(&cells, &survey, BASE + 8 * i);
    cells_rewind(&cells);
    for (uint32_t i = 0; i < EXPECTED; i++)
        *cells_next(&cells, BASE + 8 * i, BASE + 8 * i + 8).number = i + 1;
    for (unsigned i = 0; i < EXPECTED; i++) {
        uint32_t number = cells_expect(&cells, &ahead, BASE + 8 * i);
        assert_int_equal(number, i < 3 * CELLS_STEP ? 0 : i + 1 - 3 * CELLS_STEP);
    }
    cells_renew(&cells, BASE, 8 * EXPECTED);
    for (unsigned i = 0; i < EXPECTED; i++) {
        uint32_t number = cells_expect(&cells, &ahead, BASE + 8 * i);
        assert_true(i < CELLS_AHEAD || number == 0);
    }
    cells_free(&cells);
}

/* One cell of one thread, one that is only read, one that is shared; a neighbour of another thread. */
static void dropped_cells_are_counted(void **state)
{
    (void)state;
    for (int neighbour = 0; neighbour < 2; neighbour++) {
        struct cells cells;
        cells_init(&cells);
        cells_survey(&cells, BASE, 4, 0, true);
        cells_survey(&cells, BASE + 8, 8, 0, false);
        cells_survey(&cells, BASE + 8, 8, 1, false);
        cells_survey(&cells, BASE + 16, 4, 0, true);
        cells_survey(&cells, BASE + 16, 4, 1, false);
        if (neighbour)
            cells_survey(&cells, BASE + 4, 2, 1, true);
        cells_rewind(&cells);
        assert_int_equal(cells_dropped(&cells), 2 + neighbour);
        cells_free(&cells);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cells_are_maximal_runs),    cmocka_unit_test(memory_given_back_needs_no_memory),
        cmocka_unit_test(numbers_follow_cells),      cmocka_unit_test(numbers_are_expected),
        cmocka_unit_test(dropped_cells_are_counted),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
