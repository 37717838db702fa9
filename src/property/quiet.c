/* Which accesses are quiet. */
#include "property/quiet.h"
#include "base/memory.h"

#include <assert.h>

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
