/* What a check found, what it did not decide and the numbers behind both: all that a report needs. */
#pragma once
#include "property/finding.h"

enum refutation {
    REFUTED_MUST_ORDER, /* the order every run keeps, or a lock both sides hold, excludes it */
    REFUTED_CYCLE,      /* what the query asks for leads to a cycle of causality */
    REFUTED_CHOICES,    /* every way to order the rest fails */
    REFUTATIONS
};

/* Counts of one property. examined = feasible + undecided + the sum of refuted, over event-level candidates;
 * `skipped` of a grouped check belong to a group already shown. */
struct property_stats {
    bool checked;
    uint64_t
        subjects; /* reads (nondet), variables (final), accesses (race, unordered), blocks (atomicity), … */
    uint64_t candidates; /* all pairs or triples the definition speaks of, those refuted in bulk included */
    uint64_t feasible;
    uint64_t refuted[REFUTATIONS];
    uint64_t undecided;
    uint64_t skipped;
    double seconds;
};

struct results {
    const char *method; /* "exact" */
    bool complete;      /* the whole trace was loaded, everything asked for was decided and not interrupted */
    bool interrupted;
    bool same_value, atomic_locks; /* what was asked for, as in struct check_options */
    bool grouped;                  /* one finding per set of source locations */
    bool predicted;                /* declared blocks were checked in other runs, too */
    struct finding_list found;
    struct finding_list undecided; /* same shape, no schedule */
    struct property_stats stats[PROPERTIES];
    double load_seconds, model_seconds;
    uint64_t certified; /* schedules the certifier accepted */
};
