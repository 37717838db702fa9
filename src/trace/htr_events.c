/* Decodes the events of native blocks: columns, predictions, ranges; nothing in a block is trusted. */
#include "base/memory.h"
#include "trace/htr_parts.h"
#include "trace/limits.h"
#include "trace/validate.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A column as it lies in the block: `width` planes of one byte an element, the lowest first. */
struct column {
    const unsigned char *planes;
    size_t count;
    unsigned width;
};

#define NO_ARGUMENT ((uint64_t)1 << 32) /* above every coded argument */

struct htr_decoder {
    struct trace *trace;
    unsigned features;
    uint64_t longest_name; /* that is allowed */
    struct validator validator;
    struct payload in;   /* of the block being decoded */
    struct payload runs; /* its thread column: pairs of thread and run length */
    struct column location, op, arg, tag, value, shape;
    uint8_t leads[HTR_BLOCK_EVENTS];        /* 1 for the first event of each run of a thread */
    uint32_t checked[HTR_BLOCK_EVENTS + 1]; /* the events of the block that the validator must see */
    size_t checked_count;
    uint64_t lowest[256], spread[256]; /* of coded arguments, by operation; NO_ARGUMENT: none is right */
    uint32_t last_location[HTR_SLOTS];
    struct prediction {
        uint32_t arg;
        event_op op;
    } last[HTR_SLOTS];
    uint64_t last_value[HTR_SLOTS];
    uint32_t last_shape[HTR_SLOTS];
    struct grounds_decoder grounds;
};

enum status htr_damaged(const struct trace *trace, struct error *err, const char *what)
{
    return fail(err, HEDDLE_BAD_TRACE, "damaged block after event %zu: %s", trace->count, what);
}

static bool get_column(struct htr_decoder *d, struct column *column, size_t count)
{
    if (d->in.at == d->in.end)
        return false;
    *column = (struct column){d->in.at + 1, count, *d->in.at};
    if (column->width > 8 || (size_t)(d->in.end - column->planes) < column->width * count)
        return false;
    d->in.at = column->planes + column->width * count;
    return true;
}

static inline uint64_t column_at(const struct column *c, size_t i)
{
    assert(i < c->count || c->width == 0);
    if (c->width == 0)
        return 0;
    if (c->width == 1)
        return c->planes[i];

    uint64_t value = c->planes[i] | (uint64_t)c->planes[i + c->count] << 8;
    for (unsigned plane = 2; plane < c->width; plane++)
        value |= (uint64_t)c->planes[i + plane * c->count] << 8 * plane;
    return value;
}

/* A name for an object of a file written without names. */
static size_t default_name(char *to, size_t room, int class, size_t id)
{
    static const char *const prefix[NAME_CLASSES] = {"T", "x", "l", "c", "b", "s", "block", "", ""};

    return (size_t)snprintf(to, room, "%s%zu", prefix[class], id);
}

/* The next name of the block. Only a location may be empty: text could not say the others. */
static bool get_name(struct htr_decoder *d, int class)
{
    struct names *names = &d->trace->names[class];
    const char *text;
    uint64_t length;

    if (!get_varint(&d->in, &length) || length > (size_t)(d->in.end - d->in.at))
        return false;
    text = (const char *)d->in.at;
    d->in.at += length;
    if (memchr(text, '\0', length) || (length == 0 && class != NAME_LOCATION))
        return false;
    size_t id = names_count(names);
    return names_add(names, text, length) == id;
}

static enum status get_names(struct htr_decoder *d, struct error *err)
{
    size_t unnamed = 0;

    for (int class = 0; class < NAME_CLASSES; class ++) {
        struct names *names = &d->trace->names[class];
        bool written = d->features & HTR_NAMES || class >= NAME_LOCATION;
        uint64_t count;
        char made[32];

        if (!get_varint(&d->in, &count) || count > (written ? HTR_BLOCK_BYTES : HTR_UNNAMED - unnamed))
            return htr_damaged(d->trace, err, "bad count of names");
        unnamed += written ? 0 : count;
        for (; count > 0; count--) {
            if (!written)
                names_add(names, made, default_name(made, sizeof made, class, names_count(names)));
            else if (!get_name(d, class))
                return htr_damaged(d->trace, err, "bad name, or one that stands twice");
            else if (names_length(names, (uint32_t)names_count(names) - 1) > d->longest_name)
                return trace_limits_exceeded("a block", "bytes of a name", "name", d->longest_name, err);
        }
    }
    return HEDDLE_OK;
}

