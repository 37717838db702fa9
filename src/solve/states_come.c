/* What may still come after a state, by thread and object; and which events therefore need not wait. */
#include "base/memory.h"
#include "solve/states_parts.h"

#include <string.h>

static void raise_to(uint32_t *last, uint32_t to)
{
    *last = *last < to ? to : *last;
}

static void use_list(struct states *s, const struct ground_list *list, uint32_t position)
{
    for (uint32_t i = 0; i < list->count; i++)
        raise_to(&s->last_use[ground_at(list, i).read], position + 1);
}

/* The reads that the event depends on. */
static void find_uses(struct states *s, event_id e)
{
    const struct model *m = s->m;
    uint32_t position = m->position[e], *all = &s->last_all[m->trace->thread[e]];
    struct ground_list by = m->grounds ? trace_by(m->trace, e) : (struct ground_list){.given = false};

    if (by.given)
        use_list(s, &by, position);
    else
        raise_to(all, position + 1);
    if (kind_of(m, e) == EVENT_CAS)
        s->last_use[e] = POSITION_END; /* it ends its thread unless it is as observed */
    if (!kind_writes(kind_of(m, e)))
        return;
    struct made made = model_made(m, e);
    if (made.form == MADE_OF_ALL)
        raise_to(all, position + 1);
    else if (made.form != MADE_CONSTANT)
        use_list(s, &made.list, position);
}

/* The end of a thread of the trace without an exit depends on all its reads. */
static void use_at_end(struct states *s, thread_id of_trace)
{
    const struct model *m = s->m;

    if (has_events(m, of_trace) && kind_of(m, last_event(m, of_trace)) != EVENT_EXIT)
        s->last_all[of_trace] = POSITION_END;
}

static bool may_matter(const struct states *s, event_id read)
{
    uint32_t all = s->last_all[s->m->trace->thread[read]], after = s->m->position[read] + 1;

    return kind_updates(kind_of(s->m, read)) || s->last_use[read] > after || all > after || read == s->q->read;
}

static void list_event(struct states *s, event_id e)
{
    const struct model *m = s->m;
    enum event_kind kind = kind_of(m, e);
    thread_id t = thread_of(m, e);
    size_t at = (size_t)arg_of(m, e) * m->thread_count + t;
    uint32_t after = m->position[e] + 1;

    if (kind_reads(kind) && may_matter(s, e))
        s->last[COME_READ][at] = after;
    if (kind_writes(kind))
        s->last[COME_WRITE][at] = after;
    if (model_section_of(m, e) != SECTION_NONE && m->sections[model_section_of(m, e)].acquire == e)
        s->last[COME_TAKE][at] = after;
    if (kind == EVENT_TRY_FAIL)
        s->last[COME_TRY][at] = after;
    if (kind == EVENT_SEM_WAIT)
        s->last[COME_TOKEN][at] = after;
    if (kind == EVENT_WAIT_POST && model_wait(m, e))
        s->last[COME_WAIT][at] = after;
}

static void find_variables(struct states *s)
{
    const struct model *m = s->m;
    const struct query *q = s->q;

    memset(s->by_write, BY_VALUE, m->variable_count * sizeof *s->by_write);
    for (event_id e = 1; e <= m->event_count; e++)
        if (m->source[e] != EVENT_NONE && (model_seen(m, e).tag == VALUE_NONE ||
                                           model_written(m, m->source[e], arg_of(m, e)).tag == VALUE_NONE))
            s->by_write[arg_of(m, e)] = BY_WRITE;
    for (unsigned i = 0; i < q->sight_count; i++)
        s->by_write[arg_of(m, q->sights[i].event)] = BY_WRITE_ALWAYS;
    if (q->read != EVENT_NONE)
        s->by_write[arg_of(m, q->read)] = BY_WRITE_ALWAYS;
    if (q->final != EVENT_NONE)
        s->by_write[arg_of(m, q->final)] = BY_WRITE_ALWAYS;
    s->shared_count = 0;
    for (variable_id x = 0; x < m->variable_count; x++) {
        struct event_span accesses = accesses_of(m, x);
        bool reads = false, writes = false;
        for (size_t i = 0; i < accesses.count; i++) {
            reads |= kind_reads(kind_of(m, accesses.events[i]));
            writes |= kind_writes(kind_of(m, accesses.events[i]));
        }
        if ((reads && writes) || s->by_write[x] == BY_WRITE_ALWAYS)
            s->shared[s->shared_count++] = x;
    }
}

