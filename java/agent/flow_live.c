/* Which local variables are live: read before they are written, on some path. And the successors of
 * instructions. */
#include "flow.h"

#include <assert.h>

void flow_next(const struct flow *f, uint32_t number, void (*go)(void *, uint32_t place), void *to)
{
    struct span code = f->code->bytes;
    size_t at = f->place[number];
    unsigned op = code.data[at];

    if (op == OP_TABLESWITCH || op == OP_LOOKUPSWITCH) {
        struct cursor in = cursor_over(code);
        const uint8_t *end = code.data + at + instruction_length(code, at);
        in.at += (at + 4) & ~(size_t)3;
        go(to, (uint32_t)(at + read_u4(&in)));
        in.at += op == OP_TABLESWITCH ? 8 : 4;
        while (in.at < end) {
            if (op == OP_LOOKUPSWITCH)
                read_u4(&in);
            go(to, (uint32_t)(at + read_u4(&in)));
        }
        return;
    }
    if (is_short_branch(op))
        go(to, (uint32_t)((long)at + (int16_t)flow_u2(f, at + 1)));
    if (op == OP_GOTO_W)
        go(to, (uint32_t)(at + (flow_u2(f, at + 1) << 16 | flow_u2(f, at + 3))));
    if (op != 167 && op != OP_GOTO_W && !is_return(op) && op != OP_ATHROW)
        go(to, (uint32_t)(at + instruction_length(code, at)));
}

/* What follows uses. */
struct after {
    const struct flow *flow;
    uint64_t live;
};

static void add_live(void *to, uint32_t place)
{
    struct after *a = to;

    if (place < a->flow->code->bytes.count && a->flow->number[place] != UINT32_MAX)
        a->live |= a->flow->live[a->flow->number[place]];
}

static uint64_t bits(unsigned index, bool two)
{
    return index >= 64 ? 0 : (UINT64_C(1) << index) | (two && index < 63 ? UINT64_C(2) << index : 0);
}

/* The local variables that an instruction reads, or writes. */
static void uses(const struct flow *f, size_t at, uint64_t *reads, uint64_t *writes)
{
    const uint8_t *code = f->code->bytes.data + at;
    bool wide = code[0] == OP_WIDE, stores;
    unsigned op = wide ? code[1] : code[0], index, type, first;

    *reads = *writes = 0;
    if (op == 132) {
        *reads = bits(wide ? flow_u2(f, at + 2) : code[1], false);
        return;
    }
    stores = op >= OP_ISTORE && op < OP_IASTORE;
    if (!stores && (op < OP_ILOAD || op >= OP_IALOAD))
        return;
    first = stores ? OP_ISTORE : OP_ILOAD;
    type = op < first + 5 ? op - first : (op - first - 5) / 4;
    index = op >= first + 5 ? (op - first - 5) % 4 : wide ? flow_u2(f, at + 2) : code[1];
    *(stores ? writes : reads) = bits(index, type == 1 || type == 3);
}

static uint64_t live_at_handlers(const struct flow *f, size_t at)
{
    struct cursor in = cursor_over(f->code->handlers);
    struct after a = {f, 0};

    while (in.at < in.end) {
        unsigned start = read_u2(&in), end = read_u2(&in), handler = read_u2(&in);
        read_u2(&in);
        if (at >= start && at < end)
            add_live(&a, handler);
    }
    return a.live;
}

void flow_live(struct flow *f)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = f->count; i-- > 0;) {
            struct after a = {f, 0};
            uint64_t reads, writes, live;
            flow_next(f, i, add_live, &a);
            uses(f, f->place[i], &reads, &writes);
            live = reads | (a.live & ~writes) | live_at_handlers(f, f->place[i]);
            assert((live & f->live[i]) == f->live[i]); /* it only grows, so the walk ends */
            changed |= live != f->live[i];
            f->live[i] = live;
        }
    }
}
