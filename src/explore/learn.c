/* From the deeds of a run to histories. Where each byte was last written tells what reads see. */
#include "explore/learn.h"
#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

struct learn_pending {
    uint32_t move, sight;
};

/* A thread on its way. Rounds of a loop that only looks, and sees the same as in the two rounds before, are
 * left out: `pending` is the part of one that has been made so far. */
struct learn_cursor {
    uint32_t node;
    struct learn_pending pending[LONGEST_ROUND];
    unsigned pending_count;
    bool folded; /* a round was left out here */
};

struct learner {
    struct history *history;
    struct map writers; /* by byte: node, plus one */
    struct map values;  /* by byte: what a write is known to have left there, plus one */
    struct learn_cursor *cursors;
    size_t cursors_count, cursors_capacity;
    uint32_t *words; /* of a sight */
    size_t words_count, words_capacity;
    struct lesson *lesson;
};

static struct learn_cursor *cursor_of(struct learner *l, uint32_t thread)
{
    assert(thread < l->history->threads_count);
    while (l->cursors_count <= thread) {
        struct learn_cursor new = {.node = l->history->threads[l->cursors_count].root};
        ARRAY_PUSH(l, cursors, new);
    }
    return &l->cursors[thread];
}

/* The writes of others that the bytes are from. */
static uint32_t look(struct learner *l, const struct deed *d)
{
    uint32_t run = 0;

    l->words_count = 0;
    for (uint64_t i = 0; i < d->move.length; i++) {
        uint32_t writer = map_get(&l->writers, d->move.at + i);
        if (writer && l->history->nodes[writer - 1].thread == d->thread)
            writer = 0;
        if (writer && writer == run) {
            l->words[l->words_count - 2]++;
        } else if (writer) {
            ARRAY_PUSH(l, words, (uint32_t)i);
            ARRAY_PUSH(l, words, 1);
            ARRAY_PUSH(l, words, writer - 1);
        }
        run = writer;
    }
    assert(l->words_count % 3 == 0); /* offset, length and write of each part */
    return history_sight(l->history, l->words, l->words_count);
}

static unsigned byte_of(const struct deed *d, uint64_t i)
{
    return (unsigned)(d->stored >> 8 * i) & 0xff;
}

/* Whether a change leaves what the last write is known to have left. */
static bool changes_nothing(struct learner *l, const struct deed *d)
{
    for (uint64_t i = 0; i < d->move.length; i++)
        if (!d->valued || map_get(&l->values, d->move.at + i) != byte_of(d, i) + 1)
            return false;
    return true;
}

static void write_bytes(struct learner *l, const struct deed *d, uint32_t node)
{
    for (uint64_t i = 0; i < d->move.length; i++) {
        *map_at(&l->writers, d->move.at + i) = node + 1;
        *map_at(&l->values, d->move.at + i) = d->valued ? byte_of(d, i) + 1 : 0;
    }
}

static uint32_t learn_sight(struct learner *l, const struct deed *d)
{
    uint32_t words[2] = {d->result, 0};

    switch (d->move.kind) {
    case MOVE_READ:
    case MOVE_ATOMIC:
        return look(l, d);
    case MOVE_INPUT:
        if (l->history->timeless && d->clock)
            return history_sight(l->history, words, 2);
        words[0] = (uint32_t)d->stored;
        words[1] = (uint32_t)(d->stored >> 32);
        return history_sight(l->history, words, 2);
    case MOVE_OUTPUT:
        words[0] = map_get(&l->writers, ~d->move.value); /* no byte is there */
        if (words[0] && l->history->nodes[words[0] - 1].thread == d->thread)
            words[0] = 0;
        return history_sight(l->history, words, 1);
    default:
        return history_sight(l->history, words, 1);
    }
}

/* The move that the round at the node would go on with after `phase` of its moves. */
static const struct node *expected(const struct history *h, uint32_t node, unsigned phase)
{
    unsigned round = h->nodes[node].round;

    assert(phase < round && round <= LONGEST_ROUND);
    return &h->nodes[history_back(h, node, round - 1 - phase)];
}

/* The loop ends after some rounds although it saw nothing new: rounds count, none may be left out. */
static void count_rounds(struct history *h, uint32_t node)
{
    for (unsigned i = h->nodes[node].round; i > 0; i--) {
        h->counted[h->nodes[node].move] = true;
        node = h->nodes[node].parent;
    }
}

