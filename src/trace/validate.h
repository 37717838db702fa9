/* Is this trace possible? The rules of SPEC §7, one event at a time.
 *
 * Errors name the actors and the rule; the reader puts file and line in front. */
#pragma once
#include "base/map.h"
#include "trace/trace.h"

enum thread_stage { THREAD_UNSEEN, THREAD_FORKED, THREAD_RUNNING, THREAD_JOINED };

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
    struct map atomic;        /* thread → open begins */
    struct map deterministic; /* thread → open dbegins */
};

void validator_init(struct validator *v, const struct trace *trace);
void validator_free(struct validator *v);

/* Checks the next event against all before it; the ids must be known to the trace's names. */
enum status validator_event(struct validator *v, const struct event *event, struct error *err);

/* The same for a plain or atomic access, without its call, when the thread is in full run. */
static inline bool validator_passes(const struct validator *v, const struct event *event)
{
    return kind_accesses(op_kind(event->op)) && event->thread < v->stage_capacity &&
           v->stage[event->thread] == THREAD_RUNNING;
}
