/* Reads the text format: split a line, look its names up, check it, append it. */
#include "base/memory.h"
#include "trace/std.h"
#include "trace/validate.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/std_parts.h"

enum { READ_MOST = 1 << 24 }; /* bytes taken from the input at once */

struct std_reader {
    struct trace *trace;
    struct validator validator;
    const char *name; /* of the file */
    size_t line;
    struct std_grounds grounds;
    struct std_types types;
    const struct trace_limits *limits;
    thread_id last_thread; /* runs of one thread are common: saves a look-up */
};

/* How much of a text to show in an error. */
static int span_shown(struct text_span s)
{
    return s.length < 80 ? (int)s.length : 80;
}

static enum status malformed(const struct std_reader *r, struct error *err, const char *what,
                             struct text_span s)
{
    return fail(err, HEDDLE_BAD_TRACE, "%s:%zu: %s: %.*s", r->name, r->line, what, span_shown(s), s.text);
}

static enum status too_much(const struct std_reader *r, const char *what, const char *option, uint64_t limit,
                            struct error *err)
{
    char place[4200];

    snprintf(place, sizeof place, "%.4000s:%zu", r->name, r->line);
    return trace_limits_exceeded(place, what, option, limit, err);
}

static enum status intern(struct std_reader *r, enum name_class class, struct text_span s, uint32_t *id,
                          struct error *err)
{
    if (s.length > r->limits->name)
        return too_much(r, "bytes of a name", "name", r->limits->name, err);
    *id = names_add(&r->trace->names[class], s.text, s.length);
    if (*id == NAME_NONE)
        return fail(err, HEDDLE_UNSUPPORTED, "%s:%zu: more than 4 billion names of one kind", r->name, r->line);
    return HEDDLE_OK;
}

/* "rmw.acq" → kind and order. */
static bool find_op(struct text_span word, event_op *op)
{
    const char *dot = memchr(word.text, '.', word.length);
    struct text_span base = {word.text, dot ? (size_t)(dot - word.text) : word.length};
    struct text_span suffix = {word.text + base.length, word.length - base.length};
    enum memory_ordering order = ORDER_NONE;

    for (; order < ORDERS; order++)
        if (text_span_is(suffix, order_suffix(order), strlen(order_suffix(order))))
            break;
    for (enum event_kind kind = 0; kind < EVENT_KINDS && order < ORDERS; kind++) {
        if (text_span_is(base, kind_word(kind), strlen(kind_word(kind)))) {
            *op = op_make(kind, order);
            return true;
        }
    }
    return false;
}

/* The same, with the words that make up most traces first. */
static bool parse_op(struct text_span word, event_op *op)
{
    if (word.length == 1 && (*word.text == 'r' || *word.text == 'w')) {
        *op = op_make(*word.text == 'r' ? EVENT_READ : EVENT_WRITE, ORDER_NONE);
        return true;
    }
    if (text_span_is(word, "acq", 3) || text_span_is(word, "rel", 3)) {
        *op = op_make(*word.text == 'a' ? EVENT_ACQUIRE : EVENT_RELEASE, ORDER_NONE);
        return true;
    }
    return find_op(word, op);
}

bool span_integer(struct text_span s, uint64_t *number, bool *is_negative)
{
    bool negative = s.length > 1 && *s.text == '-';
    size_t at = negative;
    uint64_t value = 0;

    if (s.length - at == 0 || s.length - at > 20 || (s.text[at] == '0' && (s.length - at > 1 || negative)))
        return false;
    for (; at < s.length; at++) {
        unsigned digit = (unsigned char)s.text[at] - '0';
        if (digit > 9 || __builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, digit, &value))
            return false;
    }
    if (negative && value > (uint64_t)1 << 63)
        return false;
    *is_negative = negative;
    *number = negative ? 0 - value : value;
    return true;
}

/* Cuts "=value" off the argument. */
static enum status parse_value(struct std_reader *r, struct text_span *argument, struct event *e,
                               struct error *err)
{
    const char *equals = memrchr(argument->text, '=', argument->length);
    bool negative;
    uint32_t id;

    if (!equals)
        return HEDDLE_OK;

    struct text_span value = {equals + 1, (size_t)(argument->text + argument->length - equals) - 1};
    if (value.length == 0)
        return malformed(r, err, "a value is missing after '='", *argument);
    argument->length = (size_t)(equals - argument->text);
    if (span_integer(value, &e->value, &negative)) {
        e->value_tag = negative ? VALUE_NEGATIVE : VALUE_UNSIGNED;
        return HEDDLE_OK;
    }
    if (intern(r, NAME_VALUE, value, &id, err) != HEDDLE_OK)
        return err->status;
    e->value_tag = VALUE_NAME;
    e->value = id;
    return HEDDLE_OK;
}

static enum status parse_argument(struct std_reader *r, struct text_span argument, bool given, struct event *e,
                                  struct error *err)
{
    enum event_kind kind = op_kind(e->op);
    enum name_class class = kind_argument(kind);

