/* The runs of a finding for its diagram: the observed one and the one that shows it, cut down to the same
 * events.
 *
 * A run is a list of items: the number of an event that is shown, or, for a stretch that is collapsed, an array
 * of how many events it has and the numbers of those that can be unfolded, its first and its last. */
#include "base/memory.h"
#include "report/html/html_parts.h"

#include <stdlib.h>

enum { RELEASES_WITHIN = 1000 }; /* events after the last one shown in which an open section may still end */

struct row {
    event_id event;
    uint32_t position; /* in its run, from 1 */
};

struct rows {
    struct row *rows; /* in the order of the run */
    size_t rows_count, rows_capacity;
};

struct diagram {
    struct page *p;
    const struct finding *f;
    struct map shown; /* event → 1 */
    event_id *events; /* those shown, in either run */
    size_t events_count, events_capacity;
    uint32_t *sections; /* those that a shown event opens or closes */
    size_t sections_count, sections_capacity;
    struct map listed;    /* section + 1 → 1: it is in there */
    struct map wanted;    /* event → 1: its position in the other run is asked for */
    struct map positions; /* event → its position there; 0: not in it */
    event_id last;        /* of the observed run */
    struct map valued;    /* event → 1: its value in the possible run has been told, if it differs */
    event_id *unfoldable; /* events of the possible run in stretches that are collapsed */
    size_t unfoldable_count, unfoldable_capacity;
};

static void show(struct diagram *d, event_id e)
{
    const struct model *m = d->p->n.model;

    if (e == EVENT_INIT || e == EVENT_NONE || map_get(&d->shown, e))
        return;
    *map_at(&d->shown, e) = 1;
    *map_at(&d->wanted, e) = 1;
    ARRAY_PUSH(d, events, e);
    uint32_t section = model_section_of(m, e);
    if (section == SECTION_NONE || map_get(&d->listed, (uint64_t)section + 1))
        return;
    *map_at(&d->listed, (uint64_t)section + 1) = 1;
    ARRAY_PUSH(d, sections, section);
    *map_at(&d->wanted, m->sections[section].acquire) = 1;
    if (m->sections[section].release != EVENT_NONE)
        *map_at(&d->wanted, m->sections[section].release) = 1;
}

static void show_steps(struct diagram *d, const struct steps *s)
{
    for (size_t i = 0; i < s->steps_count; i++)
        show(d, s->steps[i].event);
}

/* The observed run is shown up to the last event that matters, and the end of the sections open there. */
static event_id observed_end(const struct model *m, const struct finding *f, const struct steps *witness)
{
    event_id last = EVENT_INIT;
    event_id end;

    for (uint32_t i = 0; i < f->event_count; i++)
        last = f->events[i] > last ? f->events[i] : last;
    for (size_t i = 0; i < witness->steps_count; i++)
        last = witness->steps[i].event > last ? witness->steps[i].event : last;
    end = last;
    for (uint32_t i = 0; i < f->event_count; i++) {
        event_id e = f->events[i];
        if (e == EVENT_INIT)
            continue;
        for (uint32_t h = model_hold_at(m, thread_of(m, e), m->position[e]); h != HOLD_NONE;
             h = m->holds[h].outer) {
            event_id release = m->sections[m->holds[h].section].release;
            if (release != EVENT_NONE && release > end && release - last <= RELEASES_WITHIN)
                end = release;
        }
    }
    return end;
}

/* Other accesses to the variable between the finding's events, the last ones if there are many. */
static void show_accesses(struct diagram *d)
{
    const struct model *m = d->p->n.model;
    const struct finding *f = d->f;
    event_id subject = finding_subject(f);
    event_id first = d->last;
    size_t taken = 0;

    if (subject == EVENT_INIT || !kind_accesses(kind_of(m, subject)))
        return;
    for (uint32_t i = 0; i < f->event_count; i++)
        first = f->events[i] < first ? f->events[i] : first;
    struct event_span accesses = accesses_of(m, arg_of(m, subject));
    for (size_t i = accesses.count; i-- > 0 && accesses.events[i] >= first && taken < PAGE_ACCESSES_MOST;) {
        if (accesses.events[i] > d->last)
            continue;
        show(d, accesses.events[i]);
        taken++;
    }
}

static int compare_rows(const void *left, const void *right)
{
    const struct row *a = left;
    const struct row *b = right;

    return a->position < b->position ? -1 : a->position > b->position;
}

static event_id event_in(const struct schedule *run, uint32_t position)
{
    return run ? run_event(run, position) : position;
}

