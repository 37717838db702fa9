/* Puts all critical sections in order, depth first, the order observed first. */
#include "method/graph/section_order.h"
#include "base/memory.h"
#include "method/graph/reach.h"

#include <stdlib.h>

struct lock_search {
    const struct model *m;
    struct reach reach;
    uint64_t left;
};

struct lock_search *lock_search_new(const struct model *m)
{
    struct lock_search *s = memory_new(1, sizeof *s);

    s->m = m;
    reach_init(&s->reach, m);
    return s;
}

void lock_search_free(struct lock_search *s)
{
    reach_free(&s->reach);
    free(s);
}

/* Two sections of a lock that are not in order yet; false when there are none. */
static bool find_unordered(const struct reach *r, const struct section **earlier, const struct section **later)
{
    const struct model *m = r->m;

    for (size_t i = 0; i < r->tracks.list_count; i++) {
        const struct track *track = &r->tracks.list[i];
        for (size_t s = 0; s < track->sections_count; s++) {
            for (uint32_t k = 0; k < track->rival_count; k++) {
                size_t bound = track->bounds + s * track->rival_count + k;
                const struct track *rival = &r->tracks.list[r->tracks.rivals[track->first_rival + k]];
                if (r->before[bound] >= r->after[bound])
                    continue;
                const struct section *p = &m->sections[track->sections[s]];
                const struct section *q = &m->sections[rival->sections[r->before[bound]]];
                *earlier = p->acquire < q->acquire ? p : q;
                *later = p->acquire < q->acquire ? q : p;
                return true;
            }
        }
    }
    return false;
}

static enum lock_answer search(struct lock_search *s);

/* One section before another, and the rest in any order. */
static enum lock_answer try_order(struct lock_search *s, const struct section *first,
                                  const struct section *second)
{
    struct reach_mark mark = reach_mark(&s->reach);
    enum lock_answer answer = LOCKS_CYCLIC;

    if (first->release != EVENT_NONE && reach_add(&s->reach, first->release, second->acquire))
        answer = search(s);
    reach_undo(&s->reach, mark);
    return answer;
}

static enum lock_answer search(struct lock_search *s)
{
    const struct section *earlier, *later;

    if (!find_unordered(&s->reach, &earlier, &later))
        return LOCKS_ORDERED;
    if (s->left == 0)
        return LOCKS_UNKNOWN;
    s->left--;
    enum lock_answer answer = try_order(s, earlier, later);
    return answer == LOCKS_CYCLIC ? try_order(s, later, earlier) : answer;
}

/* A try-lock fails while somebody else holds the lock exclusively. */
static bool add_tries(struct reach *r)
{
    const struct model *m = r->m;

    for (event_id e = 1; e <= m->event_count; e++) {
        struct event_span required =
            kind_of(m, e) == EVENT_TRY_FAIL ? model_required(m, e) : (struct event_span){0};
        for (size_t i = 0; i < required.count; i++) { /* the fork of the thread may be one of them */
            event_id holder = required.events[i];
            uint32_t section = kind_of(m, holder) == EVENT_ACQUIRE ? model_section_of(m, holder) : SECTION_NONE;
            if (section != SECTION_NONE && m->sections[section].release != EVENT_NONE &&
                !reach_add(r, e, m->sections[section].release))
                return false;
        }
    }
    return true;
}

enum lock_answer lock_search_order(struct lock_search *s, const struct witness *w, bool tries, uint64_t budget)
{
    struct reach_mark mark = reach_mark(&s->reach);
    struct ordered_pair pairs[3];
    unsigned count = witness_pairs(w, pairs);
    bool possible = !witness_is_absurd(w);
    enum lock_answer answer = LOCKS_CYCLIC;

    s->left = budget;
    reach_without_couple(&s->reach, w->read);
    for (unsigned i = 0; i < count && possible; i++)
        possible = reach_add(&s->reach, pairs[i].before, pairs[i].after);
    if (possible && (!tries || add_tries(&s->reach)))
        answer = search(s);
    reach_undo(&s->reach, mark);
    return answer;
}
