/* Sorts findings and groups them by source locations, in near-linear time: there can be millions. */
#include "report/group.h"
#include "base/memory.h"
#include "finding/place.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

struct groups {
    uint32_t *keys; /* of all groups: property, then the set of places, ascending */
    size_t keys_count, keys_capacity;
    size_t *start; /* of each group's key in `keys`; the last is where the next one goes */
    size_t start_count, start_capacity;
    size_t *first; /* of each group: its first finding in the list */
    size_t first_count, first_capacity;
    uint32_t *slots; /* open addressing; 0: free, else a group's index + 1 */
    size_t slot_count;
};

static int compare_events(const struct finding *a, const struct finding *b)
{
    uint32_t shared = a->event_count < b->event_count ? a->event_count : b->event_count;

    if (a->property != b->property)
        return a->property < b->property ? -1 : 1;
    for (uint32_t i = 0; i < shared; i++)
        if (a->events[i] != b->events[i])
            return a->events[i] < b->events[i] ? -1 : 1;
    return a->event_count < b->event_count ? -1 : a->event_count > b->event_count;
}

/* Two findings with the same events are told apart by their runs: equal input in any order, equal output. */
static int compare_findings(const void *left, const void *right)
{
    const struct finding *a = left;
    const struct finding *b = right;
    int order = compare_events(a, b);

    if (order != 0)
        return order;
    if (a->schedule.prefix != b->schedule.prefix)
        return a->schedule.prefix < b->schedule.prefix ? -1 : 1;
    if (a->schedule.tail_count != b->schedule.tail_count)
        return a->schedule.tail_count < b->schedule.tail_count ? -1 : 1;
    for (uint32_t i = 0; i < a->schedule.tail_count; i++)
        if (a->schedule.tail[i] != b->schedule.tail[i])
            return a->schedule.tail[i] < b->schedule.tail[i] ? -1 : 1;
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    return a->count < b->count ? -1 : a->count > b->count;
}

static void sort_findings(struct finding_list *list)
{
    bool sorted = true;

    /* Engines that work event by event hand them in sorted, and then there is nothing to do. */
    for (size_t i = 1; i < list->findings_count && sorted; i++)
        sorted = compare_findings(&list->findings[i - 1], &list->findings[i]) <= 0;
    if (!sorted)
        qsort(list->findings, list->findings_count, sizeof *list->findings, compare_findings);
}

/* Findings have few events: inserting beats a general sort. */
static void sort_places(uint32_t *places, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        uint32_t place = places[i];
        size_t at = i;
        for (; at > 0 && places[at - 1] > place; at--)
            places[at] = places[at - 1];
        places[at] = place;
    }
}

/* Appends the finding's key to those of the groups; it stays there if the group is new. */
static size_t add_key(struct groups *g, const struct finding *f, const struct trace *trace)
{
    size_t start = g->keys_count;
    size_t kept = start + 1;

    ARRAY_PUSH(g, keys, f->property + (finding_is_conflict(f) ? PROPERTIES : 0));
    for (uint32_t i = 0; i < f->event_count; i++)
        ARRAY_PUSH(g, keys, place_of(trace, f->events[i]));
    sort_places(g->keys + start + 1, f->event_count);
    for (size_t i = start + 1; i < g->keys_count; i++)
        if (i == start + 1 || g->keys[i] != g->keys[kept - 1])
            g->keys[kept++] = g->keys[i];
    g->keys_count = kept;
    return kept - start;
}

static uint64_t hash_key(const struct groups *g, size_t start, size_t length)
{
    return XXH3_64bits(g->keys + start, length * sizeof *g->keys);
}

static size_t slot_for(const struct groups *g, size_t start, size_t length)
{
    size_t slot = hash_key(g, start, length) & (g->slot_count - 1);

    while (g->slots[slot] > 0) {
        size_t group = g->slots[slot] - 1;
        if (g->start[group + 1] - g->start[group] == length &&
            memcmp(g->keys + g->start[group], g->keys + start, length * sizeof *g->keys) == 0)
            break;
        slot = (slot + 1) & (g->slot_count - 1);
    }
    return slot;
}

static void make_room(struct groups *g)
{
    if (g->first_count * 2 < g->slot_count)
        return;
    g->slot_count = g->slot_count > 0 ? 2 * g->slot_count : 64;
    free(g->slots);
    g->slots = memory_new(g->slot_count, sizeof *g->slots);
    for (size_t i = 0; i < g->first_count; i++)
        g->slots[slot_for(g, g->start[i], g->start[i + 1] - g->start[i])] = (uint32_t)(i + 1);
}

/* The index of the finding's group, which is new if it is the number of groups so far. */
static size_t group_of(struct groups *g, const struct finding *f, const struct trace *trace)
{
    make_room(g);
    size_t start = g->keys_count;
    size_t length = add_key(g, f, trace);
    size_t slot = slot_for(g, start, length);
    if (g->slots[slot] > 0) {
        g->keys_count = start;
        return g->slots[slot] - 1;
    }
    g->slots[slot] = (uint32_t)(g->first_count + 1);
    ARRAY_PUSH(g, start, g->keys_count);
    return g->first_count;
}

static void merge(struct finding *into, struct finding *from)
{
    into->count += from->count;
    into->count_is_exact &= from->count_is_exact;
    free(from->events);
    free(from->schedule.tail);
}

static void group_list(struct finding_list *list, const struct trace *trace, bool keep_all)
{
    struct groups g = {0};
    uint32_t numbers[PROPERTIES] = {0};
    size_t kept = 0;

    sort_findings(list);
    ARRAY_PUSH(&g, start, 0);
    for (size_t i = 0; i < list->findings_count; i++) {
        struct finding *f = &list->findings[i];
        size_t group = group_of(&g, f, trace);
        bool is_new = group == g.first_count;

        if (is_new) {
            ARRAY_PUSH(&g, first, kept);
            f->group = ++numbers[f->property];
        } else {
            f->group = list->findings[g.first[group]].group;
        }
        if (is_new || keep_all)
            list->findings[kept++] = *f;
        else
            merge(&list->findings[g.first[group]], f);
    }
    list->findings_count = kept;
    free(g.keys);
    free(g.start);
    free(g.first);
    free(g.slots);
}

/* Only some of what is left undecided is listed; the rest is counted, and may belong to any of these groups. */
static void count_unlisted(struct results *results)
{
    struct finding_list *list = &results->undecided;
    uint64_t listed[PROPERTIES] = {0};

    for (size_t i = 0; i < list->findings_count; i++)
        listed[list->findings[i].property] += list->findings[i].count;
    for (size_t i = 0; i < list->findings_count; i++) {
        struct finding *f = &list->findings[i];
        f->count_is_exact &= listed[f->property] >= results->stats[f->property].undecided;
    }
}

void group_findings(struct results *results, const struct trace *trace)
{
    group_list(&results->found, trace, !results->grouped);
    group_list(&results->undecided, trace, !results->grouped);
    if (results->grouped)
        count_unlisted(results);
    results_number(results);
}
