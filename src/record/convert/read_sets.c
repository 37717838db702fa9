/* Sets of reads. */
#include "record/convert/read_sets.h"
#include "base/memory.h"

#include <stdlib.h>

void read_sets_free(struct read_sets *sets)
{
    free(sets->lists);
}

/* `single` is room for a set of one. NULL: every earlier read. */
static const struct read_list *look_at(const struct read_sets *sets, read_set set, struct read_list *single)
{
    uint32_t number = set & ~SET_SINGLE;

    if (set >= SET_SINGLE)
        return set == SET_ALL || sets->made - number >= READ_SETS ? NULL : &sets->lists[number % READ_SETS];
    single->count = set != SET_NONE;
    single->reads[0] = set;
    return single;
}

bool set_list(const struct read_sets *sets, read_set set, struct read_list *list)
{
    const struct read_list *found = look_at(sets, set, list);

    if (found && found != list)
        *list = *found;
    return found != NULL;
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

read_set set_of_list(struct read_sets *sets, const struct read_list *list)
{
    if (list->count == 0)
        return SET_NONE;
    if (list->count > READ_SET_MOST || set_of_read(list->reads[list->count - 1]) == SET_ALL)
        return SET_ALL;
    return list->count == 1 ? list->reads[0] : add(sets, list);
}

read_set set_union(struct read_sets *sets, read_set one, read_set other)
{
    struct read_list single, other_single, both;
    const struct read_list *a, *b;

    if (one == other || other == SET_NONE)
        return one;
    if (one == SET_NONE)
        return other;
    a = look_at(sets, one, &single);
    b = look_at(sets, other, &other_single);
    if (!a || !b || !merge(a, b, &both))
        return SET_ALL;
    if (both.count == a->count)
        return one;
    return both.count == b->count ? other : add(sets, &both);
}
