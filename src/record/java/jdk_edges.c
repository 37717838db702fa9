/* Order through objects whose inside is not recorded: which call gives, which takes. */
#include "record/java/jdk_edges.h"
#include "base/memory.h"

#include <stdlib.h>

void java_edges_free(struct java_edges *e)
{
    map_free(&e->heads);
    map_free(&e->changing);
    map_free(&e->channel_of);
    map_free(&e->pair_of);
    free(e->givers);
    free(e->channels);
    free(e->edges);
    free(e->by_from);
}

static struct java_giver *giver_of(struct java_edges *e, uint32_t object, uint32_t thread)
{
    uint32_t *head = map_at(&e->heads, object);

    for (uint32_t at = *head; at != 0; at = e->givers[at - 1].next)
        if (e->givers[at - 1].thread == thread)
            return &e->givers[at - 1];
    ARRAY_PUSH(e, givers, (struct java_giver){.thread = thread, .next = *head});
    *head = (uint32_t)e->givers_count;
    return &e->givers[*head - 1];
}

void java_give(struct java_edges *e, uint32_t object, uint32_t thread, uint64_t slot, bool looks)
{
    struct java_giver *giver = giver_of(e, object, thread);

    giver->slot = slot;
    if (!looks)
        giver->changed = slot + 1;
}

void java_change_begins(struct java_edges *e, uint32_t object)
{
    ++*map_at(&e->changing, object);
}

void java_change_ends(struct java_edges *e, uint32_t object)
{
    uint32_t *changing = map_at(&e->changing, object);

    *changing -= *changing > 0;
    for (uint32_t at = map_get(&e->heads, object); at != 0; at = e->givers[at - 1].next)
        e->givers[at - 1].passed = e->givers[at - 1].slot + 1;
}

static uint32_t channel_of(struct java_edges *e, uint32_t object, uint32_t from, uint32_t to)
{
    uint32_t *pair = map_at(&e->pair_of, map_pair(from, to)), *channel;

    if (*pair == 0)
        *pair = ++e->pairs;
    channel = map_at(&e->channel_of, map_pair(object, *pair));
    if (*channel == 0) {
        ARRAY_PUSH(e, channels, (struct java_channel){.object = object, .from = from, .to = to});
        *channel = (uint32_t)e->channels_count;
    }
    return *channel - 1;
}

/* Slot + 1 of the last beginning of the giver that an end requires; 0: none. */
static uint64_t required_of(const struct java_giver *giver, bool only_changes)
{
    if (!only_changes)
        return giver->slot + 1;
    return giver->changed > giver->passed ? giver->changed : giver->passed;
}

void java_take(struct java_edges *e, uint32_t object, uint32_t thread, uint64_t slot, bool looks)
{
    bool only_changes = looks && map_get(&e->changing, object) == 0;

    for (uint32_t at = map_get(&e->heads, object); at != 0; at = e->givers[at - 1].next) {
        const struct java_giver giver = e->givers[at - 1];
        uint64_t required = required_of(&giver, only_changes);
        if (giver.thread == thread || required == 0)
            continue;
        uint32_t channel = channel_of(e, object, giver.thread, thread);
        if (e->channels[channel].given >= required)
            continue;
        e->channels[channel].given = required;
        ARRAY_PUSH(e, edges, (struct java_edge){required - 1, slot, channel});
    }
}

/* What edges are sorted by. */
struct edge_order {
    const struct java_edges *edges;
    const uint32_t *numbers; /* of threads, or NULL */
};

static uint32_t number_of(const struct edge_order *o, uint32_t thread)
{
    return o->numbers ? o->numbers[thread] : thread;
}

static int by_from(const void *a, const void *b, void *order)
{
    const struct edge_order *o = order;
    uint32_t first = *(const uint32_t *)a, second = *(const uint32_t *)b;
    const struct java_edge *x = &o->edges->edges[first], *y = &o->edges->edges[second];
    const struct java_channel *p = &o->edges->channels[x->channel], *q = &o->edges->channels[y->channel];

    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    if (p->object != q->object)
        return p->object < q->object ? -1 : 1;
    if (number_of(o, p->to) != number_of(o, q->to))
        return number_of(o, p->to) < number_of(o, q->to) ? -1 : 1;
    return first < second ? -1 : first > second;
}

/* Edges of one object that end at one slot lie side by side. */
static void sort_ends(struct java_edges *e, const struct edge_order *o)
{
    for (size_t i = 1; i < e->edges_count; i++)
        for (size_t k = i; k > 0; k--) {
            struct java_edge *x = &e->edges[k - 1], *y = &e->edges[k], swapped;
            const struct java_channel *p = &e->channels[x->channel], *q = &e->channels[y->channel];
            if (x->to != y->to || p->object != q->object || number_of(o, p->from) <= number_of(o, q->from))
                break;
            swapped = *x;
            *x = *y;
            *y = swapped;
        }
}

void java_edges_sort(struct java_edges *e, const uint32_t *numbers)
{
    struct edge_order order = {.edges = e, .numbers = numbers};

    sort_ends(e, &order);
    e->by_from = memory_new(e->edges_count + 1, sizeof *e->by_from);
    for (size_t i = 0; i < e->edges_count; i++)
        e->by_from[i] = (uint32_t)i;
    if (e->edges_count > 0)
        qsort_r(e->by_from, e->edges_count, sizeof *e->by_from, by_from, &order);
}
