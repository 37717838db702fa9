/* What to run next: predicted problems first, then in turn candidates and reads that can see something else, and between
 * them free runs, which show what no prediction names. When each of these was run, reads that can see something else in another
 * state of their thread, in turn with free runs. */
#include "base/memory.h"
#include "hunt/hunt.h"
#include "runtime/protocol/session.h"

#include <string.h>

enum {
    FREE_EVERY = 4,    /* a free run after so many that follow a finding */
    QUIET_ENOUGH = 64, /* free runs in a row that show nothing new: it is enough … */
    QUIET_MOST = 1000, /* … and so many where reads are left that could see something else */
    AHEAD_SHARE = 4,   /* one run in so many may be planned before what came of the others is known … */
    AHEAD_MOST = 256,  /* … but never more than these */
};

/* Whether p is more promising than q: by kind and severity; a read that would see what no run has shown comes first. */
static bool is_better(const struct hunt *h, const struct hunt_problem *p, const struct hunt_problem *q)
{
    bool p_known = p->source && map_get(&h->covered[COVER_SOURCES], p->source),
         q_known = q->source && map_get(&h->covered[COVER_SOURCES], q->source);

    if (p->kind != q->kind)
        return p->kind < q->kind;
    if (p_known != q_known)
        return q_known;
    return p->severity < q->severity;
}

/* The best of a list that was not yet run; SIZE_MAX: there is none. */
static size_t untried(const struct hunt *h, const struct hunt_problem *list, size_t count)
{
    size_t best = SIZE_MAX;

    for (size_t i = 0; i < count; i++) {
        if (list[i].left == 0 || (list[i].kind == PROBLEM_CANDIDATE && map_get(&h->known, list[i].fingerprint)))
            continue;
        if (best == SIZE_MAX || is_better(h, &list[i], &list[best]))
            best = i;
    }
    return best;
}

/* The read to run along next: one that would see what no run has shown, in that state of its thread, comes first; then one whose
 * places were run along least; then the oldest. SIZE_MAX: there is none. */
static size_t untried_read(const struct hunt *h)
{
    size_t best = SIZE_MAX;
    uint64_t least = 0;

    for (size_t i = 0; i < h->reads_count && h->reads_left > 0; i++) {
        const struct hunt_read *read = &h->reads[i];
        uint64_t known = map_get(&h->covered[COVER_READS], read->mark) != 0,
                 cost = known << 32 | map_get(&h->along, read->source);
        if (!read->done && (best == SIZE_MAX || cost < least)) {
            best = i;
            least = cost;
        }
    }
    return best;
}

/* How many runs from the last back showed nothing new. */
static size_t quiet_runs(const struct hunt *h)
{
    size_t quiet = 0;

    while (quiet < h->runs_count && !hunted_something(&h->runs[h->runs_count - 1 - quiet]))
        quiet++;
    return quiet;
}

/* Free runs: few preemptions at random points under random priorities, more of them later, and random slices. The threads of a
 * Java machine run by themselves, with delays, in one run; in the next they get such slices, along a schedule without steps. */
static void choose_free(const struct hunt *h, const struct hunt_settings *settings, uint64_t number,
                        struct hunt_job *job)
{
    static const int changes[] = {-1, 0, 1, 2, 1, -1, 2, 3}; /* -1: random slices */
    int few = changes[number % (sizeof changes / sizeof *changes)];

    job->kind = JOB_FREE;
    job->seed = settings->seed + number;
    job->policy = few < 0 ? policy_slices(h->longest) : policy_few((unsigned)few, h->longest);
    if (settings->java && number % 2) {
        job->parent = 1;
        job->policy = policy_slices(h->longest);
    }
}

/* The run along a problem or towards a candidate. After a read that sees something else, its thread goes on: what it saw has
 * consequences there first. */
static void choose_along(struct hunt_problem *p, size_t at, struct hunt_job *job)
{
    job->kind = p->kind == PROBLEM_CANDIDATE ? JOB_CANDIDATE : JOB_FINDING;
    job->problem = at;
    job->parent = p->run;
    job->fingerprint = p->fingerprint;
    memcpy(job->finding, p->id, sizeof job->finding);
    job->variant = --p->left;
    if (p->kind == PROBLEM_NOTE)
        job->policy = policy_few(0, 0);
}

/* One time its thread goes on after it, one time any. */
static void choose_read(struct hunt *h, const struct hunt_settings *settings, size_t at, struct hunt_job *job)
{
    struct hunt_read *read = &h->reads[at];

    job->kind = JOB_READ;
    job->seed = settings->seed + h->planned;
    job->policy = h->planned & 2 ? policy_few(0, 0) : policy_slices(h->longest);
    job->problem = at;
    job->parent = read->run;
    memcpy(job->finding, read->id, sizeof job->finding);
    read->done = true;
    h->reads_left--;
    ++*map_at(&h->along, read->source);
}

/* The next job; false when nothing is left that could show something new. */
static bool next(struct hunt *h, const struct hunt_settings *settings, struct hunt_job *job)
{
    uint64_t number = h->planned;
    size_t problem = untried(h, h->problems, h->problems_count),
           candidate = untried(h, h->candidates, h->candidates_count), read = SIZE_MAX;
    bool predicted = problem != SIZE_MAX || candidate != SIZE_MAX;

    memset(job, 0, sizeof *job);
    job->run = (uint32_t)number + 1;
    if (number == 1 || (number == 2 && h->unsettled)) {
        job->kind = JOB_REPEAT;
        job->parent = 1;
        return true;
    }
    job->reads = number > 0 && !predicted;
    if (!predicted)
        read = quiet_runs(h) < QUIET_MOST ? untried_read(h) : SIZE_MAX;
    if (read != SIZE_MAX && h->last_read < h->planned) {
        choose_read(h, settings, read, job);
        return true;
    }
    if (!predicted || number % (FREE_EVERY + 1) == FREE_EVERY || number == 0) {
        choose_free(h, settings, h->planned_free, job);
        return predicted || read != SIZE_MAX || quiet_runs(h) < QUIET_ENOUGH;
    }
    if (problem == SIZE_MAX || (candidate != SIZE_MAX && h->problems[problem].kind == PROBLEM_NOTE &&
                                h->last_candidate <= h->last_finding))
        choose_along(&h->candidates[candidate], candidate, job);
    else
        choose_along(&h->problems[problem], problem, job);
    return true;
}

/* Whether enough was merged to plan one more. */
static bool may_plan(const struct hunt *h, const struct hunt_settings *settings)
{
    uint64_t number = h->planned + 1, ahead = 1 + number / AHEAD_SHARE;

    if (settings->most_runs > 0 && h->planned >= settings->most_runs)
        return false;
    return h->runs_count + (ahead < AHEAD_MOST ? ahead : AHEAD_MOST) >= number;
}

void hunt_plan_ahead(struct hunt *h, const struct hunt_settings *settings)
{
    struct hunt_plan plan = {0};

    while (may_plan(h, settings) && next(h, settings, &plan.job)) {
        h->planned++;
        h->planned_free += plan.job.kind == JOB_FREE;
        if (plan.job.kind == JOB_CANDIDATE)
            h->last_candidate = h->planned;
        if (plan.job.kind == JOB_FINDING)
            h->last_finding = h->planned;
        if (plan.job.kind == JOB_READ)
            h->last_read = h->planned;
        ARRAY_PUSH(h, plans, plan);
    }
}
