/* Persistent sets from what threads may touch. */
#include "explore/persistent.h"
#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static size_t set_words(const struct reduction *r)
{
    return 3 * r->plane + 1;
}

/* Sets are kept as names, which are not aligned. */
static uint64_t word_at(const char *set, size_t i)
{
    uint64_t word;

    memcpy(&word, set + 8 * i, 8);
    return word;
}

static void join(const struct reduction *r, uint64_t *to, uint32_t id)
{
    const char *from = names_text(&r->sets, id);

    assert(id < names_count(&r->sets) && names_length(&r->sets, id) == set_words(r) * sizeof *to);
    for (size_t i = 0; i < set_words(r); i++)
        to[i] |= word_at(from, i);
}

static void add_bit(uint64_t *plane, uint32_t bit)
{
    plane[bit / 64] |= UINT64_C(1) << bit % 64;
}

static void add_move(const struct reduction *r, uint32_t move, uint64_t *to)
{
    const struct space *s = r->space;
    const struct move *m = &s->history->moves[move];
    const struct touch *t = &s->touches[move];

    assert(t->first_cell + (size_t)t->cell_count <= r->plane * 64);
    assert(t->object <= r->plane * 64 && t->stream <= r->plane * 64);
    for (uint32_t c = t->first_cell; c < t->first_cell + t->cell_count; c++) {
        if (m->kind != MOVE_WRITE)
            add_bit(to, c);
        if (s->writes[move])
            add_bit(to + r->plane, c);
    }
    if (t->object)
        add_bit(to + 2 * r->plane, t->object - 1);
    if (t->stream)
        add_bit(to + 2 * r->plane, t->stream - 1);
    if (m->kind == MOVE_EXIT)
        to[3 * r->plane] = 1;
}

/* What the move after the node touches, or needs to have happened. */
static void add_next(const struct reduction *r, uint32_t node, uint64_t *to)
{
    const struct history *h = r->space->history;
    uint32_t next = h->nodes[node].next, condition;

    add_move(r, next, to);
    if (h->moves[next].kind == MOVE_WAKE && (condition = space_condition(r->space, node)))
        add_bit(to + 2 * r->plane, condition - 1);
    for (unsigned i = h->nodes[node].round; i > 0; i--) { /* a change of any of these lets it go on */
        assert(node != NODE_NONE && h->nodes[node].move != MOVE_NONE);
        add_move(r, h->nodes[node].move, to);
        node = h->nodes[node].parent;
    }
}

static uint32_t keep(struct reduction *r, const uint64_t *set)
{
    return names_add(&r->sets, (const char *)set, set_words(r) * sizeof *set);
}

/* Sets of one node; those of its children and of the threads it makes are there. */
static void build_node(struct reduction *r, uint32_t node, uint64_t *set)
{
    const struct history *h = r->space->history;
    const struct node *n = &h->nodes[node];
    const struct move *m = n->next == MOVE_NONE ? NULL : &h->moves[n->next];

    assert(node < r->nodes && (n->first_child == NODE_NONE || n->first_child > node));
    memset(set, 0, set_words(r) * sizeof *set);
    if (m)
        add_next(r, node, set);
    for (uint32_t c = n->first_child; c != NODE_NONE; c = h->nodes[c].next_sibling)
        if (h->nodes[c].next != MOVE_NONE && move_glued(&h->moves[h->nodes[c].next]))
            join(r, set, r->steps[c]);
    r->steps[node] = keep(r, set);
    for (uint32_t v = 0; v <= r->space->threads; v++) {
        uint32_t *futures = r->futures + v * r->nodes;
        memset(set, 0, set_words(r) * sizeof *set);
        if (m && !(m->kind == MOVE_JOIN && m->at == v)) {
            add_next(r, node, set);
            for (uint32_t c = n->first_child; c != NODE_NONE; c = h->nodes[c].next_sibling)
                join(r, set, futures[c]);
            if (m->kind == MOVE_FORK)
                join(r, set, futures[h->threads[m->at].root]);
        }
        futures[node] = keep(r, set);
    }
}