/* Whether the move is part of one more equal round. */
static bool fold(struct learner *l, struct learn_cursor *c, uint32_t move, uint32_t sight)
{
    struct history *h = l->history;
    unsigned round = h->nodes[c->node].round;
    const struct node *next;

    if (round == 0)
        return false;
    next = expected(h, c->node, c->pending_count);
    if (next->move == move && next->sight == sight) {
        c->pending[c->pending_count++] = (struct learn_pending){move, sight};
        assert(c->pending_count <= round);
        if (c->pending_count == round) {
            c->pending_count = 0;
            c->folded = true;
            if (h->nodes[c->node].next == MOVE_NONE) {
                h->nodes[c->node].next = expected(h, c->node, 0)->move;
                h->facts++;
            }
        }
        return true;
    }
    return false;
}

/* Whether the thread leaves a loop, rounds of which were left out, although it saw nothing new: its rounds count, and all runs are to be
 * learned again. */
static bool leaves_loop(struct learner *l, const struct learn_cursor *c, uint32_t move)
{
    if (!c->folded || expected(l->history, c->node, c->pending_count)->move == move)
        return false;
    count_rounds(l->history, c->node);
    l->lesson->recount = true;
    return true;
}

static bool step(struct learner *l, struct learn_cursor *c, uint32_t move, uint32_t sight, bool wrote)
{
    uint32_t next = history_add(l->history, c->node, move, sight, wrote);

    if (next == NODE_NONE)
        return false;
    assert(l->history->nodes[next].parent == c->node);
    c->node = next;
    c->folded = false;
    return true;
}

/* What was begun of a round that turned out not to be equal. */
static bool flush(struct learner *l, struct learn_cursor *c)
{
    unsigned count = c->pending_count;

    c->pending_count = 0;
    for (unsigned i = 0; i < count; i++)
        if (!step(l, c, c->pending[i].move, c->pending[i].sight, false))
            return false;
    return true;
}

/* What must come next, whether it was seen or not. */
static void foresee(struct learner *l, const struct deed *d, const struct deed *wait, uint32_t node)
{
    struct move next = {.pc = d->move.pc, .at = d->move.at, .ticks = l->history->java};

    if (d->move.kind == MOVE_ENTER) {
        next.kind = MOVE_LEAVE;
    } else if (d->move.kind == MOVE_WAIT && d->move.value == WAIT_AT_FUTEX) {
        next.kind = MOVE_RESUME;
    } else if (d->move.kind == MOVE_RELEASE && wait && d->move.ticks == 0) {
        next.kind = MOVE_WAKE;
        next.value = wait->move.value;
    } else {
        return;
    }
    history_expect(l->history, node, &next);
}

static bool learn_deed(struct learner *l, struct deed *d, const struct deed *before)
{
    struct learn_cursor *c = cursor_of(l, d->thread);
    uint32_t move, sight;
    bool wrote;

    if (d->move.kind == MOVE_END) {
        struct move end = {.kind = MOVE_END, .ticks = l->history->java ? d->move.ticks : 0};
        return !leaves_loop(l, c, history_move(l->history, &end)) && flush(l, c) &&
               history_expect(l->history, c->node, &end);
    }
    move = history_move(l->history, &d->move);
    sight = learn_sight(l, d);
    wrote = d->changes && !changes_nothing(l, d);
    if (!wrote && d->move.kind != MOVE_WRITE && fold(l, c, move, sight)) {
        d->repeats = c->pending_count == 0;
        return true;
    }
    if (leaves_loop(l, c, move) || !flush(l, c) || !step(l, c, move, sight, wrote))
        return false;
    if (wrote || d->move.kind == MOVE_WRITE)
        write_bytes(l, d, c->node);
    if (d->move.kind == MOVE_OUTPUT)
        *map_at(&l->writers, ~d->move.value) = c->node + 1;
    foresee(l, d, before && before->move.kind == MOVE_WAIT ? before : NULL, c->node);
    return true;
}

