/* What one worker has while it checks: the shared model, its own solver and certifier, what it found.
 *
 * Private to this room. Work comes in units (variables, mostly); a unit is done by one worker from start to
 * end, so findings do not depend on how units are spread. */
#pragma once
#include "property/check.h"
#include "solve/solver.h"

struct group; /* a set of source locations already shown in this unit */

struct worker {
    const struct model *m;
    const struct check_options *options;
    const volatile bool *stop;
    struct solver *solver;
    struct certifier *certifier;
    struct blocks *blocks;
    struct finding_list found, undecided;
    struct property_stats stats[PROPERTIES];
    uint64_t certified;
    uint64_t rejected; /* schedules the certifier did not accept: a fault of the solver, left undecided */
};

/* Asks the solver's query as filled and books the outcome for this candidate. */
void worker_ask(struct worker *w, enum property property, const uint32_t *events, uint32_t count);

/* Books candidates that a rule refutes without a query. */
void worker_refute(struct worker *w, enum property property, enum refutation why, uint64_t candidates);

/* The accesses of a variable, thread by thread. */
struct thread_accesses {
    const event_id **by_thread; /* into `pool` */
    uint32_t *counts;
    event_id *pool;
    size_t pool_capacity;
};
void thread_accesses_init(struct thread_accesses *a, const struct model *m);
void thread_accesses_free(struct thread_accesses *a);
/* Fills with the accesses of x that `wanted` accepts (kind_writes, say). */
void thread_accesses_fill(struct thread_accesses *a, const struct model *m, variable_id x,
                          bool (*wanted)(enum event_kind));

/* How many of the thread's accesses are among its first `position` events. */
uint32_t accesses_before(const struct model *m, const event_id *accesses, uint32_t count, uint32_t position);

/* What must come before `e` itself, its own couple left out: one number a thread; `scratch` has room for that.
 */
const uint32_t *base_row(const struct model *m, event_id e, uint32_t *scratch);

/* The units of each property: all variables, or one unit for all. */
void nondet_variable(struct worker *w, variable_id x);
void final_variable(struct worker *w, variable_id x);
void race_variable(struct worker *w, variable_id x);
void atomicity_variable(struct worker *w, variable_id x);
void deadlock_all(struct worker *w);
void unordered_all(struct worker *w);
