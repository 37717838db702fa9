/* Accesses that are wanted, found among the records by thread and tick. */
#include "record/convert/wants.h"
#include "base/memory.h"

#include <stdlib.h>

static uint64_t *left_at(struct wants *w, uint32_t thread)
{
    while (w->ticks_count <= thread)
        ARRAY_PUSH(w, ticks, 0);
    return &w->ticks[thread];
}

bool wants_has(const struct wants *w, uint32_t thread, uint64_t tick)
{
    for (size_t i = 0; i < w->list_count; i++)
        if (w->list[i].thread == thread && w->list[i].tick == tick)
            return true;
    return false;
}

bool wants_pass(struct wants *w, const struct record *r)
{
    if (w->list_count == 0)
        return false;
    switch (record_kind(r->word)) {
    case RECORD_TEXT:
        return false;
    case RECORD_THREAD:
        w->thread = (uint32_t)r->value;
        w->tick = *left_at(w, w->thread);
        break;
    case RECORD_STOP:
        w->tick = *left_at(w, w->thread) = r->value >> 1;
        return false;
    case RECORD_TICKS:
        w->tick += r->value;
        break;
    default:
        break;
    }
    w->tick += r->pc >> RECORD_TICK_SHIFT;
    return wants_has(w, w->thread, w->tick);
}

void wants_free(struct wants *w)
{
    free(w->ticks);
}
