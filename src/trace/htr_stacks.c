/* Blocks of call stacks, read and written: new places, new stacks, and which events of the block before have
 * which one. */
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

static void put_number(struct stack_column *c, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        ARRAY_PUSH(c, bytes, (unsigned char)(value | 0x80));
    ARRAY_PUSH(c, bytes, (unsigned char)value);
}

/* The stacks that the events use and no block before had, after those they are built on. */
static void put_sites(struct stack_column *c, uint32_t used)
{
    const struct stacks *s = c->table;
    uint32_t places = c->places_out;

    for (uint32_t i = c->stacks_out; i < used; i++)
        places = s->sites[i].place >= places ? s->sites[i].place + 1 : places;
    put_number(c, places - c->places_out);
    for (uint32_t id = c->places_out; id < places; id++) {
        put_number(c, names_length(&s->places, id));
        for (const char *text = names_text(&s->places, id); *text; text++)
            ARRAY_PUSH(c, bytes, (unsigned char)*text);
    }
    put_number(c, used - c->stacks_out);
    for (uint32_t i = c->stacks_out; i < used; i++) {
        put_number(c, s->sites[i].place);
        put_number(c, s->sites[i].rest);
    }
    c->stacks_out = used;
    c->places_out = places;
}

/* Whether the event's stack is another than predicted: a thread mostly comes to a place the way it came there
 * before. */
static bool is_change(const struct stack_column *c, const struct event *events, size_t i, stack_id *last)
{
    stack_id *before = &last[htr_stack_slot(events[i].location, events[i].thread)];
    bool change = *before != c->of[i];

    *before = c->of[i];
    return change;
}

bool stack_column_make(struct stack_column *c, const struct event *events, size_t count)
{
    stack_id last[HTR_SLOTS] = {0};
    uint32_t used = c->stacks_out;
    size_t changes = 0;

    for (size_t i = 0; i < count; i++) {
        changes += is_change(c, events, i, last);
        used = c->of[i] > used ? c->of[i] : used;
    }
    if (changes == 0)
        return false;
    c->bytes_count = 0;
    put_number(c, count);
    put_sites(c, used);
    put_number(c, changes);
    memset(last, 0, sizeof last);
    for (size_t i = 0, told = 0; i < count; i++) {
        if (!is_change(c, events, i, last))
            continue;
        put_number(c, i - told);
        put_number(c, c->of[i]);
        told = i + 1;
    }
    return true;
}
