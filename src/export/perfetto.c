/* A timeline in the JSON trace event format, which ui.perfetto.dev and chrome://tracing open: a track a thread,
 * a slice an event, one microsecond each; sections of locks as tracks of their own; arrows from writes to reads
 * of other threads. */
#include "base/memory.h"
#include "export/export_words.h"

#include <stdlib.h>

struct timeline {
    const struct exported *x;
    struct output *out;
    struct narrator words;
    struct buffer name; /* scratch */
    uint32_t *writer;   /* by variable: position of its last write, 0: none */
    bool first;
};

static void put(struct timeline *t, const char *text)
{
    buffer_text(&t->words.out, text);
}

static void put_field(struct timeline *t, const char *before, uint64_t number)
{
    put(t, before);
    buffer_number(&t->words.out, number);
}

/* Begins an object of the list: phase, thread, time. */
static void put_start(struct timeline *t, const char *phase, thread_id thread, uint32_t time)
{
    put(t, t->first ? "\n{\"ph\":\"" : ",\n{\"ph\":\"");
    t->first = false;
    put(t, phase);
    put_field(t, "\",\"pid\":1,\"tid\":", (uint64_t)thread + 1);
    put_field(t, ",\"ts\":", time);
}

static void put_end(struct timeline *t)
{
    put(t, "}");
    words_write(&t->words, t->out);
}

/* What has been said in `name`, as a JSON string. */
static void put_name(struct timeline *t)
{
    char *text = memory_text(t->name.text_count ? t->name.text : "", t->name.text_count);

    buffer_json(&t->words.out, text);
    free(text);
    t->name.text_count = 0;
}

static void say_words(struct timeline *t, uint32_t position)
{
    struct narrator n;

    words_init(&n, t->x);
    words_event(&n, t->x, position);
    buffer_bytes(&t->name, n.out.text, n.out.text_count);
    words_free(&n);
}

static void put_threads(struct timeline *t)
{
    for (thread_id thread = 0; thread < t->x->model->thread_count; thread++) {
        put_start(t, "M", thread, 0);
        put(t, ",\"name\":\"thread_name\",\"args\":{\"name\":");
        buffer_json(&t->words.out, trace_name(t->x->trace, NAME_THREAD, thread));
        put(t, "}");
        put_end(t);
    }
}

static void put_event(struct timeline *t, uint32_t position)
{
    event_id e = exported_event(t->x, position);
    location_id place = t->x->trace->location[e];

    put_start(t, "X", thread_of(t->x->model, e), position);
    put(t, ",\"dur\":1,\"cat\":\"");
    put(t, kind_word(kind_of(t->x->model, e)));
    put(t, "\",\"name\":");
    say_words(t, position);
    put_name(t);
    put_field(t, ",\"args\":{\"event\":", e);
    if (place != NAME_NONE) {
        put(t, ",\"place\":");
        buffer_json(&t->words.out, trace_name(t->x->trace, NAME_LOCATION, place));
    }
    put(t, "}");
    put_end(t);
}

/* The section that begins or ends here, as an asynchronous slice: sections may cross, slices of a thread not.
 */
static void put_section(struct timeline *t, uint32_t position)
{
    const struct model *m = t->x->model;
    event_id e = exported_event(t->x, position);
    uint32_t section = m->section_of[e];

    if (section == SECTION_NONE)
        return;
    bool begins = m->sections[section].acquire == e;
    put_start(t, begins ? "b" : "e", thread_of(m, e), begins ? position : position + 1);
    put(t, ",\"cat\":\"lock\",\"name\":");
    buffer_text(&t->name, trace_name(t->x->trace, NAME_THREAD, thread_of(m, e)));
    buffer_text(&t->name, " holds ");
    buffer_text(&t->name, trace_name(t->x->trace, NAME_LOCK, arg_of(m, e)));
    put_name(t);
    put_field(t, ",\"id\":", section);
    put_end(t);
}

/* From the write a read sees to the read. */
static void put_arrow(struct timeline *t, uint32_t position)
{
    const struct model *m = t->x->model;
    event_id e = exported_event(t->x, position);
    uint32_t from = kind_reads(kind_of(m, e)) ? t->writer[arg_of(m, e)] : 0;

    if (from && thread_of(m, exported_event(t->x, from)) != thread_of(m, e)) {
        put_start(t, "s", thread_of(m, exported_event(t->x, from)), from);
        put_field(t, ",\"cat\":\"data\",\"name\":\"read from\",\"id\":", position);
        put_end(t);
        put_start(t, "f", thread_of(m, e), position);
        put_field(t, ",\"bp\":\"e\",\"cat\":\"data\",\"name\":\"read from\",\"id\":", position);
        put_end(t);
    }
    if (kind_writes(kind_of(m, e)))
        t->writer[arg_of(m, e)] = position;
}

enum status export_perfetto(const struct exported *x, struct output *out, struct error *err)
{
    struct timeline t = {.x = x, .out = out, .first = true};

    (void)err;
    words_init(&t.words, x);
    t.writer = memory_new(x->model->variable_count, sizeof *t.writer);
    put(&t, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[");
    put_threads(&t);
    for (uint32_t position = 1; position <= x->length; position++) {
        put_section(&t, position);
        put_event(&t, position);
        put_arrow(&t, position);
    }
    output_write(out, t.words.out.text, t.words.out.text_count);
    output_text(out, "\n]}\n");
    buffer_free(&t.name);
    words_free(&t.words);
    free(t.writer);
    return HEDDLE_OK;
}
