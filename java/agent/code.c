/* Code attributes: copying with insertions. */
#include "code.h"
#include "base/memory.h"
#include "stackmap.h"

#include <assert.h>
#include <stdlib.h>

enum { LONGEST = 65535 };

bool code_read(struct code *code, struct span content)
{
    struct cursor in = cursor_over(content);

    code->max_stack = read_u2(&in);
    code->max_locals = read_u2(&in);
    code->bytes = read_span(&in, read_u4(&in));
    code->handlers = read_span(&in, 8u * read_u2(&in));
    code->attribute_count = read_u2(&in);
    code->attributes = (struct span){in.at, (size_t)(in.end - in.at)};
    return !in.bad && code->bytes.count > 0 && code->bytes.count <= LONGEST;
}

void builder_init(struct code_builder *b, const struct code *code)
{
    size_t places = code->bytes.count + 1;

    *b = (struct code_builder){.code = code};
    b->moved = memory_new(places, sizeof *b->moved);
    memset(b->moved, 0xff, places * sizeof *b->moved);
}

void builder_free(struct code_builder *b)
{
    bytes_free(&b->out);
    free(b->moved);
    free(b->fixups);
}

void builder_mark(struct code_builder *b, size_t at)
{
    assert(at <= b->code->bytes.count && b->moved[at] == UINT32_MAX); /* each instruction is placed once */
    b->moved[at] = (uint32_t)b->out.data_count;
}

static void add_fixup(struct code_builder *b, uint32_t instruction, size_t at, int64_t offset, bool wide)
{
    int64_t target = (int64_t)at + offset;

    if (target < 0 || target >= (int64_t)b->code->bytes.count) {
        b->failed = true;
        return;
    }
    ARRAY_PUSH(b, fixups, (struct fixup){instruction, (uint32_t)b->out.data_count, (uint32_t)target, wide});
    if (wide)
        put_u4(&b->out, 0);
    else
        put_u2(&b->out, 0);
}

/* Switches are padded by where they lie. */
static void copy_switch(struct code_builder *b, size_t at, size_t length)
{
    uint32_t start = (uint32_t)b->out.data_count;
    struct cursor in = cursor_over(b->code->bytes);
    size_t end = at + length;
    bool table = b->code->bytes.data[at] == OP_TABLESWITCH;

    in.at += (at + 4) & ~(size_t)3;
    assert(b->code->bytes.data[at] == OP_TABLESWITCH || b->code->bytes.data[at] == OP_LOOKUPSWITCH);
    put_u1(&b->out, b->code->bytes.data[at]);
    while (b->out.data_count % 4)
        put_u1(&b->out, 0);
    add_fixup(b, start, at, (int32_t)read_u4(&in), true);
    put_u4(&b->out, read_u4(&in));
    if (table)
        put_u4(&b->out, read_u4(&in));
    while (in.at < b->code->bytes.data + end && !in.bad) {
        if (!table)
            put_u4(&b->out, read_u4(&in));
        add_fixup(b, start, at, (int32_t)read_u4(&in), true);
    }
}

void builder_copy(struct code_builder *b, size_t at)
{
    struct span code = b->code->bytes;
    size_t length = instruction_length(code, at);
    unsigned op = code.data[at];
    uint32_t start = (uint32_t)b->out.data_count;

    assert(length > 0 && at + length <= code.count);
    if (is_short_branch(op)) {
        put_u1(&b->out, op);
        add_fixup(b, start, at, (int16_t)(code.data[at + 1] << 8 | code.data[at + 2]), false);
    } else if (op == OP_GOTO_W || op == OP_JSR_W) {
        struct cursor in = {code.data + at + 1, code.data + code.count, false};
        put_u1(&b->out, op);
        add_fixup(b, start, at, (int32_t)read_u4(&in), true);
    } else if (op == OP_TABLESWITCH || op == OP_LOOKUPSWITCH) {
        copy_switch(b, at, length);
    } else {
        put_span(&b->out, code.data + at, length);
    }
}

static uint32_t moved_to(struct code_builder *b, size_t old)
{
    if (old > b->code->bytes.count || b->moved[old] == UINT32_MAX) {
        b->failed = true;
        return 0;
    }
    return b->moved[old];
}

static void patch_branches(struct code_builder *b)
{
    for (size_t i = 0; i < b->fixups_count && !b->failed; i++) {
        const struct fixup *f = &b->fixups[i];
        assert(f->field > f->instruction && f->field < b->out.data_count);
        int64_t offset = (int64_t)moved_to(b, f->target) - f->instruction;
        if (f->wide)
            patch_u4(&b->out, f->field, (uint32_t)offset);
        else if (offset < INT16_MIN || offset > INT16_MAX)
            b->failed = true;
        else
            patch_u2(&b->out, f->field, (uint16_t)offset);
    }
}

