/* Keeps the threads of a run sorted by their next events. */
#include "solve/turns.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static int by_event(const void *a, const void *b)
{
    const struct turn *p = a, *q = b;

    return p->event < q->event ? -1 : p->event > q->event;
}

void turns_begin(struct window *w)
{
    w->turns_count = 0;
    for (size_t i = 0; i < w->active_count; i++) {
        thread_id t = w->active[i];
        if (w->low[t] < w->high[t])
            w->turns[w->turns_count++] = (struct turn){event_at(w->m, t, w->low[t]), t, 0, 0};
    }
    if (w->turns_count > 0)
        qsort(w->turns, w->turns_count, sizeof *w->turns, by_event);
}

void turns_pass(struct window *w, size_t turn)
{
    thread_id t = w->turns[turn].thread;
    size_t low = turn + 1, high = w->turns_count;
    bool more = w->done[t] < w->high[t];
    event_id next = more ? event_at(w->m, t, w->done[t]) : EVENT_NONE;

    assert(turn < w->turns_count && next > w->turns[turn].event);
    if (more && (low == high || w->turns[low].event > next)) { /* it stays where it is */
        w->turns[turn] = (struct turn){next, t, 0, 0};
        return;
    }
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (w->turns[middle].event < next)
            low = middle + 1;
        else
            high = middle;
    }
    memmove(w->turns + turn, w->turns + turn + 1, (low - turn - 1) * sizeof *w->turns);
    w->turns[low - 1] = (struct turn){next, t, 0, 0};
    w->turns_count -= !more;
}
