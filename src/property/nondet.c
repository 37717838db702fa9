/* Nondeterminism: which reads could see another write (semantics §3).
 *
 * Of each class or chain of writes, a read's candidates are the last one that must come before it, and those that
 * neither must come before nor after it: an interval, found by halving. All others are refuted at once. */
#include "base/memory.h"
#include "base/row.h"
#include "property/copies.h"
#include "property/nondet_parts.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* In a grouped check of a variable with many accesses, candidates near the read come first: a query costs as much as
 * lies between, and most locations are shown by a cheap one. The limits of each pass over the reads. */
static const event_id distances[] = {0, 1000, 30000, EVENT_NONE};

/* Asks for the write unless the grouped check has enough of its kind; returns how many candidates are settled.
 */
static uint64_t ask_or_skip(struct nondet_reader *r, event_id alternative)
{
    if (nondet_is_same(r, alternative)) {
        worker_refute(r->w, PROPERTY_NONDET, REFUTED_MUST_ORDER, 1);
        return 1;
    }
    if (worker_skips(r->w, PROPERTY_NONDET, (uint32_t[]){r->read, r->source, alternative}, 3, 1))
        return 1;
    if (!model_may_see(r->w->m, r->read, alternative)) {
        worker_refute(r->w, PROPERTY_NONDET, REFUTED_CYCLE, 1);
        return 1;
    }
    enum refutation known = quiet_rows_known(&r->rows, alternative);
    if (known != REFUTATIONS) {
        worker_refute(r->w, PROPERTY_NONDET, known, 1);
        return 1;
    }
    if (alternative == EVENT_INIT
            ? nondet_is_initial_gone(r)
            : nondet_is_locked_out(r, alternative) || pairs_refute(r->pairs, r->read, alternative) ||
                  seen_before_refutes(&r->w->seen[0], r->read, alternative))
        worker_refute(r->w, PROPERTY_NONDET, REFUTED_CYCLE, 1);
    else if (!r->w->options->whole && !r->w->options->plain && copies_refute(r->w->m, r->read, alternative))
        known = worker_answer(r->w, PROPERTY_NONDET, (uint32_t[]){r->read, r->source, alternative}, 3);
    else
        known = worker_ask(r->w, PROPERTY_NONDET, (uint32_t[]){r->read, r->source, alternative}, 3);
    quiet_rows_note(&r->rows, alternative, known);
    return 1;
}

/* Finds for each class the write that is known to be before the read; false if no write is. */
static bool find_known(struct nondet_reader *r)
{
    r->latest = EVENT_INIT;
    if (r->read < r->limited)
        class_limits_clear(&r->limits);
    r->limited = r->read;
    r->limit = class_limits_at(&r->limits, r->read, r->base);
    for (size_t i = 0; i < r->writes->list_count; i++) {
        event_id last = r->limit[i].last;
        assert(last < r->read); /* must-order is part of the order of the trace */
        r->latest = last > r->latest ? last : r->latest;
    }
    return r->latest != EVENT_INIT;
}

/* What a write that must come before the read sees if it is an update, as far as that is certain. */
static event_id source_of_known(const struct nondet_reader *r, event_id known)
{
    const struct model *m = r->w->m;
    thread_id t = thread_of(m, known);

    return t == thread_of(m, r->read) ? kept_source(m, known, m->position[r->read] + 1, false)
                                      : kept_source(m, known, r->base[t], true);
}

static bool is_overwritten_by(const struct nondet_reader *r, event_id write, event_id known)
{
    const struct model *m = r->w->m;

    if (known == EVENT_INIT || known == write)
        return false;
    if (must_before(m, write, known))
        return true;
    event_id source = source_of_known(r, known);
    return source != EVENT_INIT && (source == write || must_before(m, write, source));
}

/* What must come before `e` is covered, and of its own thread so many events; unless it is already. */
static void cover_before(struct nondet_reader *r, event_id e, uint32_t own)
{
    const struct model *m = r->w->m;
    uint32_t *mine = &r->cover[thread_of(m, e)], before = *mine;

    if (before > m->position[e])
        return;
    row_raise(r->cover, clocks_forward_row(m, thread_of(m, e), m->position[e]), m->thread_count);
    *mine = own > before ? own : before; /* a clock says nothing of its own thread */
}

/* Of each thread: how many of its events come before another write that must come before the read. */
static void find_cover(struct nondet_reader *r)
{
    const struct model *m = r->w->m;

    r->covered = r->read;
    memset(r->cover, 0, m->thread_count * sizeof *r->cover);
    for (size_t i = r->writes->list_count; i-- > 0;) { /* the latest threads first */
        event_id known = r->limit[i].last, source;
        if (known == EVENT_INIT)
            continue;
        cover_before(r, known, m->position[known]);
        source = source_of_known(r, known);
        if (source != EVENT_INIT)
            cover_before(r, source, m->position[source] + 1);
    }
}

