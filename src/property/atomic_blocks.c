/* The blocks that are meant to be atomic: per thread, sorted intervals of positions of either sort. */
#include "property/atomic_blocks.h"
#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>

struct block_interval {
    uint32_t start, end; /* positions; end is one past the last event */
};

struct interval_list {
    struct block_interval *list;
    size_t list_count, list_capacity;
};

struct blocks {
    struct interval_list *declared; /* by thread */
    struct interval_list *scopes;   /* by thread; empty unless lock scopes count */
    size_t count;
};

static void find_declared(struct blocks *b, const struct model *m, thread_id t)
{
    uint32_t depth = 0, length = thread_length(m, t), start = 0;

    for (uint32_t p = 0; p < length; p++) {
        enum event_kind kind = kind_of(m, event_at(m, t, p));
        if (kind == EVENT_BEGIN && depth++ == 0)
            start = p;
        assert(kind != EVENT_END || depth > 0);
        if (kind == EVENT_END && --depth == 0)
            ARRAY_PUSH(&b->declared[t], list, (struct block_interval){start, p + 1});
    }
    if (depth > 0)
        ARRAY_PUSH(&b->declared[t], list, (struct block_interval){start, length});
    b->count += b->declared[t].list_count;
}

/* From the first lock taken while none is held until none is; a wait inside disqualifies. */
static void find_scopes(struct blocks *b, const struct model *m, thread_id t)
{
    uint32_t length = thread_length(m, t), start = 0;
    bool inside = false, waits = false;

    for (uint32_t p = 0; p <= length; p++) {
        bool holds = model_hold_at(m, t, p) != HOLD_NONE;
        if (holds && !inside) {
            assert(p > 0);
            start = p - 1; /* the acquire itself */
            waits = false;
        }
        if (inside && !holds && !waits)
            ARRAY_PUSH(&b->scopes[t], list, (struct block_interval){start, p});
        inside = holds;
        if (p < length) {
            enum event_kind kind = kind_of(m, event_at(m, t, p));
            waits |= kind == EVENT_WAIT_PRE || kind == EVENT_WAIT_POST;
        }
    }
    if (inside && !waits)
        ARRAY_PUSH(&b->scopes[t], list, (struct block_interval){start, length});
    b->count += b->scopes[t].list_count;
}

struct blocks *blocks_new(const struct model *m, bool atomic_locks)
{
    struct blocks *b = memory_new(1, sizeof *b);

    b->declared = memory_new(m->thread_count, sizeof *b->declared);
    b->scopes = memory_new(m->thread_count, sizeof *b->scopes);
    for (thread_id t = 0; t < m->thread_count; t++) {
        find_declared(b, m, t);
        if (atomic_locks)
            find_scopes(b, m, t);
    }
    return b;
}

void blocks_free(struct blocks *b, const struct model *m)
{
    for (thread_id t = 0; t < m->thread_count; t++) {
        free(b->declared[t].list);
        free(b->scopes[t].list);
    }
    free(b->declared);
    free(b->scopes);
    free(b);
}

/* The end of the interval around the position, or 0. */
static uint32_t end_around(const struct interval_list *l, uint32_t position)
{
    size_t low = 0, high = l->list_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        assert(l->list[middle].start < l->list[middle].end);
        assert(middle == 0 || l->list[middle - 1].end <= l->list[middle].start); /* sorted, apart */
        if (l->list[middle].start <= position)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 && position < l->list[low - 1].end ? l->list[low - 1].end : 0;
}

uint32_t blocks_end(const struct blocks *b, const struct model *m, event_id e)
{
    thread_id t = thread_of(m, e);
    uint32_t declared = end_around(&b->declared[t], m->position[e]);
    uint32_t scope = end_around(&b->scopes[t], m->position[e]);

    return declared > scope ? declared : scope;
}

size_t blocks_count(const struct blocks *b)
{
    return b->count;
}
