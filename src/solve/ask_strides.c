/* Asks how far threads can come, and for a run in strides. */
#include "solve/ask.h"

/* How many steps a search in strides takes at most: for each event from the start of its run to the last that it needs, and
 * besides; and what a step costs, in vectors of clocks. */
enum { STRIDE_EVENT = 4, STRIDE_STEPS = 1000, STRIDE_COST = 8, STRIDE_WORK = 10000 };

/* What it costs to look how far threads can come, for each event; it is not charged, as it depends on what was looked at before. */
enum { CLIMB_COST = 4 };

/* Where nobody could go on, other ways may take so many steps for each event, and such a part of the work that is left. */
enum { AGAIN_EVENT = 16, AGAIN_SHARE = 16 };

bool ask_in_strides(struct solver *s, enum strides how, struct verdict *v)
{
    const struct model *m = s->m;
    bool again = how != STRIDES_ONCE;
    event_id start = ask_start(s, s->query.start - 1), last = start;
    struct event_span run;
    uint64_t steps;

    for (thread_id t = 0; t < m->thread_count; t++)
        if (s->cone[t] > 0 && event_at(m, t, s->cone[t] - 1) > last)
            last = event_at(m, t, s->cone[t] - 1);
    uint64_t most = (uint64_t)(last - start) * STRIDE_EVENT + STRIDE_STEPS;
    if (s->m->grounds ? s->work <= STRIDE_WORK : most > s->work / (s->window->row / ROW_UNIT)) {
        s->curbed = true;
        return false; /* that is for when it may cost more */
    }
    if (!s->climb) {
        s->climb = climb_new(m);
        s->strider = strider_new(m);
        s->vain = stride_vain_new(m);
    }
    uint64_t allowed = s->work / STRIDE_COST > STRIDE_STEPS ? s->work / STRIDE_COST : STRIDE_STEPS,
             more = again ? (uint64_t)(last - start) * AGAIN_EVENT : 0,
             share = s->work / STRIDE_COST / AGAIN_SHARE;
    more = more < share ? more : share;
    s->is_vain = again && stride_vain_knows(s->vain, &s->query, s->cone, more);
    bool climbs = how != STRIDES_AGAIN && !(s->is_vain && last - start > s->work / CLIMB_COST);
    if (climbs && climb_refutes(s->climb, &s->query, s->cone))
        return ask_settle(s, v, ask_refuted(REFUTED_CYCLE));
    if (s->is_vain) {
        s->curbed |= more == share || !climbs;
        return false;
    }
    bool found = stride_run(s->strider, &s->query, s->cone, &start, most < allowed ? most : allowed, more,
                            &steps, &run),
         curbed = steps >= (again ? share : allowed);
    s->window->effort += steps * STRIDE_COST;
    s->curbed |= curbed;
    if (again && !found)
        stride_vain_note(s->vain, &s->query, s->cone, curbed ? more : UINT64_MAX);
    search_charge(s);
    return found && ask_settle(s, v, ask_found(s, start, run));
}
