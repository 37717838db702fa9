/* Random valid traces: what events stand on, and the values that agree with it. */
#include "random/maker.h"

#define RANGES 2 /* the most of an item */

/* Has grounds at all. */
static bool grounded(struct maker *k)
{
    return k->shape->grounds > 0 && chance(k, k->shape->grounds);
}

struct made_value maker_any_value(struct maker *k, unsigned variable)
{
    struct made_value value = {.number = pick(k, 3)};

    if (k->shape->names > 0 && chance(k, k->shape->names))
        value.name = true;
    else if (k->type[variable] == TYPE_U8 && chance(k, 30))
        value.number = UINT8_MAX; /* one more is 0 */
    else if (k->type[variable] == TYPE_I8 && chance(k, 30))
        value.number = INT8_MAX;
    return value;
}

/* The latest read, mostly: programs use what they have just read. */
static const struct made_read *any_read(struct maker *k, const struct actor *a)
{
    return &a->reads[chance(k, 60) ? a->read_count - 1 : pick(k, a->read_count)];
}

/* What a read saw, a little more or less, if that is a number. */
static bool choose_sum(struct maker *k, const struct actor *a, unsigned variable, struct made_from *from,
                       struct made_value *value)
{
    const struct made_read *read = any_read(k, a);

    if (read->saw.name)
        return false;
    struct ground item = {.read = read->event, .form = GROUND_OFFSET, .offset = (uint64_t)pick(k, 4) - 2};
    from->items[from->count++] = item;
    *value = (struct made_value){.number = type_wrap(k->type[variable], read->saw.number + item.offset)};
    return true;
}

static bool names_read(const struct made_from *from, uint32_t read)
{
    for (unsigned i = 0; i < from->count; i++) {
        if (from->items[i].read == read)
            return true;
    }
    return false;
}

struct made_value maker_choose_from(struct maker *k, const struct actor *a, unsigned variable,
                                    struct made_from *from)
{
    struct made_value value = maker_any_value(k, variable);

    if (!grounded(k))
        return value;
    from->given = true;
    if (a->read_count == 0 || chance(k, 30))
        return value; /* a constant */
    if (chance(k, 65) && choose_sum(k, a, variable, from, &value))
        return value;
    for (unsigned n = 1 + pick(k, 2); n > 0; n--) {
        uint32_t read = any_read(k, a)->event;
        if (!names_read(from, read))
            from->items[from->count++] = (struct ground){.read = read};
    }
    return value;
}

/* Ranges that let pass what the read saw, if that is a number; two are apart from each other. */
static unsigned choose_ranges(struct maker *k, struct made_value saw, struct value_range *ranges)
{
    int64_t number = saw.name ? 1 : (int64_t)saw.number;

    switch (pick(k, 4)) {
    case 0:
        ranges[0] = (struct value_range){number, INT64_MAX};
        return 1;
    case 1:
        ranges[0] = (struct value_range){INT64_MIN, number};
        return 1;
    case 2:
        ranges[0] = (struct value_range){number, number + pick(k, 2)};
        return 1;
    default:
        ranges[0] = (struct value_range){INT64_MIN, number - 2};
        ranges[1] = (struct value_range){number, number};
        return 2;
    }
}

/* Whether the event is to ask for the very number that the last read saw. */
static bool asks_exactly(struct maker *k, const struct made_read *last)
{
    return k->shape->exact > 0 && !last->saw.name && chance(k, k->shape->exact);
}

/* Reads of the thread before the event, most of them late ones, some with ranges. */
static unsigned choose_by(struct maker *k, const struct actor *a, unsigned reads, struct ground *by,
                          struct value_range (*ranges)[RANGES])
{
    unsigned count = 0;

    for (unsigned i = reads; i-- > 0;) {
        const struct made_read *read = &a->reads[i];

        if (i + 1 == reads && asks_exactly(k, read)) {
            int64_t number = (int64_t)read->saw.number;
            ranges[count][0] = (struct value_range){number, number};
            by[count] = (struct ground){
                .read = read->event, .form = GROUND_RANGES, .ranges = ranges[count], .range_count = 1};
            count++;
            continue;
        }
        if (!chance(k, 45))
            continue;
        by[count] = (struct ground){.read = read->event};
        if (chance(k, 55)) {
            by[count].form = GROUND_RANGES;
            by[count].ranges = ranges[count];
            by[count].range_count = choose_ranges(k, read->saw, ranges[count]);
        }
        count++;
    }
    return count;
}

void maker_give_grounds(struct maker *k, const struct actor *a, const struct made_from *from)
{
    uint32_t event = (uint32_t)k->trace->count;
    struct ground by[ACTOR_READS];
    struct value_range ranges[ACTOR_READS][RANGES];
    unsigned reads = a->read_count;
    struct grounds_given given = {.by = by, .by_given = grounded(k)};

    if (reads > 0 && a->reads[reads - 1].event == event)
        reads--; /* its own */
    if (given.by_given)
        given.by_count = choose_by(k, a, reads, by, ranges);
    if (from && from->given) {
        given.from_given = true;
        given.from = from->items;
        given.from_count = from->count;
    }
    if (given.by_given || given.from_given)
        trace_set_grounds(k->trace, event, &given);
}
