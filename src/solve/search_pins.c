/* The search for a run whose reads may see other writes than they saw, and whose waits may be woken by others: all
 * of that is free at first. A run that is found is looked at; what is wrong with it is decided one way or the
 * other, and the search goes on. */
#include "base/memory.h"
#include "model/tokens.h"
#include "solve/search.h"

#include <stdlib.h>
#include <string.h>

/* `least`, and all of the first `start` events; false if the query's threads stop before. The start of a trace is closed, as
 * the cone is, so both together are, but for threads that must be able to go on. */
static bool cut_with_prefix(struct solver *s, uint32_t *cut, const uint32_t *least, event_id start)
{
    const struct model *m = s->m;
    const uint32_t *before = s->prefix ? window_seen(s->window, start) : NULL;

    for (thread_id t = 0; t < m->thread_count; t++) {
        uint32_t seen = before ? before[t] : 0;
        cut[t] = seen > least[t] ? seen : least[t];
        s->closed[t] = seen > s->cone[t] && !s->query.keep[t] ? seen : s->cone[t];
        if (cut[t] > s->query.most[t])
            return false;
    }
    return true;
}

void search_pin(struct solver *s, struct pin pin)
{
    if (!s->pin_of)
        s->pin_of = memory_new((size_t)s->m->event_count + 1, sizeof *s->pin_of);
    ARRAY_PUSH(s, pins, pin);
    if (!s->pin_of[pin.event])
        s->pin_of[pin.event] = (uint32_t)s->pins_count;
}

void search_unpin(struct solver *s)
{
    uint32_t *pin_of = &s->pin_of[s->pins[s->pins_count - 1].event];

    if (*pin_of == s->pins_count)
        *pin_of = 0;
    s->pins_count--;
}

void search_hand_over(struct solver *s)
{
    s->query.pins = s->pins;
    s->query.pin_of = s->pin_of;
    s->query.pin_count = s->pins_count;
    s->query.free = s->is_free;
}

static bool contain(const struct solver *s, uint32_t *least, event_id e)
{
    thread_id t = thread_of(s->m, e);

    if (least[t] <= s->m->position[e])
        least[t] = s->m->position[e] + 1;
    return least[t] <= s->query.most[t];
}

/* One branch of a decision; false when the search is to end with `answer`. */
static bool goes_on(struct solver *s, enum answer *answer)
{
    if (*answer == ANSWER_FEASIBLE)
        return false;
    if (s->left > 0 && s->work > 0 && !*s->stop) {
        s->left--;
        return true;
    }
    *answer = ANSWER_UNDECIDED;
    return false;
}

/* Whether no other branch will change the answer. */
static bool is_settled(const struct solver *s, enum answer answer)
{
    return answer == ANSWER_FEASIBLE ||
           (answer == ANSWER_UNDECIDED && (s->left == 0 || s->work == 0 || *s->stop));
}

static void note(enum answer *answer, enum answer sub)
{
    if (sub != ANSWER_INFEASIBLE)
        *answer = sub;
}

/* The event is not in the run. */
static void try_without(struct solver *s, const uint32_t *least, event_id start, event_id e,
                        enum answer *answer)
{
    thread_id t = thread_of(s->m, e);
    uint32_t *most = &s->query.most[t], saved = *most, position = s->m->position[e];

    if (least[t] > position || position >= saved || !goes_on(s, answer))
        return;
    *most = position;
    note(answer, search_run(s, least, start));
    *most = saved;
}

/* The event and what it is pinned to are in the run. */
static void try_pin(struct solver *s, const uint32_t *least, event_id start, struct pin pin,
                    enum answer *answer)
{
    uint32_t *grown = memory_new(s->m->thread_count, sizeof *grown);

    memcpy(grown, least, s->m->thread_count * sizeof *grown);
    if (contain(s, grown, pin.event) && (pin.from == EVENT_INIT || contain(s, grown, pin.from)) &&
        goes_on(s, answer)) {
        search_pin(s, pin);
        note(answer, search_run(s, grown, start));
        search_unpin(s);
    }
    free(grown);
}

/* The last write to the variable by a group's thread that must come before the read, or EVENT_INIT. */
static event_id known_write(const struct model *m, const struct thread_group *g, event_id read)
{
    thread_id t = thread_of(m, read);
    uint32_t position =
        g->thread == t ? m->position[read] : clocks_forward_row(m, t, m->position[read])[g->thread];
    uint32_t count = group_up_to(m, &m->writes, g, position);

    return count > 0 ? m->writes.events[g->first + count - 1] : EVENT_INIT;
}

