/* Accesses that a run can do without: what comes after them in their thread is left out, too, and nobody else notices. */
#pragma once
#include "property/worker.h"

/* Whether the events of a thread from access `a` up to access `b`, which comes later in it, are all quiet: reads, and, where each read
 * is bound to its source, writes that no other thread reads. A run after which b comes next, without these, is one after which a does;
 * so what cannot come next beside a cannot come next beside b. */
bool quiet_between(struct worker *w, event_id a, event_id b);
