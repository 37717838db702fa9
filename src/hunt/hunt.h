/* Hunting: runs a program again and again along what is predicted, and keeps what that shows.
 *
 * A *job* is one run to be made: free, under a seed and a policy, or along the schedule of a finding of an earlier run. Its
 * run is recorded, the trace is checked, and what was found is merged by fingerprint. A *problem* happened in a run
 * (a crash, a deadlock, another output …) or is predicted from its trace. */
#pragma once
#include "base/map.h"
#include "base/stop.h"
#include "property/check.h"
#include "replay/outcome.h"

struct hunt_settings {
    struct replay_settings replay;
    struct check_options check;
    bool java;
    uint64_t seed;
    double seconds;     /* at most so long; 0: no limit */
    uint64_t most_runs; /* 0: no limit */
    unsigned workers;   /* runs at a time */
    bool stop_at_first; /* problem that happened */
    const char *folder; /* for traces, reports and schedules; it is there */
    const stop_flag *stop;
};

enum job_kind {
    JOB_FREE,    /* under a seed and a policy */
    JOB_REPEAT,  /* the first run once more: what differs then is no schedule's doing */
    JOB_FINDING, /* along the schedule of a finding */
};

struct hunt_job {
    enum job_kind kind;
    uint32_t run; /* its number, from 1 */
    uint64_t seed;
    uint32_t policy;
    uint32_t parent;  /* JOB_FINDING: the run the finding is of */
    char finding[16]; /* its id in that run's report */
    int variant;      /* of a race: which access comes first */
    size_t problem;   /* its place in the list of problems */
    double seconds;   /* left for it */
};

/* How a run went: what its process sends back. */
struct hunt_end {
    bool ran;        /* else `words` says why not */
    bool diverged;   /* it left its schedule */
    bool confirmed;  /* JOB_FINDING: the run shows what the finding says */
    uint32_t ending; /* enum ending */
    int32_t status;
    uint64_t sums[2]; /* of its outputs */
    uint64_t events;
    uint32_t threads;
    bool complete; /* the check decided everything */
    char place[512];
    char words[600];
};

/* A finding of a run's report, as far as hunting cares. */
struct hunt_finding {
    uint64_t fingerprint;
    uint32_t property;
    uint32_t severity;
    bool problem; /* else a note */
    bool has_schedule;
    char id[16];
    char title[300];
    char place[300];
};

struct hunt_report {
    struct hunt_end end;
    struct hunt_finding *findings;
    size_t findings_count, findings_capacity;
    uint64_t *pairs; /* of places that a read and its source were at */
    size_t pairs_count, pairs_capacity;
};

void hunt_report_free(struct hunt_report *report);

/* Makes the job's run, in this process, and sends what came of it to the descriptor. */
void hunt_job_run(const struct hunt_settings *settings, const struct hunt_job *job, int to);

/* Takes apart what a job sent; false when it is not whole: the process died. */
bool hunt_report_read(struct hunt_report *report, const unsigned char *bytes, size_t length);

enum problem_kind { PROBLEM_HAPPENED, PROBLEM_PREDICTED, PROBLEM_NOTE };

struct hunt_problem {
    enum problem_kind kind;
    uint64_t fingerprint;
    uint32_t severity;
    uint32_t property; /* of what is predicted */
    char title[700];
    char place[300];
    uint32_t run;      /* the first that shows it */
    char id[16];       /* in that run's report; "" for what happened */
    uint64_t times;    /* runs in which it happened, or whose trace predicts it */
    int left;          /* runs along it that are still to be made: of a race one in each order */
    bool confirmed;    /* that run showed it */
    char outcome[600]; /* of that run */
};

struct hunted_run {
    struct hunt_job job;
    struct hunt_end end;
    uint32_t problems; /* new ones */
    uint32_t pairs;    /* new pairs of places */
};

enum hunt_over { OVER_TIME, OVER_RUNS, OVER_FIRST, OVER_STOPPED, OVER_NOTHING_NEW };

struct hunt {
    struct hunted_run *runs;
    size_t runs_count, runs_capacity;
    struct hunt_problem *problems; /* in the order of discovery; hunt_rank puts them in order */
    size_t problems_count, problems_capacity;
    struct map known; /* fingerprint → place in the list, plus one */
    struct map pairs;
    uint64_t pair_count;
    bool outputs_vary; /* the same schedule gave other output: it is not compared */
    bool first_known;
    uint32_t first_ending;
    int32_t first_status;
    uint64_t first_sums[2];
    enum hunt_over over;
    double seconds;
    uint64_t diverged, undecided, failed;
    char failure[600]; /* of the first run that could not be made */
};

/* Told after every run. */
typedef void hunt_progress(const struct hunt *hunt, const struct hunt_settings *settings);

/* Fails only when the first run cannot be made. */
enum status hunt_program(const struct hunt_settings *settings, struct hunt *hunt, hunt_progress *progress,
                         struct error *err);
void hunt_free(struct hunt *hunt);

/* queue.c: the next job, by what is most promising; false when nothing is left that could show something new. */
bool hunt_next(struct hunt *hunt, const struct hunt_settings *settings, struct hunt_job *job);

/* merge.c: takes over what a run showed; returns how many problems are new. */
void hunt_merge(struct hunt *hunt, const struct hunt_job *job, const struct hunt_report *report);

/* What happened first, then what is predicted by severity, then notes. */
void hunt_rank(struct hunt *hunt);

/* "DIR/run-7.htr"; to be freed. */
char *hunt_path(const struct hunt_settings *settings, uint32_t run, const char *ending);
