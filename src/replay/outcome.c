/* What a replayed run changes. */
#include "replay/outcome.h"
#include "base/memory.h"
#include "replay/noise.h"
#include "report/value.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINES_SHOWN = 10, VALUES_SHOWN = 10 };

/* By variable: the value last seen. */
struct finals {
    const struct trace *trace;
    struct value *value;
};

static struct finals finals_of(const struct trace *t)
{
    struct finals f = {t, memory_new(trace_names(t, NAME_VARIABLE) + 1, sizeof *f.value)};

    for (size_t e = 1; e <= t->count && t->value_tag; e++)
        if (kind_accesses(trace_kind(t, e)) && (t->value_tag[e] != VALUE_NONE || kind_writes(trace_kind(t, e))))
            f.value[t->arg[e]] = (struct value){(enum value_tag)t->value_tag[e], t->value[e]};
    return f;
}

static void finals_free(struct finals *f)
{
    free(f->value);
}

/* The last value of the variable of this name. */
static struct value final_of(const struct finals *f, const char *name)
{
    uint32_t id = names_find(&f->trace->names[NAME_VARIABLE], name, strlen(name));

    return id == NAME_NONE ? (struct value){VALUE_NONE, 0} : f->value[id];
}

static const char *text_of(const struct finals *f, struct value value)
{
    return trace_name(f->trace, NAME_VALUE, (uint32_t)value.number);
}

/* Addresses differ from run to run and say nothing: those that are written as such, and numbers that look like one. */
static bool is_address(const struct finals *f, struct value value)
{
    const char *text = value.tag == VALUE_NAME ? text_of(f, value) : NULL;

    return text ? text[0] == '&' || strncmp(text, "0x", 2) == 0 || strcmp(text, "NULL") == 0
                : value.tag == VALUE_UNSIGNED && value.number >> 40 != 0;
}

static bool same_value(const struct finals *a, struct value one, const struct finals *b, struct value other)
{
    if (one.tag == VALUE_NAME && other.tag == VALUE_NAME)
        return strcmp(text_of(a, one), text_of(b, other)) == 0;
    return one.tag == other.tag && one.number == other.number;
}

static void put_value(struct buffer *to, const struct finals *f, struct value value)
{
    if (value.tag == VALUE_NAME) {
        buffer_safe(to, text_of(f, value));
        return;
    }
    buffer_text(to, value.tag == VALUE_NEGATIVE ? "-" : "");
    buffer_number(to, value.tag == VALUE_NEGATIVE ? -value.number : value.number);
}

/* By name: how many variables are called like it, but for the number of the object: `Account.balance@3`. Those
 * numbers may move from run to run. */
struct alike {
    struct names names;
    uint32_t *count;
    size_t count_count, count_capacity;
};

static void count_alike(struct alike *a, const struct trace *t)
{
    memset(a, 0, sizeof *a);
    names_init(&a->names);
    for (uint32_t v = 0; v < trace_names(t, NAME_VARIABLE); v++) {
        const char *name = trace_name(t, NAME_VARIABLE, v);
        uint32_t id = names_add(&a->names, name, strcspn(name, "@"));
        assert(id <= a->count_count); /* names are numbered as they come */
        if (id == a->count_count)
            ARRAY_PUSH(a, count, 0);
        a->count[id]++;
    }
}

static bool alone(const struct alike *a, const char *name)
{
    uint32_t id = names_find(&a->names, name, strcspn(name, "@"));

    return !strchr(name, '@') || (id != NAME_NONE && a->count[id] == 1);
}

static void alike_free(struct alike *a)
{
    names_free(&a->names);
    free(a->count);
}

/* Whether the name means the same variable in both runs. */
static bool is_global(const char *name, const struct alike *before, const struct alike *now)
{
    return !strstr(name, " of ") && strncmp(name, "memory at", 9) != 0 && alone(before, name) &&
           alone(now, name);
}

