/* Where values come from: the walk. */
#include "flow.h"
#include "base/memory.h"
#include "callees.h"
#include "calls.h"
#include "light.h"

#include <assert.h>
#include <stdlib.h>

enum { MOST_VALUES = 1 << 20 };

static bool number_instructions(struct flow *f)
{
    struct span code = f->code->bytes;
    size_t length;

    f->number = memory_new(code.count, sizeof *f->number);
    f->place = memory_new(code.count, sizeof *f->place);
    memset(f->number, 0xff, code.count * sizeof *f->number);
    for (size_t at = 0; at < code.count; at += length) {
        length = instruction_length(code, at);
        if (length == 0)
            return false;
        assert(at + length <= code.count);
        f->number[at] = f->count;
        f->place[f->count++] = (uint32_t)at;
    }
    return (uint64_t)f->count * f->width <= MOST_VALUES;
}

bool flow_unrecorded(const struct flow *f, size_t at)
{
    return light_plain(f->rewriter->light, f->method.class, f->method.name, f->method.descriptor, (unsigned)at);
}

/* Whether the instruction produces a value that another run may change. */
static bool is_source(const struct flow *f, size_t at)
{
    unsigned op = f->code->bytes.data[at];
    struct member member;
    enum callee callee;

    if (op >= OP_IALOAD && op <= OP_SALOAD)
        return !flow_unrecorded(f, at);
    if ((op != OP_GETFIELD && op != OP_GETSTATIC && (op < OP_INVOKEVIRTUAL || op > OP_INVOKEINTERFACE)) ||
        !pool_member(f->pool, (uint16_t)flow_u2(f, at + 1), &member))
        return false;
    if (op == OP_GETFIELD || op == OP_GETSTATIC)
        return field_is_seen(f->rewriter, &member);
    callee = callee_of(f->rewriter, op, &member);
    if (callee == CALLEE_ATOMIC)
        return true;
    return (callee == CALLEE_OURS || callee == CALLEE_DERIVED) &&
           member.descriptor.data[member.descriptor.count - 1] != 'V';
}

/* Sources are numbered: arguments first, then instructions. Those beyond the last number have none, and
 * their values decide at once. */
static bool number_sources(struct flow *f, const struct flow_method *method)
{
    char letters[ARGUMENTS_MOST], result;
    int count = call_arguments(method->descriptor, letters, &result);

    if (count < 0)
        return false;
    f->source_count = 0;
    f->argument_count = (unsigned)count;
    for (int i = 0; i < count && i < FLOW_ARGUMENTS; i++)
        f->arguments[i] = (int8_t)f->source_count++;
    for (uint32_t i = 0; i < f->count; i++) {
        bool one = f->source_count < FLOW_SOURCES && !f->at_once[i] && is_source(f, f->place[i]);
        assert(f->source_count <= FLOW_SOURCES);
        f->source[i] = (int8_t)(one ? (int)f->source_count++ : NO_SOURCE);
    }
    return true;
}

/* The walk. Instructions wait here whose incoming values have changed. */
struct walk {
    struct flow *flow;
    uint32_t *waiting;
    size_t waiting_count;
    bool *waits;
    const struct flow_value *values;
    int32_t depth;
    bool bad;
};

static struct flow_value merged(struct flow_value a, struct flow_value b)
{
    if (a.of != b.of)
        return (struct flow_value){a.of | b.of, LEVEL_MIXED};
    return a.level < b.level ? a : b;
}

static void arrive(void *to, uint32_t place)
{
    struct walk *w = to;
    struct flow *f = w->flow;
    uint32_t number = place < f->code->bytes.count ? f->number[place] : UINT32_MAX;
    struct flow_value *there;
    bool changed = false;

    if (number == UINT32_MAX || (f->depth[number] >= 0 && f->depth[number] != w->depth)) {
        w->bad = true;
        return;
    }
    assert(number < f->count && w->depth >= 0 && f->locals + (unsigned)w->depth <= f->width);
    there = f->values + (size_t)number * f->width;
    if (f->depth[number] < 0) {
        memcpy(there, w->values, f->width * sizeof *there);
        f->depth[number] = w->depth;
        changed = true;
    } else {
        for (unsigned i = 0; i < f->locals + (unsigned)w->depth; i++) {
            struct flow_value value = merged(there[i], w->values[i]);
            changed |= value.of != there[i].of || value.level != there[i].level;
            there[i] = value;
        }
    }
    if (changed && !w->waits[number]) {
        w->waits[number] = true;
        assert(w->waiting_count < f->count); /* each waits once */
        w->waiting[w->waiting_count++] = number;
    }
}

