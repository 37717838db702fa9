/* Refutes a query where reads may see other writes than they saw and waits may be woken by others.
 *
 * First everything is assumed to be as observed. If that is a contradiction, the assumptions that it needs are found
 * by leaving out the others. Every run goes against one of these: each way to do so has to be a contradiction, too. What was
 * refuted in one window is so in every larger one, which goes on where that one could not. */
#include "base/memory.h"
#include "solve/search.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* How often assumptions are left out to see whether they matter, before the rest is taken to matter. */
enum { TRIALS = 24 };

/* Choices that are tried for a run where what is assumed is no contradiction. */
enum { RUN_CHOICES = 16 };

/* Whether the events of `least` after the first `start` contradict each other, with what is assumed. */
static bool contradicts(struct solver *s, const uint32_t *least, event_id start)
{
    uint32_t *cut = memory_new(s->m->thread_count, sizeof *cut);
    uint64_t left = s->left;

    memcpy(cut, least, s->m->thread_count * sizeof *cut);
    memcpy(s->closed, s->cone, s->m->thread_count * sizeof *s->closed);
    search_hand_over(s);
    s->window->assumed_count = 0;
    s->prefix = false;
    s->left = 0;
    bool contradiction = search_cut(s, cut, start) == ANSWER_INFEASIBLE;
    s->left = left;
    free(cut);
    return contradiction;
}

/* The same with nothing assumed. */
static bool contradicts_freely(struct solver *s, const uint32_t *least, event_id start)
{
    s->query.assume = false;
    bool contradiction = contradicts(s, least, start);
    s->query.assume = true;
    return contradiction;
}

void search_leave_open(struct solver *s, event_id e)
{
    if (!s->is_free)
        s->is_free = memory_new((size_t)s->m->event_count + 1, sizeof *s->is_free);
    if (s->is_free[e])
        return;
    s->is_free[e] = 1;
    ARRAY_PUSH(s, freed, e);
}

void search_close_again(struct solver *s, size_t count)
{
    assert(count <= s->freed_count);
    while (s->freed_count > count)
        s->is_free[s->freed[--s->freed_count]] = 0;
}

/* What was assumed, each once, in the order of the window. */
static void take_assumed(struct proof_step *c, const struct window *w)
{
    struct map known = {0};

    c->items_count = 0;
    for (size_t i = 0; i < w->assumed_count; i++) {
        uint32_t *seen = map_at(&known, w->assumed[i]);
        if (!*seen)
            ARRAY_PUSH(c, items, w->assumed[i]);
        *seen = 1;
    }
    map_free(&known);
}

/* Leaves out as many assumptions as can be: half of them at a time, then fewer, but not all. Where one is left out the window may
 * grow further than before, and have others: what counts is what the last contradiction has. */
static void reduce(struct solver *s, const uint32_t *least, event_id start, struct proof_step *c)
{
    unsigned trials = 0;

    for (size_t part = (c->items_count + 1) / 2; part > 0 && trials < TRIALS && s->work > 0; part /= 2) {
        for (size_t at = 0; at < c->items_count && trials < TRIALS && s->work > 0; trials++) {
            size_t count = at + part < c->items_count ? part : c->items_count - at;
            if (count == c->items_count)
                break;
            size_t before = s->freed_count;
            for (size_t i = 0; i < count; i++)
                search_leave_open(s, c->items[at + i]);
            if (contradicts(s, least, start)) {
                take_assumed(c, s->window);
            } else {
                search_close_again(s, before);
                at += count;
            }
        }
    }
}

struct way_attempt {
    struct solver *s;
    const uint32_t *least;
    event_id start, item;
    size_t depth;
    uint32_t ways;
};

static void contain(const struct model *m, uint32_t *least, event_id e)
{
    if (least[thread_of(m, e)] <= m->position[e])
        least[thread_of(m, e)] = m->position[e] + 1;
}

static bool refute_at(struct solver *s, size_t depth, const uint32_t *least, event_id start);

