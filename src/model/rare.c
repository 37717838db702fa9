/* Counts writes by variable and value. Two values may share a counter: then more is counted than there is, and a read is looked at
 * that need not be. */
#include "model/rare.h"
#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>

/* Counters at least, and for each write. */
enum { COUNTERS_LEAST = 256, COUNTERS_WRITE = 4 };

static uint8_t *count_of(const struct rare_values *r, variable_id x, struct known_value value)
{
    uint64_t mixed = (value.number + x * UINT64_C(0xd6e8feb86659fd93)) * UINT64_C(0x9e3779b97f4a7c15);

    return &r->counts[(size_t)(mixed >> 32) & (r->size - 1)];
}

void rare_init(struct rare_values *r, const struct model *m)
{
    size_t writes = 0;

    for (event_id e = 1; e <= m->event_count; e++)
        writes += kind_writes(kind_of(m, e));
    *r = (struct rare_values){.m = m, .size = COUNTERS_LEAST};
    while (r->size < COUNTERS_WRITE * writes)
        r->size *= 2;
    r->counts = memory_new(r->size, sizeof *r->counts);
    r->summed = memory_new(m->variable_count, sizeof *r->summed);
    for (event_id e = 1; e <= m->event_count; e++) {
        if (!kind_writes(kind_of(m, e)))
            continue;
        uint8_t *count = count_of(r, arg_of(m, e), model_written(m, e, arg_of(m, e)));
        *count = (uint8_t)(*count + (*count < UINT8_MAX));
        if (model_adds(m, e))
            r->summed[arg_of(m, e)] = 1;
    }
}

void rare_free(struct rare_values *r)
{
    free(r->counts);
    free(r->summed);
}

bool rare_sees(const struct rare_values *r, event_id read)
{
    const struct model *m = r->m;
    variable_id x = arg_of(m, read);
    event_id source = m->source[read];
    struct known_value value = model_seen(m, read);

    if (r->summed[x] || (source != EVENT_INIT && known_equal(m->initial_values[x], value)))
        return false;
    bool own = source != EVENT_INIT && known_equal(model_written(m, source, x), value);
    assert(!own || *count_of(r, x, value) > 0);
    return *count_of(r, x, value) <= own;
}
