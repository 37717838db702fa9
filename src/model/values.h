/* Values as the trace records them, and what the value of a write is made of (semantics §1). */
#pragma once
#include "trace/grounds.h"
#include "trace/trace.h"

struct model;

struct known_value {
    enum value_tag tag; /* VALUE_NONE: not known */
    uint64_t number;
};

/* Whether both are known and the same; numbers are equal when their 64 bits are. */
static inline bool known_equal(struct known_value a, struct known_value b)
{
    return a.tag != VALUE_NONE && b.tag != VALUE_NONE && a.number == b.number &&
           (a.tag == VALUE_NAME) == (b.tag == VALUE_NAME);
}

static inline bool known_is_number(struct known_value v)
{
    return v.tag == VALUE_UNSIGNED || v.tag == VALUE_NEGATIVE;
}

bool known_in_ranges(struct known_value v, const struct value_range *ranges, uint32_t count);

/* What the write left in variable x in the trace; EVENT_INIT: its initial value. */
struct known_value model_written(const struct model *m, uint32_t write, variable_id x);

/* What the read saw in the trace. */
struct known_value model_seen(const struct model *m, uint32_t read);

enum made_form {
    MADE_CONSTANT,
    MADE_OFFSET, /* of what one read saw, plus `offset` */
    MADE_OF,     /* some function of the reads listed */
    MADE_OF_ALL  /* … of every earlier read of the thread, and of an rmw's or cas's own */
};

/* What a write's value is made of. */
struct made {
    enum made_form form;
    uint32_t read;
    uint64_t offset;
    struct ground_list list;
};

struct made model_made(const struct model *m, uint32_t write);

/* What a write to variable x carries that adds `offset` to the number: wraps as the variable's type does. */
struct known_value model_add(const struct model *m, variable_id x, uint64_t number, uint64_t offset);

/* Whether a run may let the write carry the value without carrying what it wrote in the trace. */
bool model_may_carry(const struct model *m, uint32_t write, variable_id x, struct known_value value);

/* Whether a run may let the write to variable x, a sum, carry a number in these ranges. */
bool model_may_sum_to(const struct model *m, variable_id x, const struct value_range *ranges, uint32_t count);

/* Whether the write, which adds to what the read saw, carries what it wrote only if that is as observed. */
bool model_sum_tells(const struct model *m, uint32_t write, uint32_t read);
