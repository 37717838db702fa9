/* Hunting: runs a program again and again along predicted schedules, and merges what the runs show.
 *
 * A *job* is one run to be made: free, under a seed and a policy, or along the schedule of a finding or
 * candidate of an earlier run. Its run is recorded, the trace is checked, and what was found is merged by
 * fingerprint. A *problem* happened in a run (a crash, a deadlock, another output …) or is predicted from its
 * trace. A *candidate* is what synchronization allows and only reads rule out, since they would see something
 * new: no finding, but worth a run. */
#pragma once
#include "base/map.h"
#include "base/packed.h"
#include "base/stop.h"
#include "crew/ranks.h"
#include "property/check.h"
#include "replay/outcome.h"

struct suppressions;

struct hunt_settings {
    struct replay_settings replay;
    struct check_options check;
    bool java;
    uint64_t seed;
    double seconds;     /* at most so long; 0: no limit */
    uint64_t most_runs; /* 0: no limit */
    unsigned workers;   /* runs at a time, on each rank */
    const struct crew_ranks
        *ranks;          /* that take part; NULL: this process alone. All but rank 0 only make runs */
    bool stop_at_first;  /* problem that happened */
    const char *folder;  /* for traces, reports and schedules; it is there */
    const char *scratch; /* where a run leaves them instead, to be brought there; NULL: in the folder itself */
    const char *
        isolate; /* each run works in a copy of this folder, with temporary files of its own; NULL: all share ours */
    bool network; /* each run has a network of its own */
    bool silent;  /* no progress is shown */
    bool hurried; /* of a run: its time ends with that of the hunt, before it would count as a hang */
    const struct suppressions *suppressions[2]; /* accepted findings; or NULL */
    const stop_flag *stop;
};

enum job_kind {
    JOB_FREE,      /* under a seed and a policy */
    JOB_REPEAT,    /* the first run once more: differences are not due to the schedule */
    JOB_FINDING,   /* along the schedule of a finding */
    JOB_CANDIDATE, /* towards a candidate */
    JOB_READ,      /* along the schedule of one of the reads that a finding stands for */
    JOB_SHORTEN,   /* along a part of the schedule of a run that ended badly */
    JOB_CONFIRM,   /* along the schedule of a finding, made as short as the schedule checker lets it be */
};

struct hunt_job {
    enum job_kind kind;
    uint32_t run; /* its number, from 1 */
    uint64_t seed;
    uint32_t policy;      /* of a run along a finding: after its schedule; 0: as in the run that it is of */
    uint32_t parent;      /* the run whose finding, candidate or schedule it is */
    char finding[16];     /* its id in that run's report */
    uint64_t fingerprint; /* of that finding */
    int variant;          /* of a race: which access comes first */
    size_t problem;       /* its place in the list of problems, candidates or reads */
    uint32_t keep;        /* JOB_SHORTEN: so many steps of the schedule, from the first … */
    uint32_t drop;        /* … but not this one, from 1; 0: all of them */
    bool reads;           /* its trace is checked for each read that could see something else */
    double seconds;       /* left for it */
};

/* How a run went: what its process sends back. */
struct hunt_end {
    bool ran;        /* else `words` says why not */
    bool diverged;   /* it left its schedule */
    bool cut;        /* it was ended before it could show how it ends: the hunt's time was up, or … */
    bool starved;    /* … it got too little processor time to tell whether it hangs */
    bool confirmed;  /* JOB_FINDING, JOB_CANDIDATE: the run shows what the finding says */
    uint32_t ending; /* enum ending */
    int32_t status;
    uint64_t sums[2]; /* of its outputs */
    uint64_t events;
    uint32_t threads;
    uint32_t switches;  /* of the turn from one thread to another; JOB_CONFIRM: in the schedule alone */
    uint64_t ticks;     /* accesses and calls of all threads */
    uint64_t behaviour; /* the sum of what all threads have seen; 0: not known */
    bool complete;      /* the check decided everything */
    char missing[300];  /* why its trace is not the whole run; "" when it is */
    char place[512];
    char waits
        [1200]; /* threads that waited when it ended, one in a line: "T1 waits for lock b, …"; as many as fit */
    uint64_t where; /* the same for runs in which threads waited at the same places; 0: none did */
    char words[600];
};

/* A finding of a run's report, as far as hunting cares. */
struct hunt_finding {
    uint64_t fingerprint;
    uint32_t property;
    uint32_t severity;
    bool problem;    /* else a note */
    bool candidate;  /* not certain: reads would see something new */
    bool one_read;   /* one of the reads that a finding stands for */
    bool observed;   /* the run itself shows it */
    bool suppressed; /* the project accepts it */
    bool has_schedule;
    uint32_t switches; /* in its schedule */
    uint64_t source;   /* of a read: the mark of what it could see, in COVER_SOURCES */
    uint64_t read;     /* of `one_read`: its mark in COVER_READS … */
    uint64_t state;    /* … and the sum of what all threads have seen at the end of its schedule */
    char id[16];
    char title[300];
    char place[300];
};

