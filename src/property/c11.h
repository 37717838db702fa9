/* C11 happens-before on the observed run (semantics §3, `unordered`), in one pass with vector clocks.
 *
 * Program order, threads, locks and the other synchronization as observed, release/acquire with release
 * sequences (C11 5.1.2.4) and fences (7.17.4). Plain accesses order nothing. */
#pragma once
#include "model/model.h"

struct c11;

struct c11 *c11_new(const struct model *m);
void c11_free(struct c11 *c);

/* Takes the next event of the trace, events in order from 1. Returns its clock: of each thread, how many events
 * happen before it. Valid until the next call. */
const uint32_t *c11_event(struct c11 *c, event_id e);