static void write_handlers(struct code_builder *b, struct bytes *to)
{
    struct cursor in = cursor_over(b->code->handlers);

    put_u2(to, (unsigned)(b->code->handlers.count / 8) + (b->handler != 0));
    while (in.at < in.end) {
        for (int i = 0; i < 3; i++)
            put_u2(to, moved_to(b, read_u2(&in)));
        put_u2(to, read_u2(&in));
    }
    assert(!b->handler || (b->cover_start < b->cover_end && b->cover_end <= b->handler));
    if (b->handler) {
        put_u2(to, b->cover_start);
        put_u2(to, b->cover_end);
        put_u2(to, b->handler);
        put_u2(to, 0);
    }
}

static void move_lines(struct code_builder *b, struct span content, struct bytes *to)
{
    struct cursor in = cursor_over(content);
    unsigned count = read_u2(&in);

    put_u2(to, count);
    while (count-- > 0 && !in.bad) {
        put_u2(to, moved_to(b, read_u2(&in)));
        put_u2(to, read_u2(&in));
    }
    b->failed |= in.bad;
}

/* LocalVariableTable and LocalVariableTypeTable: from where, how far, and what. */
static void move_variables(struct code_builder *b, struct span content, struct bytes *to)
{
    struct cursor in = cursor_over(content);
    unsigned count = read_u2(&in);

    put_u2(to, count);
    while (count-- > 0 && !in.bad) {
        size_t from = read_u2(&in), length = read_u2(&in);
        uint32_t start = moved_to(b, from);
        put_u2(to, start);
        put_u2(to, moved_to(b, from + length) - start);
        put_span(to, in.at, cursor_has(&in, 6) ? 6 : 0);
        read_span(&in, 6);
    }
    b->failed |= in.bad;
}

/* Appends a moved attribute; returns whether it was one that is kept. Type annotations are not: nothing but a
 * debugger looks at those inside code. */
static bool move_attribute(struct code_builder *b, const struct attribute *a, const struct code_frames *frames,
                           struct bytes *to, bool *mapped)
{
    bool lines = span_is(a->name, "LineNumberTable"), map = span_is(a->name, "StackMapTable");
    size_t length;

    if (!lines && !map && !span_is(a->name, "LocalVariableTable") &&
        !span_is(a->name, "LocalVariableTypeTable"))
        return false;
    put_span(to, a->whole.data, 2);
    length = to->data_count;
    put_u4(to, 0);
    if (lines) {
        move_lines(b, a->content, to);
    } else if (map) {
        *mapped = true;
        struct bytes full = {0};
        if (frames->shadows.from_given)
            b->failed |= !stackmap_fill(&frames->shadows, a->content, &full);
        b->failed |= !stackmap_move(full.data ? (struct span){full.data, full.data_count} : a->content,
                                    b->moved, b->code->bytes.count + 1, b->handler, frames->throwable, to);
        bytes_free(&full);
    } else {
        move_variables(b, a->content, to);
    }
    patch_u4(to, length, (uint32_t)(to->data_count - length - 4));
    return true;
}

static void write_attributes(struct code_builder *b, const struct pool *pool, const struct code_frames *frames,
                             struct bytes *to)
{
    struct cursor in = cursor_over(b->code->attributes);
    unsigned left = b->code->attribute_count, kept = 0;
    size_t count_at = to->data_count;
    struct attribute attribute;
    bool mapped = false;

    put_u2(to, 0);
    while (next_attribute(pool, &in, &left, &attribute))
        kept += move_attribute(b, &attribute, frames, to, &mapped);
    if (b->handler && frames->wanted && !mapped) {
        size_t length = to->data_count + 2;
        put_u2(to, frames->map_name);
        put_u4(to, 0);
        stackmap_move((struct span){NULL, 0}, b->moved, 0, b->handler, frames->throwable, to);
        patch_u4(to, length, (uint32_t)(to->data_count - length - 4));
        kept++;
    }
    assert(kept <= b->code->attribute_count + 1u);
    patch_u2(to, count_at, kept);
    b->failed |= in.bad;
}

bool builder_finish(struct code_builder *b, const struct pool *pool, const struct code_frames *frames,
                    struct bytes *to)
{
    patch_branches(b);
    if (b->out.data_count > LONGEST || b->code->max_stack + b->more_stack > LONGEST ||
        b->code->max_locals + b->more_locals > LONGEST)
        b->failed = true;
    put_u2(to, b->code->max_stack + b->more_stack);
    put_u2(to, b->code->max_locals + b->more_locals);
    put_u4(to, (uint32_t)b->out.data_count);
    put_span(to, b->out.data, b->out.data_count);
    write_handlers(b, to);
    write_attributes(b, pool, frames, to);
    return !b->failed;
}

unsigned line_of(const struct code *code, const struct pool *pool, size_t at)
{
    struct cursor in = cursor_over(code->attributes);
    unsigned left = code->attribute_count, line = 0;
    size_t nearest = 0;
    struct attribute attribute;

    while (next_attribute(pool, &in, &left, &attribute)) {
        struct cursor table = cursor_over(attribute.content);
        if (!span_is(attribute.name, "LineNumberTable"))
            continue;
        for (unsigned count = read_u2(&table); count > 0 && !table.bad; count--) {
            size_t start = read_u2(&table);
            unsigned number = read_u2(&table);
            if (start <= at && (line == 0 || start >= nearest)) {
                nearest = start;
                line = number;
            }
        }
    }
    return line;
}
