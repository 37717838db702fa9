/* Is this trace possible? The rules of semantics §7, one event at a time.
 *
 * Errors name the actors and the rule; the reader puts file and line in front. */
#pragma once
#include "base/map.h"
#include "trace/trace.h"

enum thread_stage { THREAD_UNSEEN, THREAD_FORKED, THREAD_RUNNING, THREAD_EXITED, THREAD_JOINED };

struct lock_state {
    thread_id owner;    /* of the exclusive hold; meaningless while exclusive is 0 */
    uint32_t exclusive; /* depth of the owner's hold */
    uint32_t shared;    /* reader holds of all threads together */
};

struct validator {
    const struct trace *trace; /* for names */
    uint8_t *stage;            /* enum thread_stage, by thread */
    size_t stage_capacity;
    struct lock_state *locks;
    size_t lock_capacity;
    struct map readers;       /* (lock, thread) → reader holds of that thread */
    struct map waiting;       /* (condition, thread) → 1 between waitpre and waitpost */
    struct map arrived;       /* (barrier, thread) → 1 between benter and bexit */
    struct map tokens;        /* semaphore → 1: it was used; 2 + its count: it was initialised */
    struct map atomic;        /* thread → open begins */
    struct map deterministic; /* thread → open dbegins */
};

void validator_init(struct validator *v, const struct trace *trace);
void validator_free(struct validator *v);

/* Checks the next event against all before it; the ids must be known to the trace's names. */
enum status validator_event(struct validator *v, const struct event *event, struct error *err);

/* All events of a trace that was changed; `*at`, if wanted, is the first that is not possible. */
enum status validate_again(const struct trace *trace, size_t *at, struct error *err);

/* For assert_costly: all that holds of a trace that was loaded. */
bool trace_is_sound(const struct trace *trace);

/* The same for the common cases, inline: accesses, and locks nobody else is near. False: ask validator_event.
 */
static inline bool validator_quick(struct validator *v, const struct event *event)
{
    enum event_kind kind = op_kind(event->op);

    if (event->thread >= v->stage_capacity || v->stage[event->thread] != THREAD_RUNNING)
        return false;
    if (kind_accesses(kind))
        return op_order(event->op) == ORDER_NONE;
    if ((kind != EVENT_ACQUIRE && kind != EVENT_RELEASE) || event->arg >= v->lock_capacity)
        return false;

    struct lock_state *lock = &v->locks[event->arg];
    uint32_t held = kind == EVENT_RELEASE;
    if (lock->exclusive != held || lock->shared != 0 || (held && lock->owner != event->thread) ||
        op_order(event->op) != ORDER_NONE)
        return false;
    lock->owner = event->thread;
    lock->exclusive = !held;
    return true;
}
