/* Condition 4 of semantics §2: the reads that an event, or the end of a thread, stands on. */
#include "certify/certify_parts.h"

/* The event, or with 0 the end of the thread, stands on the read, which is not as it must be. */
static void blame(struct certifier *c, uint32_t e, const struct news *news)
{
    c->blamed = (struct blamed_read){news->read, e};
}

static bool complain_of(struct certifier *c, uint32_t e, const struct news *news)
{
    blame(c, e, news);
    return reject(
        c, "event %u depends on event %u of its own thread, which reads from %u and read from %u in the trace",
        e, news->read, news->source, source_of(c->index, news->read));
}

bool grounds_hold(struct certifier *c, uint32_t e)
{
    const struct thread_state *t = thread_at(c, c->index->trace->thread[e]);
    struct ground_list by = trace_by(c->index->trace, e);

    if (t->gave_up)
        return reject(c, "event %u may never happen: the compare-and-exchange %u before it fails", e,
                      t->gave_up);
    if (t->news_count == 0)
        return true;
    if (!by.given || c->options.grounds_ignore)
        return complain_of(c, e, &t->news[0]);
    for (uint32_t i = 0; i < by.count; i++) {
        struct ground item = ground_at(&by, i);
        const struct news *news = news_of(c, item.read);

        if (!news)
            continue;
        if (item.form != GROUND_RANGES || c->options.values_ignore)
            return complain_of(c, e, news);
        if (news->seen.kind == CONTENT_NUMBER && ground_allows(&item, news->seen.number))
            continue;
        blame(c, e, news);
        return reject(c,
                      "event %u depends on event %u of its own thread, which reads from %u a value that is "
                      "not known to lead here",
                      e, news->read, news->source);
    }
    return true;
}

bool end_holds(struct certifier *c, thread_id t)
{
    const struct certify_index *index = c->index;
    const struct thread_state *state = thread_at(c, t);
    uint32_t start = index->thread_start[t], end = index->thread_start[t + 1];

    if (start == end || trace_kind(index->trace, index->thread_events[end - 1]) == EVENT_EXIT)
        return true;
    if (state->news_count == 0)
        return true;
    blame(c, 0, &state->news[0]);
    return reject(c, "%.80s may not end: event %u reads from %u and read from %u in the trace",
                  trace_name(index->trace, NAME_THREAD, t), state->news[0].read, state->news[0].source,
                  source_of(index, state->news[0].read));
}

bool certifier_blames(const struct certifier *c, uint32_t *read, uint32_t *event)
{
    *read = c->blamed.read;
    *event = c->blamed.event;
    return *read != 0;
}

bool stands_on(const struct certifier *c, uint32_t e, uint32_t read, bool from)
{
    const struct trace *trace = c->index->trace;
    struct ground_list list = from ? trace_from(trace, e) : trace_by(trace, e);

    if (!list.given || c->options.grounds_ignore)
        return true;
    for (uint32_t i = 0; i < list.count; i++)
        if (ground_at(&list, i).read == read)
            return true;
    return false;
}
