/* Grounds: a pool of lists relative to their events, each combination once. */
#include "trace/grounds.h"
#include "base/map.h"
#include "base/memory.h"
#include "trace/trace.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

/* The two lists of an event: the items of `by`, then those of `from`. */
struct grounds_entry {
    uint32_t first; /* in items */
    uint32_t by_count, from_count;
    bool by_given, from_given;
    uint64_t hash;
};

/* Where an entry is found by its hash. The tag is the other half of it: nearly all that are not looked for are passed by
 * without a look at their entry, which would seldom be in the cache. */
struct grounds_slot {
    grounds_id id; /* GROUNDS_NONE: free */
    uint32_t tag;
};

struct grounds {
    struct grounds_entry *entries;
    size_t entries_count, entries_capacity;
    struct ground_item *items;
    size_t items_count, items_capacity;
    struct value_range *ranges;
    size_t ranges_count, ranges_capacity;
    struct grounds_slot *slots; /* open addressing, a power of two of them */
    size_t slot_count;
};

struct grounds *grounds_new(void)
{
    struct grounds *g = memory_new(1, sizeof *g);

    ARRAY_PUSH(g, entries, (struct grounds_entry){0});
    g->slot_count = 64;
    g->slots = memory_new(g->slot_count, sizeof *g->slots);
    return g;
}

void grounds_free(struct grounds *g)
{
    if (!g)
        return;
    free(g->entries);
    free(g->items);
    free(g->ranges);
    free(g->slots);
    free(g);
}

size_t grounds_count(const struct grounds *g)
{
    return g->entries_count;
}

/* What an item of the pool keeps of a ground. */
static uint32_t range_count(const struct ground *ground)
{
    return ground->form == GROUND_RANGES ? ground->range_count : 0;
}

static uint64_t offset_of(const struct ground *ground)
{
    return ground->form == GROUND_OFFSET ? ground->offset : 0;
}

static void put_items(struct grounds *g, uint32_t event, const struct ground *from, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct ground *ground = &from[i];
        struct ground_item item = {
            .distance = event - ground->read,
            .form = ground->form,
            .range_first = (uint32_t)g->ranges_count,
            .range_count = range_count(ground),
            .offset = offset_of(ground),
        };

        for (uint32_t k = 0; k < item.range_count; k++)
            ARRAY_PUSH(g, ranges, ground->ranges[k]);
        ARRAY_PUSH(g, items, item);
    }
}

static uint64_t mix(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 32;
}

static uint64_t hash_list(uint64_t hash, uint32_t event, const struct ground *list, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct ground *ground = &list[i];
        assert(ground->read <= event);
        hash = mix(mix(hash, map_pair(event - ground->read, ground->form)), offset_of(ground));
        if (range_count(ground) > 0)
            hash = XXH3_64bits_withSeed(ground->ranges, ground->range_count * sizeof *ground->ranges, hash);
    }
    return hash;
}

/* Of the lists that the entry is to have. */
static uint64_t hash_of(const struct grounds_entry *e, uint32_t event, const struct grounds_given *given)
{
    uint64_t hash = (uint64_t)e->by_count << 32 | (uint64_t)e->from_count << 2 | (uint64_t)e->by_given << 1 |
                    (uint64_t)e->from_given;

    hash = hash_list(hash, event, given->by, e->by_count);
    return hash_list(hash, event, given->from, e->from_count);
}

static bool same_list(const struct grounds *g, const struct ground_item *items, uint32_t event,
                      const struct ground *list, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct ground *ground = &list[i];
        const struct ground_item *item = &items[i];
        if (item->distance != event - ground->read || item->form != ground->form ||
            item->offset != offset_of(ground) || item->range_count != range_count(ground) ||
            (item->range_count > 0 &&
             memcmp(g->ranges + item->range_first, ground->ranges, item->range_count * sizeof *g->ranges) != 0))
            return false;
    }
    return true;
}

/* Whether the entry, which the pool has, is the one that is looked for, with these lists. */
static bool same_entry(const struct grounds *g, const struct grounds_entry *known,
                       const struct grounds_entry *e, uint32_t event, const struct grounds_given *given)
{
    return known->hash == e->hash && known->by_given == e->by_given && known->from_given == e->from_given &&
           known->by_count == e->by_count && known->from_count == e->from_count &&
           same_list(g, g->items + known->first, event, given->by, e->by_count) &&
           same_list(g, g->items + known->first + e->by_count, event, given->from, e->from_count);
}

static uint32_t tag_of(const struct grounds_entry *e)
{
    return (uint32_t)(e->hash >> 32);
}