/* What runs cover, each as marks: sums of places. */
enum coverage {
    COVER_PLACES,  /* that threads reached */
    COVER_PAIRS,   /* of accesses of two threads to one variable, one after the other, one a write */
    COVER_SOURCES, /* of a read and the write that it saw */
    COVER_CODE,    /* places of the program's code that access memory, of one thread alone as well */
    COVER_READS,   /* of a read and the write that it saw, by what both threads had seen before */
    COVERAGES
};

struct hunt_marks {
    uint64_t *marks;
    size_t marks_count, marks_capacity;
};

/* Two accesses of different threads to one variable, one a write, of which no order that every run keeps says that the second comes
 * first. */
struct hunt_pair {
    uint64_t mark; /* in COVER_PAIRS, when the second came right after the first */
    char first[150], second[150];
};

struct hunt_report {
    struct hunt_end end;
    struct hunt_pair *pairs; /* that the run could have had, and did not */
    size_t pairs_count, pairs_capacity;
    struct hunt_finding *findings;
    size_t findings_count, findings_capacity;
    struct hunt_marks covered[COVERAGES];
    struct code_place *code; /* of the first run: all places that COVER_CODE could have */
    size_t code_count, code_capacity;
};

void hunt_report_free(struct hunt_report *report);

/* Makes the job's run, in this process, and sends what came of it to the descriptor. */
void hunt_job_run(const struct hunt_settings *settings, const struct hunt_job *job, int to);

/* Decodes what a job sent; false when it is incomplete because the process died. */
bool hunt_report_read(struct hunt_report *report, struct bytes_in *from);

enum problem_kind { PROBLEM_HAPPENED, PROBLEM_PREDICTED, PROBLEM_NOTE, PROBLEM_CANDIDATE };

struct hunt_problem {
    enum problem_kind kind;
    uint64_t fingerprint;
    uint32_t severity;
    uint32_t property; /* of what is predicted */
    char title[700];
    char place[300];
    bool hang;               /* of what happened: the run did not end in time */
    char waits[1200];        /* as in struct hunt_end, of the first run that shows it */
    uint32_t run;            /* the first that shows it; of what happened, the one with the shortest schedule */
    char id[16];             /* in that run's report; "" for what happened */
    uint64_t times;          /* runs in which it happened, or whose trace predicts it */
    uint64_t free_times;     /* those of them that followed no schedule */
    uint64_t source;         /* as in struct hunt_finding */
    int left;                /* runs along it that are still to be made: of a race one in each order */
    int bases;               /* of a candidate: runs from which it was tried */
    bool confirmed;          /* a run along it showed it */
    char outcome[600];       /* of that run */
    uint64_t observed_times; /* runs that showed what is predicted */
    uint32_t observed_run;   /* the first of them; 0: none */
    char observed_id[16];    /* in its report */
    uint32_t towards;        /* that run was made towards a candidate of this run; 0: it was not */
    uint32_t first_run;      /* of what happened: the first that showed it … */
    uint32_t first_switches, switches; /* … and how often the turn changed there and in the shortest schedule */
    uint64_t ticks;
    bool scheduled; /* of what is predicted: it comes with a schedule */
    bool
        shortened; /* of what is predicted: a run along its shortest schedule showed it, with so many switches */
    uint32_t better_run,
        better_switches; /* … whose trace predicts it with the fewest switches; 0: it is `run` */
    char better_id[16];
};

/* A read that could see something else in a certain state of all threads. */
struct hunt_read {
    uint64_t mark;   /* in COVER_READS */
    uint64_t source; /* as in struct hunt_finding */
    uint32_t run;    /* that it is of */
    bool done;       /* a run along it was planned, or there is no use any more */
    char id[16];     /* in that run's report of reads */
    char title[300];
    char place[300];
};

struct hunted_run {
    struct hunt_job job;
    struct hunt_end end;
    uint32_t problems;           /* new ones */
    uint32_t covered[COVERAGES]; /* new marks */
    double second;               /* of the hunt, at which it was over */
    uint32_t rank;               /* that made it */
};

/* Whether the run showed something new. */
bool hunted_something(const struct hunted_run *run);

enum hunt_over { OVER_TIME, OVER_RUNS, OVER_FIRST, OVER_STOPPED, OVER_NOTHING_NEW, OVER_NOT };

/* A run that is planned, under way, or waits for those before it to be merged. */
struct hunt_plan {
    struct hunt_job job;
    bool given, done;
    uint32_t rank; /* that makes it */
    double second; /* of the hunt, at which it was over */
    struct hunt_report report;
};