/* Skips the thread column, which is read again with the events: checks that its runs cover them. */
static bool get_threads(struct htr_decoder *d, size_t count)
{
    size_t known = trace_names(d->trace, NAME_THREAD), covered = 0;
    uint64_t runs, thread, more;

    if (!get_varint(&d->in, &runs))
        return false;
    d->runs.at = d->in.at;
    while (runs-- > 0) {
        if (!get_varint(&d->in, &thread) || !get_varint(&d->in, &more) || thread >= known ||
            more >= count - covered)
            return false;
        covered += more + 1;
    }
    d->runs.end = d->in.at;
    return covered == count;
}

static bool get_columns(struct htr_decoder *d, size_t count)
{
    if (!get_threads(d, count))
        return false;
    d->location = (struct column){.planes = d->in.at, .count = count}; /* all 0: no locations */
    if (d->features & HTR_LOCATIONS && !get_column(d, &d->location, count))
        return false;
    if (!get_column(d, &d->op, count) || d->op.width > 1 || !get_column(d, &d->arg, count))
        return false;
    if (d->features & HTR_VALUES && (!get_column(d, &d->tag, count) || !get_column(d, &d->value, count)))
        return false;
    if (d->features & HTR_GROUNDS && !get_column(d, &d->shape, count))
        return false;
    return d->in.at == d->in.end;
}

/* For each operation byte the range its coded argument must lie in; no range for what is no operation. */
static void find_ranges(struct htr_decoder *d)
{
    for (unsigned op = 0; op < 256; op++) {
        enum event_kind kind = op_kind((event_op)op);
        bool known = kind < EVENT_KINDS && op_order((event_op)op) < ORDERS;
        enum name_class class = known ? kind_argument(kind) : NAME_CLASSES;
        uint64_t names = class < NAME_CLASSES ? trace_names(d->trace, class) : 0;
        bool optional = class >= NAME_CLASSES || class == NAME_BLOCK; /* 0, no argument, is right */

        d->lowest[op] = !known || (names == 0 && !optional) ? NO_ARGUMENT : optional ? 0 : 1;
        d->spread[op] = d->lowest[op] == NO_ARGUMENT ? 0 : names - d->lowest[op];
    }
}

/* Writes a column out as the differences it codes. One loop a width: each is a vector loop. */
static void spread_column(const struct column *c, uint32_t *restrict to)
{
    const unsigned char *p0 = c->planes, *p1 = p0 + c->count, *p2 = p1 + c->count, *p3 = p2 + c->count;
    const size_t count = c->count;

    switch (c->width) {
    case 0:
        memset(to, 0, count * sizeof *to);
        break;
    case 1:
        for (size_t i = 0; i < count; i++)
            to[i] = htr_unzigzag_u32(p0[i]);
        break;
    case 2:
        for (size_t i = 0; i < count; i++)
            to[i] = htr_unzigzag_u32(p0[i] | (uint32_t)p1[i] << 8);
        break;
    case 3:
        for (size_t i = 0; i < count; i++)
            to[i] = htr_unzigzag_u32(p0[i] | (uint32_t)p1[i] << 8 | (uint32_t)p2[i] << 16);
        break;
    case 4:
        for (size_t i = 0; i < count; i++)
            to[i] =
                htr_unzigzag_u32(p0[i] | (uint32_t)p1[i] << 8 | (uint32_t)p2[i] << 16 | (uint32_t)p3[i] << 24);
        break;
    default:
        for (size_t i = 0; i < count; i++)
            to[i] = (uint32_t)htr_unzigzag(column_at(c, i));
    }
}

/* Undoes the prediction of `count` events of one thread, in place: the trace's columns hold what was coded,
 * from event `number` on. */
static void decode_run(struct htr_decoder *d, thread_id thread, size_t count, size_t number)
{
    event_op *restrict ops = d->trace->op + number;
    uint32_t *restrict args = d->trace->arg + number;
    location_id *restrict places = d->trace->location + number;
    thread_id *threads = d->trace->thread + number;
    struct prediction *restrict last = d->last;
    uint32_t place = d->last_location[htr_slot(thread)];

    for (size_t i = 0; i < count; i++) {
        place += places[i];
        struct prediction *before = &last[htr_slot(place)];
        ops[i] = before->op ^= ops[i];
        before->arg += args[i];
        args[i] = before->arg - 1;
        places[i] = place - 1;
    }
    for (size_t i = 0; i < count; i++)
        threads[i] = thread;
    d->last_location[htr_slot(thread)] = place;
}

