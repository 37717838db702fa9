/* What to run next: predicted problems first, then reads that can see something else, and between them free runs, which
 * show what no prediction names. */
#include "hunt/hunt.h"
#include "runtime/protocol/session.h"

#include <string.h>

enum {
    FREE_EVERY = 4,   /* a free run after so many that follow a finding */
    QUIET_ENOUGH = 64 /* free runs in a row that show nothing new: it is enough */
};

/* The most serious thing that was predicted and not yet run; SIZE_MAX: there is none. */
static size_t untried(const struct hunt *h)
{
    size_t best = SIZE_MAX;

    for (size_t i = 0; i < h->problems_count; i++) {
        const struct hunt_problem *p = &h->problems[i];
        if (p->left == 0)
            continue;
        if (best == SIZE_MAX || p->kind < h->problems[best].kind ||
            (p->kind == h->problems[best].kind && p->severity < h->problems[best].severity))
            best = i;
    }
    return best;
}

/* How many runs from the last back showed nothing new. */
static size_t quiet_runs(const struct hunt *h)
{
    size_t quiet = 0;

    while (quiet < h->runs_count && h->runs[h->runs_count - 1 - quiet].problems == 0 &&
           h->runs[h->runs_count - 1 - quiet].pairs == 0)
        quiet++;
    return quiet;
}

static void choose_free(const struct hunt_settings *settings, uint64_t number, struct hunt_job *job)
{
    static const uint8_t policies[] = {POLICY_RANDOM, POLICY_PCT};

    job->kind = JOB_FREE;
    job->seed = settings->seed + number;
    job->policy = policies[number % 2];
}

bool hunt_next(struct hunt *h, const struct hunt_settings *settings, struct hunt_job *job)
{
    uint64_t free_runs = 0, number = h->runs_count;
    size_t problem = untried(h);

    for (size_t i = 0; i < h->runs_count; i++)
        free_runs += h->runs[i].job.kind == JOB_FREE;
    memset(job, 0, sizeof *job);
    job->run = (uint32_t)number + 1;
    if (number == 1 && !settings->java) {
        job->kind = JOB_REPEAT;
        job->parent = 1;
        return true;
    }
    if (problem == SIZE_MAX || number % (FREE_EVERY + 1) == FREE_EVERY || number == 0) {
        choose_free(settings, free_runs, job);
        return problem != SIZE_MAX || quiet_runs(h) < QUIET_ENOUGH;
    }
    job->kind = JOB_FINDING;
    job->problem = problem;
    job->parent = h->problems[problem].run;
    memcpy(job->finding, h->problems[problem].id, sizeof job->finding);
    job->variant = --h->problems[problem].left;
    return true;
}