/* Sorts; a stretch of a single event is shown rather than collapsed. */
static void complete(struct rows *r, const struct schedule *run, uint32_t length)
{
    if (r->rows_count > 1)
        qsort(r->rows, r->rows_count, sizeof *r->rows, compare_rows);
    size_t shown = r->rows_count;
    for (size_t i = 0; i <= shown; i++) {
        uint32_t before = i > 0 ? r->rows[i - 1].position : 0;
        uint32_t gap = i < shown ? r->rows[i].position - 1 : length;
        if (gap == before + 1)
            ARRAY_PUSH(r, rows, (struct row){event_in(run, gap), gap});
    }
    if (r->rows_count > shown)
        qsort(r->rows, r->rows_count, sizeof *r->rows, compare_rows);
}

/* The positions after `before` and before `next`, collapsed. */
static void put_gap(struct diagram *d, const struct schedule *run, uint32_t before, uint32_t next)
{
    uint32_t count = next - before - 1;
    uint32_t kept = count < PAGE_GAP_MOST ? count : PAGE_GAP_MOST;

    if (next <= before + 1)
        return;
    if (kept > d->p->gaps_left)
        kept = 0;
    d->p->gaps_left -= kept;
    json_array_open(&d->p->out, NULL);
    json_count(&d->p->out, NULL, count);
    for (uint32_t i = 0; i < kept; i++) {
        event_id e = event_in(run, i < (kept + 1) / 2 ? before + 1 + i : next - (kept - i));
        page_event(d->p, NULL, e);
        if (run)
            ARRAY_PUSH(d, unfoldable, e);
    }
    json_close(&d->p->out);
}

static void put_items(struct diagram *d, const struct rows *r, const struct schedule *run, uint32_t length)
{
    uint32_t before = 0;

    json_array_open(&d->p->out, "items");
    for (size_t i = 0; i < r->rows_count; i++) {
        put_gap(d, run, before, r->rows[i].position);
        page_event(d->p, NULL, r->rows[i].event);
        before = r->rows[i].position;
    }
    put_gap(d, run, before, length + 1);
    json_close(&d->p->out);
}

static void put_observed(struct diagram *d)
{
    struct rows rows = {0};

    for (size_t i = 0; i < d->events_count; i++)
        if (d->events[i] <= d->last)
            ARRAY_PUSH(&rows, rows, (struct row){d->events[i], d->events[i]});
    complete(&rows, NULL, d->last);
    json_object_open(&d->p->out, "observed");
    json_count(&d->p->out, "length", d->last);
    put_items(d, &rows, NULL, d->last);
    json_close(&d->p->out);
    free(rows.rows);
}

/* The value of an event in the possible run, if it differs from the observed one; "" where it is not known. */
static void put_value(struct diagram *d, event_id e)
{
    const struct values *values = &d->p->n.values;
    const struct schedule *run = &d->f->schedule;
    enum event_kind kind = trace_kind(d->p->n.trace, e);
    variable_id x = d->p->n.trace->arg[e];
    size_t from = d->p->n.out.text_count;
    struct page_key key;

    if (!kind_accesses(kind) || e <= run->prefix || !values->source || map_get(&d->valued, e))
        return;
    *map_at(&d->valued, e) = 1;
    struct value now = value_of_step(values, run, e);
    struct value then = kind_writes(kind) ? value_written(values, e, x) : value_observed(values, e);
    if (value_equal(now, then))
        return;
    if (value_known(now))
        say_value(&d->p->n, now);
    page_said(d->p, page_key(&key, e), from);
}

/* The values that differ from the observed ones, of what is shown and of what can be unfolded. What could come
 * next reads what is not known yet. */
static void put_values(struct diagram *d, const struct rows *rows, bool next)
{
    json_object_open(&d->p->out, "values");
    for (size_t i = 0; i < rows->rows_count; i++)
        put_value(d, rows->rows[i].event);
    for (size_t i = 0; i < d->unfoldable_count; i++)
        put_value(d, d->unfoldable[i]);
    for (uint32_t i = 0; next && i < d->f->event_count; i++)
        if (kind_reads(trace_kind(d->p->n.trace, d->f->events[i])))
            put_value(d, d->f->events[i]);
    json_close(&d->p->out);
}

/* What the finding's events mean in this run. */
static void put_marks(struct diagram *d, bool next)
{
    struct page_key key;

    json_object_open(&d->p->out, "marks");
    for (uint32_t i = 0; i < d->f->event_count; i++) {
        event_id e = d->f->events[i];
        size_t from = d->p->n.out.text_count;
        bool seen = e == EVENT_INIT;

        for (uint32_t j = 0; j < i; j++)
            seen = seen || d->f->events[j] == e;
        if (seen || !say_mark(&d->p->n, d->f, e, next))
            continue;
        page_said(d->p, page_key(&key, e), from);
    }
    json_close(&d->p->out);
}