/* Whether must-order leaves it open that the read sees the write. */
static bool can_see(const struct model *m, event_id read, event_id write)
{
    variable_id x = arg_of(m, read);

    if ((write != EVENT_INIT && must_before(m, read, write)) || !model_may_see(m, read, write))
        return false;
    for (uint32_t i = m->writes.start ? m->writes.start[x] : 0; m->writes.start && i < m->writes.start[x + 1];
         i++) {
        event_id known = known_write(m, &m->writes.groups[i], read);
        if (known != EVENT_INIT && known != write && (write == EVENT_INIT || must_before(m, write, known)))
            return false;
    }
    return true;
}

static bool read_alternatives(const struct model *m, event_id read, bool any,
                              bool (*found)(void *context, event_id from), void *context)
{
    variable_id x = arg_of(m, read);
    event_id source = m->source[read];

    for (uint32_t i = m->writes.start[x]; i < m->writes.start[x + 1]; i++) {
        const struct thread_group *g = &m->writes.groups[i];
        event_id known = known_write(m, g, read);
        uint32_t k = known == EVENT_INIT ? 0 : group_up_to(m, &m->writes, g, m->position[known]);
        for (; k < g->count; k++) {
            event_id write = m->writes.events[g->first + k];
            if (write != read && must_before(m, read, write))
                break;
            if (write == read || write == source || !(any || model_may_show(m, write, read)) ||
                !can_see(m, read, write))
                continue;
            if (!found(context, write))
                return false;
        }
    }
    if (source == EVENT_INIT || !(any || model_may_show(m, EVENT_INIT, read)) || !can_see(m, read, EVENT_INIT))
        return true;
    return found(context, EVENT_INIT);
}

bool search_alternatives(const struct model *m, event_id e, bool any,
                         bool (*found)(void *context, event_id from), void *context)
{
    if (m->source[e] != EVENT_NONE)
        return read_alternatives(m, e, any, found, context);

    const struct woken_wait *wait = model_wait(m, e);
    uint32_t c = arg_of(m, e);
    for (uint32_t i = m->notifies.start[c]; i < m->notifies.start[c + 1]; i++) {
        const struct thread_group *g = &m->notifies.groups[i];
        for (uint32_t k = 0; k < g->count; k++) {
            event_id notify = m->notifies.events[g->first + k];
            if (notify != wait->notify && !must_before(m, notify, wait->pre) && !must_before(m, e, notify) &&
                !found(context, notify))
                return false;
        }
    }
    return true;
}

/* Whether the write may make the read what the flaw says it must be. */
static bool may_mend(const struct model *m, const struct flaw *flaw, event_id read, event_id write)
{
    variable_id x = arg_of(m, read);

    if (flaw->any || write == m->source[read] || model_may_show(m, write, read))
        return true;
    if (read != flaw->read || flaw->by == EVENT_NONE || !m->grounds || !m->values)
        return false;
    struct ground_list by = trace_by(m->trace, flaw->by);
    for (uint32_t i = 0; by.given && i < by.count; i++) {
        struct ground g = ground_at(&by, i);
        if (g.read == read && g.form == GROUND_RANGES &&
            (known_in_ranges(model_written(m, write, x), g.ranges, g.range_count) ||
             (model_adds(m, write) && model_may_sum_to(m, x, g.ranges, g.range_count))))
            return true;
    }
    return false;
}

static void try_source(struct solver *s, const uint32_t *least, event_id start, const struct flaw *flaw,
                       event_id from, enum answer *answer)
{
    const struct model *m = s->m;
    event_id read = flaw->blamed;

    if (from == read || !may_mend(m, flaw, read, from) || !can_see(m, read, from))
        return;
    if (flaw->kind == FLAW_CAS && read == flaw->read)
        try_pin(s, least, start, (struct pin){read, from, false, false}, answer);
    try_pin(s, least, start, (struct pin){read, from, true, false}, answer);
}

/* The blamed read sees each write that may mend the flaw, in turn; the one it saw first. */
static void try_sources(struct solver *s, const uint32_t *least, event_id start, const struct flaw *flaw,
                        enum answer *answer)
{
    const struct model *m = s->m;
    event_id source = m->source[flaw->blamed];
    struct event_span accesses = accesses_of(m, arg_of(m, flaw->blamed));

    try_source(s, least, start, flaw, source, answer);
    for (size_t i = 0; i < accesses.count && !is_settled(s, *answer); i++)
        if (accesses.events[i] != source && kind_writes(kind_of(m, accesses.events[i])))
            try_source(s, least, start, flaw, accesses.events[i], answer);
    if (source != EVENT_INIT)
        try_source(s, least, start, flaw, EVENT_INIT, answer);
}

/* Each notify of the condition ends the wait, in turn; the one of the trace first. */
static void try_notifies(struct solver *s, const uint32_t *least, event_id start, event_id post,
                         enum answer *answer)
{
    const struct model *m = s->m;
    const struct woken_wait *wait = model_wait(m, post);
    uint32_t c = arg_of(m, post);