struct hunt {
    struct hunt_plan *plans; /* in the order of their runs, from the one after the last that was merged */
    size_t plans_count, plans_capacity;
    uint64_t planned, planned_free, last_candidate, last_finding,
        last_read; /* runs that were planned; the last of these kinds */
    struct hunted_run *runs;
    size_t runs_count, runs_capacity;
    struct hunt_problem *problems; /* in the order of discovery; hunt_rank puts them in order */
    size_t problems_count, problems_capacity;
    struct map known; /* fingerprint → place in the list, plus one */
    struct hunt_problem *candidates;
    size_t candidates_count, candidates_capacity;
    struct map candidate;    /* fingerprint → place in that list, plus one */
    struct hunt_read *reads; /* in the order of discovery */
    size_t reads_count, reads_capacity, reads_left;
    struct map read; /* by `state`: it is in that list */
    struct map behaviours;
    struct map along; /* of reads that were run: by `source`, how many */
    struct map covered[COVERAGES];
    uint64_t cover_count[COVERAGES];
    struct hunt_pair *pairs; /* that runs could have had */
    size_t pairs_count, pairs_capacity;
    struct map pair;         /* mark → it is in that list */
    struct code_place *code; /* places of the program's code, by file and line */
    size_t code_count, code_capacity;
    uint64_t longest;  /* ticks of the longest run */
    bool outputs_vary; /* the same schedule gave other output, or nobody knows: it is not compared */
    bool unsettled;    /* the repetition of the first run left its schedule and gave other output */
    bool first_known;
    uint32_t first_ending;
    int32_t first_status;
    uint64_t first_sums[2];
    enum hunt_over over;
    double started, seconds;
    unsigned ranks, lost; /* that took part; of them, those that were lost */
    double load;          /* the share of the time that rank 0 was busy with the hunt itself */
    uint64_t searched,
        searched_free; /* runs that came to their end and were not made to repeat another; the free ones */
    uint64_t diverged, undecided, failed;
    uint64_t cut, starved; /* runs that were ended for want of time; of processor time */
    uint64_t partial;      /* runs whose trace is not the whole run */
    char missing[300];     /* why, of the first of them */
    struct map accepted;   /* fingerprints of findings that are suppressed */
    size_t accepted_count;
    char failure[600]; /* of the first run that could not be made */
};

/* Called after every run. */
typedef void hunt_progress(const struct hunt *hunt, const struct hunt_settings *settings);

/* Fails only when the first run cannot be made. */
enum status hunt_program(const struct hunt_settings *settings, struct hunt *hunt, hunt_progress *progress,
                         struct error *err);
void hunt_free(struct hunt *hunt);

/* hunt_queue.c: plans runs, the most promising first, as many as what was merged so far allows: the n-th is planned when all but the
 * last w(n) before it are merged. So the search does not depend on how many are made at a time. */
void hunt_plan_ahead(struct hunt *hunt, const struct hunt_settings *settings);

/* hunt_merge.c: takes over what a run showed. */
void hunt_merge(struct hunt *hunt, const struct hunt_job *job, const struct hunt_report *report);

/* hunt_unseen.c: pairs of accesses that the run could have had one right after the other; `seen` has those it had. */
void hunt_find_pairs(const struct model *model, const struct map *seen, struct hunt_report *report);

/* hunt_shorten.c: the next run that may show a shorter schedule for a problem; false when there is none. */
struct hunt_shortening {
    size_t problem;
    uint32_t low, high; /* steps of the schedule that it takes, at least and at most */
    uint32_t drop;      /* the step left out next; 0: how many it takes is still looked for */
    uint32_t runs;      /* made for this problem */
    uint32_t base;      /* the run with the shortest schedule so far */
    bool predicted;     /* what happened is done; what is predicted follows */
};
bool hunt_shorten_next(const struct hunt *hunt, struct hunt_shortening *state, struct hunt_job *job);

/* What came of it: a schedule that is shorter and ends the same way takes the place of the one before. */
void hunt_shorten_take(struct hunt *hunt, struct hunt_shortening *state, const struct hunt_job *job,
                       const struct hunt_end *end);

/* Whether runs came to their ends, and all that did were recorded and checked in full: where they show no problem, they have none. */
bool hunt_is_complete(const struct hunt *hunt);

/* The same for runs that ended the same way. */
uint64_t hunt_end_fingerprint(const struct hunt_end *end);

/* What happened first, then what is predicted by severity, then notes. */
void hunt_rank(struct hunt *hunt);

/* The same for a copy of the list of problems; the hunt goes on. */
void hunt_sort(struct hunt *view);

/* "DIR/run-7.htr"; to be freed. */
char *hunt_path(const struct hunt_settings *settings, uint32_t run, const char *ending);
