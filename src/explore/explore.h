/* Explores a program: every behaviour that the scheduler can cause, each run once.
 *
 * A behaviour is what every thread sees: for each read the write it reads from, for each try whether it
 * succeeded. What is known of the threads (history.h) makes some runs possible (space.h). One of them that
 * leads to something never seen, or that is complete and has not been run, is made to happen; what it shows is
 * added; and so on until there is none. */
#pragma once
#include "base/stop.h"
#include "crew/ranks.h"
#include "explore/learn.h"
#include "explore/persistent.h"
#include "finding/property.h"
#include "replay/outcome.h"

struct explore_settings {
    struct replay_settings replay;
    bool java; /* the program is one of Java */
    uint64_t seed;
    uint64_t most_runs;
    uint64_t most_states;
    unsigned workers; /* runs at a time, on each rank */
    const struct crew_ranks
        *ranks;         /* that take part; NULL: this process alone. All but rank 0 only make runs */
    bool stop_at_first; /* ends with the first run that fails, or ends in another way than the first one */
    const char
        *folder; /* for traces of runs that show problems, with their reports; NULL: runs are not checked */
    const stop_flag *stop; /* set: it is to end */
    void (*progress)(uint64_t runs, size_t outcomes);
};

/* A way the program ends, with the run that showed it first. */
struct explored_outcome {
    enum change change; /* against the first run; CHANGE_NONE: it is that of the first run */
    struct replay_result result;
    struct deeds deeds;
    uint64_t times; /* behaviours that end so */
    uint64_t run;   /* the first of them, from 1 */
};

/* A problem that the trace of a run shows, or that is predicted from it. */
struct explored_problem {
    uint64_t fingerprint;
    enum severity severity;
    char title[300];
    char place[300];
    char id[16];    /* in the report of … */
    uint64_t run;   /* … the first run that has it */
    uint64_t times; /* behaviours whose traces have it */
};

enum incomplete {
    INCOMPLETE_NOT, /* all was explored */
    INCOMPLETE_RUNS,
    INCOMPLETE_STATES,
    INCOMPLETE_STOPPED,
    INCOMPLETE_DIVERGED,    /* a run did not go as its schedule says */
    INCOMPLETE_OTHER,       /* the same history was followed by something else */
    INCOMPLETE_UNSUPPORTED, /* the program uses what cannot be explored */
};

struct exploration {
    struct explored_outcome *outcomes; /* the first run's first, then the worst */
    size_t outcomes_count, outcomes_capacity;
    struct explored_problem *problems;
    size_t problems_count, problems_capacity;
    uint64_t unchecked;                         /* behaviours whose traces were not checked in full */
    uint64_t runs, behaviours, states, longest; /* longest: moves in a run */
    uint64_t cut;                               /* places where a busy-wait loop was cut */
    char cut_place[512];                        /* one of them */
    bool timed;                                 /* waits for a time were met */
    enum incomplete incomplete;
    char reason[1200];
    unsigned lost; /* ranks that were lost */
};

/* Fails only when the program cannot be run at all. */
enum status explore(const struct explore_settings *settings, struct exploration *to, struct error *err);

/* The same by brute force, for comparison: every order of all steps, nothing left out. No run is one that the
 * program does not follow; `tries` counts those, too. */
enum status explore_every_order(const struct explore_settings *settings, struct exploration *to,
                                uint64_t *tries, struct error *err);

/* The schedule of an outcome, complete, to be written and kept. Its runs are compared with the reference. */
void explored_script(const struct explored_outcome *outcome, const struct outcome *reference, const char *title,
                     struct schedule_script *script);

/* The place of a deed in a run, in words, if its trace has them; else the address of its instruction. */
void explored_place(const struct replay_result *result, const struct deeds *deeds, size_t deed, char *to,
                    size_t room);

void exploration_free(struct exploration *exploration);
