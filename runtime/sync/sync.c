/* What every synchronization wrapper does first and last. */
#include "runtime/effects/effects.h"
#include "runtime/libc/handlers.h"
#include "runtime/sched/sched.h"

#include <limits.h>

bool sync_enter(uintptr_t pc)
{
    if (UNLIKELY(!rt.ready))
        runtime_start();
    if (!recording() || local.inside)
        return false;
    if (UNLIKELY(local.due))
        handlers_run(AFTER_OPERATION);
    local.inside = true;
    if (UNLIKELY(rt.handlers) && local.self)
        __atomic_store_n(&local.self->interrupted, 0, __ATOMIC_RELAXED);
    if (local.self)
        local.self->waits = 0;
    hot.budget -= SESSION_SYNC;
    sched_take_turn();
    if (!recording()) {
        local.inside = false;
        return false;
    }
    INVARIANT(local.turn && rt.turn == local.self && local.self->state == STATE_RUNNING);
    log_settle();
    session_store(&rt.session->syncs, rt.session->syncs + 1);
    local.self->pc = pc;
    if (UNLIKELY(local.call != NULL))
        effects_entered(pc);
    return true;
}

/* A handler that ended the call is part of it. */
void sync_leave(void)
{
    local.inside = false;
    if (UNLIKELY(local.due) && local.self)
        handlers_run(local.self->interrupted ? AFTER_INTERRUPTION : AFTER_OPERATION);
    if (UNLIKELY(local.self && local.self->at_once && local.self->cancelled))
        pthread_testcancel();
}

void sync_cancellation_point(void)
{
    if (local.self && local.self->cancelled) {
        local.inside = false;
        pthread_testcancel();
        local.inside = true; /* cancelling is disabled, for now */
    }
}
