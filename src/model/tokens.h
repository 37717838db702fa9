/* Semaphores and condition variables: which post or notify may serve which wait (semantics §2, condition 3). */
#pragma once
#include "model/model.h"

/* How many of the group's events are among the first `position` of its thread. O(log). */
uint32_t group_up_to(const struct model *m, const struct grouped_events *g, const struct thread_group *group,
                     uint32_t position);

/* Calls `found` for the posts that must come before the semwait, whoever takes which token; `row` says how many
 * events of each thread must come before it. */
void tokens_certain(const struct model *m, event_id wait, const uint32_t *row,
                    void (*found)(void *context, event_id before), void *context);

/* The same for notifies and a waitpost. Uses the clocks up to it. */
void notify_certain(const struct model *m, event_id post, void (*found)(void *context, event_id before),
                    void *context);
