/* Call stacks of events: made by recorders, looked up by reports. */
#include "trace/stacks.h"
#include "base/memory.h"
#include "trace/htr_parts.h"
#include "trace/trace.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct stacks *stacks_new(void)
{
    struct stacks *s = memory_new(1, sizeof *s);

    names_init(&s->places);
    s->shown_block = SIZE_MAX;
    return s;
}

void stacks_free(struct stacks *s)
{
    if (!s)
        return;
    names_free(&s->places);
    map_free(&s->known);
    free(s->sites);
    free(s->blocks);
    free(s->coded);
    free(s->shown);
    free(s);
}

stack_id stacks_call(struct stacks *s, uint32_t place, stack_id rest)
{
    uint32_t *id = map_at(&s->known, map_pair(place, rest));

    assert(rest <= s->sites_count); /* the rest of a stack is older than the stack */
    if (*id == STACK_NONE && s->sites_count < UINT32_MAX - 1) {
        ARRAY_PUSH(s, sites, (struct stack_site){place, rest});
        *id = (stack_id)s->sites_count;
    }
    return *id;
}

stack_id stacks_add(struct stacks *s, const char *place, size_t length, stack_id rest)
{
    return stacks_call(s, names_add(&s->places, place, length), rest);
}

/* The block that the event is in; blocks_count: it has no stack. */
static size_t block_of(const struct stacks *s, size_t event)
{
    size_t low = 0, high = s->blocks_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (s->blocks[middle].first + s->blocks[middle].count <= event)
            low = middle + 1;
        else
            high = middle;
    }
    return low < s->blocks_count && s->blocks[low].first <= event ? low : s->blocks_count;
}

/* Works out all stacks of a block; what its bytes say was checked when they were read. */
static void show_block(const struct trace *trace, struct stacks *s, size_t number)
{
    const struct stacked_events *block = &s->blocks[number];
    assert(number < s->blocks_count && block->count <= HTR_BLOCK_EVENTS && block->bytes <= s->coded_count);
    struct payload in = {s->coded + block->bytes, s->coded + s->coded_count};
    stack_id *last = memory_new(HTR_SLOTS, sizeof *last);
    uint64_t left = UINT64_MAX, changed = STACK_NONE;

    if (!s->shown)
        s->shown = memory_new(HTR_BLOCK_EVENTS, sizeof *s->shown);
    if (block->changes > 0 && get_varint(&in, &left))
        get_varint(&in, &changed);
    for (uint32_t i = 0, changes = block->changes; i < block->count; i++) {
        size_t e = block->first + i;
        stack_id *predicted = &last[htr_stack_slot(trace->location[e], trace->thread[e])];
        if (left-- == 0) {
            *predicted = (stack_id)changed;
            left = UINT64_MAX;
            if (--changes > 0 && get_varint(&in, &left))
                get_varint(&in, &changed);
        }
        assert(*predicted <= s->sites_count);
        s->shown[i] = *predicted;
    }
    s->shown_block = number;
    free(last);
}

stack_id trace_stack(const struct trace *trace, size_t event)
{
    struct stacks *s = trace->stacks;
    size_t block;

    if (!s)
        return STACK_NONE;
    block = block_of(s, event);
    if (block == s->blocks_count)
        return STACK_NONE;
    if (block != s->shown_block)
        show_block(trace, s, block);
    assert(event - s->blocks[block].first < s->blocks[block].count);
    return s->shown[event - s->blocks[block].first];
}
