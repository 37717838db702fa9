/* What a check found, what it did not decide and the numbers behind both: all that a report needs. */
#pragma once
#include "finding/finding.h"

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

/* What the graph method counted: the columns of FMCAD'12, Table A1. possible = cyclic + no_choice + with_choice
 * = feasible + infeasible + undecided. Sums of choice graphs stop at INT64_MAX. */
struct graph_stats {
    bool used;
    uint64_t possible;
    uint64_t cyclic;                 /* refuted by the witness order graph */
    uint64_t no_choice;              /* acyclic and without choices: feasible */
    uint64_t with_choice;            /* acyclic, with choices */
    uint64_t choice_graphs_possible; /* over the witnesses with choices: 2 to the number of their choices */
    uint64_t choice_graphs_explored;
    uint64_t feasible, infeasible, undecided;
    double seconds;
};

/* What the causality graphs left of the candidates, step by step: the columns of CAV'10, Table 1. */
struct ucg_stats {
    bool used;
    uint64_t total;
    uint64_t lsa;       /* not excluded by locks alone */
    uint64_t mhb;       /* not excluded by threads, wait/notify and the other required predecessors alone */
    uint64_t ucg;       /* not excluded by both together */
    uint64_t witnesses; /* of these, with a schedule */
    uint64_t undecided; /* of these, left undecided */
    uint64_t chopped;   /* of all, how many were decided on what lies after a causality barrier */
    double ucg_seconds; /* up to `ucg` */
    double seconds;     /* of finding the schedules */
};

/* What the CSP method counted. Pairs of accesses are filtered by locks and required order, then checked. */
struct csp_stats {
    bool used;
    uint64_t variables;  /* with pairs that were checked */
    uint64_t assertions; /* pairs of threads and a variable, likewise */
    uint64_t filtered;   /* pairs of accesses that needed no check */
    uint64_t checks;     /* refinements: pairs of places between synchronizations */
    uint64_t states, transitions;
    uint64_t confirmed, other_path,
        unconfirmed; /* races that exact was asked about: finds, refutes, gives up */
    double seconds, confirm_seconds;
};

struct results {
    const char *method; /* "exact", "graph", "ucg", "csp" */
    bool complete;      /* the whole trace was loaded, everything asked for was decided and not interrupted */
    bool interrupted;
    bool values_ignore, grounds_ignore, atomic_locks; /* what was asked for, as in struct check_options */
    bool grouped;                                     /* one finding per set of source locations */
    bool predicted;                                   /* declared blocks were checked in other runs, too */
    struct finding_list found;
    uint64_t idle_reads; /* of a grouped check: reads that could see another value, on which nothing depends */
    struct finding_list undecided; /* same shape, no schedule */
    struct property_stats stats[PROPERTIES];
    double load_seconds, model_seconds;
    struct graph_stats graph;
    struct ucg_stats ucg_race, ucg_atomicity;
    struct csp_stats csp;
    uint64_t certified; /* schedules the certifier accepted */
};

/* Numbers the findings of each property in the order of the list, undecided ones after those that were found:
 * their ids. */
void results_number(struct results *results);

/* The same, on from the numbers that are given, which go on in turn. */
void results_number_from(struct results *results, uint32_t numbers[PROPERTIES]);

static inline bool finding_is_problem(const struct finding *f)
{
    return severity_is_problem(f->severity);
}
