/* The graph of the order between events of the run, for Graphviz: a column a thread; of the order between
 * threads the edges that others do not imply; where a read sees another thread's write the edge is drawn
 * strong. */
#include "base/memory.h"
#include "export/export_words.h"
#include "export/run_order.h"

#include <stdlib.h>

enum { EVENTS_MOST = 2000 }; /* more than Graphviz lays out in a minute */

struct graph {
    const struct run_order *c;
    struct output *out;
    struct narrator words;
    const uint32_t *shown; /* positions, ascending */
    size_t count;
};

static thread_id drawn_thread_at(const struct graph *g, uint32_t position)
{
    return thread_of(g->c->x->model, exported_event(g->c->x, position));
}

/* Text in quotes as Graphviz reads it. */
static void put_quoted(struct graph *g, const struct buffer *text)
{
    buffer_text(&g->words.out, "\"");
    for (size_t i = 0; i < text->text_count; i++) {
        if (text->text[i] == '"' || text->text[i] == '\\')
            buffer_text(&g->words.out, "\\");
        if (text->text[i] == '\n')
            buffer_text(&g->words.out, "\\n");
        else
            buffer_bytes(&g->words.out, text->text + i, 1);
    }
    buffer_text(&g->words.out, "\"");
}

static bool is_of_finding(const struct graph *g, event_id e)
{
    const struct finding *f = g->c->x->finding;

    for (uint32_t i = 0; f && i < f->event_count; i++)
        if (f->events[i] == e)
            return true;
    return false;
}

static void put_node(struct graph *g, uint32_t position)
{
    event_id e = exported_event(g->c->x, position);
    struct narrator label;

    words_init(&label, g->c->x);
    buffer_number(&label.out, e);
    say(&label, ": ");
    words_event(&label, g->c->x, position);
    say(&label, "\n");
    buffer_safe(&label.out, event_place(g->c->x->trace, e));
    buffer_text(&g->words.out, "    e");
    buffer_number(&g->words.out, e);
    buffer_text(&g->words.out, " [label=");
    put_quoted(g, &label.out);
    buffer_text(&g->words.out, is_of_finding(g, e) ? ", penwidth=2, color=firebrick];\n" : "];\n");
    words_free(&label);
}

static void put_thread(struct graph *g, thread_id thread)
{
    struct buffer name = {0};
    bool any = false;

    for (size_t i = 0; i < g->count; i++)
        any |= drawn_thread_at(g, g->shown[i]) == thread;
    if (!any)
        return;
    buffer_text(&g->words.out, "  subgraph cluster_");
    buffer_number(&g->words.out, thread);
    buffer_text(&g->words.out, " {\n    label=");
    buffer_safe(&name, trace_name(g->c->x->trace, NAME_THREAD, thread));
    put_quoted(g, &name);
    buffer_text(&g->words.out, ";\n");
    buffer_free(&name);
    for (size_t i = 0; i < g->count; i++)
        if (drawn_thread_at(g, g->shown[i]) == thread)
            put_node(g, g->shown[i]);
    buffer_text(&g->words.out, "  }\n");
    words_write(&g->words, g->out);
}

static void put_edge(struct graph *g, uint32_t a, uint32_t b)
{
    event_id from = exported_event(g->c->x, a), to = exported_event(g->c->x, b);

    buffer_text(&g->words.out, "  e");
    buffer_number(&g->words.out, from);
    buffer_text(&g->words.out, " -> e");
    buffer_number(&g->words.out, to);
    if (g->c->source[b - 1] == from)
        buffer_text(&g->words.out, " [label=\"read from\", color=royalblue, penwidth=2]");
    else if (drawn_thread_at(g, a) != drawn_thread_at(g, b))
        buffer_text(&g->words.out, " [style=dashed]");
    buffer_text(&g->words.out, ";\n");
}

/* The last shown event of each thread that comes before b; 0: none. */
static void last_before(const struct graph *g, size_t b, uint32_t *last)
{
    for (thread_id t = 0; t < g->c->thread_count; t++)
        last[t] = 0;
    for (size_t a = 0; a < b; a++)
        if (run_order_before(g->c, g->shown[a], g->shown[b]))
            last[drawn_thread_at(g, g->shown[a])] = g->shown[a];
}

/* Whether an event of another thread that comes before b comes after the last one of thread t. */
static bool is_implied(const struct graph *g, const uint32_t *last, thread_id t)
{
    for (thread_id u = 0; u < g->c->thread_count; u++)
        if (u != t && last[u] && run_order_before(g->c, last[t], last[u]))
            return true;
    return false;
}

static bool is_shown(const struct graph *g, uint32_t position)
{
    for (size_t i = 0; i < g->count; i++)
        if (g->shown[i] == position)
            return true;
    return false;
}

static void put_edges(struct graph *g)
{
    uint32_t *last = memory_new(g->c->thread_count, sizeof *last);

    for (size_t b = 0; b < g->count; b++) {
        event_id source = g->c->source[g->shown[b] - 1];
        uint32_t from = source == EVENT_NONE || source == EVENT_INIT ? 0 : g->c->position[source];
        last_before(g, b, last);
        for (thread_id t = 0; t < g->c->thread_count; t++) {
            if (!last[t] || (is_implied(g, last, t) && last[t] != from))
                continue;
            put_edge(g, last[t], g->shown[b]);
            from = last[t] == from ? 0 : from;
        }
        if (from && is_shown(g, from))
            put_edge(g, from, g->shown[b]);
        words_write(&g->words, g->out);
    }
    free(last);
}

enum status export_dot(const struct exported *x, struct output *out, struct error *err)
{
    struct run_order c;
    struct graph g = {.c = &c, .out = out};
    uint32_t *shown;
    enum status status = run_order_build(&c, x, err);

    if (status != HEDDLE_OK)
        return status;
    shown = run_order_shown(&c, &g.count);
    g.shown = shown;
    if (g.count > EVENTS_MOST) {
        status = fail(err, HEDDLE_UNSUPPORTED,
                      "%zu events are too many for a graph (%d at most): export one finding, with --finding",
                      g.count, EVENTS_MOST);
    } else {
        words_init(&g.words, x);
        output_text(out, "digraph run {\n  node [shape=box, fontname=\"monospace\"];\n");
        for (thread_id t = 0; t < c.thread_count; t++)
            put_thread(&g, t);
        put_edges(&g);
        output_text(out, "}\n");
        words_free(&g.words);
    }
    free(shown);
    run_order_free(&c);
    return status;
}
