/* Serializability: atomic blocks that could not have run one after the other in the observed run (semantics §3). */
#include "property/cycles.h"
#include "property/serial.h"
#include "property/worker.h"

#include <assert.h>
#include <xxhash.h>

/* In a grouped check, so many blocks that begin at one place are explained; the others only count. */
enum { EXPLAINED = 8 };

static uint64_t cycle_key(const struct cycle *c)
{
    return XXH3_64bits(c->transactions, c->length * sizeof *c->transactions);
}

/* Books a shortest cycle through each block that is on one, the same cycle only once. */
static void book(struct worker *w, enum property property, struct cycles *cycles)
{
    struct event_span blocks = cycles_blocks(cycles);
    struct map shown = {0}, explained = {0};
    bool all = true;

    for (size_t i = 0; i < blocks.count && !*w->stop; i++) {
        uint32_t *here = map_at(&explained, w->m->trace->location[blocks.events[i]]);
        if (!w->options->all && *here == EXPLAINED) {
            w->stats[property].candidates++;
            w->stats[property].skipped++;
            all = false;
            continue;
        }
        ++*here;
        struct cycle c = cycles_through(cycles, blocks.events[i]);
        uint32_t *seen = map_at(&shown, cycle_key(&c));
        if ((*seen)++ == 0)
            worker_observe(w, property, c.transactions, 3 * c.length);
    }
    for (size_t i = 0; i < w->found.findings_count; i++)
        w->found.findings[i].count_is_exact &= all;
    map_free(&shown);
    map_free(&explained);
}

void serial_blocks(struct worker *w, enum property property, enum event_kind begin)
{
    uint64_t blocks;

    if (serial_violation(w->m, begin, w->stop, &blocks) != EVENT_NONE) {
        struct cycles *cycles = cycles_new(w->m, begin, w->stop);
        blocks = cycles_block_count(cycles);
        assert(*w->stop || cycles_blocks(cycles).count > 0);
        book(w, property, cycles);
        cycles_free(cycles);
    }
    w->stats[property].subjects += blocks;
}

void serializability_all(struct worker *w)
{
    serial_blocks(w, PROPERTY_SERIALIZABILITY, EVENT_BEGIN);
    if (w->options->predict)
        predict_blocks(w, PROPERTY_SERIALIZABILITY, EVENT_BEGIN);
}
