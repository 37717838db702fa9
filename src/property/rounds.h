/* The rounds of a check: units of work, which workers take in batches, and what is done again where the first round left
 * something undecided. Private to this room. */
#pragma once
#include "property/worker.h"

#include <stdatomic.h>

/* A variable, or one of the passes over the whole trace. */
enum {
    UNIT_DEADLOCK = -1,
    UNIT_UNORDERED = -2,
    UNIT_DETERMINISM = -3,
    UNIT_SERIALIZABILITY = -4,
    UNIT_STUCK = -5
};

/* What a property found out about a batch of units. */
struct unit_outcome {
    struct finding_list found, undecided;
    struct property_stats stats;
    uint64_t certified;
};

/* A batch that left something undecided because its work was used up: it is done again with more. */
struct again {
    size_t batch;
    enum property property;
    uint64_t doubtful;          /* units of it that left something undecided so */
    struct unit_outcome before; /* holds unless that is done */
};

enum { SHOWN_FOR_GOOD = 1 };

struct check_plan {
    const struct model *m;
    const struct check_options *options;
    const stop_flag *stop;
    struct certify_index *index;
    struct blocks *blocks;
    int64_t *units; /* the largest first, so that no worker is left with one at the end */
    size_t units_count, units_capacity;
    struct batch { /* of units: what a worker takes at once */
        size_t first, count;
    } * batches;
    size_t batches_count, batches_capacity;
    atomic_size_t next;
    struct again *again; /* batches to be done again, in the order of batches and properties */
    size_t again_count, again_capacity;
    bool is_again; /* that is under way */
    uint64_t more; /* what each unit may cost more then */
    struct map
        shown; /* hashes of the locations that findings of the rounds before are about → SHOWN_FOR_GOOD, or the
                              first batch to be done again that found them, counted from there on */
    bool guarded;          /* whoever asked for the check has a guard against exhausted memory */
    atomic_bool exhausted; /* a worker ran out of memory */
};

/* Runs all batches, those that left something undecided again as long as work is left, and adds what is found to the
 * results. They do not depend on the number of workers. */
void check_run(struct check_plan *plan, unsigned workers, struct results *results);