void reduction_build(struct reduction *r, const struct space *s)
{
    const struct history *h = s->history;
    size_t widest = s->cells_count > s->objects_count ? s->cells_count : s->objects_count;
    uint32_t *order = memory_new(h->nodes_count + 1, sizeof *order), *start;
    uint64_t *set;

    memset(r, 0, sizeof *r);
    r->space = s;
    r->plane = widest / 64 + 1;
    r->nodes = h->nodes_count;
    names_init(&r->sets);
    r->steps = memory_new(r->nodes + 1, sizeof *r->steps);
    r->futures = memory_new(r->nodes * (s->threads + 1) + 1, sizeof *r->futures);
    set = memory_new(set_words(r), sizeof *set);
    /* Threads are numbered after their makers, nodes after their parents: backwards, what a set needs is there.
     */
    start = memory_new(s->threads + 2, sizeof *start);
    for (size_t n = 0; n < r->nodes; n++)
        start[h->nodes[n].thread + 1]++;
    for (size_t t = 1; t <= s->threads; t++)
        start[t] += start[t - 1];
    for (size_t n = 0; n < r->nodes; n++)
        order[start[h->nodes[n].thread]++] = (uint32_t)n;
    for (size_t i = r->nodes; i-- > 0;)
        build_node(r, order[i], set);
    free(order);
    free(start);
    free(set);
}

void reduction_free(struct reduction *r)
{
    names_free(&r->sets);
    free(r->steps);
    free(r->futures);
    memset(r, 0, sizeof *r);
}

/* Whether a step may have to come before or after something of that future. */
static bool conflict(const struct reduction *r, uint32_t step, uint32_t future)
{
    const char *a = names_text(&r->sets, step), *b = names_text(&r->sets, future);
    size_t p = r->plane;
    bool any = word_at(a, 3 * p), more = word_at(b, 3 * p);

    for (size_t i = 0; i < p; i++) {
        uint64_t read = word_at(a, i), written = word_at(a, p + i), object = word_at(a, 2 * p + i);
        any |= read || written || object;
        if ((read & word_at(b, p + i)) || (written & (word_at(b, i) | word_at(b, p + i))) ||
            (object & word_at(b, 2 * p + i)))
            return true;
    }
    return (any && more) || word_at(a, 3 * p);
}

/* The least set around a thread that is closed. */
static uint64_t close_over(const struct reduction *r, const uint32_t *state, const enum stepped *steps,
                           uint32_t first)
{
    const struct history *h = r->space->history;
    uint64_t in = UINT64_C(1) << first, done = 0;

    while (in != done) {
        uint32_t t = (uint32_t)__builtin_ctzll(in & ~done), next = h->nodes[state[t]].next;
        done |= UINT64_C(1) << t;
        if (next != MOVE_NONE && h->moves[next].kind == MOVE_JOIN && steps[h->moves[next].at] != STEPPED_OVER)
            in |= UINT64_C(1) << h->moves[next].at;
        for (uint32_t u = 0; u < r->space->threads; u++)
            if (!(in >> u & 1) && steps[u] != STEPPED_OVER &&
                conflict(r, r->steps[state[t]], r->futures[t * r->nodes + state[u]]))
                in |= UINT64_C(1) << u;
    }
    return in;
}

uint64_t reduction_choose(const struct reduction *r, const uint32_t *state, const enum stepped *steps)
{
    uint64_t best = 0;

    for (uint32_t t = 0; t < r->space->threads; t++) {
        uint64_t set;
        if (steps[t] != STEPPED_DONE && steps[t] != STEPPED_EXIT)
            continue;
        set = close_over(r, state, steps, t);
        if (!best || __builtin_popcountll(set) < __builtin_popcountll(best))
            best = set;
        if (__builtin_popcountll(best) == 1)
            break;
    }
    return best;
}

void reduction_live(const struct reduction *r, const uint32_t *state, uint64_t *live)
{
    const uint32_t *futures = r->futures + r->space->threads * r->nodes;

    memset(live, 0, r->plane * sizeof *live);
    for (uint32_t t = 0; t < r->space->threads; t++)
        for (size_t i = 0; i < r->plane && state[t] != NODE_NONE; i++)
            live[i] |= word_at(names_text(&r->sets, futures[state[t]]), i);
}
