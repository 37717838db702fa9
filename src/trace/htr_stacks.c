/* Blocks of call stacks: new places, new stacks, and which events of the block before have which one. */
#include "base/memory.h"
#include "trace/htr_parts.h"

#include <string.h>

static bool get_places(struct stacks *s, struct payload *in)
{
    uint64_t count, length;

    if (!get_varint(in, &count))
        return false;
    for (; count > 0; count--) {
        const char *text;
        size_t id = names_count(&s->places);
        if (!get_varint(in, &length) || length == 0 || length > (size_t)(in->end - in->at) ||
            memchr(in->at, '\0', length))
            return false;
        text = (const char *)in->at;
        in->at += length;
        if (names_add(&s->places, text, length) != id)
            return false;
    }
    return true;
}

static bool get_sites(struct stacks *s, struct payload *in)
{
    uint64_t count, place, rest;

    if (!get_varint(in, &count))
        return false;
    for (; count > 0; count--) {
        if (!get_varint(in, &place) || !get_varint(in, &rest) || place >= names_count(&s->places) ||
            rest > s->sites_count || s->sites_count >= UINT32_MAX - 1)
            return false;
        ARRAY_PUSH(s, sites, (struct stack_site){(uint32_t)place, (stack_id)rest});
    }
    return true;
}

/* Checks the changes; they are kept as they are. */
static bool get_changes(const struct stacks *s, struct payload *in, uint64_t changes, uint64_t events)
{
    uint64_t gap, stack, left = events;

    for (; changes > 0; changes--) {
        if (!get_varint(in, &gap) || !get_varint(in, &stack) || gap >= left || stack > s->sites_count)
            return false;
        left -= gap + 1;
    }
    return in->at == in->end;
}

bool htr_stacks_decode(struct stacks *s, struct payload in, size_t first, size_t events)
{
    uint64_t count, changes;
    const unsigned char *coded;
    size_t length;

    if (!get_varint(&in, &count) || count == 0 || count != events || !get_places(s, &in) ||
        !get_sites(s, &in) || !get_varint(&in, &changes) || changes > count)
        return false;
    coded = in.at;
    length = (size_t)(in.end - coded);
    if (!get_changes(s, &in, changes, count))
        return false;
    if (changes == 0)
        return true;
    ARRAY_PUSH(s, blocks, (struct stacked_events){first, (uint32_t)count, (uint32_t)changes, s->coded_count});
    if (s->coded_count + length > s->coded_capacity)
        s->coded = memory_grow(s->coded, &s->coded_capacity, s->coded_count + length, 1);
    memcpy(s->coded + s->coded_count, coded, length);
    s->coded_count += length;
    return true;
}
