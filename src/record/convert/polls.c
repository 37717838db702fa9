/* Repeated polls of recorded programs. */
#include "record/convert/polls.h"
#include "base/memory.h"

#include <stdlib.h>

void polls_free(struct polls *p)
{
    free(p->threads);
}

static bool is_read(const struct event *e)
{
    enum event_kind kind = op_kind(e->op);

    return (kind == EVENT_READ || kind == EVENT_ATOMIC_READ) && e->value_tag != VALUE_NONE;
}

/* Whether `e` reads what the thread's last event read, which nobody has written to since. */
static bool repeats(const struct polls *p, const struct event *e)
{
    const struct poll *last = e->thread < p->threads_count ? &p->threads[e->thread] : NULL;

    return last && last->number && is_read(e) && last->op == e->op && last->arg == e->arg &&
           last->location == e->location && last->value_tag == e->value_tag && last->value == e->value &&
           p->written[e->arg % POLL_STAMPS] < last->number;
}

uint32_t polls_repeated(const struct polls *p, const struct event *e)
{
    return repeats(p, e) && p->threads[e->thread].second ? p->threads[e->thread].number : 0;
}

void polls_put(struct polls *p, const struct event *e, uint32_t number)
{
    bool second = repeats(p, e);
    struct poll *last;

    while (p->threads_count <= e->thread)
        ARRAY_PUSH(p, threads, (struct poll){0});
    last = &p->threads[e->thread];
    /* Field by field: the event was just written so, and the load of one copy would wait for these stores. */
    last->value = e->value;
    last->arg = e->arg;
    last->location = e->location;
    last->op = e->op;
    last->value_tag = e->value_tag;
    last->second = second;
    last->number = is_read(e) ? number : 0;
    if (kind_writes(op_kind(e->op)))
        p->written[e->arg % POLL_STAMPS] = number;
}