/* An exception may leave the instruction before it has done anything. */
static void arrive_at_handlers(struct walk *w, uint32_t number, struct flow_value *room)
{
    struct flow *f = w->flow;
    struct cursor in = cursor_over(f->code->handlers);
    const struct flow_value *before = f->values + (size_t)number * f->width;

    if (in.at == in.end)
        return;
    memcpy(room, before, f->locals * sizeof *room);
    for (unsigned i = f->locals; i < f->width; i++)
        room[i] = (struct flow_value){0, LEVEL_EQUAL};
    w->values = room;
    w->depth = 1;
    w->bad |= f->width == f->locals;
    while (in.at < in.end && !w->bad) {
        unsigned start = read_u2(&in), end = read_u2(&in), handler = read_u2(&in);
        read_u2(&in);
        if (f->place[number] >= start && f->place[number] < end)
            arrive(w, handler);
    }
}

static bool walk_all(struct flow *f, const struct flow_value *first)
{
    struct walk w = {.flow = f, .values = first};
    struct flow_value *room = memory_new(f->width + 1u, sizeof *room);

    w.waiting = memory_new(f->count, sizeof *w.waiting);
    w.waits = memory_new(f->count, sizeof *w.waits);
    arrive(&w, 0);
    while (w.waiting_count > 0 && !w.bad) {
        uint32_t number = w.waiting[--w.waiting_count];
        w.waits[number] = false;
        arrive_at_handlers(&w, number, room);
        memcpy(room, f->values + (size_t)number * f->width, f->width * sizeof *room);
        w.depth = f->depth[number];
        w.bad |= !flow_step(f, number, room, &w.depth);
        w.values = room;
        if (!w.bad)
            flow_next(f, number, arrive, &w);
    }
    free(room);
    free(w.waiting);
    free(w.waits);
    return !w.bad;
}

/* Before the first instruction: arguments. */
static void begin_with(const struct flow *f, const struct flow_method *method, struct flow_value *values)
{
    char letters[ARGUMENTS_MOST], result;
    int count = call_arguments(method->descriptor, letters, &result);
    unsigned local = method->is_static ? 0 : 1;

    for (unsigned i = 0; i < f->width; i++)
        values[i] = (struct flow_value){0, LEVEL_EQUAL};
    for (int i = 0; i < count && local < f->locals; i++) {
        if (i < FLOW_ARGUMENTS)
            values[local].of = UINT64_C(1) << f->arguments[i];
        local += letters[i] == 'J' || letters[i] == 'D' ? 2 : 1;
    }
}

/* Whether a value that is live after the instruction comes from an earlier execution of its source. */
static bool keeps_earlier(const struct flow *f, uint32_t number)
{
    struct flow_value *room = memory_new(f->width + 1u, sizeof *room);
    uint64_t own = UINT64_C(1) << f->source[number],
             live = number + 1 < f->count ? f->live[number + 1] : UINT64_MAX;
    int32_t depth = f->depth[number];
    bool keeps = false;

    memcpy(room, f->values + (size_t)number * f->width, f->width * sizeof *room);
    if (flow_step(f, number, room, &depth)) {
        int result = room[f->locals + (unsigned)depth - 1].of & own ? depth - 1 : depth - 2;
        for (unsigned i = 0; i < f->locals; i++)
            keeps |= (i >= 64 || live >> i & 1) && room[i].of & own;
        for (int i = 0; i < depth; i++)
            keeps |= i != result && room[f->locals + (unsigned)i].of & own;
    }
    free(room);
    return keeps;
}

static void find_again(struct flow *f)
{
    for (uint32_t i = 0; i < f->count; i++)
        if (f->source[i] != NO_SOURCE && f->depth[i] >= 0 && keeps_earlier(f, i))
            f->again |= UINT64_C(1) << f->source[i];
}

static void mark_entered(void *to, uint32_t place)
{
    struct flow *f = to;

    if (place < f->code->bytes.count && f->number[place] != UINT32_MAX)
        f->entered[f->number[place]] = true;
}

