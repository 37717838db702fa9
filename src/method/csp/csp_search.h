/* Is there a run that brings two accesses together? The refinement STOP ⊑T (PROGRAM ‖ PATTERN) \ (Σ − {race})
 * decided on the fly.
 *
 * PROGRAM has the synchronization events of all threads and the two accesses, with which their threads end. A
 * state is the positions of the threads: each event belongs to one of them and SYNC is deterministic, so they
 * decide the rest. Three reductions keep the states few; docs/soundness.md says why none loses a race.
 *
 * Eager events: what cannot be disabled and disables nothing happens at once. Only acquires, and releases that
 * failed tries wait for, are choices.
 *
 * Rests: from a state where no lock is held that anybody else still wants, everything can be reached that could
 * be reached before. The search starts at such a state of the observed run, and never goes back behind one.
 *
 * Windows: a thread is moved only as far as others require, and on to where it holds no lock. */
#pragma once
#include "base/stop.h"
#include "finding/finding.h"
#include "method/csp/csp_processes.h"

struct csp_search_stats {
    uint64_t states, transitions; /* rests are states, too */
};

struct csp_search;

/* `budget`: states of one check before it is given up. */
struct csp_search *csp_search_new(struct csp_processes *pr, uint64_t budget, const stop_flag *stop);
void csp_search_free(struct csp_search *s);

/* Decides for a, b of different threads on one variable, that race by their kinds. After CSP_VIOLATES
 * `schedule`, unless it is NULL, gets an observed prefix and the synchronization events after it; its tail
 * belongs to the caller. */
enum csp_verdict csp_search_race(struct csp_search *s, event_id a, event_id b, struct schedule *schedule);

const struct csp_search_stats *csp_search_counts(const struct csp_search *s);
