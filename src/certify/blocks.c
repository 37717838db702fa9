/* What a trace means, part three: outermost blocks, atomic ones declared and by lock scope, deterministic ones.
 */
#include "certify/parts.h"

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
        ARRAY_PUSH(list, blocks, (struct block){block->first, last});
}

static void close(struct block_list *list, struct open_block *block, uint32_t e)
{
    if (--block->depth == 0)
        keep(list, block, e);
}

void index_blocks(struct certify_index *index)
{
    const struct trace *trace = index->trace;
    struct open_block *declared = memory_new(index->thread_count, sizeof *declared);
    struct open_block *deterministic = memory_new(index->thread_count, sizeof *deterministic);
    struct open_block *locked = memory_new(index->thread_count, sizeof *locked);

    index->declared = memory_new(index->thread_count, sizeof *index->declared);
    index->deterministic = memory_new(index->thread_count, sizeof *index->deterministic);
    index->lock_scopes = memory_new(index->thread_count, sizeof *index->lock_scopes);
    for (uint32_t e = 1; e <= index->count; e++) {
        thread_id t = trace->thread[e];
        switch (trace_kind(trace, e)) {
        case EVENT_BEGIN:
            open(&declared[t], e);
            break;
        case EVENT_END:
            close(&index->declared[t], &declared[t], e);
            break;
        case EVENT_DET_BEGIN:
            open(&deterministic[t], e);
            break;
        case EVENT_DET_END:
            close(&index->deterministic[t], &deterministic[t], e);
            break;
        case EVENT_ACQUIRE:
        case EVENT_SHARED_ACQUIRE:
            open(&locked[t], e);
            break;
        case EVENT_RELEASE:
        case EVENT_SHARED_RELEASE:
            close(&index->lock_scopes[t], &locked[t], e);
            break;
        case EVENT_WAIT_PRE:
        case EVENT_WAIT_POST:
            locked[t].waits = true;
            break;
        default:
            break;
        }
    }
    for (size_t t = 0; t < index->thread_count; t++) { /* what never ends lasts to the thread's last event */
        if (declared[t].depth > 0)
            keep(&index->declared[t], &declared[t], index->count);
        if (deterministic[t].depth > 0)
            keep(&index->deterministic[t], &deterministic[t], index->count);
        if (locked[t].depth > 0)
            keep(&index->lock_scopes[t], &locked[t], index->count);
    }
    free(declared);
    free(deterministic);
    free(locked);
}

const struct block *block_around(const struct block_list *list, uint32_t e)
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
