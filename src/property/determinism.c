/* Determinism of declared blocks in the observed run (semantics §3, ESOP'09): no conflicts inside, no interference
 * from outside. */
#include "property/conflicts.h"
#include "property/worker.h"

static void on_conflict(void *context, event_id block, event_id first, event_id second)
{
    worker_observe(context, PROPERTY_DETERMINISM, (uint32_t[]){block, first, second}, 3);
}

void determinism_all(struct worker *w)
{
    conflicts_find(w->m, w->options->all, w->stop, on_conflict, w);
    serial_blocks(w, PROPERTY_DETERMINISM, EVENT_DET_BEGIN);
    if (w->options->predict)
        predict_blocks(w, PROPERTY_DETERMINISM, EVENT_DET_BEGIN);
}
