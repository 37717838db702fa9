/* Prints a run cut down to what matters: a column a thread, so that every context switch shows. */
#include "report/text/interleaving.h"
#include "base/memory.h"
#include "report/text/narrate.h"

#include <stdlib.h>

enum {
    CELL_MOST = 44, /* columns of what a thread does; longer names are cut */
    PLACE_MOST = 48,
    PLACE_USUAL = 24,
    WIDTH_MOST = 100, /* of all cells together; beyond that, lines are led by the thread's name */
    INDENT = 4
};

struct layout {
    struct narrator *n;
    const struct finding *f;
    struct steps steps;
    thread_id *threads; /* that have a step, ascending */
    size_t threads_count, threads_capacity;
    size_t *start;     /* of each thread's column */
    size_t width;      /* of all columns together */
    size_t digits;     /* of the largest event number */
    size_t name_width; /* of the longest name, when lines are led by it; 0: a column a thread */
};

static size_t column_of(const struct layout *l, event_id e)
{
    size_t column = 0;

    while (l->threads[column] != l->n->trace->thread[e])
        column++;
    return column;
}

static int compare_threads(const void *left, const void *right)
{
    const thread_id *a = left;
    const thread_id *b = right;

    return *a < *b ? -1 : *a > *b;
}

static void list_threads(struct layout *l)
{
    size_t kept = 0;

    for (size_t i = 0; i < l->steps.steps_count; i++)
        ARRAY_PUSH(l, threads, l->n->trace->thread[l->steps.steps[i].event]);
    qsort(l->threads, l->threads_count, sizeof *l->threads, compare_threads);
    for (size_t i = 0; i < l->threads_count; i++)
        if (i == 0 || l->threads[i] != l->threads[i - 1])
            l->threads[kept++] = l->threads[i];
    l->threads_count = kept;
}

/* The text of a step, cut to fit a cell; returns its width. */
static size_t say_cell(struct layout *l, const struct shown_step *step)
{
    struct buffer *out = &l->n->out;
    size_t from = out->text_count;

    if (step->position > l->steps.length && l->f->property == PROPERTY_DEADLOCK) {
        say(l->n, "wants ");
        say_argument(l->n, step->event);
    } else if (step->position > l->steps.length && l->f->property == PROPERTY_STUCK) {
        say(l->n, "waits");
    } else {
        say_event(l->n, step->event, value_of_step(&l->n->values, &l->steps.run, step->event));
    }
    buffer_cut(out, from, CELL_MOST);
    return buffer_width(out, from);
}

static size_t say_thread_name(struct layout *l, thread_id thread)
{
    struct buffer *out = &l->n->out;
    size_t from = out->text_count;

    buffer_safe(out, trace_name(l->n->trace, NAME_THREAD, thread));
    buffer_cut(out, from, CELL_MOST / 2);
    return buffer_width(out, from);
}

/* Columns for all cells together: what the terminal has beside numbers and places. */
static size_t room_abreast(const struct layout *l)
{
    size_t others = INDENT + l->digits + PLACE_USUAL;

    if (l->n->width == 0 || l->n->width > others + WIDTH_MOST)
        return WIDTH_MOST;
    return l->n->width > others ? l->n->width - others : 0;
}

/* Every cell is written once to see how wide it gets, and taken back. */
static void measure(struct layout *l)
{
    struct buffer *out = &l->n->out;
    size_t mark = out->text_count;
    size_t *widest = memory_new(l->threads_count, sizeof *widest);
    size_t longest = 0;

    for (size_t i = 0; i < l->threads_count; i++) {
        widest[i] = say_thread_name(l, l->threads[i]);
        longest = widest[i] > longest ? widest[i] : longest;
    }
    size_t name_width = longest;
    for (size_t i = 0; i < l->steps.steps_count; i++) {
        event_id e = l->steps.steps[i].event;
        size_t column = column_of(l, e);
        size_t width = say_cell(l, &l->steps.steps[i]);
        size_t digits = 1;

        widest[column] = width > widest[column] ? width : widest[column];
        longest = width > longest ? width : longest;
        while (e >= 10) {
            e /= 10;
            digits++;
        }
        l->digits = digits > l->digits ? digits : l->digits;
    }
    out->text_count = mark;

    l->start = memory_new(l->threads_count, sizeof *l->start);
    for (size_t i = 0; i < l->threads_count; i++) {
        l->start[i] = l->width;
        l->width += widest[i] + 2;
    }
    if (l->threads_count > THREADS_ABREAST || l->width > room_abreast(l)) {
        l->name_width = name_width;
        l->width = name_width + 2 + longest + 2;
    }
    free(widest);
}