/* Tells about every variable that both know and that ends with another value, unless it does so by itself: in `again`, a run
 * like the first one, or NULL. Returns how many there are. */
static size_t changed_values(const struct replay_result *a, const struct replay_result *again,
                             const struct replay_result *b, struct buffer *to)
{
    struct finals was = finals_of(&a->trace), is = finals_of(&b->trace),
                  too = finals_of(again ? &again->trace : &a->trace);
    size_t changed = 0;
    struct alike before, now;

    count_alike(&before, &a->trace);
    count_alike(&now, &b->trace);
    for (uint32_t v = 0; v < trace_names(&a->trace, NAME_VARIABLE); v++) {
        const char *name = trace_name(&a->trace, NAME_VARIABLE, v);
        struct value one = was.value[v], other = final_of(&is, name);
        if (one.tag == VALUE_NONE || other.tag == VALUE_NONE || same_value(&was, one, &is, other) ||
            is_address(&was, one) || is_address(&is, other) || !is_global(name, &before, &now) ||
            !same_value(&was, one, &too, final_of(&too, name)))
            continue;
        if (to && changed < VALUES_SHOWN) {
            buffer_text(to, "    ");
            buffer_safe(to, name);
            buffer_text(to, " ends as ");
            put_value(to, &is, other);
            buffer_text(to, ", not ");
            put_value(to, &was, one);
            buffer_text(to, "\n");
        }
        changed++;
    }
    alike_free(&before);
    alike_free(&now);
    finals_free(&was);
    finals_free(&is);
    finals_free(&too);
    return changed;
}

enum change outcome_compare(const struct replay_result *a, const struct replay_result *again,
                            const struct replay_result *b)
{
    const struct outcome *was = &a->outcome, *is = &b->outcome;

    if (is->ending != was->ending || is->status != was->status ||
        (is->ending == ENDED_EXCEPTION && strcmp(is->place, was->place) != 0))
        switch (is->ending) {
        case ENDED_EXCEPTION:
        case ENDED_SIGNAL:
            return CHANGE_CRASH;
        case ENDED_ASSERTION:
            return CHANGE_ASSERTION;
        case ENDED_DEADLOCK:
            return CHANGE_DEADLOCK;
        case ENDED_HANG:
            return CHANGE_HANG;
        default:
            return CHANGE_OUTPUT;
        }
    for (int i = 0; i < 2; i++)
        if (!same_but_for_noise(&was->output[i], again ? &again->outcome.output[i] : NULL, &is->output[i]))
            return CHANGE_OUTPUT;
    return changed_values(a, again, b, NULL) ? CHANGE_VALUES : CHANGE_NONE;
}

static void signal_name(int number, char *to, size_t room)
{
    const char *name = sigabbrev_np(number);

    if (name)
        snprintf(to, room, "SIG%s", name);
    else
        snprintf(to, room, "signal %d", number);
}

void outcome_ending(const struct outcome *o, char *to, size_t room)
{
    char name[64];

    switch (o->ending) {
    case ENDED_EXIT:
        snprintf(to, room, "exit status %d", o->status);
        break;
    case ENDED_SIGNAL:
        signal_name(o->status, name, sizeof name);
        snprintf(to, room, "%s%s%.400s", name, *o->place ? " at " : "", o->place);
        break;
    case ENDED_ASSERTION:
        snprintf(to, room, "a failed assertion");
        break;
    case ENDED_EXCEPTION:
        snprintf(to, room, "uncaught %.400s", o->place);
        break;
    case ENDED_DEADLOCK:
        snprintf(to, room, "a deadlock");
        break;
    case ENDED_HANG:
        snprintf(to, room, "no end in time");
        break;
    }
}

