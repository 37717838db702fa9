/* Whom the notifies of a run in strides may wake, and what its semaphores hold; private to strides. */
#pragma once
#include "model/model.h"

struct stride_wakes;

struct stride_wakes *stride_wakes_new(const struct model *m);
void stride_wakes_free(struct stride_wakes *k);

/* A run begins: the first `start` events are as observed. */
void stride_wakes_begin(struct stride_wakes *k, event_id start);

/* Whether the end of a wait can be given a notify, a semwait a token; `done`: by thread, how many of its events the run has. */
bool stride_wakes_allow(const struct stride_wakes *k, event_id e, const uint32_t *done);

/* The run has the event now, one that waits or notifies, as number `place`; or its last one, `e`, is taken back. */
void stride_wakes_do(struct stride_wakes *k, event_id e, size_t place);
void stride_wakes_undo(struct stride_wakes *k, event_id e);

static inline bool kind_wakes(enum event_kind kind)
{
    return kind >= EVENT_WAIT_PRE && kind <= EVENT_NOTIFY_ALL;
}
