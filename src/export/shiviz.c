/* A log with vector clocks, as ShiViz reads it with its usual expression:
 *
 *     (?<host>\S*) (?<clock>{.*})\n(?<event>.*)
 *
 * Two lines an event: the thread, blanks replaced, with its clock; then the event in words. Of a finding's run
 * only the events that matter are there, and clocks count those. */
#include "base/memory.h"
#include "export/export_words.h"
#include "export/run_order.h"

#include <stdlib.h>
#include <string.h>

enum { EVENTS_MOST = 20000 }; /* more than anybody looks at */

struct shiviz_log {
    const struct run_order *c;
    struct output *out;
    struct narrator words;
    const uint32_t *shown; /* positions */
    size_t count;
    struct names hosts; /* by thread */
    uint32_t *first,
        *rank; /* by thread, where its shown events begin in `rank`; those: its own count in the row */
};

/* Thread names without characters that the expression cannot match; if two become the same, the thread's
 * number is appended. */
static void name_hosts(struct shiviz_log *l)
{
    struct buffer host = {0};
    size_t before;

    names_init(&l->hosts);
    for (thread_id t = 0; t < l->c->thread_count; t++) {
        host.text_count = 0;
        buffer_safe(&host, trace_name(l->c->x->trace, NAME_THREAD, t));
        for (size_t i = 0; i < host.text_count; i++)
            if (strchr(" {}\"\\", host.text[i]))
                host.text[i] = '_';
        before = names_count(&l->hosts);
        while (names_add(&l->hosts, host.text, host.text_count) < before) {
            buffer_text(&host, "_");
            buffer_number(&host, t);
        }
    }
    buffer_free(&host);
}

static void put_host(struct shiviz_log *l, thread_id thread)
{
    buffer_text(&l->words.out, names_text(&l->hosts, thread));
}

/* How many of a thread's shown events are among its first `count` of the run. */
static uint32_t shown_among(const struct shiviz_log *l, thread_id thread, uint32_t count)
{
    uint32_t low = l->first[thread], high = l->first[thread + 1];

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (l->rank[middle] <= count)
            low = middle + 1;
        else
            high = middle;
    }
    return low - l->first[thread];
}

static void put_clock(struct shiviz_log *l, uint32_t position)
{
    const uint32_t *row = run_order_row(l->c, position);
    bool first = true;

    buffer_text(&l->words.out, " {");
    for (thread_id t = 0; t < l->c->thread_count; t++) {
        uint32_t count = shown_among(l, t, row[t]);
        if (count == 0)
            continue;
        buffer_text(&l->words.out, first ? "" : ", ");
        buffer_text(&l->words.out, "\"");
        put_host(l, t);
        buffer_text(&l->words.out, "\":");
        buffer_number(&l->words.out, count);
        first = false;
    }
    buffer_text(&l->words.out, "}\n");
}

static void put_event(struct shiviz_log *l, uint32_t position)
{
    event_id e = exported_event(l->c->x, position);

    put_host(l, thread_of(l->c->x->model, e));
    put_clock(l, position);
    words_event(&l->words, l->c->x, position);
    buffer_text(&l->words.out, " at ");
    say_place(&l->words, e);
    buffer_text(&l->words.out, "\n");
    words_write(&l->words, l->out);
}

/* Sorts the shown events by thread: each thread's count at each of them. */
static void rank_events(struct shiviz_log *l)
{
    const struct model *m = l->c->x->model;

    l->first = memory_new((size_t)l->c->thread_count + 2, sizeof *l->first);
    l->rank = memory_new(l->count, sizeof *l->rank);
    for (size_t i = 0; i < l->count; i++)
        l->first[thread_of(m, exported_event(l->c->x, l->shown[i])) + 2]++;
    for (uint32_t t = 2; t < l->c->thread_count + 2; t++)
        l->first[t] += l->first[t - 1];
    for (size_t i = 0; i < l->count; i++) {
        thread_id t = thread_of(m, exported_event(l->c->x, l->shown[i]));
        l->rank[l->first[t + 1]++] = run_order_row(l->c, l->shown[i])[t];
    }
}

enum status export_shiviz(const struct exported *x, struct output *out, struct error *err)
{
    struct run_order c;
    struct shiviz_log l = {.c = &c, .out = out};
    uint32_t *shown;
    enum status status = run_order_build(&c, x, err);

    if (status != HEDDLE_OK)
        return status;
    shown = run_order_shown(&c, &l.count);
    l.shown = shown;
    if (l.count > EVENTS_MOST) {
        status = fail(err, HEDDLE_UNSUPPORTED,
                      "%zu events are more than ShiViz shows (%d at most): export one finding, with --finding",
                      l.count, EVENTS_MOST);
    } else {
        words_init(&l.words, x);
        name_hosts(&l);
        rank_events(&l);
        for (size_t i = 0; i < l.count; i++)
            put_event(&l, shown[i]);
        words_free(&l.words);
        names_free(&l.hosts);
        free(l.first);
        free(l.rank);
    }
    free(shown);
    run_order_free(&c);
    return status;
}
