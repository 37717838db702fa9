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

    return last && last->number && is_read(e) && last->read.op == e->op && last->read.arg == e->arg &&
           last->read.location == e->location && last->read.value_tag == e->value_tag &&
           last->read.value == e->value && p->written[e->arg % POLL_STAMPS] < last->number;
}

uint32_t polls_repeated(const struct polls *p, const struct event *e)
{
    return repeats(p, e) && p->threads[e->thread].second ? p->threads[e->thread].number : 0;
}

void polls_put(struct polls *p, const struct event *e, uint32_t number)
{
    bool second = repeats(p, e);

    while (p->threads_count <= e->thread)
        ARRAY_PUSH(p, threads, (struct poll){0});
    p->threads[e->thread] = (struct poll){.read = *e, .number = is_read(e) ? number : 0, .second = second};
    if (kind_writes(op_kind(e->op)))
        p->written[e->arg % POLL_STAMPS] = number;
}
