/* The schedule checker: does this finding's schedule show what the finding claims (semantics §2, §3)?
 *
 * Knows the trace and nothing of the model or the solver: it derives the meaning of a trace a second time,
 * from docs/semantics.md alone. A schedule's observed prefix is feasible as it stands, so accepting costs
 * O(tail · log events). */
#pragma once
#include "base/error.h"
#include "finding/finding.h"
#include "trace/trace.h"

struct certify_options {
    bool values_ignore;  /* --values=ignore: as observed means the same write */
    bool grounds_ignore; /* --grounds=ignore: an event stands on every earlier read of its thread */
    bool atomic_locks;   /* --atomic=locks: lock scopes are atomic blocks too */
};

/* What the checker knows of a trace. Immutable, shared by any number of certifiers; the trace must outlive it.
 */
struct certify_index;

struct certify_index *certify_index_new(const struct trace *trace);
void certify_index_free(struct certify_index *index);

/* Scratch space of one worker over an index that must outlive it. */
struct certifier;

struct certifier *certifier_new(const struct certify_index *index);
void certifier_free(struct certifier *c);

/* Whether the finding's schedule is a feasible run that shows the finding; of a schedule of synchronization
 * events, whether there is one that has them in this order, condition 4 of semantics §2 left aside. If not,
 * `why`, unless it is NULL, says in a sentence what is wrong; without it a rejection costs no more than an
 * acceptance. The finding may hold any numbers: nothing in it is trusted. */
bool certifier_accepts(struct certifier *c, const struct finding *finding,
                       const struct certify_options *options, struct error *why);

/* The same for a cycle of transactions that the finding, which has no schedule, claims of the observed run. */
bool certifier_observed(struct certifier *c, const struct finding *finding, struct error *why);

/* Whether the two operations of a conflict in a deterministic block are of that block, of different threads,
 * and conflict; that nothing orders them is for happens_before.h to say. */
bool certifier_block_conflict(struct certifier *c, const struct finding *finding, struct error *why);

/* The same for the run alone, whatever it is meant to show. */
bool certifier_run_feasible(struct certifier *c, const struct schedule *schedule,
                            const struct certify_options *options, struct error *why);

/* Whether the trace says that the run ended as a finding of `observed` claims: not well, with its events the
 * last of their threads. */
bool certifier_end(struct certifier *c, const struct finding *finding, struct error *why);

/* Whether the two events of a race or unordered finding are in ascending order, of different threads, touch one
 * variable, one writing, not both atomic. */
bool certifier_conflict(struct certifier *c, const struct finding *finding, struct error *why);

/* After a rejection: whether condition 4 failed in the run; for which read, and which event of its thread stands on that (0: the
 * thread's end). */
bool certifier_blames(const struct certifier *c, uint32_t *read, uint32_t *event);