static void say_margin(struct layout *l, uint64_t number)
{
    struct buffer *out = &l->n->out;
    size_t from = out->text_count;

    if (number > 0)
        buffer_number(out, number);
    size_t width = out->text_count - from;
    out->text_count = from;
    buffer_spaces(out, INDENT + l->digits - width);
    if (number > 0)
        buffer_number(out, number);
    say(l->n, "  ");
}

static void say_heading(struct layout *l)
{
    if (l->name_width > 0)
        return;
    say_margin(l, 0);
    say_tone(l->n, TONE_STRONG);
    for (size_t i = 0; i < l->threads_count; i++) {
        size_t width = say_thread_name(l, l->threads[i]);
        if (i + 1 < l->threads_count)
            buffer_spaces(&l->n->out, l->start[i + 1] - l->start[i] - width);
    }
    say_tone(l->n, TONE_PLAIN);
    say(l->n, "\n");
}

/* What a read sees in place of what it saw. */
static void say_sight(struct narrator *n, event_id observed, event_id alternative)
{
    say(n, alternative == EVENT_INIT ? "sees the initial value, not event " : "sees event ");
    buffer_number(&n->out, alternative == EVENT_INIT ? observed : alternative);
    if (alternative != EVENT_INIT && observed != EVENT_INIT) {
        say(n, ", not event ");
        buffer_number(&n->out, observed);
    } else if (observed == EVENT_INIT) {
        say(n, ", not the initial value");
    }
}

/* Whether the event is one of the finding: the last of a thread that waited when the run ended. */
static bool is_waiting_at(const struct narrator *n, const struct finding *f, event_id e)
{
    for (uint32_t i = 0; i < f->event_count && n->trace->end.waiters_count > 0; i++)
        if (f->events[i] == e)
            return true;
    return false;
}

static void say_wait(struct narrator *n, event_id holder)
{
    say(n, "waits forever");
    if (holder != EVENT_NONE) {
        say(n, ": ");
        say_thread(n, holder);
        say(n, " holds it");
    }
}

bool say_mark(struct narrator *n, const struct finding *f, event_id e, bool after_run)
{
    switch (f->property) {
    case PROPERTY_NONDET:
        if (e != f->events[0])
            return false;
        say_sight(n, f->events[1], f->events[2]);
        return true;
    case PROPERTY_FINAL:
        if (e != f->events[1])
            return false;
        say(n, "is the last write");
        return true;
    case PROPERTY_RACE:
        if (!after_run)
            return false;
        say(n, e == f->events[0] ? "can run now" : "and so can this, at the same moment");
        return true;
    case PROPERTY_DEADLOCK:
        if (!after_run)
            return false;
        say_wait(n, deadlock_holder(n->model, f, e));
        return true;
    case PROPERTY_ATOMICITY:
        if (e != f->events[1])
            return false;
        say(n, "comes between");
        return true;
    case PROPERTY_STALE:
        if (e == f->events[0])
            return false;
        say(n, e == f->events[1] ? "overtakes the read" : "depends on the read");
        return e == f->events[1] || e == f->events[2];
    case PROPERTY_STUCK:
        if (!after_run)
            return false;
        say_stuck_mark(n, f, e);
        return true;
    case PROPERTY_UNORDERED:
        if (e != f->events[1])
            return false;
        say(n, "nothing orders it after event ");
        buffer_number(&n->out, f->events[0]);
        return true;
    case PROPERTY_DETERMINISM:
    case PROPERTY_SERIALIZABILITY:
        return say_block_mark(n, f, e);
    case PROPERTY_OBSERVED:
        if (!is_waiting_at(n, f, e))
            return false;
        say(n, "the last of its thread");
        return true;
    case PROPERTIES:
        return false;
    }
    return false;
}