void outcome_words(enum change change, const struct outcome *now, char *to, size_t room)
{
    char ending[512];

    switch (change) {
    case CHANGE_NONE:
        snprintf(to, room, "same");
        break;
    case CHANGE_OUTPUT:
        snprintf(to, room, "different output");
        break;
    case CHANGE_VALUES:
        snprintf(to, room, "different final values");
        break;
    case CHANGE_CRASH:
        outcome_ending(now, ending, sizeof ending);
        snprintf(to, room, "crash (%s)", ending);
        break;
    case CHANGE_ASSERTION:
        snprintf(to, room, "assertion");
        break;
    case CHANGE_DEADLOCK:
        snprintf(to, room, "deadlock");
        break;
    case CHANGE_HANG:
        snprintf(to, room, "hang");
        break;
    }
}

struct lines {
    const char **line;
    size_t *length;
    size_t line_count, line_capacity, length_count, length_capacity;
};

static struct lines lines_of(const struct captured_text *t)
{
    struct lines l = {0};

    for (size_t at = 0; at < t->length;) {
        const char *end = memchr(t->bytes + at, '\n', t->length - at);
        size_t length = end ? (size_t)(end - t->bytes) - at : t->length - at;
        ARRAY_PUSH(&l, line, t->bytes + at);
        ARRAY_PUSH(&l, length, length);
        at += length + 1;
    }
    return l;
}

static bool same_line(const struct lines *a, size_t i, const struct lines *b, size_t k)
{
    return a->length[i] == b->length[k] && memcmp(a->line[i], b->line[k], a->length[i]) == 0;
}

static void put_lines(struct buffer *to, char sign, const struct lines *l, size_t from, size_t end)
{
    for (size_t i = from; i < end && i < from + LINES_SHOWN; i++) {
        char *text = memory_text(l->line[i], l->length[i]), mark[8] = {' ', ' ', ' ', ' ', sign, ' '};
        buffer_text(to, mark);
        buffer_safe(to, text);
        buffer_text(to, "\n");
        free(text);
    }
    if (end > from + LINES_SHOWN) {
        buffer_text(to, "      … ");
        buffer_number(to, end - from - LINES_SHOWN);
        buffer_text(to, " more\n");
    }
}

/* What is left of both when equal lines are taken off at both ends. */
static void diff_texts(const char *title, const struct captured_text *was, const struct captured_text *is,
                       struct buffer *to)
{
    struct lines a = lines_of(was), b = lines_of(is);
    size_t head = 0, tail = 0;

    while (head < a.line_count && head < b.line_count && same_line(&a, head, &b, head))
        head++;
    while (tail < a.line_count - head && tail < b.line_count - head &&
           same_line(&a, a.line_count - 1 - tail, &b, b.line_count - 1 - tail))
        tail++;
    assert(head + tail <= a.line_count && head + tail <= b.line_count);
    buffer_text(to, "  ");
    buffer_text(to, title);
    buffer_text(to, ", from line ");
    buffer_number(to, head + 1);
    buffer_text(to, ":\n");
    put_lines(to, '-', &a, head, a.line_count - tail);
    put_lines(to, '+', &b, head, b.line_count - tail);
    free(a.line);
    free(a.length);
    free(b.line);
    free(b.length);
}

void outcome_diff(const struct replay_result *a, const struct replay_result *again,
                  const struct replay_result *b, struct buffer *to)
{
    static const char *const titles[] = {"standard output", "standard error"};
    char was[600], is[600];

    outcome_ending(&a->outcome, was, sizeof was);
    outcome_ending(&b->outcome, is, sizeof is);
    if (strcmp(was, is) != 0) {
        buffer_text(to, "  it ends with ");
        buffer_safe(to, is);
        buffer_text(to, ", not ");
        buffer_safe(to, was);
        buffer_text(to, "\n");
    }
    for (int i = 0; i < 2; i++)
        if (!same_but_for_noise(&a->outcome.output[i], again ? &again->outcome.output[i] : NULL,
                                &b->outcome.output[i]))
            diff_texts(titles[i], &a->outcome.output[i], &b->outcome.output[i], to);
    if (changed_values(a, again, b, NULL) > 0) {
        buffer_text(to, "  final values:\n");
        changed_values(a, again, b, to);
    }
}
