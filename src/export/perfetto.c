/* A timeline in the JSON trace event format, which ui.perfetto.dev and chrome://tracing open: a track a thread,
 * a slice an event, one microsecond each; sections of locks as tracks of their own; arrows from writes to reads
 * of other threads. */
#include "base/json_out.h"
#include "base/memory.h"
#include "export/export_words.h"

#include <stdlib.h>

struct timeline {
    struct json_out json; /* first, for drain_output */
    const struct exported *x;
    struct output *out;
    struct narrator words; /* scratch */
    uint32_t *writer;      /* by variable: position of its last write, 0: none */
};

static void drain_output(struct json_out *json)
{
    struct timeline *t = (struct timeline *)json;

    output_write(t->out, json->text.text, json->text.text_count);
    json->text.text_count = 0;
}

/* Begins an object of the list: phase, thread, time. */
static void put_start(struct timeline *t, const char *phase, thread_id thread, uint32_t time)
{
    json_line(&t->json, 0);
    json_object_open(&t->json, NULL);
    json_text(&t->json, "ph", phase);
    json_count(&t->json, "pid", 1);
    json_count(&t->json, "tid", (uint64_t)thread + 1);
    json_count(&t->json, "ts", time);
}

/* Its name: what has been said. */
static void put_said(struct timeline *t)
{
    json_bytes(&t->json, "name", t->words.out.text, t->words.out.text_count);
    t->words.out.text_count = 0;
}

static void put_threads(struct timeline *t)
{
    for (thread_id thread = 0; thread < t->x->model->thread_count; thread++) {
        put_start(t, "M", thread, 0);
        json_text(&t->json, "name", "thread_name");
        json_object_open(&t->json, "args");
        json_text(&t->json, "name", trace_name(t->x->trace, NAME_THREAD, thread));
        json_close(&t->json);
        json_close(&t->json);
    }
}

static void put_event(struct timeline *t, uint32_t position)
{
    event_id e = exported_event(t->x, position);
    location_id place = t->x->trace->location[e];

    put_start(t, "X", thread_of(t->x->model, e), position);
    json_count(&t->json, "dur", 1);
    json_text(&t->json, "cat", kind_word(kind_of(t->x->model, e)));
    words_event(&t->words, t->x, position);
    put_said(t);
    json_object_open(&t->json, "args");
    json_count(&t->json, "event", e);
    if (place != NAME_NONE)
        json_text(&t->json, "place", trace_name(t->x->trace, NAME_LOCATION, place));
    json_close(&t->json);
    json_close(&t->json);
}

/* The section that begins or ends here, as an asynchronous slice: sections may cross, slices of a thread not.
 */
static void put_section(struct timeline *t, uint32_t position)
{
    const struct model *m = t->x->model;
    event_id e = exported_event(t->x, position);
    uint32_t section = model_section_of(m, e);

    if (section == SECTION_NONE)
        return;
    bool begins = m->sections[section].acquire == e;
    put_start(t, begins ? "b" : "e", thread_of(m, e), begins ? position : position + 1);
    json_text(&t->json, "cat", "lock");
    buffer_format(&t->words.out, "%s holds %s", trace_name(t->x->trace, NAME_THREAD, thread_of(m, e)),
                  trace_name(t->x->trace, NAME_LOCK, arg_of(m, e)));
    put_said(t);
    json_count(&t->json, "id", section);
    json_close(&t->json);
}

/* One end of an arrow. */
static void put_arrow_end(struct timeline *t, const char *phase, uint32_t at, uint32_t id)
{
    put_start(t, phase, thread_of(t->x->model, exported_event(t->x, at)), at);
    if (*phase == 'f')
        json_text(&t->json, "bp", "e");
    json_text(&t->json, "cat", "data");
    json_text(&t->json, "name", "read from");
    json_count(&t->json, "id", id);
    json_close(&t->json);
}

/* From the write a read sees to the read. */
static void put_arrow(struct timeline *t, uint32_t position)
{
    const struct model *m = t->x->model;
    event_id e = exported_event(t->x, position);
    uint32_t from = kind_reads(kind_of(m, e)) ? t->writer[arg_of(m, e)] : 0;

    if (from && thread_of(m, exported_event(t->x, from)) != thread_of(m, e)) {
        put_arrow_end(t, "s", from, position);
        put_arrow_end(t, "f", position, position);
    }
    if (kind_writes(kind_of(m, e)))
        t->writer[arg_of(m, e)] = position;
}

enum status export_perfetto(const struct exported *x, struct output *out, struct error *err)
{
    struct timeline t = {.json = {.drain = drain_output}, .x = x, .out = out};

    (void)err;
    words_init(&t.words, x);
    t.writer = memory_new(x->model->variable_count, sizeof *t.writer);
    json_object_open(&t.json, NULL);
    json_text(&t.json, "displayTimeUnit", "ns");
    json_array_open(&t.json, "traceEvents");
    put_threads(&t);
    for (uint32_t position = 1; position <= x->length; position++) {
        put_section(&t, position);
        put_event(&t, position);
        put_arrow(&t, position);
    }
    json_line(&t.json, 0);
    json_close(&t.json);
    json_close(&t.json);
    json_end(&t.json);
    output_text(out, "\n");
    words_free(&t.words);
    free(t.writer);
    return HEDDLE_OK;
}