/* From how many classes on what all of them overwrite is put together first. */
enum { MANY_CLASSES = 4 };

/* Whether another write that must come before the read must come after this one. */
static bool is_overwritten(struct nondet_reader *r, event_id write)
{
    const struct model *m = r->w->m;

    if (is_overwritten_by(r, write, r->latest))
        return true;
    if (r->writes->list_count >= MANY_CLASSES) {
        if (r->covered != r->read)
            find_cover(r);
        return r->cover[thread_of(m, write)] > m->position[write];
    }
    for (size_t i = 0; i < r->writes->list_count; i++)
        if (is_overwritten_by(r, write, r->limit[i].last))
            return true;
    return false;
}

/* Whether the write is one of those of the class from `start` to before `end`; they are in order. */
static bool is_among(event_id write, const struct access_class *c, uint32_t start, uint32_t end)
{
    if (start == end || write < c->events[start] || write > c->events[end - 1])
        return false;
    return c->events[start + events_up_to(c->events + start, end - start, write) - 1] == write;
}

/* The first of the class's writes from index `low` to before `high` that is not before the event `from`, or `high`. The first
 * `*known` writes of the class are: reads come in order, and so do these events. */
static uint32_t first_from(const struct access_class *c, uint32_t *known, uint32_t low, uint32_t high,
                           event_id from)
{
    while (*known < c->count && c->events[*known] < from)
        ++*known;
    return *known < low ? low : *known < high ? *known : high;
}

/* Whether so many writes of the class are passed over. */
static bool skips_class(const struct nondet_reader *r, size_t class, uint64_t count)
{
    return worker_may_skip(r->w) && worker_skips_group(r->w, PROPERTY_NONDET, nondet_key(r, class), count);
}

/* Whether these wait, as many like them do. */
static bool waits_with_class(struct nondet_reader *r, const struct nondet_wait *range, uint64_t count)
{
    if (!worker_waits(r->w, nondet_key(r, range->class), count))
        return false;
    ARRAY_PUSH(r, waits, *range);
    return true;
}

/* Asks for each of these writes, the nearest first: in a grouped check it is most likely the only one that has to be asked for. */
static uint64_t ask_range(struct nondet_reader *r, struct nondet_wait range)
{
    const event_id *events;
    uint64_t settled = nondet_refute_hidden(r, &range, &events);
    uint32_t before = range.before, after = range.after;

    while ((before > range.from || after < range.end) && !*r->w->stop) {
        bool back = after == range.end ||
                    (before > range.from && r->read - events[before - 1] < events[after] - r->read);
        event_id write = back ? events[--before] : events[after++];
        if (write != r->source)
            settled += ask_or_skip(r, write);
    }
    return settled;
}

/* The writes of a class that are neither known to be before nor after the read, as far as this pass looks. */
static uint64_t ask_beside(struct nondet_reader *r, size_t class)
{
    const struct access_class *c = &r->writes->list[class];
    uint32_t start = r->limit[class].before, high = r->limit[class].not_after;

    if (start == high)
        return 0;

    /* Those of this pass: from `start` to before `before`, and from `after` to before `high`. */
    struct pass_limits *p = &r->passes[class];
    uint32_t from = first_from(c, &p->from, start, high, r->read > r->far ? r->read - r->far + 1 : 1);
    uint32_t before = first_from(c, &p->before, from, high, r->read >= r->near ? r->read - r->near + 1 : 1);
    uint32_t after = first_from(c, &p->after, before, high, r->near > 0 ? r->read + r->near : r->read + 1);
    high = first_from(c, &p->end, after, high, r->far < EVENT_NONE - r->read ? r->read + r->far : EVENT_NONE);
    assert(from <= before && before <= after && after <= high);
    start = from;
    uint64_t others = (uint64_t)(before - start) + (high - after) - is_among(r->source, c, start, before) -
                      is_among(r->source, c, after, high);
    struct nondet_wait range = {r->read, (uint32_t) class, start, before, after, high};
    if (others > 0 && (skips_class(r, class, others) || waits_with_class(r, &range, others)))
        return others;
    return ask_range(r, range);
}

static void start_read(struct nondet_reader *r, event_id read, const uint32_t *base)
{
    if (read != r->read)
        quiet_rows_enter(&r->rows, read);
    r->read = read;
    r->source = r->w->m->source[read];
    r->base = base;
    assert(r->source < read);
}

static uint64_t check_read(struct nondet_reader *r)
{
    uint64_t settled = 0;
    bool known = r->crowd.writes ? nondet_crowd_knows(r) : find_known(r);

    if (!known && r->source != EVENT_INIT && nondet_is_in_pass(r, EVENT_INIT))
        settled += ask_or_skip(r, EVENT_INIT);
    if (nondet_passes_crowd(r, &settled))
        return settled;
    if (r->crowd.writes)
        find_known(r);
    for (size_t i = 0; i < r->writes->list_count; i++) {
        event_id last = r->limit[i].last;
        if (last != EVENT_INIT && last != r->source && nondet_is_in_pass(r, last) && !is_overwritten(r, last))
            settled += ask_or_skip(r, last);
        settled += ask_beside(r, i);
    }
    return settled;
}

