/* Sets of reads of one thread, by event number, made once and never changed.
 *
 * A set of more than READ_SET_MOST reads is SET_ALL, every earlier read; so is one that was made so long ago
 * that its place was needed for others. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

typedef uint32_t read_set;

enum { READ_SET_MOST = 8, READ_SETS = 1 << 16 };

#define SET_NONE   0u
#define SET_ALL    UINT32_MAX
#define SET_SINGLE 0x80000000u /* below: the event of a set of one */

struct read_sets {
    struct read_list {
        uint32_t count;
        uint32_t reads[READ_SET_MOST]; /* ascending */
    } * lists;
    uint32_t made; /* ever */
};

void read_sets_free(struct read_sets *sets);

/* The set that holds one read. */
static inline read_set set_of_read(uint32_t event)
{
    return event < SET_SINGLE ? event : SET_ALL;
}

/* The event of a set of one, else 0. */
static inline uint32_t set_single(read_set set)
{
    return set < SET_SINGLE ? set : 0;
}

/* The set that holds these, which ascend; the count may be more than there is room for. */
read_set set_of_list(struct read_sets *sets, const struct read_list *list);

read_set set_union(struct read_sets *sets, read_set one, read_set other);

/* What is in it; false when that is every earlier read. */
bool set_list(const struct read_sets *sets, read_set set, struct read_list *list);
