/* Looks for a run of a query that ends with a read: threads go on in strides, each up to where its thread holds no lock, and only
 * if what its reads see lets it go on after that. Finds most runs in which reads see other writes than they saw; that it
 * finds none means nothing. */
#pragma once
#include "solve/solver.h"

struct strider;

struct strider *strider_new(const struct model *m);
void strider_free(struct strider *r);

/* Whether it finds a run that takes the first *start events as observed, or fewer, and holds `least`: then `run` is what comes after these.
 * Takes no more than `most` steps until nobody can go on. Then it goes back a little and on in another way, and so on, until it has taken
 * `again` steps in all. *steps is how many it took. */
bool stride_run(struct strider *r, const struct query *q, const uint32_t *least, event_id *start, uint64_t most,
                uint64_t again, uint64_t *steps, struct event_span *run);

/* After a search that found none: how far those threads came at last that could not go on because of what a variable held;
 * POSITION_END for the others. */
void stride_reach(const struct strider *r, uint32_t *reach);
