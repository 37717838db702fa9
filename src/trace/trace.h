/* A trace in memory: flat columns, one slot an event, plus the names behind the ids.
 *
 * Events are numbered from 1; slot 0 of every column stands for the initial write of all variables.
 * 13 bytes an event, 9 more where the trace records values, 4 more where it has grounds. Append-only; a loaded
 * trace is valid (semantics §7). */
#pragma once
#include "base/error.h"
#include "base/names.h"
#include "base/stretches.h"
#include "trace/ending.h"
#include "trace/event.h"
#include "trace/event_set.h"
#include "trace/grounds.h"
#include "trace/stacks.h"
#include "trace/value_type.h"

#include <assert.h>

#define EVENT_INIT 0 /* the number of every variable's initial write */
#define ARG_NONE   UINT32_MAX

enum value_tag {
    VALUE_NONE,
    VALUE_UNSIGNED, /* 0 … 2^64-1 */
    VALUE_NEGATIVE, /* -2^63 … -1, as two's complement */
    VALUE_NAME,     /* an id of class NAME_VALUE */
};

/* One event by value: what readers hand in and analyses may ask for. */
struct event {
    event_op op;
    uint8_t value_tag;
    thread_id thread;
    uint32_t arg; /* an id of class kind_argument(kind), or ARG_NONE */
    location_id location;
    uint64_t value;
    grounds_id grounds; /* in the pool of the trace or the writer */
};

/* What a recorder left out of the file (semantics §6) and where the trace came from; zeros and NULLs if
 * unknown. */
struct trace_origin {
    uint64_t dropped_variables; /* touched by one thread only, or never written */
    uint64_t dropped_events;
    char *program; /* the recorded command line */
    bool binary;   /* recorded from a program that was not instrumented: some atomic accesses may look plain */
};

struct trace {
    size_t count;    /* events; the columns hold count + 1 slots */
    size_t capacity; /* slots allocated in each column */
    event_op *op;
    thread_id *thread;
    uint32_t *arg;
    location_id *location;
    uint8_t *value_tag; /* this and `value` are NULL until the first event with a value */
    uint64_t *value;
    grounds_id *grounds; /* NULL until the first event with grounds */
    struct grounds *ground_pool;
    uint8_t *variable_type; /* enum value_type, of the first `variable_types` variables; NULL: none has one */
    size_t variable_types;
    struct names names[NAME_CLASSES];
    struct trace_origin origin;
    struct trace_end end;
    struct event_set printed;    /* reads whose value reaches the output */
    struct event_set freeing;    /* writes that free the variable's memory */
    struct names functions;      /* where functions begin, as locations: "queue.c:38 push" */
    struct stacks *stacks;       /* call stacks of events; NULL when the file has none */
    struct stretches own_places; /* of events in a library's code, see place.h; of others NAME_NONE. Or empty */
    unsigned char *journal;      /* of the recorded run, as bytes (journal.h); NULL when there is none */
    size_t journal_length;
    unsigned char *parts; /* of the journal, one after the other */
    size_t parts_length, parts_capacity;
    char *note; /* what is missing from a file that was cut short; NULL when it is whole */
};

void trace_init(struct trace *trace);
void trace_free(struct trace *trace);

/* Makes room for `more` events. */
void trace_reserve(struct trace *trace, size_t more);

/* Makes room for values; the events so far have none. */
void trace_add_values(struct trace *trace);

/* Makes room for grounds; the events so far have none. */
void trace_add_grounds(struct trace *trace);

void trace_set_variable_type(struct trace *trace, variable_id variable, enum value_type type);

struct event trace_event(const struct trace *trace, size_t number);

/* Loads a trace in any format, by content: text, native, either one compressed with gzip or zstd; "-" is
 * standard input. On failure the trace is empty and the error names file and line or event. */
enum status trace_load(struct trace *trace, const char *path, struct error *err);

/* The same with limits other than the usual ones (limits.h). */
struct trace_limits;
enum status trace_load_limited(struct trace *trace, const char *path, const struct trace_limits *limits,
                               struct error *err);

/* The same for text already in memory; `name` stands for the file in errors. */
enum status trace_parse(struct trace *trace, const char *name, const char *text, size_t length,
                        struct error *err);

static inline void trace_append(struct trace *trace, const struct event *event)
{
    size_t number = trace->count + 1;

    if (number >= trace->capacity)
        trace_reserve(trace, 1);
    assert(number < trace->capacity && event->thread != NAME_NONE);
    trace->op[number] = event->op;
    trace->thread[number] = event->thread;
    trace->arg[number] = event->arg;
    trace->location[number] = event->location;
    if (event->value_tag != VALUE_NONE && !trace->value_tag)
        trace_add_values(trace);
    if (trace->value_tag) {
        trace->value_tag[number] = event->value_tag;
        trace->value[number] = event->value;
    }
    if (event->grounds != GROUNDS_NONE && !trace->grounds)
        trace_add_grounds(trace);
    if (trace->grounds)
        trace->grounds[number] = event->grounds;
    trace->count = number;
}

static inline enum event_kind trace_kind(const struct trace *trace, size_t number)
{
    return op_kind(trace->op[number]);
}

static inline size_t trace_names(const struct trace *trace, enum name_class class)
{
    return names_count(&trace->names[class]);
}

static inline const char *trace_name(const struct trace *trace, enum name_class class, uint32_t id)
{
    return names_text(&trace->names[class], id);
}

static inline enum value_type trace_variable_type(const struct trace *trace, variable_id variable)
{
    return variable < trace->variable_types ? (enum value_type)trace->variable_type[variable] : TYPE_UNKNOWN;
}
