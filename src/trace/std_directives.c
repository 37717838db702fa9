/* Comments of the text format that carry data: types of variables, what is printed, what frees memory, how the run ended
 * (docs/trace-format.md). */
#include "base/memory.h"
#include "trace/ending.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/std_parts.h"

/* What follows the directive's word and a blank. */
static bool after_word(struct text_span line, const char *word, struct text_span *rest)
{
    size_t length = strlen(word);

    if (line.length < length || memcmp(line.text, word, length) != 0)
        return false;
    *rest = (struct text_span){line.text + length, line.length - length};
    return true;
}

/* NAME TYPE: a name may hold blanks. */
static void read_type(struct std_types *types, struct text_span rest)
{
    const char *blank = memrchr(rest.text, ' ', rest.length);
    size_t name = blank ? (size_t)(blank - rest.text) : 0;
    struct text_span word = {rest.text + name + 1, blank ? rest.length - name - 1 : 0};

    if (name == 0)
        return;
    for (enum value_type type = TYPE_UNKNOWN + 1; type < VALUE_TYPES; type++) {
        if (!text_span_is(word, type_word(type), strlen(type_word(type))))
            continue;
        uint32_t id = names_add(&types->names, rest.text, name);
        if (id == types->types_count)
            ARRAY_PUSH(types, types, 0);
        if (id < types->types_count)
            types->types[id] = (uint8_t)type;
    }
}

void std_types_apply(const struct std_types *types, struct trace *trace)
{
    for (uint32_t id = 0; id < types->types_count; id++) {
        variable_id x = names_find(&trace->names[NAME_VARIABLE], names_text(&types->names, id),
                                   names_length(&types->names, id));
        if (x != NAME_NONE)
            trace_set_variable_type(trace, x, (enum value_type)types->types[id]);
    }
}

/* exit STATUS, signal NUMBER, deadlock, hang, assertion TEXT, exception TEXT */
static void read_outcome(struct trace_end *end, struct text_span rest)
{
    for (enum run_outcome outcome = RUN_UNKNOWN + 1; outcome < RUN_OUTCOMES; outcome++) {
        const char *word = outcome_word(outcome);
        struct text_span more;
        uint64_t number = 0;
        bool negative = false, numbered = outcome == RUN_EXIT || outcome == RUN_SIGNAL;

        if (!after_word(rest, word, &more) || (more.length > 0 && *more.text != ' '))
            continue;
        if (more.length > 0)
            more.text++, more.length--;
        if (numbered && (!span_integer(more, &number, &negative) || negative))
            return;
        if ((outcome == RUN_DEADLOCK || outcome == RUN_HANG) && more.length > 0)
            return;
        char *text = memory_text(more.text, more.length);
        trace_end_outcome(end, outcome, number, numbered || more.length == 0 ? NULL : text);
        free(text);
    }
}

/* THREAD|WHAT|PLACE|HOLDER */
static void read_waiter(struct trace_end *end, struct text_span rest)
{
    char *fields[4] = {NULL};
    int count = 0;

    while (count < 4) {
        const char *bar = count < 3 ? memchr(rest.text, '|', rest.length) : NULL;
        size_t length = bar ? (size_t)(bar - rest.text) : rest.length;
        fields[count++] = memory_text(rest.text, length);
        rest.text += length + (bar != NULL);
        rest.length -= length + (bar != NULL);
        if (!bar)
            break;
    }
    if (count == 4 && *fields[0] && !strchr(fields[3], '|'))
        trace_end_waiter(end, fields[0], fields[1], fields[2], fields[3]);
    for (int i = 0; i < count; i++)
        free(fields[i]);
}

/* The number of an event, which may come later. */
static void read_event(struct event_set *set, struct text_span rest)
{
    uint64_t number;
    bool negative;

    if (span_integer(rest, &number, &negative) && !negative && number <= UINT32_MAX)
        event_set_add(set, (uint32_t)number);
}

void std_directive(struct trace *trace, struct std_types *types, struct text_span line)
{
    struct text_span rest;

    if (memchr(line.text, '\0', line.length))
        return;
    if (after_word(line, "#type ", &rest)) {
        read_type(types, rest);
    } else if (after_word(line, "#end ", &rest)) {
        read_outcome(&trace->end, rest);
    } else if (after_word(line, "#output ", &rest)) {
        read_event(&trace->printed, rest);
    } else if (after_word(line, "#free ", &rest)) {
        read_event(&trace->freeing, rest);
    } else if (after_word(line, "#wait ", &rest)) {
        read_waiter(&trace->end, rest);
    } else if (after_word(line, "#incomplete ", &rest) && rest.length > 0) {
        char *reason = memory_text(rest.text, rest.length);
        trace_end_incomplete(&trace->end, reason);
        free(reason);
    }
}

/* A field of a line; a bar in it would end it. */
static void write_field(const char *text, struct output *out)
{
    for (const char *bar; (bar = strchr(text, '|')); text = bar + 1) {
        output_write(out, text, (size_t)(bar - text));
        output_text(out, "%7C");
    }
    output_text(out, text);
}

static void write_events(const char *word, const struct event_set *set, struct output *out)
{
    char line[32];

    for (size_t i = 0; i < set->events_count; i++) {
        snprintf(line, sizeof line, "%s %" PRIu32 "\n", word, set->events[i]);
        output_text(out, line);
    }
}

void std_marks_write(const struct trace *trace, struct output *out)
{
    write_events("#output", &trace->printed, out);
    write_events("#free", &trace->freeing, out);
}

void std_end_write(const struct trace_end *end, struct output *out)
{
    char number[32];

    if (end->outcome != RUN_UNKNOWN) {
        output_text(out, "#end ");
        output_text(out, outcome_word(end->outcome));
        if (end->outcome == RUN_EXIT || end->outcome == RUN_SIGNAL) {
            snprintf(number, sizeof number, " %" PRIu64, end->number);
            output_text(out, number);
        } else if (end->text) {
            output_text(out, " ");
            output_text(out, end->text);
        }
        output_text(out, "\n");
    }
    for (size_t i = 0; i < end->waiters_count; i++) {
        const struct run_waiter *w = &end->waiters[i];
        const char *fields[] = {w->thread, w->what, w->place, w->holder};
        for (int k = 0; k < 4; k++) {
            output_text(out, k == 0 ? "#wait " : "|");
            write_field(fields[k], out);
        }
        output_text(out, "\n");
    }
    for (size_t i = 0; i < end->incomplete_count; i++) {
        output_text(out, "#incomplete ");
        output_text(out, end->incomplete[i]);
        output_text(out, "\n");
    }
}
