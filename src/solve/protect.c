/* Keeps other writes out from between a write and those who read it (docs/soundness.md, "Saturation").
 *
 * Of the readers of a write in one thread the last one says all: what comes before an earlier one comes before it, and what comes
 * after it comes after them. Of the writes of one thread that come before an event the last one does: the readers of those before
 * it come before it. */
#include "base/memory.h"
#include "solve/window.h"

#include <assert.h>
#include <string.h>

/* Whether `later` is a later event of the thread. */
static bool is_later(const struct window *w, event_id later, event_id e)
{
    return thread_of(w->m, later) == thread_of(w->m, e) && w->m->position[later] > w->m->position[e];
}

/* The newest couple of a list and the one that is added to it: the later one of one thread stays. */
static uint32_t cover(struct window *w, uint32_t newest, uint32_t added)
{
    struct couple *a = newest ? &w->couples[newest - 1] : NULL, *b = &w->couples[added - 1];

    if (a && a->source == b->source && is_later(w, a->read, b->read)) {
        b->covered = true;
        return newest;
    }
    b->next = newest;
    if (a && a->source == b->source && is_later(w, b->read, a->read)) {
        a->covered = true;
        b->next = a->next;
    }
    return added;
}

void window_find_readers(struct window *w)
{
    w->readers = memory_grow(w->readers, &w->readers_capacity, w->nodes, sizeof *w->readers);
    memset(w->readers, 0, w->nodes * sizeof *w->readers);
    w->couple_of = memory_grow(w->couple_of, &w->couple_of_capacity, w->nodes, sizeof *w->couple_of);
    memset(w->couple_of, 0, w->nodes * sizeof *w->couple_of);
    for (uint32_t i = 0; i < w->couples_count; i++) {
        struct couple *c = &w->couples[i];
        c->also = w->couple_of[c->reader];
        w->couple_of[c->reader] = i + 1;
        struct window_variable *x = &w->variables[arg_of(w->m, c->read)];
        if (c->from != NODE_BEFORE)
            w->readers[c->from] = cover(w, w->readers[c->from], i + 1);
        else if (x->stamp == w->stamp)
            x->early = cover(w, x->early, i + 1);
    }
}

void window_push_couple(struct window *w, struct couple couple)
{
    couple.also = w->couple_of[couple.reader];
    couple.next = couple.from == NODE_BEFORE ? 0 : w->readers[couple.from];
    ARRAY_PUSH(w, couples, couple);
    w->couple_of[couple.reader] = (uint32_t)w->couples_count;
    if (couple.from != NODE_BEFORE)
        w->readers[couple.from] = (uint32_t)w->couples_count;
}

void window_pop_couple(struct window *w)
{
    const struct couple *c = &w->couples[w->couples_count - 1];

    assert(c->from == NODE_BEFORE || w->readers[c->from] == w->couples_count);
    assert(w->couple_of[c->reader] == w->couples_count);
    w->couple_of[c->reader] = c->also;
    if (c->from != NODE_BEFORE)
        w->readers[c->from] = c->next;
    w->couples_count--;
}

