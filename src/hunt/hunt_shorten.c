/* Shorter schedules, by running them.
 *
 * For what happened: first, how many steps from the start it takes until the rest goes wrong by itself, by bisection. What comes after
 * them runs without preemption. Then each of those steps is left out in turn, from the last. A run that ends the same way with
 * fewer changes from thread to thread, or with as many and earlier, gives the schedule to go on from.
 *
 * For what is predicted: of all runs that predict it the one whose schedule has the fewest changes from thread to thread, made shorter
 * still as far as the schedule checker accepts it, and run once more. It counts if that run shows the problem. */
#include "hunt/hunt.h"

#include <string.h>

enum { TRIALS = 24, CONFIRMATIONS = 4 }; /* for a problem that happened; that is predicted */

/* Begins with the next problem that happened. */
static bool open_problem(const struct hunt *h, struct hunt_shortening *s)
{
    while (s->problem < h->problems_count && h->problems[s->problem].kind != PROBLEM_HAPPENED)
        s->problem++;
    if (s->problem == h->problems_count)
        return false;
    s->base = h->problems[s->problem].run;
    s->low = 0;
    s->high = h->problems[s->problem].switches + 1;
    s->drop = 0;
    return true;
}

/* Along the shortest schedule of what is predicted: from the run that predicts it best, then from the first; a race in both orders. */
static bool next_confirmation(const struct hunt *h, struct hunt_shortening *s, struct hunt_job *job)
{
    for (; s->problem < h->problems_count; s->problem++, s->runs = 0) {
        const struct hunt_problem *p = &h->problems[s->problem];
        for (; p->kind == PROBLEM_PREDICTED && p->scheduled && s->runs < CONFIRMATIONS; s->runs++) {
            bool better = s->runs < CONFIRMATIONS / 2;
            int variant = (int)(s->runs % 2);
            if ((better && !p->better_run) || (variant && p->property != PROPERTY_RACE))
                continue;
            *job = (struct hunt_job){.kind = JOB_CONFIRM,
                                     .parent = better ? p->better_run : p->run,
                                     .problem = s->problem,
                                     .fingerprint = p->fingerprint,
                                     .variant = variant};
            memcpy(job->finding, better ? p->better_id : p->id, sizeof job->finding);
            return true;
        }
    }
    return false;
}

bool hunt_shorten_next(const struct hunt *h, struct hunt_shortening *s, struct hunt_job *job)
{
    if (s->predicted)
        return next_confirmation(h, s, job);
    if (s->base == 0 && !open_problem(h, s)) {
        s->predicted = true;
        s->problem = 0;
        s->runs = 0;
        return next_confirmation(h, s, job);
    }
    if (s->runs >= TRIALS || (s->low >= s->high && s->drop == 1)) {
        s->problem++;
        s->base = 0;
        s->runs = 0;
        return hunt_shorten_next(h, s, job);
    }
    *job = (struct hunt_job){.kind = JOB_SHORTEN, .parent = s->base, .problem = s->problem};
    if (s->low < s->high) {
        job->keep = s->low + (s->high - s->low) / 2;
    } else {
        s->drop = s->drop ? s->drop - 1 : s->high > 0 ? s->high : 1;
        job->keep = s->high;
        job->drop = s->drop;
    }
    return true;
}

/* What came of running along the schedule of a prediction. */
static void take_confirmation(struct hunt_problem *p, struct hunt_shortening *s, const struct hunt_job *job,
                              const struct hunt_end *end)
{
    s->runs++;
    if (!end->ran || !end->confirmed)
        return;
    p->run = job->parent;
    memcpy(p->id, job->finding, sizeof p->id);
    p->switches = end->switches;
    p->shortened = p->confirmed = true;
    memcpy(p->outcome, end->words, sizeof p->outcome);
    s->runs = CONFIRMATIONS;
}

void hunt_shorten_take(struct hunt *h, struct hunt_shortening *s, const struct hunt_job *job,
                       const struct hunt_end *end)
{
    struct hunt_problem *p = &h->problems[s->problem];
    bool same = end->ran && hunt_end_fingerprint(end) == p->fingerprint;
    bool shorter =
        same && (end->switches < p->switches || (end->switches == p->switches && end->ticks < p->ticks));

    if (s->predicted) {
        take_confirmation(p, s, job, end);
        return;
    }
    s->runs++;
    if (s->low < s->high && !job->drop) {
        if (same)
            s->high = job->keep;
        else
            s->low = job->keep + 1;
    }
    if (!shorter)
        return;
    p->run = job->run;
    p->switches = end->switches;
    p->ticks = end->ticks;
    if (job->drop) { /* steps have other numbers now: those after the one left out were tried already */
        s->base = job->run;
        s->high = s->low = s->high - 1;
    }
}