/* Marks instructions that are reached by more than the instruction before them. */
static void find_entered(struct flow *f)
{
    struct cursor in = cursor_over(f->code->handlers);

    for (uint32_t i = 0; i < f->count; i++) {
        unsigned op = f->code->bytes.data[f->place[i]];
        if (is_short_branch(op) || op == OP_GOTO_W || op == OP_TABLESWITCH || op == OP_LOOKUPSWITCH)
            flow_next(f, i, mark_entered, f);
    }
    while (in.at < in.end) {
        unsigned handler;
        read_u4(&in);
        handler = read_u2(&in);
        read_u2(&in);
        mark_entered(f, handler);
        if (handler < f->code->bytes.count && f->number[handler] != UINT32_MAX)
            f->handles[f->number[handler]] = true;
    }
}

static bool has_live_handlers(const struct flow *f)
{
    struct cursor in = cursor_over(f->code->handlers);

    while (in.at < in.end) {
        for (int i = 0; i < 3; i++) {
            unsigned place = read_u2(&in);
            if (i != 1 && (place >= f->code->bytes.count || f->number[place] == UINT32_MAX))
                return false;
        }
        read_u2(&in);
    }
    return true;
}

/* Numbers the sources and walks. */
static bool walk_with(struct flow *f, const struct flow_method *method)
{
    struct flow_value *first = memory_new(f->width + 1u, sizeof *first);
    bool good;

    memset(f->depth, 0xff, f->count * sizeof *f->depth);
    good = number_sources(f, method);
    if (good) {
        begin_with(f, method, first);
        good = walk_all(f, first);
    }
    free(first);
    return good;
}

static void find_results(struct flow *f)
{
    for (uint32_t i = 0; i < f->count; i++) {
        unsigned op = f->code->bytes.data[f->place[i]];
        if (is_return(op) && op != OP_RETURN)
            f->returns |= (flow_of(f, i, 0) | flow_of(f, i, 1)) != 0;
    }
}

bool flow_make(struct flow *f, const struct code *code, const struct pool *pool,
               const struct rewriter *rewriter, const struct flow_method *method)
{
    bool good;

    *f = (struct flow){.code = code,
                       .pool = pool,
                       .rewriter = rewriter,
                       .method = *method,
                       .locals = code->max_locals,
                       .width = (unsigned)code->max_locals + code->max_stack,
                       .tells = method->descriptor.count > 0 &&
                                method->descriptor.data[method->descriptor.count - 1] == 'Z'};
    good = number_instructions(f) && has_live_handlers(f);
    if (good) {
        f->values = memory_new((size_t)f->count * f->width + 1, sizeof *f->values);
        f->depth = memory_new(f->count, sizeof *f->depth);
        f->live = memory_new(f->count, sizeof *f->live);
        f->source = memory_new(f->count, sizeof *f->source);
        f->entered = memory_new(f->count, sizeof *f->entered);
        f->handles = memory_new(f->count, sizeof *f->handles);
        f->at_once = memory_new(f->count, sizeof *f->at_once);
        f->acts = memory_new(f->count, sizeof *f->acts);
        find_entered(f);
        good = walk_with(f, method) && (!flow_find_at_once(f) || walk_with(f, method));
    }
    if (good) {
        flow_live(f);
        flow_find_acts(f);
        find_again(f);
        find_results(f);
    } else {
        flow_free(f);
    }
    return good;
}

void flow_free(struct flow *f)
{
    free(f->number);
    free(f->place);
    free(f->values);
    free(f->depth);
    free(f->live);
    free(f->source);
    free(f->entered);
    free(f->handles);
    free(f->at_once);
    free(f->acts);
    *f = (struct flow){0};
}

struct flow_value flow_below(const struct flow *f, size_t at, unsigned slot)
{
    assert(f->number[at] < f->count);
    uint32_t number = f->number[at];
    struct flow_value value = {0, LEVEL_EQUAL};

    if (f->depth[number] > (int)slot)
        value = f->values[(size_t)number * f->width + f->locals + (unsigned)f->depth[number] - 1 - slot];
    if (value.of & f->again)
        value.level = LEVEL_MIXED;
    return value;
}

int flow_source(const struct flow *f, size_t at)
{
    return f->source[f->number[at]];
}