    try_pin(s, least, start, (struct pin){post, wait->notify, false, false}, answer);
    for (uint32_t i = m->notifies.start[c]; i < m->notifies.start[c + 1]; i++) {
        const struct thread_group *g = &m->notifies.groups[i];
        for (uint32_t k = 0; k < g->count; k++) {
            event_id notify = m->notifies.events[g->first + k];
            if (notify != wait->notify && !must_before(m, notify, wait->pre) && !must_before(m, post, notify))
                try_pin(s, least, start, (struct pin){post, notify, false, false}, answer);
        }
    }
}

/* No read is to blame in runs of the cut. Another run does without the last event of it in some thread, which the
 * query need not have: a release, say, that was chosen to be there. */
static void try_shorter(struct solver *s, const uint32_t *least, event_id start, const uint32_t *cut,
                        enum answer *answer)
{
    for (thread_id t = 0; t < s->m->thread_count; t++)
        if (cut[t] > least[t] && !(s->prefix && cut[t] <= thread_count_up_to(s->m, t, start)))
            try_without(s, least, start, event_at(s->m, t, cut[t] - 1), answer);
}

/* Decides what is wrong with the run of the cut that was found. */
static enum answer mend(struct solver *s, const uint32_t *least, event_id start, const struct flaw *flaw,
                        const uint32_t *cut)
{
    enum answer answer = ANSWER_INFEASIBLE;

    s->chosen = true;
    if (flaw->kind == FLAW_WAKE && flaw->event != EVENT_NONE)
        try_notifies(s, least, start, flaw->event, &answer);
    else if (flaw->blamed != EVENT_NONE)
        try_sources(s, least, start, flaw, &answer);
    if (flaw->event != EVENT_NONE && answer != ANSWER_FEASIBLE)
        try_without(s, least, start, flaw->event, &answer);
    if (flaw->blamed == EVENT_NONE && flaw->kind != FLAW_WAKE && answer == ANSWER_INFEASIBLE)
        try_shorter(s, least, start, cut, &answer);
    return answer;
}

/* The next post that the run need not hold, of a semaphore that lacked one; or EVENT_NONE. */
static event_id further_post(const struct solver *s, const uint32_t *cut)
{
    const struct model *m = s->m;

    for (uint32_t i = 0; i < trace_names(m->trace, NAME_SEMAPHORE); i++) {
        for (uint32_t k = m->posts.start[i]; s->window->token_lack[i] && k < m->posts.start[i + 1]; k++) {
            const struct thread_group *g = &m->posts.groups[k];
            uint32_t inside = group_up_to(m, &m->posts, g, cut[g->thread]);
            if (inside < group_up_to(m, &m->posts, g, s->query.most[g->thread]))
                return m->posts.events[g->first + inside];
        }
    }
    return EVENT_NONE;
}

/* There is no run with the posts of the cut. Tries to add one; then does without it. */
static enum answer try_posts(struct solver *s, const uint32_t *least, event_id start, event_id post)
{
    uint32_t *grown = memory_new(s->m->thread_count, sizeof *grown);
    enum answer answer = ANSWER_INFEASIBLE;

    s->chosen = true;
    memcpy(grown, least, s->m->thread_count * sizeof *grown);
    if (contain(s, grown, post) && goes_on(s, &answer))
        note(&answer, search_run(s, grown, start));
    if (answer != ANSWER_FEASIBLE)
        try_without(s, least, start, post, &answer);
    free(grown);
    return answer;
}

static void forget_lacks(struct window *w)
{
    if (w->any_lack)
        memset(w->token_lack, 0, trace_names(w->m->trace, NAME_SEMAPHORE) * sizeof *w->token_lack);
    w->any_lack = false;
}

enum answer search_run(struct solver *s, const uint32_t *least, event_id start)
{
    uint32_t *cut = memory_new(s->m->thread_count, sizeof *cut);
    enum answer answer = ANSWER_INFEASIBLE;
    struct flaw flaw = {FLAW_NONE};

    search_hand_over(s);
    forget_lacks(s->window);
    if (cut_with_prefix(s, cut, least, start))
        answer = search_cut(s, cut, start);
    if (answer == ANSWER_FEASIBLE &&
        (!s->query.observed || s->query.test != TEST_NONE || s->m->waits_count > 0))
        flaw = carrier_check(s->carrier, s->window, &s->query, start, s->order);
    event_id post = answer == ANSWER_INFEASIBLE && s->window->any_lack ? further_post(s, cut) : EVENT_NONE;
    if (post != EVENT_NONE) {
        answer = try_posts(s, least, start, post);
    } else if (flaw.kind != FLAW_NONE && s->query.observed) {
        answer = ANSWER_UNDECIDED;
    } else if (flaw.kind != FLAW_NONE) {
        memcpy(cut, s->window->high, s->m->thread_count * sizeof *cut);
        answer = mend(s, least, start, &flaw, cut);
    }
    free(cut);
    return answer;
}