static void clear(struct states *s)
{
    const struct model *m = s->m;

    for (int i = 0; i < COMINGS; i++)
        memset(s->last[i], 0, trace_names(m->trace, states_object[i]) * m->thread_count * sizeof *s->last[i]);
    memset(s->last_use, 0, ((size_t)m->event_count + 1) * sizeof *s->last_use);
    memset(s->last_all, 0, trace_names(m->trace, NAME_THREAD) * sizeof *s->last_all);
}

void states_prepare(struct states *s)
{
    const struct model *m = s->m;
    const struct query *q = s->q;

    clear(s);
    for (thread_id t = 0; t < m->thread_count; t++) {
        uint32_t length = thread_length(m, t);
        s->most[t] = q->most[t] < length ? q->most[t] : length;
        for (uint32_t p = 0; p < s->most[t] + q->keep[t] && p < length; p++)
            find_uses(s, event_at(m, t, p));
        if (q->keep[t] && s->most[t] > 0)
            use_at_end(s, m->trace->thread[event_at(m, t, s->most[t] - 1)]);
    }
    for (event_id e = 1; e <= m->event_count; e++)
        if (kind_of(m, e) == EVENT_JOIN)
            use_at_end(s, arg_of(m, e));
    if (q->test != TEST_NONE)
        s->last_use[q->test_read] = POSITION_END;
    for (thread_id t = 0; t < m->thread_count; t++)
        for (uint32_t p = 0; p < s->most[t]; p++)
            list_event(s, event_at(m, t, p));
    find_variables(s);
}

bool states_to_come(const struct states *s, enum to_come what, uint32_t object, thread_id except)
{
    const uint32_t *last = s->last[what] + (size_t)object * s->m->thread_count;

    for (thread_id t = 0; t < s->m->thread_count; t++)
        if (t != except && last[t] > s->position[t])
            return true;
    return false;
}

bool states_matters(const struct states *s, event_id read)
{
    uint32_t position = s->position[thread_of(s->m, read)];

    return s->last_use[read] > position || s->last_all[s->m->trace->thread[read]] > position;
}

static bool access_is_free(const struct states *s, thread_id t, event_id e)
{
    enum event_kind kind = kind_of(s->m, e);
    variable_id x = arg_of(s->m, e);

    if (kind_reads(kind) && may_matter(s, e) && states_to_come(s, COME_WRITE, x, t))
        return false;
    return !kind_writes(kind) || !(states_to_come(s, COME_READ, x, t) || states_to_come(s, COME_WRITE, x, t));
}

bool states_is_free(const struct states *s, thread_id t)
{
    const struct model *m = s->m;
    event_id e = event_at(m, t, s->position[t]);
    enum event_kind kind = kind_of(m, e);

    if (kind_accesses(kind))
        return access_is_free(s, t, e);
    if (model_section_of(m, e) != SECTION_NONE) {
        bool takes = m->sections[model_section_of(m, e)].acquire == e;
        return !states_to_come(s, takes ? COME_TAKE : COME_TRY, arg_of(m, e), t);
    }
    if (kind == EVENT_SEM_WAIT)
        return !states_to_come(s, COME_TOKEN, arg_of(m, e), t);
    if (kind == EVENT_NOTIFY || kind == EVENT_NOTIFY_ALL)
        return !states_to_come(s, COME_WAIT, arg_of(m, e), NAME_NONE); /* it may be in a wait itself */
    return true;
}
