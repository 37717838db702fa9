/* The rounds of a check: units of work, which workers take in batches, and what is done again where the first round left
 * something undecided. Private to this room. */
#pragma once
#include "property/unit_outcome.h"
#include "property/worker.h"

#include <pthread.h>
#include <stdatomic.h>

/* A variable, or one of the passes over the whole trace. */
enum {
    UNIT_DEADLOCK = -1,
    UNIT_UNORDERED = -2,
    UNIT_DETERMINISM = -3,
    UNIT_SERIALIZABILITY = -4,
    UNIT_STUCK = -5
};

/* A batch, or a part of one (some of its units, or some candidates of its one unit), that left something undecided because its
 * work was used up. It is done again with more work, split into parts that take its place. */
struct again {
    size_t batch;
    uint32_t part, parts; /* this one of so many */
    enum property property;
    uint64_t doubtful;           /* units of it that left something undecided so */
    struct unit_outcome outcome; /* holds unless it is done again */
    size_t first;                /* its parts in the round under way */
    uint32_t split;              /* how many; 0: it is not done again */
    size_t origin;               /* of a part in the round under way: what it is a part of */
    bool is_done;
};

struct again_list {
    struct again *list;
    size_t list_count, list_capacity;
};

enum { SHOWN_FOR_GOOD = 1 };

struct check_plan {
    const struct model *m;
    const struct check_options *options;
    const stop_flag *stop;
    struct shared_index index;
    struct blocks *blocks;
    int64_t *units; /* the largest first, so that no worker is left with one at the end */
    size_t units_count, units_capacity;
    struct batch { /* of units: what a worker takes at once */
        size_t first, count;
        struct share share; /* where it is one unit */
    } * batches;
    size_t batches_count, batches_capacity;
    size_t alone;                   /* so many tasks at the beginning of a round are for this process only */
    atomic_size_t next_alone, next; /* of these, and of those behind them */
    struct again_list again;        /* batches to be done again, in the order of batches and properties */
    struct again_list parts;        /* of these, of the round under way */
    bool is_again;                  /* that is under way */
    uint64_t more;                  /* what each unit may cost more then */
    struct map
        shown; /* hashes of the locations that findings of the rounds before are about → SHOWN_FOR_GOOD, or the
                              first batch to be done again that found them, counted from there on */
    bool guarded; /* whoever asked for the check has a guard against exhausted memory */
};

/* Units of shorter traces are not split: parts have less to spend on a hard candidate, and one worker is soon done. */
enum { SPLIT_EVENTS = 1000 };

static inline bool plan_splits(const struct check_plan *plan)
{
    return plan->m->event_count >= SPLIT_EVENTS;
}

/* Whether the candidates of one variable can be split; -1 and less are passes over the whole trace. */
static inline bool unit_is_split(int64_t unit, enum property property)
{
    return unit >= 0 && property != PROPERTY_FINAL;
}

/* Cuts the check of `plan->m` with `plan->options` into units and makes what workers share; what is settled by that goes to the
 * results. */
void plan_begin(struct check_plan *plan, struct results *results);
void plan_end(struct check_plan *plan);

/* What a worker thread has, and what it has found out so far. */
struct worker_thread {
    pthread_t thread;
    struct check_plan *plan;
    struct worker w;
    struct unit_total {
        struct finding_list found, undecided;
        struct property_stats stats[PROPERTIES];
        uint64_t certified;
    } total;
    bool is_first;           /* of the workers: it makes what certifiers share */
    bool keeps_apart;        /* every outcome goes to `again`: it is for another process to add them up */
    struct again_list again; /* what is to be done again */
    uint64_t spent;          /* of the work that reads in doubt may cost */
    double clock;            /* when the last unit ended */
};

/* A task is a batch or, in a further round, a part of one. */
static inline size_t plan_tasks(const struct check_plan *plan)
{
    return plan->is_again ? plan->parts.list_count : plan->batches_count;
}

/* Makes what certifiers share, if nobody has. */
void plan_make_index(struct check_plan *plan);

/* Makes the solver of a worker; frees that and the certifier. */
void worker_begin(struct worker_thread *self);
void worker_end(struct worker_thread *self);

void worker_run_task(struct worker_thread *self, size_t task);

/* Adds what was found out about a task of the first round, or keeps it if it is to be done again. */
void worker_book(struct worker_thread *self, const struct again *outcome);

/* Tells whoever shows progress that a batch is done. */
void plan_tell_progress(const struct check_plan *plan, size_t batch);

/* Whether a pass is for this process only, even if there are helpers: what it finds has no schedule to be certified. */
static inline bool unit_stays(int64_t unit)
{
    return unit == UNIT_UNORDERED || unit == UNIT_DETERMINISM || unit == UNIT_SERIALIZABILITY;
}

/* Runs all batches, those that left something undecided again as long as work is left, and adds what is found to the
 * results. They do not depend on the number of workers. */
void check_run(struct check_plan *plan, unsigned workers, struct results *results);
