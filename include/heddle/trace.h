/* Traces: read as a whole, looked at event by event; or written event by event. docs/semantics.md says what the events
 * mean, docs/trace-format.md what the files look like. */
#ifndef HEDDLE_TRACE_H
#define HEDDLE_TRACE_H

#include <heddle/heddle.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One event, in the words of the text format: thread|op(argument=value)|location|grounds. */
struct heddle_event {
    const char *thread;
    const char *op;       /* "r", "w", "acq", "fork", "rmw.ar" … */
    const char *argument; /* the variable, lock, thread …; NULL: the operation has none */
    const char *value;    /* NULL: not recorded */
    const char *location; /* "queue.c:38 push"; NULL: not known */
    const char *grounds;  /* "by 2,4 from 6+1"; NULL: none are stated */
};

typedef struct heddle_trace heddle_trace;

/* Loads a trace of either format, plain, gzip or zstd; NULL on failure. A trace that was loaded is possible. */
HEDDLE_API heddle_trace *heddle_trace_read(const char *path, struct heddle_error *err);

/* The same with other limits on what a file may contain, as with `--limits`: "line=64K,events=5000000". NULL: the usual
 * ones. */
HEDDLE_API heddle_trace *heddle_trace_read_limited(const char *path, const char *limits,
                                                   struct heddle_error *err);

/* The same for bytes in memory; `name` stands for the file in errors. */
HEDDLE_API heddle_trace *heddle_trace_parse(const char *name, const char *bytes, size_t length,
                                            struct heddle_error *err);
HEDDLE_API void heddle_trace_free(heddle_trace *trace);

/* Events are numbered from 1 to this. */
HEDDLE_API size_t heddle_trace_events(const heddle_trace *trace);

/* The event of that number. Its texts are valid as long as the trace and `room`, a buffer of the caller's. False: there
 * is no such event, or the buffer is too small; 256 bytes are enough but for very long lists of grounds. */
HEDDLE_API bool heddle_trace_event(const heddle_trace *trace, size_t number, struct heddle_event *event,
                                   char *room, size_t room_size);

/* Why the file is not the whole trace, or NULL: it was cut short. */
HEDDLE_API const char *heddle_trace_note(const heddle_trace *trace);

enum heddle_format {
    HEDDLE_FORMAT_TEXT,  /* .std */
    HEDDLE_FORMAT_NATIVE /* .htr: small and fast */
};

/* Removes parts of the trace, a list: "values", "grounds", and for native files that are written afterwards "names" and
 * "locations". */
HEDDLE_API bool heddle_trace_drop(heddle_trace *trace, const char *parts, struct heddle_error *err);

/* Writes the trace; `path` ".gz" and ".zst" compress text, "-" is standard output. A file that exists is replaced at the
 * end: a failure leaves it as it was. */
HEDDLE_API bool heddle_trace_write(const heddle_trace *trace, const char *path, enum heddle_format format,
                                   struct heddle_error *err);

/* A trace in the making: what a recorder appends to. */
typedef struct heddle_builder heddle_builder;

HEDDLE_API heddle_builder *heddle_builder_new(struct heddle_error *err);
HEDDLE_API void heddle_builder_free(heddle_builder *builder);

/* Appends an event. One that is malformed, or impossible after those before it, is refused; the error names it, and the
 * builder can only be freed then. */
HEDDLE_API bool heddle_builder_add(heddle_builder *builder, const struct heddle_event *event,
                                   struct heddle_error *err);

/* Makes a trace of all events and frees the builder; NULL on failure. */
HEDDLE_API heddle_trace *heddle_builder_finish(heddle_builder *builder, struct heddle_error *err);

#ifdef __cplusplus
}
#endif

#endif
