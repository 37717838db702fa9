/* The counterexample of a race found with data ignored: the synchronization events as observed and, beside
 * them, in the order that brings the accesses together. */
#include "base/memory.h"
#include "report/text/narrate.h"

#include <stdlib.h>

enum { ROWS_MOST = 24, CELL_WIDTH = 44, NUMBER_WIDTH = 8 };

struct listing_column {
    event_id *rows; /* EVENT_INIT: rows that are left out */
    size_t rows_count, rows_capacity;
};

/* The column without its middle, if it is long. */
static void shorten(struct listing_column *c)
{
    size_t cut = c->rows_count > ROWS_MOST ? c->rows_count - ROWS_MOST : 0;

    if (cut == 0)
        return;
    c->rows[ROWS_MOST / 2] = EVENT_INIT;
    for (size_t i = ROWS_MOST / 2 + 1; i + cut < c->rows_count; i++)
        c->rows[i] = c->rows[i + cut];
    c->rows_count -= cut;
}

/* How many events of the tail are as observed, from its beginning; `*last` gets the last event before the rest.
 */
static uint32_t skip_observed(const struct narrator *n, const struct finding *f, event_id *last)
{
    uint32_t skipped = 0;

    *last = f->schedule.prefix;
    for (event_id e = *last + 1; e < f->events[0]; e++) {
        if (kind_synchronizes(kind_of(n->model, e))) {
            if (skipped == f->schedule.tail_count || f->schedule.tail[skipped] != e)
                break;
            skipped++;
        }
        *last = e;
    }
    return skipped;
}

/* What the threads of the reordered part, from `first` on, did until both accesses had happened. */
static void fill_observed(struct listing_column *c, const struct narrator *n, const struct finding *f,
                          uint32_t first)
{
    event_id from = f->events[0];
    const uint32_t *thread = n->model->trace->thread;
    bool *involved = memory_new(trace_names(n->model->trace, NAME_THREAD), sizeof *involved);

    involved[thread[f->events[0]]] = involved[thread[f->events[1]]] = true;
    for (uint32_t i = first; i < f->schedule.tail_count; i++) {
        event_id e = f->schedule.tail[i];
        involved[thread[e]] = true;
        from = e < from ? e : from;
    }
    for (event_id e = from; e <= f->events[1]; e++)
        if (e == f->events[0] || e == f->events[1] ||
            (involved[thread[e]] && kind_synchronizes(kind_of(n->model, e))))
            ARRAY_PUSH(c, rows, e);
    free(involved);
    shorten(c);
}

static void fill_reordered(struct listing_column *c, const struct finding *f, uint32_t first)
{
    for (uint32_t i = first; i < f->schedule.tail_count; i++)
        ARRAY_PUSH(c, rows, f->schedule.tail[i]);
    ARRAY_PUSH(c, rows, f->events[0]);
    ARRAY_PUSH(c, rows, f->events[1]);
    shorten(c);
}

static void say_cell(struct narrator *n, const struct listing_column *c, size_t row)
{
    size_t from = n->out.text_count;

    if (row < c->rows_count && c->rows[row] == EVENT_INIT) {
        buffer_spaces(&n->out, NUMBER_WIDTH);
        say(n, "…");
    } else if (row < c->rows_count) {
        buffer_number(&n->out, c->rows[row]);
        buffer_spaces(&n->out, NUMBER_WIDTH - buffer_width(&n->out, from) % NUMBER_WIDTH);
        say_thread(n, c->rows[row]);
        say(n, " ");
        say_event(n, c->rows[row], (struct value){VALUE_NONE, 0});
    }
    buffer_cut(&n->out, from, CELL_WIDTH);
}

static void say_row(struct narrator *n, const struct listing_column *observed,
                    const struct listing_column *reordered, size_t row, const struct finding *f)
{
    size_t from;

    say(n, "    ");
    from = n->out.text_count;
    say_cell(n, observed, row);
    if (row < reordered->rows_count) {
        buffer_spaces(&n->out, CELL_WIDTH + 2 - buffer_width(&n->out, from));
        say_cell(n, reordered, row);
        if (reordered->rows[row] == f->events[0] || reordered->rows[row] == f->events[1]) {
            say_tone(n, TONE_MARK);
            say(n, reordered->rows[row] == f->events[0] ? "  ◀ can run now" : "  ◀ and so can this");
            say_tone(n, TONE_PLAIN);
        }
    }
    say(n, "\n");
}

void say_synchronization(struct narrator *n, const struct finding *f)
{
    struct listing_column observed = {0}, reordered = {0};
    event_id last;
    uint32_t first = skip_observed(n, f, &last);
    size_t from;

    fill_observed(&observed, n, f, first);
    fill_reordered(&reordered, f, first);
    if (last > 0) {
        say(n, "    both after the first ");
        say_count(n, last, "event");
        say(n, " as observed\n");
    }
    say_tone(n, TONE_QUIET);
    say(n, "    ");
    from = n->out.text_count;
    say(n, "observed");
    buffer_spaces(&n->out, CELL_WIDTH + 2 - buffer_width(&n->out, from));
    say(n, "reordered\n");
    say_tone(n, TONE_PLAIN);
    for (size_t row = 0; row < observed.rows_count || row < reordered.rows_count; row++)
        say_row(n, &observed, &reordered, row, f);
    free(observed.rows);
    free(reordered.rows);
}

void say_confirmation(struct narrator *n, const struct finding *f)
{
    switch (f->confirmation) {
    case CONFIRMATION_EXACT:
        say(n, "    found with data ignored; exact confirms it\n");
        return;
    case CONFIRMATION_OTHER_PATH:
        say(n,
            "    needs another path: on the recorded path, the values that the threads read keep the accesses "
            "apart; they\n      race only if the program reaches both accesses with other values, too\n");
        return;
    case CONFIRMATION_UNDECIDED:
        say(n, "    found with data ignored; exact ran out of budget before it could confirm or refute it\n");
        return;
    case CONFIRMATION_NONE:
        return;
    }
}