/* Every read of this part once; returns how many candidates are settled. */
static uint64_t check_reads(struct nondet_reader *r)
{
    uint64_t settled = 0;

    memset(r->passes, 0, r->writes->list_count * sizeof *r->passes);
    for (size_t i = 0; i < r->reads_count && !*r->w->stop; i++) {
        start_read(r, r->reads[i].read, r->reads[i].base);
        settled += check_read(r);
    }
    return settled;
}

/* Those that waited, now that others like them were asked: mostly a finding stands for their locations by now. */
static void ask_waiting(struct nondet_reader *r, const struct nondet_wait *range)
{
    const struct access_class *c = &r->writes->list[range->class];

    start_read(r, range->read, base_row(r->w->m, range->read));
    uint64_t key = nondet_key(r, range->class), others = (uint64_t)(range->before - range->from) +
                                                         (range->end - range->after) -
                                                         is_among(r->source, c, range->from, range->before) -
                                                         is_among(r->source, c, range->after, range->end);
    if (worker_shows(r->w, key)) {
        worker_pass_over(r->w, PROPERTY_NONDET, key, others);
        return;
    }
    if (waits_with_class(r, range, others))
        return;
    find_known(r);
    ask_range(r, *range);
}

/* What waits is asked for after what was deferred one by one, stage by stage. */
static void ask_all_waiting(struct nondet_reader *r)
{
    while (r->waits_count > 0 && !*r->w->stop) {
        struct nondet_wait *list = r->waits;
        size_t count = r->waits_count;

        r->waits = NULL;
        r->waits_count = r->waits_capacity = 0;
        worker_next_stage(r->w);
        for (size_t i = 0; i < count && !*r->w->stop; i++)
            ask_waiting(r, &list[i]);
        free(list);
    }
}

/* Lists the reads of this part and counts the writes of all; how many of the reads are updates. */
static uint64_t take_reads(struct nondet_reader *r)
{
    const struct model *m = r->w->m;
    struct event_span accesses = accesses_of(m, r->x);
    uint64_t numbered = 0, updates = 0;

    r->reads = memory_resize(NULL, accesses.count, sizeof *r->reads);
    for (size_t i = 0; i < accesses.count; i++) {
        event_id e = accesses.events[i];
        enum event_kind kind = kind_of(m, e);
        r->all_count += kind_writes(kind);
        if (!kind_reads(kind) || !worker_takes(r->w, numbered++, e))
            continue;
        r->reads[r->reads_count++] = (struct taken_read){e, base_row(m, e)};
        updates += kind_updates(kind);
    }
    return updates;
}

void nondet_variable(struct worker *w, variable_id x)
{
    const struct model *m = w->m;
    struct event_span accesses = accesses_of(m, x);
    struct classes writes;
    uint64_t settled = 0;
    struct nondet_reader r = {.w = w, .x = x, .writes = &writes, .pairs = pairs_new(m)};

    r.cover = memory_new(m->thread_count, sizeof *r.cover);
    quiet_rows_init(&r.rows, w);
    chains_build(&writes, m, x, kind_writes);
    class_limits_init(&r.limits, m, &writes);
    uint64_t updates = take_reads(&r), reads = r.reads_count;
    w->stats[PROPERTY_NONDET].subjects += reads;
    size_t passes =
        w->options->all || accesses.count <= UNIT_SMALL ? 1 : sizeof distances / sizeof *distances - 1;
    nondet_find_places(&r);
    nondet_find_crowd(&r);
    r.passes = memory_new(writes.list_count, sizeof *r.passes);
    for (size_t i = 0; i < passes && distances[i] <= m->event_count && !*w->stop; i++) {
        r.near = distances[i];
        r.far = passes == 1 ? EVENT_NONE : distances[i + 1];
        settled += check_reads(&r);
    }
    ask_all_waiting(&r);
    /* The initial write is one more to read from, the source one less; an update does not see itself. */
    assert(*w->stop || updates + settled <= reads * r.all_count);
    if (!*w->stop)
        worker_refute(w, PROPERTY_NONDET, REFUTED_MUST_ORDER, reads * r.all_count - updates - settled);
    pairs_free(r.pairs);
    quiet_rows_free(&r.rows);
    free(r.reads);
    free(r.cover);
    free(r.keys);
    free(r.crowd.writes);
    free(r.crowd.first);
    map_free(&r.crowd.shown);
    free(r.passes);
    free(r.waits);
    free(r.gone_at);
    nondet_free_hidden(&r);
    class_limits_free(&r.limits);
    classes_free(&writes);
}