/* Are all numbers in range? */
static bool numbers_fit(const struct htr_decoder *d, size_t count)
{
    const event_op *ops = d->trace->op + d->trace->count + 1;
    const uint32_t *args = d->trace->arg + d->trace->count + 1;
    const location_id *places = d->trace->location + d->trace->count + 1;
    uint32_t highest = 0;
    bool fit = true;

    for (size_t i = 0; i < count; i++)
        highest = places[i] + 1 > highest ? places[i] + 1 : highest; /* NAME_NONE wraps to 0 */
    for (size_t i = 0; i < count; i++)
        fit &= (uint64_t)(uint32_t)(args[i] + 1) - d->lowest[ops[i]] <= d->spread[ops[i]];
    return fit && highest <= trace_names(d->trace, NAME_LOCATION);
}

/* Lists the events that the validator must see, without a branch on what they are. */
static void list_checked(struct htr_decoder *d, size_t count)
{
    const event_op *ops = d->trace->op + d->trace->count + 1;
    size_t listed = 0;

    for (size_t i = 0; i < count; i++) {
        d->checked[listed] = (uint32_t)i;
        listed += d->leads[i] | (ops[i] > EVENT_RMW);
    }
    assert(count == 0 || listed > 0); /* the first event of a block begins a run */
    d->checked_count = listed;
}

static bool decode_events(struct htr_decoder *d, size_t count)
{
    const size_t number = d->trace->count + 1;
    size_t done = 0;
    uint64_t thread, more;

    find_ranges(d);
    memset(d->leads, 0, count);
    memset(d->last_location, 0, sizeof d->last_location);
    memset(d->last, 0, sizeof d->last);
    spread_column(&d->location, d->trace->location + number);
    spread_column(&d->arg, d->trace->arg + number);
    if (d->op.width > 0)
        memcpy(d->trace->op + number, d->op.planes, count);
    else
        memset(d->trace->op + number, 0, count);
    for (; done < count && get_varint(&d->runs, &thread) && get_varint(&d->runs, &more); done += more + 1) {
        d->leads[done] = 1;
        decode_run(d, (thread_id)thread, more + 1, number + done);
    }
    assert(done == count); /* get_threads has looked */
    list_checked(d, count);
    return numbers_fit(d, count);
}

static bool decode_values(struct htr_decoder *d, size_t count)
{
    struct trace *trace = d->trace;
    size_t number = trace->count + 1;

    if (!trace->value_tag)
        trace_add_values(trace);
    memset(d->last_value, 0, sizeof d->last_value);
    for (size_t i = 0; i < count; i++, number++) {
        uint64_t tag = column_at(&d->tag, i);
        trace->value_tag[number] = (uint8_t)tag;
        trace->value[number] = 0;
        if (tag == VALUE_NONE)
            continue;
        if (tag > VALUE_NAME || !kind_has_value(trace_kind(trace, number)))
            return false;
        uint64_t *last = &d->last_value[htr_slot(trace->arg[number])];
        trace->value[number] = *last += htr_unzigzag(column_at(&d->value, i));
        if ((tag == VALUE_NAME && *last >= trace_names(trace, NAME_VALUE)) ||
            (tag == VALUE_NEGATIVE && *last >> 63 == 0))
            return false;
    }
    return true;
}

/* The lists of events that have any, beside the other columns. */
static bool decode_grounds(struct htr_decoder *d, size_t count)
{
    struct trace *trace = d->trace;
    bool first = !trace->grounds && d->shape.width > 0;
    grounds_id any = GROUNDS_NONE;

    if (first)
        trace_add_grounds(trace);
    memset(d->last_shape, 0, sizeof d->last_shape);
    for (size_t i = 0; i < count; i++) {
        size_t number = trace->count + 1 + i;
        uint32_t *last = &d->last_shape[htr_shape_slot(trace->location[number] + 1, trace->op[number])];
        grounds_id id;

        *last += (uint32_t)htr_unzigzag(column_at(&d->shape, i));
        if (!grounds_decoder_event(&d->grounds, trace, (uint32_t)number, *last, &id))
            return false;
        if (trace->grounds)
            trace->grounds[number] = id;
        any |= id;
    }
    if (first && any == GROUNDS_NONE)
        trace_drop_grounds(trace);
    return true;
}