    e->arg = ARG_NONE;
    if (class == NAME_CLASSES) {
        if (given)
            return malformed(r, err, kind == EVENT_EXIT ? "exit has no argument" : "a fence has no argument",
                             argument);
        return HEDDLE_OK;
    }
    if (class == NAME_BLOCK && (!given || argument.length == 0))
        return HEDDLE_OK;
    if (!given)
        return malformed(r, err, "an argument in parentheses is missing",
                         (struct text_span){kind_word(kind), strlen(kind_word(kind))});
    if (kind_has_value(kind) && parse_value(r, &argument, e, err) != HEDDLE_OK)
        return err->status;
    if (argument.length == 0)
        return malformed(r, err, "the argument has no name",
                         (struct text_span){kind_word(kind), strlen(kind_word(kind))});
    return intern(r, class, argument, &e->arg, err);
}

static enum status parse_thread(struct std_reader *r, struct text_span name, thread_id *thread,
                                struct error *err)
{
    const struct names *threads = &r->trace->names[NAME_THREAD];

    if (r->last_thread != NAME_NONE &&
        text_span_is(name, names_text(threads, r->last_thread), names_length(threads, r->last_thread))) {
        *thread = r->last_thread;
        return HEDDLE_OK;
    }
    if (name.length == 0)
        return malformed(r, err, "the thread has no name", name);
    if (memchr(name.text, '(', name.length) || memchr(name.text, ')', name.length))
        return malformed(r, err, "a parenthesis in a thread's name", name);
    if (intern(r, NAME_THREAD, name, thread, err) != HEDDLE_OK)
        return err->status;
    r->last_thread = *thread;
    return HEDDLE_OK;
}

/* Splits "op(argument)"; `given` tells `begin()` from `begin`. */
static enum status split_op(const struct std_reader *r, struct text_span field, struct text_span *word,
                            struct text_span *argument, bool *given, struct error *err)
{
    const char *open = memchr(field.text, '(', field.length);
    const char *end = field.text + field.length;

    *given = open != NULL;
    *word = field;
    *argument = (struct text_span){end, 0};
    if (!open) {
        if (memchr(field.text, ')', field.length))
            return malformed(r, err, "')' without '('", field);
        return HEDDLE_OK;
    }
    word->length = (size_t)(open - field.text);
    *argument = (struct text_span){open + 1, (size_t)(end - open) - 1};
    if (argument->length == 0 || end[-1] != ')')
        return malformed(r, err, "')' is missing", field);
    argument->length--;
    if (memchr(argument->text, '(', argument->length) || memchr(argument->text, ')', argument->length))
        return malformed(r, err, "a parenthesis in a name", field);
    return HEDDLE_OK;
}

/* The fourth field, of the event that is next. */
static enum status parse_grounds(struct std_reader *r, struct text_span field, struct event *e,
                                 struct error *err)
{
    struct text_span fault;
    const char *wrong = std_grounds_parse(&r->grounds, r->trace, field, &e->grounds, &fault);

    if (wrong)
        return malformed(r, err, wrong, fault);
    ARRAY_PUSH(&r->grounds, events, (uint32_t)r->trace->count + 1);
    ARRAY_PUSH(&r->grounds, lines, r->line);
    return HEDDLE_OK;
}

static enum status parse_line(struct std_reader *r, struct text_span line, struct error *err)
{
    const char *end = line.text + line.length;
    const char *first = memchr(line.text, '|', line.length);
    const char *second = first ? memchr(first + 1, '|', (size_t)(end - first) - 1) : NULL;
    struct event e = {.location = NAME_NONE};
    struct text_span word, argument;
    bool given;

    if (memchr(line.text, '\0', line.length))
        return fail(
            err, HEDDLE_BAD_TRACE,
            "%s:%zu: a NUL byte; this is not a text trace. If it is a binary file of another analyser, such as "
            "RAPID's, let that one write it as STD text",
            r->name, r->line);
    if (!second)
        return malformed(r, err, "not of the form thread|op(argument)|location", line);

