/* Packed records: a byte that says how the rest is encoded, then place, address and value where they are
 * needed. */
#include "record/collect/pack.h"

#include <string.h>

/* The first byte: place in the lowest two bits, then three each for address and value. */
enum place_code { PLACE_GUESSED, PLACE_KNOWN, PLACE_NEW };
enum address_code { ADDRESS_STEP, ADDRESS_SAME, ADDRESS_NEAR, ADDRESS_FAR, ADDRESS_WHOLE };
enum value_code { VALUE_SAME, VALUE_8, VALUE_16, VALUE_32, VALUE_64, VALUE_NEAR, VALUE_FAR };

enum { ADDRESS_BYTES = 6 };

static const uint8_t address_bytes[] = {
    [ADDRESS_NEAR] = 1, [ADDRESS_FAR] = 3, [ADDRESS_WHOLE] = ADDRESS_BYTES, [7] = 0};
static const uint8_t value_bytes[] = {
    [VALUE_8] = 1, [VALUE_16] = 2, [VALUE_32] = 4, [VALUE_64] = 8, [VALUE_NEAR] = 1, [VALUE_FAR] = 2, [7] = 0};

static inline unsigned char *put(unsigned char *to, uint64_t number, unsigned bytes)
{
    memcpy(to, &number, sizeof number); /* the rest is overwritten by what follows */
    return to + bytes;
}

static inline uint64_t get(const unsigned char **from, unsigned bytes)
{
    uint64_t number;

    memcpy(&number, *from, sizeof number);
    *from += bytes;
    return bytes == 8 ? number : number & ~(UINT64_MAX << 8 * bytes);
}

/* A difference of so many bytes, which may be negative. */
static inline uint64_t widen(uint64_t number, unsigned bytes)
{
    uint64_t top = UINT64_C(1) << (8 * bytes - 1);

    return (number ^ top) - top;
}

static inline bool narrow(uint64_t difference, unsigned bytes)
{
    return widen(difference & ((UINT64_C(1) << 8 * bytes) - 1), bytes) == difference;
}

static unsigned slot_for(uint64_t pc, uint16_t head)
{
    return (unsigned)((pc * UINT64_C(0x9e3779b97f4a7c15) ^ head * UINT64_C(0xd6e8feb86659fd93)) >> 40) %
           PACK_SLOTS;
}

/* Clears the bytes of the value that the access does not cover: their contents are arbitrary. */
static inline uint64_t value_of(const struct record *r)
{
    unsigned size = record_size(r->word), kind = record_kind(r->word);
    uint64_t label;

    if (kind < RECORD_READ || kind > RECORD_CAS || !(r->pc & RECORD_VALUED) || size == 0 || size >= 8)
        return r->value;
    label = r->pc & RECORD_MADE ? UINT64_MAX << RECORD_MADE_SHIFT : 0;
    return r->value & (((UINT64_C(1) << 8 * size) - 1) | label);
}

static inline enum address_code address_code(const struct pack_slot *slot, uint64_t address)
{
    uint64_t step = address - slot->address;

    if (step == slot->step)
        return ADDRESS_STEP;
    if (step == 0)
        return ADDRESS_SAME;
    return narrow(step, 1) ? ADDRESS_NEAR : narrow(step, 3) ? ADDRESS_FAR : ADDRESS_WHOLE;
}

static inline enum value_code value_code(const struct pack_slot *slot, uint64_t value)
{
    uint64_t difference = value - slot->value;

    if (difference == 0)
        return VALUE_SAME;
    if (narrow(difference, 1))
        return VALUE_NEAR;
    if (value >> 8 == 0)
        return VALUE_8;
    if (narrow(difference, 2))
        return VALUE_FAR;
    return value >> 16 == 0 ? VALUE_16 : value >> 32 == 0 ? VALUE_32 : VALUE_64;
}

static inline bool fits(const struct pack_slot *slot, const struct record *r)
{
    return slot->pc == r->pc && slot->head == (uint16_t)(r->word >> 48);
}

static inline void remember(struct pack_slot *slot, uint64_t address, uint64_t value)
{
    slot->step = address - slot->address;
    slot->address = address;
    slot->value = value;
}