static void finish(struct learner *l, const struct deeds *deeds, enum lesson_end end)
{
    struct move exit = {.kind = MOVE_EXIT};
    struct learn_cursor *c;

    if (end == LESSON_STUCK || deeds->ended || deeds->deeds_count == 0)
        return;
    c = cursor_of(l, deeds->last);
    if (end == LESSON_HANG && l->history->nodes[c->node].round)
        return; /* it waits for what never comes */
    if (leaves_loop(l, c, history_move(l->history, &exit)))
        return;
    l->lesson->exit = deeds->last + 1;
    if (!flush(l, c) || !(history_exits(l->history, c->node) || history_expect(l->history, c->node, &exit)))
        l->lesson->broken = deeds->deeds_count;
}

/* Whether nothing is left to do but wait. */
static bool is_idle(const struct learner *l, const struct deeds *deeds, const size_t *last)
{
    for (uint32_t t = 0; t < EXPLORE_THREADS; t++) {
        const struct learn_cursor *c = t < l->cursors_count ? &l->cursors[t] : NULL;
        bool waits = c && c->folded && l->history->nodes[c->node].round > 0;
        if (l->lesson->nodes[t] == NODE_NONE || (last[t] && deeds->deeds[last[t] - 1].move.kind == MOVE_END))
            continue;
        for (size_t i = 0; i < deeds->stuck_count && !waits; i++)
            waits = deeds->stuck[i].thread == t;
        if (!waits)
            return false;
    }
    return true;
}

void learn(struct history *h, struct deeds *deeds, enum lesson_end end, struct lesson *lesson)
{
    struct learner l = {.history = h, .lesson = lesson};
    size_t last[EXPLORE_THREADS] = {0}; /* by thread: its last deed, plus one */

    memset(lesson, 0, sizeof *lesson);
    memset(lesson->nodes, 0xff, sizeof lesson->nodes);
    for (size_t i = 0; i < deeds->deeds_count && !lesson->broken && !lesson->recount; i++) {
        struct deed *d = &deeds->deeds[i];
        if (d->thread >= EXPLORE_THREADS)
            break;
        d->repeats = false;
        if (!learn_deed(&l, d, last[d->thread] ? &deeds->deeds[last[d->thread] - 1] : NULL))
            lesson->broken = i + 1;
        last[d->thread] = i + 1;
        if (d->move.kind == MOVE_FORK && d->move.at < EXPLORE_THREADS)
            lesson->nodes[d->move.at] = cursor_of(&l, (uint32_t)d->move.at)->node;
        lesson->nodes[d->thread] = cursor_of(&l, d->thread)->node;
    }
    if (!lesson->broken && !lesson->recount) {
        if (deeds->last < EXPLORE_THREADS)
            finish(&l, deeds, end);
        if (lesson->exit)
            lesson->nodes[deeds->last] = cursor_of(&l, deeds->last)->node;
        lesson->idle = is_idle(&l, deeds, last);
    }
    map_free(&l.writers);
    map_free(&l.values);
    free(l.cursors);
    free(l.words);
}

/* The last node at which somebody could tell how far the thread got. */
static uint32_t last_told(const struct history *h, uint32_t node)
{
    uint32_t zero = 0, nothing = names_find(&h->sights, "", 0),
             no = names_find(&h->sights, (const char *)&zero, sizeof zero);

    while (h->nodes[node].parent != NODE_NONE) {
        const struct node *n = &h->nodes[node];
        uint32_t kind = h->moves[n->move].kind;
        bool silent = kind == MOVE_ACQUIRE || kind == MOVE_SHARED_ACQUIRE || kind == MOVE_TAKE;
        if (kind == MOVE_OUTPUT || kind == MOVE_INPUT || (!silent && n->sight != nothing && n->sight != no))
            break;
        node = n->parent;
    }
    return node;
}

uint64_t lesson_sum(const struct history *h, const struct lesson *lesson)
{
    uint32_t nodes[EXPLORE_THREADS];

    memcpy(nodes, lesson->nodes, sizeof nodes);
    for (uint32_t t = 0; t < EXPLORE_THREADS && lesson->exit; t++)
        if (nodes[t] != NODE_NONE && t != lesson->exit - 1)
            nodes[t] = last_told(h, nodes[t]);
    return XXH3_64bits_withSeed(nodes, sizeof nodes, lesson->exit);
}