/* Takes the decoded events into the trace if they are possible. Plain accesses always are, once their thread
 * runs: of these only the first of each run of a thread is checked. */
static enum status accept_events(struct htr_decoder *d, size_t count, struct error *err)
{
    struct trace *trace = d->trace;

    assert(trace->count + count < trace->capacity);
    for (size_t i = 0; i < d->checked_count; i++) {
        size_t number = trace->count + 1 + d->checked[i];
        struct event e = {
            .op = trace->op[number],
            .thread = trace->thread[number],
            .arg = trace->arg[number],
            .value_tag = trace->value_tag ? trace->value_tag[number] : VALUE_NONE,
            .value = trace->value ? trace->value[number] : 0,
        };
        if (!validator_quick(&d->validator, &e) && validator_event(&d->validator, &e, err) != HEDDLE_OK)
            return error_prefix(err, "event %zu: ", number);
    }
    trace->count += count;
    for (size_t number = trace->count - count + 1; trace->grounds && number <= trace->count; number++)
        if (trace->grounds[number] != GROUNDS_NONE && grounds_check(trace, (uint32_t)number, err) != HEDDLE_OK)
            return error_prefix(err, "event %zu: ", number);
    return HEDDLE_OK;
}

static void make_room(struct trace *trace, size_t count)
{
    size_t number = trace->count + 1;

    trace_reserve(trace, count);
    memory_expect(trace->op + number, count * sizeof *trace->op);
    memory_expect(trace->thread + number, count * sizeof *trace->thread);
    memory_expect(trace->arg + number, count * sizeof *trace->arg);
    memory_expect(trace->location + number, count * sizeof *trace->location);
}

/* What comes before the columns: how many events, names and shapes. */
static enum status get_lead(struct htr_decoder *d, struct payload payload, uint64_t *count, struct error *err)
{
    d->in = payload;
    if (!get_varint(&d->in, count) || *count == 0 || *count > HTR_BLOCK_EVENTS)
        return htr_damaged(d->trace, err, "bad count of events");
    if (get_names(d, err) != HEDDLE_OK)
        return err->status;
    if (d->features & HTR_GROUNDS && !grounds_decoder_shapes(&d->grounds, &d->in))
        return htr_damaged(d->trace, err, "bad grounds");
    return HEDDLE_OK;
}

/* The columns but for grounds, decoded behind the trace's events; what is wrong with them, or NULL. */
static const char *take_columns(struct htr_decoder *d, size_t count)
{
    if (!get_columns(d, count))
        return "bad column";
    make_room(d->trace, count);
    if (!decode_events(d, count) || (d->features & HTR_VALUES && !decode_values(d, count)))
        return "a number is out of range";
    return NULL;
}

enum status htr_decode(struct htr_decoder *d, struct payload payload, struct error *err)
{
    const char *wrong;
    uint64_t count;

    if (get_lead(d, payload, &count, err) != HEDDLE_OK)
        return err->status;
    wrong = take_columns(d, count);
    if (!wrong && d->features & HTR_GROUNDS && !decode_grounds(d, count))
        wrong = "bad grounds";
    return wrong ? htr_damaged(d->trace, err, wrong) : accept_events(d, count, err);
}

enum status htr_decode_alone(struct htr_decoder *d, struct payload payload, size_t *columns, struct error *err)
{
    const char *wrong;
    uint64_t count;

    assert(d->trace->count == 0);
    if (get_lead(d, payload, &count, err) != HEDDLE_OK)
        return err->status;
    *columns = (size_t)(d->in.at - payload.at);
    wrong = take_columns(d, count);
    return wrong ? htr_damaged(d->trace, err, wrong) : accept_events(d, count, err);
}

bool htr_decode_again(struct htr_decoder *d, struct payload payload, size_t count)
{
    assert(d->trace->count == 0);
    d->in = payload;
    if (take_columns(d, count))
        return false;
    d->trace->count = count;
    return true;
}

struct htr_decoder *htr_decoder_new(struct trace *trace, unsigned features, uint64_t longest_name)
{
    struct htr_decoder *d = memory_new(1, sizeof *d);

    d->trace = trace;
    d->features = features;
    d->grounds.differences = features & HTR_DIFFERENCES;
    d->longest_name = longest_name;
    validator_init(&d->validator, trace);
    return d;
}

void htr_decoder_free(struct htr_decoder *d)
{
    validator_free(&d->validator);
    grounds_decoder_free(&d->grounds);
    free(d);
}
