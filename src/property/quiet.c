/* Which accesses are quiet. */
#include "property/quiet.h"
#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>

/* How far apart two accesses are looked at. */
enum { QUIET_MOST = 64 };

/* By event, a bit: another thread reads what it wrote. */
static void find_noticed(struct worker *w)
{
    const struct model *m = w->m;

    w->noticed = memory_new((size_t)m->event_count / 8 + 1, 1);
    for (event_id e = 1; e <= m->event_count; e++) {
        event_id source = kind_reads(kind_of(m, e)) ? m->source[e] : EVENT_INIT;
        if (source != EVENT_INIT && source != EVENT_NONE && m->trace->thread[source] != m->trace->thread[e])
            w->noticed[source / 8] |= (uint8_t)(1U << source % 8);
    }
}

static bool is_quiet(const struct worker *w, event_id e)
{
    enum event_kind kind = kind_of(w->m, e);

    if (!kind_accesses(kind))
        return false;
    return !kind_writes(kind) || (w->noticed && !(w->noticed[e / 8] >> e % 8 & 1));
}

bool quiet_between(struct worker *w, event_id a, event_id b)
{
    const struct model *m = w->m;
    thread_id t = thread_of(m, a);

    assert(t == thread_of(m, b) && m->position[a] < m->position[b]);
    if (m->trace->thread[a] != m->trace->thread[b] || m->position[b] - m->position[a] > QUIET_MOST)
        return false;
    if (!w->noticed && !m->values && !m->grounds)
        find_noticed(w);
    for (uint32_t i = m->position[a]; i < m->position[b]; i++)
        if (!is_quiet(w, event_at(m, t, i)))
            return false;
    return true;
}

void quiet_rows_init(struct quiet_rows *r, struct worker *w)
{
    *r = (struct quiet_rows){.w = w};
    if (w->m->values || w->m->grounds)
        return;
    r->last = memory_new(w->m->thread_count, sizeof *r->last);
    r->row = memory_new(w->m->thread_count, sizeof *r->row);
}

void quiet_rows_free(struct quiet_rows *r)
{
    free(r->last);
    free(r->row);
    map_free(&r->refuted);
}

void quiet_rows_enter(struct quiet_rows *r, event_id read)
{
    thread_id t = thread_of(r->w->m, read);

    if (!r->last)
        return;
    bool first = r->refuted.entries == 0 || r->last[t] == EVENT_INIT || r->last[t] >= read; /* of a pass */
    if (first || !quiet_between(r->w, r->last[t], read))
        r->row[t] = ++r->rows; /* while nothing is refuted, each is one of its own */
    r->last[t] = r->read = read;
    r->now = r->row[t];
}

enum refutation quiet_rows_known(const struct quiet_rows *r, event_id write)
{
    uint32_t how = r->refuted.entries > 0 ? map_get(&r->refuted, map_pair(r->now, write)) : 0;

    return how > 0 ? (enum refutation)(how - 1) : REFUTATIONS;
}

void quiet_rows_note(struct quiet_rows *r, event_id write, enum refutation how)
{
    if (!r->last)
        return;
    bool own = write != EVENT_INIT && thread_of(r->w->m, write) == thread_of(r->w->m, r->read);
    if (how != REFUTATIONS && !own) /* own writes can lie between */
        *map_at(&r->refuted, map_pair(r->now, write)) = (uint32_t)how + 1;
}
