/* Blocks by address, against a list of all of them. */
#include "random/generate.h"
#include "record/convert/regions.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

enum { TRIALS = 40, STEPS = 300, LOOKS = 30, CHUNK = 1 << 24, LONG = 1 << 16 };

struct block {
    uint64_t start, length;
    uint32_t number;
};

struct list {
    struct block blocks[STEPS];
    unsigned count;
};

static void forget(struct list *l, uint64_t start, uint64_t length)
{
    unsigned kept = 0;

    for (unsigned i = 0; i < l->count; i++)
        if (l->blocks[i].start >= start + length || l->blocks[i].start + l->blocks[i].length <= start)
            l->blocks[kept++] = l->blocks[i];
    l->count = kept;
}

static uint32_t number_at(const struct list *l, uint64_t address)
{
    for (unsigned i = 0; i < l->count; i++)
        if (address - l->blocks[i].start < l->blocks[i].length)
            return l->blocks[i].number;
    return 0;
}

/* Blocks on both sides of a border between chunks: heap blocks as long as the grid is wide, or longer ones and stacks. */
static struct region random_region(uint64_t *state, uint64_t base, unsigned grid, uint32_t number)
{
    bool small = random_below(state, 3) > 0;

    return (struct region){.start = base + CHUNK - 256 * grid + random_below(state, 512) * grid,
                           .length =
                               small ? 1 + random_below(state, grid - 1) : LONG + random_below(state, 2 * LONG),
                           .kind = small || random_below(state, 2) ? REGION_HEAP : REGION_STACK,
                           .number = number};
}

static void look(struct regions *r, const struct list *l, uint64_t address, unsigned trial)
{
    const struct region *found = regions_find(r, address);
    uint32_t number = number_at(l, address);

    if ((found ? found->number : 0) != number)
        fail_msg("seed %u: block %u instead of %u", trial, found ? found->number : 0, number);
}

static void blocks_are_found(void **state)
{
    (void)state;
    for (unsigned trial = 1; trial <= TRIALS; trial++) {
        uint64_t random = trial, base = trial % 2 ? 0 : UINT64_C(0x7f0000000000);
        unsigned grid = trial % 4 < 2 ? 64 : LONG;
        struct list l = {.count = 0};
        struct regions r;

        regions_init(&r);
        for (uint32_t step = 1; step <= STEPS; step++) {
            struct region new = random_region(&random, base, grid, step);
            forget(&l, new.start, new.length);
            if (random_below(&random, 8) == 0) {
                regions_drop(&r, new.start, new.length);
            } else {
                l.blocks[l.count++] = (struct block){new.start, new.length, step};
                regions_add(&r, &new);
            }
            for (unsigned i = 0; i < LOOKS && l.count > 0; i++) {
                const struct block *b = &l.blocks[random_below(&random, l.count)];
                look(&r, &l, b->start, trial);
                look(&r, &l, b->start + b->length - 1, trial);
                look(&r, &l, b->start + random_below(&random, (unsigned)b->length + 64), trial);
                look(&r, &l, base + random_below(&random, 2 * CHUNK), trial);
            }
        }
        regions_free(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(blocks_are_found)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