/* `times`: how often its thread does the same in a row. */
static void say_step(struct layout *l, const struct shown_step *step, uint64_t times)
{
    struct narrator *n = l->n;
    const char *place = event_place(n->trace, step->event);
    size_t column = column_of(l, step->event);

    say_margin(l, step->event);
    size_t from = n->out.text_count;
    if (l->name_width > 0) {
        size_t width = say_thread_name(l, l->threads[column]);
        buffer_spaces(&n->out, l->name_width + 2 - width);
    } else {
        buffer_spaces(&n->out, l->start[column]);
    }
    say_cell(l, step);
    buffer_spaces(&n->out, l->width - buffer_width(&n->out, from));

    say_tone(n, TONE_QUIET);
    from = n->out.text_count;
    buffer_safe(&n->out, place);
    buffer_cut(&n->out, from, PLACE_MOST);
    if (times > 1) {
        say(n, *place ? "  " : "");
        buffer_grouped(&n->out, times);
        say(n, " times");
    }
    say_tone(n, TONE_PLAIN);
    size_t mark = n->out.text_count;
    say_tone(n, TONE_MARK);
    say(n, *place ? "  \u25c0 " : "\u25c0 ");
    if (say_mark(n, l->f, step->event, step->position > l->steps.length))
        say_tone(n, TONE_PLAIN);
    else
        n->out.text_count = mark;
    while (n->out.text_count > 0 && n->out.text[n->out.text_count - 1] == ' ')
        n->out.text_count--;
    say(n, "\n");
}

/* Whether the second step follows the first at once and is the same thing again: a loop that polls. */
static bool is_repeated(const struct layout *l, const struct shown_step *a, const struct shown_step *b)
{
    const struct trace *t = l->n->trace;
    struct value one, other;

    if (b->position != a->position + 1 || b->position > l->steps.length ||
        a->importance == IMPORTANCE_FINDING || b->importance == IMPORTANCE_FINDING ||
        t->op[a->event] != t->op[b->event] || t->thread[a->event] != t->thread[b->event] ||
        t->arg[a->event] != t->arg[b->event] || t->location[a->event] != t->location[b->event])
        return false;
    one = value_of_step(&l->n->values, &l->steps.run, a->event);
    other = value_of_step(&l->n->values, &l->steps.run, b->event);
    return value_equal(one, other);
}

/* The positions after `before` and before `next` are left out. */
static void say_left_out(struct layout *l, uint32_t before, uint32_t next)
{
    struct narrator *n = l->n;
    uint32_t prefix = l->steps.run.prefix;
    uint32_t last = next - 1;
    uint64_t observed = before < prefix ? (last < prefix ? last : prefix) - before : 0;
    uint64_t others = last - before - observed;

    if (last <= before)
        return;
    say_margin(l, 0);
    say_tone(n, TONE_QUIET);
    say(n, "\u2026 ");
    if (observed > 0) {
        say_count(n, observed, "event");
        say(n, " as observed");
    }
    if (others > 0) {
        say(n, observed > 0 ? ", then " : "");
        say_count(n, others, observed > 0 ? "other" : "other event");
    }
    say_tone(n, TONE_PLAIN);
    say(n, "\n");
}

/* Where the stretch of equal steps ends that begins with this one; `*next` becomes the index of the first step after it. */
static uint32_t stretch_end(const struct layout *l, size_t first, size_t *next)
{
    struct shown_step last = l->steps.steps[first];

    for (*next = first + 1; last.position < l->steps.length;) {
        uint32_t position = last.position + 1;
        bool listed = *next < l->steps.steps_count && l->steps.steps[*next].position == position;
        struct shown_step after = {run_event(&l->steps.run, position), position, IMPORTANCE_GAP};
        if (listed)
            after = l->steps.steps[*next];
        if (!is_repeated(l, &last, &after))
            break;
        *next += listed;
        last = after;
    }
    return last.position;
}

void say_interleaving(struct narrator *n, const struct finding *f)
{
    struct layout l = {.n = n, .f = f};
    uint32_t before = 0;

    if (f->event_count == 0)
        return;
    steps_choose(&l.steps, n->model, f);
    if (l.steps.steps_count > 0) {
        list_threads(&l);
        measure(&l);
        say_heading(&l);
        for (size_t i = 0, end; i < l.steps.steps_count; i = end) {
            const struct shown_step *step = &l.steps.steps[i];
            uint32_t last = stretch_end(&l, i, &end);
            uint32_t next = step->position <= l.steps.length ? step->position : l.steps.length + 1;
            say_left_out(&l, before, next);
            say_step(&l, step, last - step->position + 1);
            before = last < l.steps.length ? last : l.steps.length;
        }
        say_left_out(&l, before, l.steps.length + 1);
    }
    steps_free(&l.steps);
    free(l.threads);
    free(l.start);
}