/* The slot of an entry that is equal, or the free one where it belongs. */
static struct grounds_slot *find_slot(const struct grounds *g, const struct grounds_entry *e, uint32_t event,
                                      const struct grounds_given *given)
{
    size_t at = e->hash & (g->slot_count - 1);

    assert(g->entries_count <= g->slot_count); /* a free slot ends the search */
    while (g->slots[at].id != GROUNDS_NONE &&
           (g->slots[at].tag != tag_of(e) || !same_entry(g, &g->entries[g->slots[at].id], e, event, given)))
        at = (at + 1) & (g->slot_count - 1);
    return &g->slots[at];
}

/* No entry stands twice: the next free slot will do. */
static void put_slot(struct grounds *g, struct grounds_slot slot, uint64_t hash)
{
    size_t at = hash & (g->slot_count - 1);

    while (g->slots[at].id != GROUNDS_NONE)
        at = (at + 1) & (g->slot_count - 1);
    g->slots[at] = slot;
}

static void grow_slots(struct grounds *g)
{
    free(g->slots);
    g->slot_count *= 2;
    assert((g->slot_count & (g->slot_count - 1)) == 0);
    g->slots = memory_new(g->slot_count, sizeof *g->slots);
    for (grounds_id id = 1; id < g->entries_count; id++)
        put_slot(g, (struct grounds_slot){id, tag_of(&g->entries[id])}, g->entries[id].hash);
}

grounds_id grounds_add(struct grounds *g, uint32_t event, const struct grounds_given *given)
{
    struct grounds_entry e = {
        .first = (uint32_t)g->items_count,
        .by_given = given->by_given,
        .from_given = given->from_given,
        .by_count = given->by_given ? given->by_count : 0,
        .from_count = given->from_given ? given->from_count : 0,
    };

    if (!given->by_given && !given->from_given)
        return GROUNDS_NONE;
    e.hash = hash_of(&e, event, given);

    struct grounds_slot *slot = find_slot(g, &e, event, given);
    if (slot->id != GROUNDS_NONE)
        return slot->id;
    put_items(g, event, given->by, e.by_count);
    put_items(g, event, given->from, e.from_count);
    assert(g->entries_count < UINT32_MAX && g->entries_count * 2 <= g->slot_count + 2);
    grounds_id id = (grounds_id)g->entries_count;
    *slot = (struct grounds_slot){id, tag_of(&e)};
    ARRAY_PUSH(g, entries, e);
    if (g->entries_count > g->slot_count / 2)
        grow_slots(g);
    return id;
}

/* The items from there on; NULL where nothing has any. */
static const struct ground_item *items_at(const struct grounds *g, size_t first)
{
    return g->items ? g->items + first : NULL;
}

struct ground_list grounds_by(const struct grounds *g, grounds_id id, uint32_t event)
{
    assert(id < g->entries_count);

    const struct grounds_entry *e = &g->entries[id];
    return (struct ground_list){e->by_given, e->by_count, event, items_at(g, e->first), g->ranges};
}

struct ground_list grounds_from(const struct grounds *g, grounds_id id, uint32_t event)
{
    assert(id < g->entries_count);

    const struct grounds_entry *e = &g->entries[id];
    return (struct ground_list){e->from_given, e->from_count, event, items_at(g, e->first + e->by_count),
                                g->ranges};
}

bool trace_has_grounds(const struct trace *trace)
{
    return trace->grounds != NULL;
}

struct ground_list trace_by(const struct trace *trace, uint32_t event)
{
    if (!trace->grounds)
        return (struct ground_list){.event = event};
    return grounds_by(trace->ground_pool, trace->grounds[event], event);
}

struct ground_list trace_from(const struct trace *trace, uint32_t event)
{
    if (!trace->grounds)
        return (struct ground_list){.event = event};
    return grounds_from(trace->ground_pool, trace->grounds[event], event);
}

void trace_set_grounds(struct trace *trace, uint32_t event, const struct grounds_given *given)
{
    grounds_id id;

    assert(event > EVENT_INIT && event <= trace->count);
    if (!trace->ground_pool)
        trace->ground_pool = grounds_new();
    id = grounds_add(trace->ground_pool, event, given);
    if (id != GROUNDS_NONE && !trace->grounds)
        trace_add_grounds(trace);
    if (trace->grounds)
        trace->grounds[event] = id;
}

void trace_drop_grounds(struct trace *trace)
{
    free(trace->grounds);
    grounds_free(trace->ground_pool);
    trace->grounds = NULL;
    trace->ground_pool = NULL;
}