static void put_witness(struct diagram *d)
{
    const struct schedule *run = &d->f->schedule;
    uint32_t length = run->prefix + run->tail_count;
    bool next = property_traits(d->f->property)->ends_before;
    struct json_out *out = &d->p->out;
    struct rows rows = {0};

    for (size_t i = 0; i < d->events_count; i++) {
        uint32_t position = map_get(&d->positions, d->events[i]);
        if (position > 0)
            ARRAY_PUSH(&rows, rows, (struct row){d->events[i], position});
    }
    complete(&rows, run, length);
    json_object_open(out, "witness");
    json_count(out, "length", length);
    json_count(out, "prefix", run->prefix);
    put_items(d, &rows, run, length);
    if (next) {
        json_array_open(out, "next");
        for (uint32_t i = 0; i < d->f->event_count; i++)
            page_event(d->p, NULL, d->f->events[i]);
        json_close(out);
    }
    put_values(d, &rows, next);
    put_marks(d, next);
    json_close(out);
    free(rows.rows);
}

/* For each: the acquire, the release or 0, and where they are in the other run. */
static void put_sections(struct diagram *d)
{
    const struct model *m = d->p->n.model;
    struct json_out *out = &d->p->out;

    json_array_open(out, "sections");
    for (size_t i = 0; i < d->sections_count; i++) {
        const struct section *s = &m->sections[d->sections[i]];
        event_id release = s->release == EVENT_NONE ? 0 : s->release;

        json_array_open(out, NULL);
        page_event(d->p, NULL, s->acquire);
        json_count(out, NULL, release);
        json_count(out, NULL, map_get(&d->positions, s->acquire));
        json_count(out, NULL, release ? map_get(&d->positions, release) : 0);
        json_close(out);
    }
    json_close(out);
}

/* Where the wanted events are in the run that shows the finding. */
static void find_positions(struct diagram *d)
{
    const struct schedule *run = &d->f->schedule;

    for (size_t slot = 0; slot < d->wanted.slot_count; slot++)
        if (d->wanted.used[slot] && d->wanted.keys[slot] <= run->prefix)
            *map_at(&d->positions, d->wanted.keys[slot]) = (uint32_t)d->wanted.keys[slot];
    for (uint32_t i = 0; i < run->tail_count; i++)
        if (map_get(&d->wanted, run->tail[i]))
            *map_at(&d->positions, run->tail[i]) = run->prefix + i + 1;
}

/* The events that matter in the part of the observed run that the other one departs from. */
static void show_observed(struct diagram *d)
{
    struct schedule run = {.prefix = d->f->schedule.prefix < d->last ? d->f->schedule.prefix : d->last};
    struct steps steps;

    if (d->last - run.prefix > PAGE_OBSERVED_MOST)
        run.prefix = d->last - PAGE_OBSERVED_MOST;
    run.tail_count = d->last - run.prefix;
    run.tail = memory_new(run.tail_count, sizeof *run.tail);
    for (uint32_t i = 0; i < run.tail_count; i++)
        run.tail[i] = run.prefix + 1 + i;
    steps_choose_in(&steps, d->p->n.model, d->f, run, PAGE_OBSERVED_STEPS);
    show_steps(d, &steps);
    steps_free(&steps);
    free(run.tail);
}

static void put_both(struct diagram *d)
{
    struct steps witness;

    steps_choose_in(&witness, d->p->n.model, d->f, d->f->schedule, PAGE_STEPS_MOST);
    d->last = observed_end(d->p->n.model, d->f, &witness);
    show_steps(d, &witness);
    steps_free(&witness);
    show_observed(d);
    show_accesses(d);
    find_positions(d);
    put_observed(d);
    put_witness(d);
}

static void put_observed_only(struct diagram *d)
{
    struct steps steps;

    steps_choose(&steps, d->p->n.model, d->f);
    d->last = steps.length;
    show_steps(d, &steps);
    steps_free(&steps);
    show_accesses(d);
    put_observed(d);
    put_marks(d, false);
}

/* With all of the observed order that it begins with in its prefix: the same run looks the same, whoever made
 * it. */
static struct finding settled(const struct finding *f)
{
    struct finding same = *f;
    struct schedule *s = &same.schedule;

    while (!f->synchronization && s->tail_count > 0 && s->tail[0] == s->prefix + 1) {
        s->prefix++;
        s->tail++;
        s->tail_count--;
    }
    return same;
}

void page_runs(struct page *p, const struct finding *f)
{
    struct finding same = settled(f);
    struct diagram d = {.p = p, .f = &same};
    uint64_t work = f->schedule.tail_count + PAGE_OBSERVED_MOST / 8;

    if (work > p->work_left) {
        p->work_left = 0;
        return;
    }
    p->work_left -= work;
    if (finding_has_schedule(&same))
        put_both(&d);
    else
        put_observed_only(&d);
    put_sections(&d);
    map_free(&d.shown);
    map_free(&d.listed);
    map_free(&d.wanted);
    map_free(&d.positions);
    map_free(&d.valued);
    free(d.events);
    free(d.sections);
    free(d.unfoldable);
}
