/* Ranges of values from comparisons.
 *
 * Numbers of a type are counted from its least one: these *steps* are in order whether it is signed or not, and
 * adding a constant to a number shifts its steps around. */
#include "record/convert/compared.h"
#include "runtime/protocol/session.h"

#include <string.h>

/* Numbers as they are, of whatever type. */
__extension__ typedef __int128 whole;

struct compared_interval {
    whole low, high;
};

struct intervals {
    struct compared_interval of[COMPARED_RANGES];
    uint32_t count;
};

/* In ascending order; they do not overlap. */
static void add(struct intervals *to, whole low, whole high)
{
    uint32_t at = 0;

    if (low > high)
        return;
    while (at < to->count && to->of[at].high + 1 < low)
        at++;
    if (at < to->count && to->of[at].high + 1 == low) {
        to->of[at].high = high;
    } else if (at < to->count && to->of[at].low == high + 1) {
        to->of[at].low = low;
    } else if (to->count < COMPARED_RANGES) {
        memmove(&to->of[at + 1], &to->of[at], (to->count - at) * sizeof *to->of);
        to->of[at] = (struct compared_interval){low, high};
        to->count++;
    }
}

static unsigned type_bits(enum value_type type)
{
    return type == TYPE_UNKNOWN ? 0 : 8u << (unsigned)(type - TYPE_U8) / 2;
}

static bool type_signed(enum value_type type)
{
    return (type - TYPE_U8) % 2 == 1;
}

static whole least(unsigned bits, bool is_signed)
{
    return is_signed ? -((whole)1 << (bits - 1)) : 0;
}

/* A 64-bit pattern as a number of a type. */
static whole number_of(uint64_t pattern, bool is_signed)
{
    return is_signed ? (whole)(int64_t)pattern : (whole)pattern;
}

/* `size` is a power of two. */
static whole modulo(whole number, whole size)
{
    return number & (size - 1);
}

static bool holds(unsigned operation, whole a, whole b)
{
    switch (operation) {
    case COMPARED_EQ:
        return a == b;
    case COMPARED_NE:
        return a != b;
    case COMPARED_LT:
        return a < b;
    case COMPARED_LE:
        return a <= b;
    case COMPARED_GT:
        return a > b;
    default:
        return a >= b;
    }
}

/* All numbers from `low` to `high` for which the comparison has the same result. */
static struct intervals same_outcome(unsigned operation, whole value, whole constant, whole low, whole high)
{
    bool outcome = holds(operation, value, constant);
    struct intervals found = {.count = 0};

    if (holds(operation, constant - 1, constant) == outcome)
        add(&found, low, constant - 1 < high ? constant - 1 : high);
    if (holds(operation, constant, constant) == outcome)
        add(&found, constant < low ? low : constant, constant < high ? constant : high);
    if (holds(operation, constant + 1, constant) == outcome)
        add(&found, constant + 1 < low ? low : constant + 1, high);
    return found;
}

/* The numbers that become one of these when `value` - `seen` is added to them, in a type as wide. */
static struct intervals shifted(const struct intervals *from, whole by, whole low, whole high)
{
    whole size = high - low + 1;
    struct intervals found = {.count = 0};

    for (uint32_t i = 0; i < from->count; i++) {
        whole length = from->of[i].high - from->of[i].low, first = modulo(from->of[i].low - by - low, size);
        whole last = first + length;
        add(&found, low + first, last < size ? low + last : high);
        if (last >= size)
            add(&found, low, low + last - size);
    }
    return found;
}

/* As ranges of 64-bit patterns, which are signed. */
static uint32_t as_ranges(const struct intervals *from, struct value_range ranges[COMPARED_RANGES])
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < from->count; i++) {
        whole low = from->of[i].low, high = from->of[i].high;
        bool splits = low <= INT64_MAX && high > INT64_MAX;
        if (count + splits >= COMPARED_RANGES)
            return 0;
        if (splits)
            ranges[count++] = (struct value_range){(int64_t)low, INT64_MAX};
        ranges[count++] =
            (struct value_range){splits ? INT64_MIN : (int64_t)(uint64_t)low, (int64_t)(uint64_t)high};
    }
    return count;
}

/* All that can be told, of whatever types. */
static uint32_t any_ranges(const struct seen_number *seen, const struct comparison *c,
                           struct value_range ranges[COMPARED_RANGES])
{
    unsigned bits = 8u << (c->how >> SESSION_SIZE_SHIFT & 3), operation = c->how & SESSION_OPERATION;
    unsigned seen_bits = type_bits(seen->type);
    bool is_signed = (c->how & SESSION_SIGNED) != 0, seen_signed = type_signed(seen->type);
    whole low = least(bits, is_signed), high = low + ((whole)1 << bits) - 1;
    whole value = number_of(c->value, is_signed), constant = number_of(c->constant, is_signed);
    whole number = number_of(seen->number, seen_signed);
    struct intervals found;

