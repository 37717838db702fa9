/* Writes that sections of a lock hide: of all that a section writes to a variable, sections of other threads see the last one at most.
 * Where threads write in bursts, that is one of many. */
#include "base/map.h"
#include "base/memory.h"
#include "property/nondet_parts.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* After so many candidates of reads of the variable these writes are looked for. To look whether a read is under the lock pays only where
 * one in so many of the writes is hidden. */
enum { CANDIDATES = 4, HIDDEN_SHARE = 2 };

/* For each access that writes, the next write of its thread, or EVENT_NONE. */
static event_id *find_next(const struct model *m, struct event_span accesses)
{
    event_id *next = memory_resize(NULL, accesses.count, sizeof *next);
    event_id *newest = memory_resize(NULL, m->thread_count, sizeof *newest);

    memset(newest, 0xff, m->thread_count * sizeof *newest);
    for (size_t i = accesses.count; i-- > 0;) {
        event_id e = accesses.events[i];
        next[i] = newest[thread_of(m, e)];
        if (kind_writes(kind_of(m, e)))
            newest[thread_of(m, e)] = e;
    }
    free(newest);
    return next;
}

/* Whether the section, which a write is in, is exclusive and has the next write of its thread, too. */
static bool hides(const struct section *s, event_id next)
{
    return !s->shared && s->release != EVENT_NONE && next < s->release;
}

/* The lock that hides most writes, and how many. */
static uint32_t find_lock(const struct model *m, struct event_span accesses, const event_id *next,
                          lock_id *lock)
{
    struct map counts = {0};
    uint32_t most = 0;

    for (size_t i = 0; i < accesses.count; i++) {
        event_id e = accesses.events[i];
        if (!kind_writes(kind_of(m, e)) || next[i] == EVENT_NONE)
            continue;
        for (uint32_t h = model_guard_at(m, thread_of(m, e), m->position[e]); h != HOLD_NONE;
             h = m->holds[h].outer) {
            const struct section *s = &m->sections[m->holds[h].section];
            uint32_t *count = hides(s, next[i]) ? map_at(&counts, section_lock(s)) : NULL;
            if (count && ++*count > most) {
                most = *count;
                *lock = section_lock(s);
            }
        }
    }
    map_free(&counts);
    return most;
}

static void find_hidden(struct nondet_reader *r)
{
    const struct model *m = r->w->m;
    struct event_span accesses = accesses_of(m, r->x);
    struct hidden_writes *hidden = &r->hidden;
    event_id *next = find_next(m, accesses);

    hidden->looked = true;
    if (find_lock(m, accesses, next, &hidden->lock) > r->all_count / HIDDEN_SHARE) {
        uint32_t count = 0;
        hidden->shown = memory_resize(NULL, r->all_count, sizeof *hidden->shown);
        hidden->shown_in = memory_resize(NULL, (size_t)r->all_count + 1, sizeof *hidden->shown_in);
        for (uint32_t i = 0; i < r->all_count; i++) {
            event_id write = r->writes->pool[i];
            const struct section *s = section_around(m, hidden->lock, write);
            hidden->shown_in[i] = count;
            if (!s || !hides(s, next[events_up_to(accesses.events, accesses.count, write) - 1]))
                hidden->shown[count++] = write;
        }
        hidden->shown_in[r->all_count] = count;
        assert(count < r->all_count); /* the lock hides some */
    }
    free(next);
}

void nondet_free_hidden(struct nondet_reader *r)
{
    free(r->hidden.shown);
    free(r->hidden.shown_in);
}

/* Whether the read is in a section that hides writes. */
static bool is_hidden_from(struct nondet_reader *r)
{
    struct hidden_writes *hidden = &r->hidden;

    if (!hidden->looked)
        find_hidden(r);
    if (hidden->read != r->read)
        hidden->holds = hidden->shown && exclusive_around(r->w->m, hidden->lock, r->read);
    hidden->read = r->read;
    return hidden->holds;
}

static uint32_t range_count(const struct nondet_wait *range)
{
    assert(range->from <= range->before && range->after <= range->end);
    return range->before - range->from + range->end - range->after;
}

uint64_t nondet_refute_hidden(struct nondet_reader *r, struct nondet_wait *range, const event_id **events)
{
    const struct access_class *c = &r->writes->list[range->class];
    uint32_t count = range_count(range);

    *events = c->events;
    r->hidden.candidates += count;
    if (r->hidden.candidates < CANDIDATES || !is_hidden_from(r))
        return 0;
    const uint32_t *shown_in = r->hidden.shown_in + (c->events - r->writes->pool);
    *events = r->hidden.shown + shown_in[0];
    range->from = shown_in[range->from] - shown_in[0];
    range->before = shown_in[range->before] - shown_in[0];
    range->after = shown_in[range->after] - shown_in[0];
    range->end = shown_in[range->end] - shown_in[0];
    count -= range_count(range);
    worker_refute(r->w, PROPERTY_NONDET, REFUTED_CYCLE, count);
    return count;
}