static unsigned char *pack_one(struct pack *p, const struct record *r, unsigned char *to)
{
    struct pack_slot *before = &p->slots[p->last], *slot = &p->slots[before->next];
    uint64_t address = r->word & RECORD_ADDRESS, value = value_of(r);
    unsigned char *first = to++;
    enum place_code place = PLACE_GUESSED;

    p->last = before->next;
    if (!fits(slot, r)) {
        unsigned number = slot_for(r->pc, (uint16_t)(r->word >> 48));
        slot = &p->slots[number];
        place = fits(slot, r) ? PLACE_KNOWN : PLACE_NEW;
        to = put(to, number, 2);
        if (place == PLACE_NEW) {
            *slot = (struct pack_slot){.pc = r->pc, .head = (uint16_t)(r->word >> 48), .next = slot->next};
            to = put(put(to, r->pc, 8), slot->head, 2);
        }
        before->next = (uint16_t)number;
        p->last = number;
    }

    enum address_code address_as = address_code(slot, address);
    enum value_code value_as = value_code(slot, value);
    *first = (unsigned char)(place | (unsigned)address_as << 2 | (unsigned)value_as << 5);
    to = put(to, address_as == ADDRESS_WHOLE ? address : address - slot->address, address_bytes[address_as]);
    to = put(to, value_as >= VALUE_NEAR ? value - slot->value : value, value_bytes[value_as]);
    remember(slot, address, value);
    return to;
}

size_t pack_records(struct pack *p, const struct record *records, size_t count, unsigned char *to)
{
    unsigned char *at = to;

    for (size_t i = 0; i < count; i++)
        at = pack_one(p, &records[i], at);
    return (size_t)(at - to);
}

/* How a number is made of what the slot has and what is told: without a branch, which would often be mispredicted. */
struct making {
    uint64_t told; /* the bytes that are told */
    uint64_t top;  /* of a difference: its uppermost bit */
    uint64_t last; /* all or nothing of what the slot had last */
    uint64_t step; /* … and of the step before that */
    unsigned bytes;
};

#define ALL       UINT64_MAX
#define BYTES(n)  (UINT64_MAX >> (64 - 8 * (n)))
#define TOP_OF(n) (UINT64_C(1) << (8 * (n)-1))

static const struct making addresses[8] = {
    [ADDRESS_STEP] = {0, 0, ALL, ALL, 0},
    [ADDRESS_SAME] = {0, 0, ALL, 0, 0},
    [ADDRESS_NEAR] = {BYTES(1), TOP_OF(1), ALL, 0, 1},
    [ADDRESS_FAR] = {BYTES(3), TOP_OF(3), ALL, 0, 3},
    [ADDRESS_WHOLE] = {BYTES(ADDRESS_BYTES), 0, 0, 0, ADDRESS_BYTES},
    [5] = {0, 0, ALL, 0, 0},
    [6] = {0, 0, ALL, 0, 0},
    [7] = {0, 0, ALL, 0, 0},
};
static const struct making values[8] = {
    [VALUE_SAME] = {0, 0, ALL, 0, 0},
    [VALUE_8] = {BYTES(1), 0, 0, 0, 1},
    [VALUE_16] = {BYTES(2), 0, 0, 0, 2},
    [VALUE_32] = {BYTES(4), 0, 0, 0, 4},
    [VALUE_64] = {BYTES(8), 0, 0, 0, 8},
    [VALUE_NEAR] = {BYTES(1), TOP_OF(1), ALL, 0, 1},
    [VALUE_FAR] = {BYTES(2), TOP_OF(2), ALL, 0, 2},
    [7] = {0, 0, 0, 0, 0},
};

static inline uint64_t make(const struct making *making, uint64_t last, uint64_t step,
                            const unsigned char **from)
{
    uint64_t told;

    memcpy(&told, *from, sizeof told);
    *from += making->bytes;
    told = ((told & making->told) ^ making->top) - making->top;
    return told + (last & making->last) + (step & making->step);
}

static const unsigned char *unpack_one(struct pack *p, const unsigned char *from, struct record *to)
{
    struct pack_slot *before = &p->slots[p->last], *slot = &p->slots[before->next];
    unsigned first = *from++, place = first & 3;

    p->last = before->next;
    if (place != PLACE_GUESSED) {
        unsigned number = (unsigned)get(&from, 2) % PACK_SLOTS;
        slot = &p->slots[number];
        if (place == PLACE_NEW) {
            uint64_t pc = get(&from, 8);
            *slot = (struct pack_slot){.pc = pc, .head = (uint16_t)get(&from, 2), .next = slot->next};
        }
        before->next = (uint16_t)number;
        p->last = number;
    }

    uint64_t address = make(&addresses[first >> 2 & 7], slot->address, slot->step, &from);
    uint64_t value = make(&values[first >> 5], slot->value, 0, &from);
    *to = (struct record){(address & RECORD_ADDRESS) | (uint64_t)slot->head << 48, slot->pc, value};
    remember(slot, address, value);
    return from;
}

bool unpack_records(struct pack *p, const unsigned char *bytes, size_t length, struct record *to, size_t count)
{
    const unsigned char *at = bytes, *end = bytes + length;

    for (size_t i = 0; i < count; i++) {
        if (at >= end)
            return false;
        at = unpack_one(p, at, &to[i]);
    }
    return at == end;
}