    if (seen_bits == 0 || operation > COMPARED_GE || value < low || value > high)
        return 0;
    if (seen_bits == bits) {
        whole seen_low = least(bits, seen_signed);
        found = same_outcome(operation, value, constant, low, high);
        found = shifted(&found, value - number, seen_low, seen_low + high - low);
    } else if (c->equal && seen_bits < bits && value == number) {
        whole seen_low = least(seen_bits, seen_signed), seen_high = seen_low + ((whole)1 << seen_bits) - 1;
        found = same_outcome(operation, value, constant, seen_low > low ? seen_low : low, seen_high);
    } else {
        return 0;
    }
    return as_ranges(&found, ranges);
}

/* Which numbers compare to a constant as asked: those below it, it, those above it. */
enum { BELOW = 1, AT = 2, ABOVE = 4, EVERY = 7 };

static unsigned holds_where(unsigned operation)
{
    static const uint8_t where[] = {
        [COMPARED_EQ] = AT,         [COMPARED_NE] = BELOW | ABOVE, [COMPARED_LT] = BELOW,
        [COMPARED_LE] = BELOW | AT, [COMPARED_GT] = ABOVE,         [COMPARED_GE] = AT | ABOVE};

    return where[operation];
}

/* The last bits of a pattern as a number. */
static int64_t short_number(uint64_t pattern, unsigned bits, bool is_signed)
{
    return is_signed ? (int64_t)(pattern << (64 - bits)) >> (64 - bits)
                     : (int64_t)(pattern & ((UINT64_C(1) << bits) - 1));
}

/* Most comparisons are of what was read, as it was read, with a number of as many bits: neither are wider numbers needed then, nor
 * are any shifted. Whether two are equal does not depend on their sign. 0: it is not such a comparison. */
static uint32_t usual_ranges(const struct seen_number *seen, const struct comparison *c,
                             struct value_range ranges[COMPARED_RANGES])
{
    unsigned bits = type_bits(seen->type), operation = c->how & SESSION_OPERATION, where;
    bool is_signed = (c->how & SESSION_SIGNED) != 0, seen_signed = type_signed(seen->type);
    int64_t constant, value, low, high;
    uint32_t count = 0;

    if (bits == 0 || bits > 32 || bits != 8u << (c->how >> SESSION_SIZE_SHIFT & 3) ||
        operation > (is_signed == seen_signed ? COMPARED_GE : COMPARED_NE) ||
        short_number(c->value, bits, is_signed) != (int64_t)c->value ||
        short_number(c->constant, bits, is_signed) != (int64_t)c->constant)
        return 0;
    value = short_number(c->value, bits, seen_signed);
    constant = short_number(c->constant, bits, seen_signed);
    if (value != (int64_t)seen->number)
        return 0;
    low = seen_signed ? -(INT64_C(1) << (bits - 1)) : 0;
    high = low + (INT64_C(1) << bits) - 1;
    where = value < constant ? BELOW : value == constant ? AT : ABOVE;
    where = holds_where(operation) & where ? holds_where(operation) : EVERY & ~holds_where(operation);
    if (where & BELOW && (where & AT || low < constant))
        ranges[count++] = (struct value_range){low, where & AT ? constant : constant - 1};
    else if (where & AT)
        ranges[count++] = (struct value_range){constant, constant};
    if (where & ABOVE && where & AT)
        ranges[count - 1].high = high;
    else if (where & ABOVE && constant < high)
        ranges[count++] = (struct value_range){constant + 1, high};
    return count;
}

uint32_t compared_ranges(const struct seen_number *seen, const struct comparison *c,
                         struct value_range ranges[COMPARED_RANGES])
{
    uint32_t usual = usual_ranges(seen, c, ranges);

    return usual ? usual : any_ranges(seen, c, ranges);
}

bool compared_idly(const struct comparison *c)
{
    bool is_signed = (c->how & SESSION_SIGNED) != 0;
    bool outcome =
        holds(c->how & SESSION_OPERATION, number_of(c->value, is_signed), number_of(c->constant, is_signed));

    return outcome ? c->idle_if : c->idle_else;
}

uint32_t ranges_meet(const struct value_range *a, uint32_t a_count, const struct value_range *b,
                     uint32_t b_count, struct value_range ranges[COMPARED_RANGES])
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < a_count; i++)
        for (uint32_t j = 0; j < b_count; j++) {
            int64_t low = a[i].low > b[j].low ? a[i].low : b[j].low;
            int64_t high = a[i].high < b[j].high ? a[i].high : b[j].high;
            if (low > high)
                continue;
            if (count == COMPARED_RANGES)
                return 0;
            ranges[count++] = (struct value_range){low, high};
        }
    return count;
}
