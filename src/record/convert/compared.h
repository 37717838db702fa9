/* Which values of a read lead the same way, where what it saw was compared. */
#pragma once
#include "trace/grounds.h"
#include "trace/value_type.h"

enum { COMPARED_RANGES = 4 };

/* A read whose value, in a variable of this type, was `number`. */
struct seen_number {
    enum value_type type;
    uint64_t number;
};

/* A comparison as its record tells it: the value that was made of what was read, the constant, and how
 * (runtime/protocol/session.h). `equal`: as numbers, the value and what was read are the same. */
struct comparison {
    uint64_t value, constant;
    unsigned how;
    bool equal;
    bool as_read;            /* the value is what was read */
    bool idle_if, idle_else; /* nothing depends on it afterwards if it holds, or if it does not */
};

/* The values of the read for which the comparison comes out as it did. 0: that cannot be told in ranges. */
uint32_t compared_ranges(const struct seen_number *seen, const struct comparison *c,
                         struct value_range ranges[COMPARED_RANGES]);

/* Whether nothing depends on the comparison, as it came out. */
bool compared_idly(const struct comparison *c);

/* What two lists of ranges have in common; 0: too many, or nothing. */
uint32_t ranges_meet(const struct value_range *a, uint32_t a_count, const struct value_range *b,
                     uint32_t b_count, struct value_range ranges[COMPARED_RANGES]);
