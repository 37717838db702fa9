/* Sets of reads. */
#include "record/convert/read_sets.h"
#include "base/memory.h"

#include <stdlib.h>

void read_sets_free(struct read_sets *sets)
{
    free(sets->lists);
}

bool set_list(const struct read_sets *sets, read_set set, struct read_list *list)
{
    uint32_t number = set & ~SET_SINGLE;

    *list = (struct read_list){0};
    if (set == SET_NONE)
        return true;
    if (set < SET_SINGLE) {
        list->reads[list->count++] = set;
        return true;
    }
    if (set == SET_ALL || sets->made - number >= READ_SETS)
        return false;
    *list = sets->lists[number % READ_SETS];
    return true;
}

/* False when there are too many. */
static bool merge(const struct read_list *a, const struct read_list *b, struct read_list *both)
{
    uint32_t i = 0, j = 0;

    both->count = 0;
    while (i < a->count || j < b->count) {
        uint32_t next =
            j == b->count || (i < a->count && a->reads[i] <= b->reads[j]) ? a->reads[i] : b->reads[j];
        if (both->count == READ_SET_MOST)
            return false;
        both->reads[both->count++] = next;
        i += i < a->count && a->reads[i] == next;
        j += j < b->count && b->reads[j] == next;
    }
    return true;
}

static read_set add(struct read_sets *sets, const struct read_list *list)
{
    uint32_t number = sets->made + 1;

    if (number >= (SET_ALL & ~SET_SINGLE))
        return SET_ALL;
    if (!sets->lists)
        sets->lists = memory_new(READ_SETS, sizeof *sets->lists);
    sets->lists[number % READ_SETS] = *list;
    sets->made = number;
    return SET_SINGLE | number;
}

read_set set_union(struct read_sets *sets, read_set one, read_set other)
{
    struct read_list a, b, both;

    if (one == other || other == SET_NONE)
        return one;
    if (one == SET_NONE)
        return other;
    if (!set_list(sets, one, &a) || !set_list(sets, other, &b) || !merge(&a, &b, &both))
        return SET_ALL;
    if (both.count == a.count)
        return one;
    return both.count == b.count ? other : add(sets, &both);
}