    struct text_span thread = {line.text, (size_t)(first - line.text)};
    struct text_span field = {first + 1, (size_t)(second - first) - 1};
    const char *third = memchr(second + 1, '|', (size_t)(end - second) - 1);
    struct text_span location = {second + 1, (size_t)((third ? third : end) - second) - 1};
    if (third && memchr(third + 1, '|', (size_t)(end - third) - 1))
        return malformed(r, err, "more than four fields", line);
    if (split_op(r, field, &word, &argument, &given, err) != HEDDLE_OK)
        return err->status;
    if (text_span_is(word, "req", 3) && given) /* RAPID: a lock request, before its acq; not an event */
        return HEDDLE_OK;
    if (text_span_is(word, "wait", 4)) /* of other tools: a monitor is lock and condition in one */
        return fail(err, HEDDLE_BAD_TRACE,
                    "%s:%zu: wait(l) does not tell when the wait begins and ends; write waitpre(l), rel(l), "
                    "and when it "
                    "ends acq(l), waitpost(l)",
                    r->name, r->line);
    if (!parse_op(word, &e.op))
        return malformed(r, err, "unknown operation", word);
    if (parse_thread(r, thread, &e.thread, err) != HEDDLE_OK ||
        parse_argument(r, argument, given, &e, err) != HEDDLE_OK ||
        intern(r, NAME_LOCATION, location, &e.location, err) != HEDDLE_OK)
        return err->status;
    if (!validator_quick(&r->validator, &e) && validator_event(&r->validator, &e, err) != HEDDLE_OK)
        return error_prefix(err, "%s:%zu: ", r->name, r->line);
    if (third &&
        parse_grounds(r, (struct text_span){third + 1, (size_t)(end - third) - 1}, &e, err) != HEDDLE_OK)
        return err->status;
    if (r->trace->count >= r->limits->events)
        return too_much(r, "events", "events", r->limits->events, err);
    trace_append(r->trace, &e);
    if (third && grounds_check(r->trace, (uint32_t)r->trace->count, err) != HEDDLE_OK)
        return error_prefix(err, "%s:%zu: ", r->name, r->line);
    return HEDDLE_OK;
}

static enum status read_line(struct std_reader *r, const char *text, size_t length, struct error *err)
{
    r->line++;
    if (length > r->limits->line)
        return too_much(r, "bytes of a line", "line", r->limits->line, err);
    if (length > 0 && text[length - 1] == '\r')
        length--;
    if (length > 0 && *text == '#')
        std_directive(r->trace, &r->types, (struct text_span){text, length});
    if (length == 0 || *text == '#')
        return HEDDLE_OK;
    return parse_line(r, (struct text_span){text, length}, err);
}

static enum status read_lines(struct std_reader *r, struct input *in, struct error *err)
{
    size_t room = 1 << 17, have = 0, got;
    char *buffer = memory_resize(NULL, room, 1);
    enum status status = HEDDLE_OK;

    do {
        if (have == room)
            buffer = memory_grow(buffer, &room, room + 1, 1);
        status = input_fill(in, buffer + have, room - have < READ_MOST ? room - have : READ_MOST, &got, err);
        if (status != HEDDLE_OK)
            break;

        /* No newline is in what was there before: a long line is looked through once. */
        char *at = buffer, *fresh = buffer + have, *end = fresh + got, *newline;
        while (status == HEDDLE_OK && (newline = memchr(fresh, '\n', (size_t)(end - fresh)))) {
            status = read_line(r, at, (size_t)(newline - at), err);
            at = fresh = newline + 1;
        }
        have = (size_t)(end - at);
        memmove(buffer, at, have);
        if (status == HEDDLE_OK && have > r->limits->line)
            status = read_line(r, buffer, have, err); /* says so */
    } while (status == HEDDLE_OK && got > 0);

    if (status == HEDDLE_OK && have > 0)
        status = read_line(r, buffer, have, err);
    free(buffer);
    return status;
}

/* What only the whole trace tells: do grounds agree with the values it records? */
static enum status check_values(const struct std_reader *r, struct error *err)
{
    uint32_t event;
    size_t i = 0;

    if (grounds_check_values(r->trace, &event, err) == HEDDLE_OK)
        return HEDDLE_OK;
    while (r->grounds.events[i] != event)
        i++;
    return error_prefix(err, "%s:%zu: ", r->name, r->grounds.lines[i]);
}

struct std_reader *std_reader_new(struct trace *trace, const char *name)
{
    struct std_reader *r = memory_new(1, sizeof *r);

    assert(trace->count == 0);
    r->trace = trace;
    r->name = name;
    r->limits = &trace_limits_usual;
    r->last_thread = NAME_NONE;
    validator_init(&r->validator, trace);
    names_init(&r->types.names);
    return r;
}

void std_reader_free(struct std_reader *r)
{
    validator_free(&r->validator);
    std_grounds_free(&r->grounds);
    names_free(&r->types.names);
    free(r->types.types);
    free(r);
}

enum status std_reader_line(struct std_reader *r, const char *line, size_t length, struct error *err)
{
    return read_line(r, line, length, err);
}

enum status std_reader_end(struct std_reader *r, struct error *err)
{
    std_types_apply(&r->types, r->trace);
    trace_settle_marks(r->trace);
    return check_values(r, err);
}

enum status std_read(struct trace *trace, struct input *in, struct error *err)
{
    struct std_reader *r = std_reader_new(trace, input_name(in));
    enum status status;

    r->limits = input_limits(in);
    status = read_lines(r, in, err);
    if (status == HEDDLE_OK)
        status = std_reader_end(r, err);
    std_reader_free(r);
    return status;
}
