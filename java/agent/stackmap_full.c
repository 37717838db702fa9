/* Stack maps, frame by frame in full. */
#include "stackmap_full.h"
#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>

enum {
    SAME_ONE = 64,
    RESERVED = 128,
    SAME_ONE_FAR = 247,
    CHOP = 248,
    SAME_FAR = 251,
    APPEND = 252,
    FULL = 255
};
enum {
    TYPE_TOP,
    TYPE_INTEGER,
    TYPE_FLOAT,
    TYPE_DOUBLE,
    TYPE_LONG,
    TYPE_NULL,
    TYPE_THIS,
    TYPE_OBJECT,
    TYPE_NEW
};

static void add_start(struct shadows *s, unsigned tag, uint16_t operand)
{
    ARRAY_PUSH(s, start, (struct map_type){(uint8_t)tag, operand});
}

/* Of an array the class is its descriptor, of an object its name. */
static bool add_object(struct shadows *s, struct pool *pool, const uint8_t *from, const uint8_t *end)
{
    bool array = *from == '[';
    assert(end > from && (array || end - from >= 2));
    size_t length = (size_t)(end - from) - (array ? 0 : 2);
    char *name = memory_text((const char *)from + (array ? 0 : 1), length);
    uint16_t index = pool_add_class(pool, name);

    free(name);
    add_start(s, TYPE_OBJECT, index);
    return index != 0;
}

bool shadows_start(struct shadows *s, struct pool *pool, uint16_t this_index, bool constructs,
                   struct span descriptor)
{
    struct cursor in = cursor_over(descriptor);
    bool good = true;

    s->from_given = true;
    if (this_index)
        add_start(s, constructs ? TYPE_THIS : TYPE_OBJECT, this_index);
    read_u1(&in);
    while (good && !in.bad && in.at < in.end && *in.at != ')') {
        const uint8_t *from = in.at;
        unsigned letter = read_u1(&in);
        while (letter == '[')
            letter = read_u1(&in);
        while (letter == 'L' && !in.bad && in.at[-1] != ';')
            read_u1(&in);
        if (letter == 'L' || *from == '[')
            good = add_object(s, pool, from, in.at);
        else
            add_start(s,
                      letter == 'J'   ? TYPE_LONG
                      : letter == 'D' ? TYPE_DOUBLE
                      : letter == 'F' ? TYPE_FLOAT
                                      : TYPE_INTEGER,
                      0);
    }
    return good && !in.bad;
}

void shadows_free(struct shadows *s)
{
    free(s->start);
}

/* A list of types that changes from frame to frame. */
struct types {
    struct map_type *types;
    size_t types_count, types_capacity;
};

static void read_types(struct cursor *in, struct types *to, unsigned count)
{
    while (count-- > 0 && !in->bad) {
        struct map_type type = {.tag = read_u1(in)};
        if (type.tag == TYPE_OBJECT || type.tag == TYPE_NEW)
            type.operand = read_u2(in);
        ARRAY_PUSH(to, types, type);
    }
}

static void put_type(struct bytes *to, struct map_type type)
{
    put_u1(to, type.tag);
    if (type.tag == TYPE_OBJECT || type.tag == TYPE_NEW)
        put_u2(to, type.operand);
}

static void put_full(const struct shadows *s, const struct types *locals, const struct types *stack,
                     unsigned distance, struct bytes *to)
{
    unsigned slots = 0, unused;

    for (size_t i = 0; i < locals->types_count; i++)
        slots += locals->types[i].tag == TYPE_LONG || locals->types[i].tag == TYPE_DOUBLE ? 2 : 1;
    unused = slots < s->from ? s->from - slots : 0;
    assert(s->object);
    put_u1(to, FULL);
    put_u2(to, distance);
    put_u2(to, (unsigned)locals->types_count + unused + 1 + s->numbers);
    for (size_t i = 0; i < locals->types_count; i++)
        put_type(to, locals->types[i]);
    while (unused-- > 0)
        put_u1(to, TYPE_TOP);
    put_type(to, (struct map_type){TYPE_OBJECT, s->object});
    for (unsigned i = 0; i < s->numbers; i++)
        put_u1(to, TYPE_INTEGER);
    put_u2(to, (unsigned)stack->types_count);
    for (size_t i = 0; i < stack->types_count; i++)
        put_type(to, stack->types[i]);
}

/* Reads what changes from the frame before, and the distance to it. */
static unsigned read_frame(struct cursor *in, struct types *locals, struct types *stack)
{
    unsigned kind = read_u1(in);
    unsigned distance = kind < SAME_ONE ? kind : kind < RESERVED ? kind - SAME_ONE : read_u2(in);

    stack->types_count = 0;
    if (kind >= RESERVED && kind < SAME_ONE_FAR) {
        in->bad = true;
    } else if (kind >= SAME_ONE && kind <= SAME_ONE_FAR) {
        read_types(in, stack, 1);
    } else if (kind >= CHOP && kind < SAME_FAR) {
        in->bad |= SAME_FAR - kind > locals->types_count;
        if (!in->bad)
            locals->types_count -= SAME_FAR - kind;
    } else if (kind >= APPEND && kind < FULL) {
        read_types(in, locals, kind - SAME_FAR);
    } else if (kind == FULL) {
        locals->types_count = 0;
        read_types(in, locals, read_u2(in));
        read_types(in, stack, read_u2(in));
    }
    return distance;
}

bool stackmap_fill(const struct shadows *s, struct span old, struct bytes *to)
{
    struct cursor in = cursor_over(old);
    unsigned count = read_u2(&in);
    struct types locals = {0}, stack = {0};

    for (size_t i = 0; i < s->start_count; i++)
        ARRAY_PUSH(&locals, types, s->start[i]);
    put_u2(to, count);
    while (count-- > 0 && !in.bad) {
        unsigned distance = read_frame(&in, &locals, &stack);
        if (!in.bad)
            put_full(s, &locals, &stack, distance, to);
    }
    free(locals.types);
    free(stack.types);
    return !in.bad;
}
