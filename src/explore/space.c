/* Steps: the moves of a thread up to what others may notice, and what it sees on the way. */
#include "explore/space.h"
#include "base/memory.h"
#include "explore/moves.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void space_start(const struct space *s, uint32_t *state)
{
    memset(state, 0, s->words * sizeof *state);
    for (size_t t = 0; t < s->threads; t++)
        state[t] = NODE_NONE;
    assert(s->threads > 0 && s->threads <= EXPLORE_THREADS);
    state[0] = s->history->threads[0].root;
}

uint32_t space_sight(const struct space *s, const uint32_t *words, size_t count)
{
    return names_find(&s->history->sights, (const char *)words, count * sizeof *words);
}

/* The writes of others that a read would be of now; as learn.c has it, by cells. */
static uint32_t look(const struct space *s, const uint32_t *state, uint32_t thread, uint32_t move)
{
    const struct touch *t = &s->touches[move];
    const uint32_t *writers = state + state_cells(s) + t->first_cell;
    const struct move *m = &s->history->moves[move];
    assert(t->first_cell + (size_t)t->cell_count <= s->cells_count);
    uint32_t few[48] = {0},
             *words = t->cell_count * 3 <= 48 ? few : memory_new(t->cell_count * 3, sizeof *words);
    uint32_t sight, run = 0;
    uint64_t end = 0;
    size_t count = 0;

    for (uint32_t c = 0; c < t->cell_count; c++) {
        const struct cell_range *cell = &s->cells[t->first_cell + c];
        uint32_t writer = writers[c];
        if (writer && s->history->nodes[writer - 1].thread == thread)
            writer = 0;
        assert(cell->start < cell->end && cell->start >= m->at && (c == 0 || cell->start >= end));
        if (writer && writer == run && cell->start == end) {
            words[count - 2] += (uint32_t)(cell->end - cell->start);
        } else if (writer) {
            words[count++] = (uint32_t)(cell->start - m->at);
            words[count++] = (uint32_t)(cell->end - cell->start);
            words[count++] = writer - 1;
        }
        run = writer;
        end = cell->end;
    }
    sight = space_sight(s, words, count);
    if (words != few)
        free(words);
    return sight;
}

static bool looks(const struct move *m)
{
    return m->kind == MOVE_READ || m->kind == MOVE_ATOMIC;
}

/* Whether one more round would show what the last one showed. */
static bool sees_the_same(const struct space *s, uint32_t *state, uint32_t thread, uint32_t node)
{
    const struct history *h = s->history;
    unsigned round = h->nodes[node].round;

    if (round == 0 || h->nodes[node].next != h->nodes[history_back(h, node, round - 1)].move)
        return false;
    for (unsigned i = 0; i < round; i++) {
        const struct node *n = &h->nodes[node];
        uint32_t result, sight;
        if (looks(&h->moves[n->move]))
            sight = look(s, state, thread, n->move);
        else if (move_see(s, state, thread, n->move, VARIANT_NONE, &result) == STEPPED_DONE)
            sight = space_sight(s, &result, 1);
        else
            return false;
        if (sight != n->sight)
            return false;
        node = n->parent;
    }
    return true;
}

/* The node that the move leads to; NODE_NONE: never seen. */
static uint32_t follow(const struct space *s, uint32_t *state, uint32_t thread, uint32_t node, uint32_t result)
{
    const struct history *h = s->history;
    uint32_t move = h->nodes[node].next, sight;

    assert(move != MOVE_NONE);
    if (h->moves[move].kind == MOVE_INPUT || result == UINT32_MAX)
        return h->nodes[node].first_child;
    sight = looks(&h->moves[move]) ? look(s, state, thread, move) : space_sight(s, &result, 1);
    return sight == NAME_NONE ? NODE_NONE : history_child(h, node, sight);
}

enum stepped space_step(const struct space *s, uint32_t *state, uint32_t thread, uint32_t variant, uint32_t *at)
{
    const struct history *h = s->history;
    uint32_t node = state[thread], child, move, result;
    bool first = true;

    assert(thread < s->threads && (node == NODE_NONE || h->nodes[node].thread == thread));
    *at = node;
    if (node == NODE_NONE)
        return STEPPED_OVER;
    if (sees_the_same(s, state, thread, node))
        return STEPPED_CUT;
    for (;; first = false) {
        enum stepped now;
        move = h->nodes[node].next;
        if (!first && (move == MOVE_NONE || !move_glued(&h->moves[move])))
            return STEPPED_DONE;
        if (move == MOVE_NONE)
            return STEPPED_UNKNOWN;
        if (h->moves[move].kind == MOVE_END || h->moves[move].kind == MOVE_EXIT)
            return h->moves[move].kind == MOVE_END ? STEPPED_OVER : STEPPED_EXIT;
        now = move_see(s, state, thread, move, variant, &result);
        if (now != STEPPED_DONE)
            return now;
        child = follow(s, state, thread, node, result);
        if (child == NODE_NONE)
            return STEPPED_UNKNOWN;
        move_act(s, state, thread, move, child, variant);
        *at = node = state[thread] = child;
    }
}

size_t space_variants(const struct space *s, const uint32_t *state, uint32_t thread,
                      uint32_t variants[EXPLORE_THREADS])
{
    uint32_t move = s->history->nodes[state[thread]].next;
    size_t count = 0;

    assert(thread < s->threads && move != MOVE_NONE);
    if (s->history->moves[move].kind == MOVE_NOTIFY)
        for (uint32_t t = 0; t < s->threads; t++)
            if (state[s->threads + t] == s->touches[move].object)
                variants[count++] = t + 1;
    if (count == 0)
        variants[count++] = VARIANT_NONE;
    assert(count <= EXPLORE_THREADS);
    return count;
}

bool space_timed(const struct space *s, const uint32_t *state, uint32_t thread)
{
    uint32_t node = state[thread], move = node == NODE_NONE ? MOVE_NONE : s->history->nodes[node].next;
    const struct move *m = move == MOVE_NONE ? NULL : &s->history->moves[move];

    return m && (m->kind == MOVE_TIMED || m->kind == MOVE_TAKE_TIMED || (m->kind == MOVE_WAKE && m->value));
}

uint32_t space_condition(const struct space *s, uint32_t node)
{
    const struct history *h = s->history;
    uint32_t before = h->nodes[node].parent; /* wait, release */

    if (before == NODE_NONE || h->nodes[before].move == MOVE_NONE ||
        h->moves[h->nodes[before].move].kind != MOVE_WAIT)
        return 0;
    return s->touches[h->nodes[before].move].object;
}