/* How many of the run's writes come before a node with this clock. Nodes of a thread are numbered one after the other. */
static uint32_t writes_before(struct window *w, const struct write_run *run, const uint32_t *writes,
                              const uint32_t *clock)
{
    uint32_t bound = clock[run->column] + run->origin, low = 0, high = run->count;

    w->effort++;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (writes[middle] < bound)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Whether some of the run's writes come before a node with this clock. */
static bool has_before(const struct window *w, const struct write_run *run, const uint32_t *writes,
                       const uint32_t *clock)
{
    thread_id t = w->column_threads[run->column];

    return clock[run->column] > w->low[t] && writes[0] < clock[run->column] + run->origin;
}

/* How many of the run's writes are not known to be after the couple's source. */
static uint32_t writes_not_after(struct window *w, const struct couple *c, const struct write_run *run,
                                 const uint32_t *writes)
{
    uint32_t low = 0, high = run->count;

    w->effort++;
    if (c->source == EVENT_INIT || (w->prefix && c->from == NODE_BEFORE))
        return 0;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (node_count(w, writes[middle], thread_of(w->m, c->source)) > w->m->position[c->source])
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* A write of the run comes before the reader: then it comes before the source. */
static bool protect_source(struct window *w, const struct couple *c, uint32_t write)
{
    if (write == c->from || write == c->reader)
        return true;
    if (c->from == NODE_BEFORE && (w->prefix || c->source == EVENT_INIT)) {
        w->cycle_from = write;
        w->cycle_to = c->reader;
        w->cycle_reason = EDGE_DATA;
        return false;
    }
    return c->from == NODE_BEFORE || node_before(w, write, c->from) || window_add(w, write, c->from, EDGE_DATA);
}

/* The same of the last such write of each run. Where the source knows as much of a thread as the reader does, there is nothing
 * to add. */
static bool protect_from_runs(struct window *w, const struct couple *c, variable_id x)
{
    const uint32_t *known = c->from == NODE_BEFORE ? NULL : node_clock(w, c->from),
                   *clock = node_clock(w, c->reader);
    const struct run_place *place = w->run_places + w->variables[x].places;

    w->effort += w->variables[x].runs / SCAN_UNIT;
    for (const struct run_place *end = place + w->variables[x].runs; place < end; place++) {
        const struct write_run *run = &w->write_runs[place->at];
        const uint32_t *writes = w->writes + place->at;
        if ((known && known[place->column] >= clock[place->column]) || !has_before(w, run, writes, clock))
            continue;
        if (!protect_source(w, c, writes[writes_before(w, run, writes, clock) - 1]))
            return false;
    }
    return true;
}

/* The first write of each run that comes after the source comes after the reader; as far as runs were touched since pass `last`
 * began. */
static bool protect_reader(struct window *w, const struct couple *c, variable_id x, uint32_t last)
{
    for (uint32_t at = w->variables[x].start; at < w->variables[x].end; at += w->write_runs[at].count) {
        const struct write_run *run = &w->write_runs[at];
        if (run->touched < last)
            continue;
        uint32_t after = writes_not_after(w, c, run, w->writes + at);
        after += after < run->count && w->writes[at + after] == c->reader;
        if (after < run->count && !node_before(w, c->reader, w->writes[at + after]) &&
            !window_add(w, c->reader, w->writes[at + after], EDGE_DATA))
            return false;
    }
    return true;
}

/* All who see `source` come before the write, which comes after it. */
static bool protect_readers(struct window *w, uint32_t source, uint32_t write)
{
    for (uint32_t i = w->readers[source]; i > 0; i = w->couples[i - 1].next) {
        uint32_t reader = w->couples[i - 1].reader;
        if (reader != write && !node_before(w, reader, write) && !window_add(w, reader, write, EDGE_DATA))
            return false;
    }
    return true;
}

/* The last write of each run that comes before the write at `at`: unless it comes before the one of its own run before that
 * already, whose readers are seen to there. */
static bool protect_before_write(struct window *w, uint32_t at, bool first, variable_id x)
{
    const uint32_t *clock = node_clock(w, w->writes[at]),
                   *known = first ? NULL : node_clock(w, w->writes[at - 1]);
    const struct run_place *place = w->run_places + w->variables[x].places;

    w->effort += w->variables[x].runs / SCAN_UNIT;
    for (const struct run_place *end = place + w->variables[x].runs; place < end; place++) {
        const struct write_run *run = &w->write_runs[place->at];
        const uint32_t *writes = w->writes + place->at;
        if ((known && known[place->column] >= clock[place->column]) || !has_before(w, run, writes, clock))
            continue;
        if (!protect_readers(w, writes[writes_before(w, run, writes, clock) - 1], w->writes[at]))
            return false;
    }
    return true;
}

/* Looks at the writes that were touched since pass `last` began. */
static bool protect_before_writes(struct window *w, uint32_t last)
{
    for (uint32_t run = 0; run < w->writes_count; run += w->write_runs[run].count) {
        if (w->write_runs[run].touched < last)
            continue;
        variable_id x = arg_of(w->m, w->events[w->writes[run]]);
        for (uint32_t i = 0; i < w->write_runs[run].count; i++)
            if (w->touched[w->writes[run + i]] >= last &&
                (window_is_spent(w) || !protect_before_write(w, run + i, i == 0, x)))
                return false;
    }
    return true;
}

/* What comes after a source in the window is seen to with the writes, but for a couple that came after these were looked at. */
static bool protect_couple(struct window *w, const struct couple *c, variable_id x, uint32_t last, bool fresh)
{
    if ((fresh || w->touched[c->reader] >= last) && !protect_from_runs(w, c, x))
        return false;
    return !(c->from == NODE_BEFORE || (fresh && last > 0)) || protect_reader(w, c, x, fresh ? 0 : last);
}

bool window_saturate_couples(struct window *w)
{
    uint32_t last = w->couples_pass;
    size_t seen = w->couples_seen;

    w->couples_pass = ++w->pass;
    w->couples_seen = w->couples_count;
    w->effort += w->couples_count / SCAN_UNIT;
    for (size_t i = 0; i < w->couples_count; i++) {
        const struct couple *c = &w->couples[i];
        variable_id x = arg_of(w->m, w->events[c->reader]);

        assert(c->from != NODE_OUT);
        if (c->covered || w->variables[x].stamp != w->stamp)
            continue; /* or nobody in the window writes it */
        if (i < seen && w->touched[c->reader] < last &&
            (c->from != NODE_BEFORE || w->variables[x].touched < last))
            continue;
        if (window_is_spent(w) || !protect_couple(w, c, x, last, i >= seen))
            return false;
    }
    return protect_before_writes(w, last);
}

/* The write comes after a source that lies before the window, and is not taken as observed: so it comes after the reader. */
static bool protect_early(struct window *w, uint32_t at, bool first, variable_id x)
{
    uint32_t write = w->writes[at];

    for (uint32_t i = w->prefix ? 0 : w->variables[x].early; i > 0; i = w->couples[i - 1].next) {
        const struct couple *c = &w->couples[i - 1];
        if (c->source == EVENT_INIT)
            continue;
        thread_id t = thread_of(w->m, c->source);
        uint32_t position = w->m->position[c->source];
        if (node_count(w, write, t) <= position || (!first && node_count(w, w->writes[at - 1], t) > position))
            continue;
        w->effort++;
        if (c->reader != write && !node_before(w, c->reader, write) &&
            !window_add(w, c->reader, write, EDGE_DATA))
            return false;
    }
    return true;
}

/* The place of a node among the writes. */
static uint32_t place_of_write(const struct window *w, uint32_t node)
{
    uint32_t low = w->run_of[node], high = low + w->write_runs[low].count;

    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        *(w->writes[middle] <= node ? &low : &high) = middle;
    }
    assert(w->writes[low] == node);
    return low;
}

bool window_protect_node(struct window *w, uint32_t node)
{
    variable_id x = arg_of(w->m, w->events[node]);

    if (!kind_accesses(kind_of(w->m, w->events[node])) || w->variables[x].stamp != w->stamp)
        return true;
    for (uint32_t i = w->couple_of[node]; i > 0; i = w->couples[i - 1].also)
        if (!w->couples[i - 1].covered && !protect_from_runs(w, &w->couples[i - 1], x))
            return false;
    if (!node_writes(w, node))
        return true;
    uint32_t at = place_of_write(w, node);
    bool first = at == w->run_of[node];
    return protect_before_write(w, at, first, x) && protect_early(w, at, first, x);
}

bool window_protect(struct window *w)
{
    uint32_t last = w->couples_pass;

    for (; w->couples_seen < w->couples_count; w->couples_seen++) {
        const struct couple *c = &w->couples[w->couples_seen];
        variable_id x = arg_of(w->m, w->events[c->reader]);
        if (c->covered || w->variables[x].stamp != w->stamp)
            continue; /* or nobody in the window writes it */
        window_look_again(w, c->reader);
        if ((c->from == NODE_BEFORE || last > 0) && !protect_reader(w, c, x, 0))
            return false;
    }
    w->effort += w->nodes / SCAN_UNIT;
    for (uint32_t node = 0; node < w->nodes; node++)
        if (w->touched[node] >= last && (w->couple_of[node] || node_writes(w, node)))
            window_look_again(w, node);
    w->protects = true;
    bool fits = window_settle(w);
    w->protects = false;
    w->couples_pass = ++w->pass; /* what was touched until now is seen to */
    return fits;
}