/* Whether the item with another write, or notify, is a contradiction, too. */
static bool refute_with(void *context, event_id from)
{
    struct way_attempt *a = context;
    struct solver *s = a->s;
    const struct model *m = s->m;

    if (++a->ways <= s->proof[a->depth].ways ||
        (from != EVENT_INIT && m->position[from] >= s->query.most[thread_of(m, from)]))
        return true;
    if (s->left == 0 || s->work == 0 || *s->stop)
        return false;
    s->left--;
    uint32_t *grown = memory_new(m->thread_count, sizeof *grown);
    memcpy(grown, a->least, m->thread_count * sizeof *grown);
    contain(m, grown, a->item);
    if (from != EVENT_INIT)
        contain(m, grown, from);
    size_t pins = s->pins_count;
    search_pin(s, (struct pin){a->item, from, true, false});
    bool refuted = refute_at(s, a->depth + 1, grown, a->start);
    assert(s->pins_count == pins + 1);
    search_unpin(s);
    free(grown);
    if (refuted)
        s->proof[a->depth].ways = a->ways;
    return refuted;
}

static bool refute_item(struct solver *s, size_t depth, const uint32_t *least, event_id start, event_id item)
{
    const struct model *m = s->m;
    struct way_attempt a = {s, least, start, item, depth, 0};
    bool any = m->grounds && m->source[item] != EVENT_NONE && m->first_at[item] < m->plain_at[item];

    return search_alternatives(m, item, any, refute_with, &a);
}

/* What is pinned does not contradict what is assumed. If there is a run, most reads are as observed in it, so it is
 * looked for among those that keep to what is assumed. */
static void look_for_run(struct solver *s, const uint32_t *least, event_id start)
{
    uint64_t left = s->left;

    if (s->pins_count == 0 || s->found || s->work == 0 || *s->stop)
        return; /* with nothing pinned there is no run of the observed order */
    s->prefix = true;
    s->left = RUN_CHOICES;
    s->found = search_run(s, least, start) == ANSWER_FEASIBLE;
    s->left = left;
}

/* Finds what a contradiction with what is pinned needs; false if there is none. */
static bool find_core(struct solver *s, const uint32_t *least, event_id start)
{
    size_t freed = s->freed_count;

    if (!contradicts(s, least, start)) {
        look_for_run(s, least, start);
        return false;
    }
    if (s->proof_count == s->proof_capacity) {
        s->proof = memory_grow(s->proof, &s->proof_capacity, s->proof_count + 1, sizeof *s->proof);
        memset(s->proof + s->proof_count, 0, (s->proof_capacity - s->proof_count) * sizeof *s->proof);
    }
    struct proof_step *step = &s->proof[s->proof_count++];
    take_assumed(step, s->window);
    if (step->items_count > 0 && contradicts_freely(s, least, start))
        step->items_count = 0;
    reduce(s, least, start, step);
    search_close_again(s, freed);
    step->refuted = 0;
    step->ways = 0;
    return true;
}

/* The same at some depth of the proof, whose steps up to there are about what is pinned. */
static bool refute_at(struct solver *s, size_t depth, const uint32_t *least, event_id start)
{
    size_t pins = s->pins_count;
    bool refuted = true;

    assert(depth <= s->proof_count);
    if (depth == s->proof_count && !find_core(s, least, start))
        return false;
    for (size_t i = 0; i < s->proof[depth].items_count && refuted; i++) {
        event_id item = s->proof[depth].items[i];
        event_id observed =
            s->m->source[item] == EVENT_NONE ? model_wait(s->m, item)->notify : s->m->source[item];
        if (i == s->proof[depth].refuted) {
            refuted = refute_item(s, depth, least, start, item);
            s->proof[depth].refuted += refuted;
            s->proof[depth].ways = refuted ? 0 : s->proof[depth].ways;
        }
        search_pin(s, (struct pin){item, observed, true, true});
    }
    while (s->pins_count > pins)
        search_unpin(s);
    if (refuted)
        s->proof_count = depth;
    return refuted;
}

bool search_refutes(struct solver *s, event_id start)
{
    assert(s->pins_count == 0 && s->freed_count == 0);
    if (s->proof_count > 0 && contradicts_freely(s, s->cone, start))
        return true;
    return refute_at(s, 0, s->cone, start);
}
