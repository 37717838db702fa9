/* The search for a run where values count: soft reads are free at first, and told what to see where that goes
 * wrong. */
#include "base/memory.h"
#include "solve/search.h"

#include <stdlib.h>
#include <string.h>

/* `least`, and all of the first `start` events; false if the query's threads stop before. */
static bool cut_with_prefix(const struct solver *s, uint32_t *cut, const uint32_t *least, event_id start)
{
    const struct model *m = s->m;

    for (thread_id t = 0; t < m->thread_count; t++) {
        uint32_t seen = start == 0 ? 0 : thread_count_up_to(m, t, start);
        cut[t] = seen > least[t] ? seen : least[t];
        if (cut[t] > s->query.most[t])
            return false;
    }
    return true;
}

/* A read is to see `from`; if that is an rmw, it must have seen its own source, and so on. */
static void contain_source(const struct model *m, uint32_t *cut, event_id from)
{
    while (from != EVENT_INIT) {
        thread_id t = thread_of(m, from);
        if (cut[t] <= m->position[from])
            cut[t] = m->position[from] + 1;
        if (m->source[from] == EVENT_NONE || is_soft(m, from))
            return;
        from = m->source[from];
    }
}

/* The run found lets the soft read `wrong` see what it must not. Tells it to see each write that will do, in
 * turn. */
static enum answer try_sources(struct solver *s, const uint32_t *least, event_id start, event_id wrong)
{
    const struct model *m = s->m;
    struct event_span accesses = accesses_of(m, arg_of(m, wrong));
    uint32_t *grown = memory_new(m->thread_count, sizeof *grown);
    enum answer answer = ANSWER_INFEASIBLE;

    ARRAY_PUSH(s, sights, (struct sight){wrong, EVENT_INIT});
    for (size_t i = 0; i <= accesses.count && answer != ANSWER_FEASIBLE; i++) {
        event_id from = i == accesses.count ? EVENT_INIT : accesses.events[i];
        if (from == wrong || !kind_writes(kind_of(m, from)) || !model_same_value(m, from, wrong))
            continue;
        if (s->left == 0 || *s->stop) {
            answer = ANSWER_UNDECIDED;
            break;
        }
        s->left--;
        s->sights[s->sights_count - 1].from = from;
        memcpy(grown, least, m->thread_count * sizeof *grown);
        contain_source(m, grown, from);
        enum answer sub = search_sights(s, grown, start);
        answer = sub == ANSWER_INFEASIBLE ? answer : sub;
    }
    s->sights_count--;
    free(grown);
    return answer;
}

/* The same, with the thread of `wrong` stopping where that read is free, or before it. */
static enum answer try_stop(struct solver *s, const uint32_t *least, event_id start, event_id wrong)
{
    thread_id t = thread_of(s->m, wrong);
    uint32_t *most = &s->query.most[t], saved = *most;
    uint32_t stop = s->m->position[wrong] + !s->query.keep[t];
    enum answer answer = ANSWER_INFEASIBLE;

    if (least[t] <= stop && stop < saved) {
        *most = stop;
        answer = search_sights(s, least, start);
        *most = saved;
    }
    return answer;
}

/* Whether there is a run that holds `least` and takes the first `start` events as observed. Where values count,
 * soft reads are free at first; one that sees something wrong is told what to see. */
enum answer search_sights(struct solver *s, const uint32_t *least, event_id start)
{
    const struct model *m = s->m;
    uint32_t *cut = memory_new(m->thread_count, sizeof *cut);
    enum answer answer = ANSWER_INFEASIBLE;
    event_id wrong = EVENT_NONE;

    s->query.sights = s->sights;
    s->query.sight_count = s->sights_count;
    if (cut_with_prefix(s, cut, least, start))
        answer = search_cut(s, cut, start);
    if (m->soft && answer == ANSWER_FEASIBLE)
        wrong = sight_check_run(s->sight_check, &s->query, s->window->high, start, s->order, s->window->nodes);
    free(cut);
    if (wrong == EVENT_NONE)
        return answer;
    if (wrong == EVENT_INIT)
        return ANSWER_UNDECIDED; /* no read can be told to mend it */

    s->chosen = true;
    answer = try_stop(s, least, start, wrong);
    if (answer == ANSWER_FEASIBLE)
        return answer;
    enum answer bound = try_sources(s, least, start, wrong);
    return bound == ANSWER_INFEASIBLE ? answer : bound;
}
