/* Which sums are sure to be seen as they were in the trace: an event of the same section depends on the sum,
 * or on what it is made of, and no other thread sees it before the section has ended. */
#include "base/memory.h"
#include "model/fits.h"

static void set_told(struct model *m, event_id e)
{
    m->told[e / 8] |= (uint8_t)(1u << e % 8);
}

/* Whether an event of the section around the write stands on the read. */
static bool is_demanded_inside(struct finder *f, event_id write, event_id read)
{
    const struct model *m = f->m;
    lock_id guard = finder_guard(f, arg_of(m, write));
    const struct section *s = guard == NAME_NONE ? NULL : exclusive_around(m, guard, write);

    return s && s->release != EVENT_NONE && read_plain_at(m, read) <= m->position[s->release];
}

/* Of a write: what it is made of is as observed in every run that ends its section. */
static void look_at_write(struct finder *f, event_id write)
{
    struct made made = model_made(f->m, write);

    if (made.form == MADE_OFFSET && is_demanded_inside(f, write, made.read))
        set_told(f->m, write);
}

/* Whether what the read saw says nothing of the number that its source wrote, or the source records it, too: otherwise the source
 * may carry that number, made of another one, without being as in the trace. */
static bool says_no_more(const struct model *m, event_id read)
{
    return model_written(m, m->source[read], arg_of(m, read)).tag != VALUE_NONE ||
           model_seen(m, read).tag == VALUE_NONE;
}

/* Of a read: it is in a section of the guard; and if it sees a write of its own section, it tells that one. */
static void look_at_read(struct finder *f, event_id read)
{
    struct model *m = f->m;
    variable_id x = arg_of(m, read);
    lock_id guard = m->writes.start[x] < m->writes.start[x + 1] ? finder_guard(f, x) : NAME_NONE;

    if (guard == NAME_NONE || kind_writes(kind_of(m, read)) || !exclusive_around(m, guard, read))
        return;
    set_told(m, read);
    if (finder_sees_own_section(f, read) && is_demanded_inside(f, m->source[read], read) &&
        says_no_more(m, read))
        set_told(m, m->source[read]);
}

void told_find(struct finder *f)
{
    struct model *m = f->m;

    m->told = memory_new(m->event_count / 8 + 1, 1);
    for (event_id e = 1; e <= m->event_count; e++) {
        if (kind_writes(kind_of(m, e)))
            look_at_write(f, e);
        else if (kind_reads(kind_of(m, e)))
            look_at_read(f, e);
    }
}
