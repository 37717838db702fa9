/* Shorter schedules for what happened, by running parts of them.
 *
 * First: how many steps from the start it takes until the rest goes wrong by itself, by bisection. What comes after
 * them runs without preemption. Then each of those steps is left out in turn, from the last. A run that ends the same way with
 * fewer changes from thread to thread, or with as many and earlier, gives the schedule to go on from. */
#include "hunt/hunt.h"

enum { TRIALS = 24 }; /* for a problem */

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

bool hunt_shorten_next(const struct hunt *h, struct hunt_shortening *s, struct hunt_job *job)
{
    if (s->base == 0 && !open_problem(h, s))
        return false;
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

void hunt_shorten_take(struct hunt *h, struct hunt_shortening *s, const struct hunt_job *job,
                       const struct hunt_end *end)
{
    struct hunt_problem *p = &h->problems[s->problem];
    bool same = end->ran && hunt_end_fingerprint(end) == p->fingerprint;
    bool shorter =
        same && (end->switches < p->switches || (end->switches == p->switches && end->ticks < p->ticks));

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
