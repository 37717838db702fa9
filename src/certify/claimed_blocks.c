/* The meaning of a trace, part three: outermost blocks, atomic ones declared and by lock scope, deterministic
 * ones. */
#include "certify/certify_parts.h"

#include <stdlib.h>

struct open_block {
    uint32_t depth;
    uint32_t first;
    bool waits; /* it has a wait in it */
};

static void open(struct open_block *block, uint32_t e)
{
    if (block->depth++ == 0)
        *block = (struct open_block){.depth = 1, .first = e};
}

static void keep(struct block_list *list, const struct open_block *block, uint32_t last)
{
    if (!block->waits)
        ARRAY_PUSH(list, blocks, (struct certified_block){block->first, last});
}

static void close(struct block_list *list, struct open_block *block, uint32_t e)
{
    if (--block->depth == 0)
        keep(list, block, e);
}

/* The blocks that are open, by thread. */
struct open_blocks {
    struct open_block *declared, *deterministic, *locked;
};

static void step(struct certify_index *index, struct open_blocks *now, uint32_t e)
{
    thread_id t = index->trace->thread[e];

    switch (trace_kind(index->trace, e)) {
    case EVENT_BEGIN:
        open(&now->declared[t], e);
        break;
    case EVENT_END:
        close(&index->declared[t], &now->declared[t], e);
        break;
    case EVENT_DET_BEGIN:
        open(&now->deterministic[t], e);
        break;
    case EVENT_DET_END:
        close(&index->deterministic[t], &now->deterministic[t], e);
        break;
    case EVENT_ACQUIRE:
    case EVENT_SHARED_ACQUIRE:
        open(&now->locked[t], e);
        break;
    case EVENT_RELEASE:
    case EVENT_SHARED_RELEASE:
        close(&index->lock_scopes[t], &now->locked[t], e);
        break;
    case EVENT_WAIT_PRE:
    case EVENT_WAIT_POST:
        now->locked[t].waits = true;
        break;
    default:
        break;
    }
}

void index_blocks(struct certify_index *index)
{
    size_t threads = index->thread_count;
    struct open_blocks now = {.declared = memory_new(threads, sizeof *now.declared),
                              .deterministic = memory_new(threads, sizeof *now.deterministic),
                              .locked = memory_new(threads, sizeof *now.locked)};

    index->declared = memory_new(threads, sizeof *index->declared);
    index->deterministic = memory_new(threads, sizeof *index->deterministic);
    index->lock_scopes = memory_new(threads, sizeof *index->lock_scopes);
    for (uint32_t e = 1; e <= index->count; e++)
        step(index, &now, e);
    for (size_t t = 0; t < threads; t++) { /* what never ends lasts to the thread's last event */
        if (now.declared[t].depth > 0)
            keep(&index->declared[t], &now.declared[t], index->count);
        if (now.deterministic[t].depth > 0)
            keep(&index->deterministic[t], &now.deterministic[t], index->count);
        if (now.locked[t].depth > 0)
            keep(&index->lock_scopes[t], &now.locked[t], index->count);
    }
    free(now.declared);
    free(now.deterministic);
    free(now.locked);
}

const struct certified_block *block_around(const struct block_list *list, uint32_t e)
{
    size_t low = 0, high = list->blocks_count; /* of the blocks that begin before `e`, find the last */

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (list->blocks[middle].first <= e)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 && e <= list->blocks[low - 1].last ? &list->blocks[low - 1] : NULL;
}
