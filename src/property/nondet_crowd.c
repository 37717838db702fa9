/* A read of a variable that many classes of writes are to: what a grouped check passes over of them is passed over at once. */
#include "base/memory.h"
#include "base/row.h"
#include "property/nondet_parts.h"

#include <assert.h>
#include <string.h>

/* From so many classes on. */
enum { CROWD = 64 };

void nondet_find_crowd(struct nondet_reader *r)
{
    const struct model *m = r->w->m;
    struct event_span accesses = accesses_of(m, r->x);

    if (r->w->options->all || r->writes->list_count < CROWD)
        return;
    r->crowd.writes = memory_resize(NULL, r->all_count, sizeof *r->crowd.writes);
    r->crowd.first = memory_resize(NULL, m->thread_count, sizeof *r->crowd.first);
    memset(r->crowd.first, 0xff, m->thread_count * sizeof *r->crowd.first);
    for (size_t i = 0; i < accesses.count; i++) {
        event_id e = accesses.events[i];
        uint32_t *first = &r->crowd.first[thread_of(m, e)];
        if (!kind_writes(kind_of(m, e)))
            continue;
        r->crowd.writes[r->crowd.count++] = e;
        *first = m->position[e] < *first ? m->position[e] : *first;
    }
    assert(r->crowd.count <= r->all_count);
}

/* Whether some write must come before the read. */
bool nondet_crowd_knows(const struct nondet_reader *r)
{
    const struct model *m = r->w->m;
    thread_id own = thread_of(m, r->read), t = row_first_larger(r->base, r->crowd.first, 0, m->thread_count);

    if (t == own) /* a clock says nothing of its own thread */
        t = row_first_larger(r->base, r->crowd.first, t + 1, m->thread_count);
    return t < m->thread_count || r->crowd.first[own] < m->position[r->read];
}

void nondet_find_places(struct nondet_reader *r)
{
    struct map first = {0};

    r->keys = memory_new(r->writes->list_count, sizeof *r->keys);
    for (uint32_t i = 0; i < r->writes->list_count; i++) {
        uint32_t *at = map_at(&first, r->writes->list[i].place);
        *at = *at ? *at : i + 1;
        r->keys[i].of = *at - 1;
    }
    map_free(&first);
}

/* The key of the locations of the read and a class. Many classes have few locations. */
uint64_t nondet_key(const struct nondet_reader *r, size_t class)
{
    struct place_key *k = &r->keys[r->keys[class].of];

    if (k->read != r->read) {
        uint32_t events[] = {r->read, r->source, r->writes->list[class].events[0]};
        *k = (struct place_key){k->of, r->read, locations_key(r->w->m, PROPERTY_NONDET, events, 3)};
    }
    return k->key;
}

/* How many writes that the read could see are at such a distance from it. */
static uint64_t count_in_pass(const struct nondet_reader *r)
{
    const event_id *writes = r->crowd.writes;
    size_t count = r->crowd.count;
    event_id before = r->read >= r->near ? r->read - r->near : 0,
             gone = r->read >= r->far ? r->read - r->far : 0,
             after = r->near > 0 ? r->read + r->near - 1 : r->read,
             end = r->far < EVENT_NONE - r->read ? r->read + r->far - 1 : EVENT_NONE;
    uint64_t all = events_up_to(writes, count, before) - events_up_to(writes, count, gone) +
                   events_up_to(writes, count, end) - events_up_to(writes, count, after);

    all -= r->source != EVENT_INIT && nondet_is_in_pass(r, r->source);
    return all - (kind_updates(kind_of(r->w->m, r->read)) && nondet_is_in_pass(r, r->read));
}

/* Whether findings stand for all classes with the read's places, and enough was asked: their counts become lower bounds. */
static bool finds_all_shown(struct nondet_reader *r)
{
    const struct trace *trace = r->w->m->trace;
    uint32_t *shown = map_at(&r->crowd.shown, map_pair(place_of(trace, r->read), place_of(trace, r->source)));

    if (*shown)
        return true;
    for (uint32_t i = 0; i < r->writes->list_count; i++)
        if (r->keys[i].of == i && !worker_shows(r->w, nondet_key(r, i)))
            return false;
    for (uint32_t i = 0; i < r->writes->list_count; i++)
        if (r->keys[i].of == i)
            worker_pass_over(r->w, PROPERTY_NONDET, nondet_key(r, i), 0);
    *shown = 1;
    return true;
}

/* Whether the writes are passed over; then books those of this pass. A grouped check looks no further at what would only add to
 * counts, as with many classes that is much. */
bool nondet_passes_crowd(struct nondet_reader *r, uint64_t *settled)
{
    struct property_stats *stats = &r->w->stats[PROPERTY_NONDET];

    if (!r->crowd.writes || !worker_has_enough(r->w) || !finds_all_shown(r))
        return false;
    uint64_t count = count_in_pass(r);
    stats->candidates += count;
    stats->skipped += count;
    *settled += count;
    return true;
}
