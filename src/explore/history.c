/* Histories of threads. */
#include "explore/history.h"
#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void history_init(struct history *h)
{
    memset(h, 0, sizeof *h);
    names_init(&h->move_bytes);
    names_init(&h->sights);
}

void history_free(struct history *h)
{
    names_free(&h->move_bytes);
    names_free(&h->sights);
    free(h->threads);
    free(h->moves);
    free(h->counted);
    free(h->nodes);
    memset(h, 0, sizeof *h);
}

static uint32_t new_node(struct history *h, const struct node *node)
{
    assert(node->parent == NODE_NONE || node->parent < h->nodes_count); /* nodes come after their parents */
    assert(node->thread <= h->threads_count && h->nodes_count < NODE_NONE);
    ARRAY_PUSH(h, nodes, *node);
    return (uint32_t)h->nodes_count - 1;
}

static uint32_t new_root(struct history *h, uint32_t thread)
{
    struct node root = {.parent = NODE_NONE,
                        .thread = thread,
                        .move = MOVE_NONE,
                        .first_child = NODE_NONE,
                        .next_sibling = NODE_NONE,
                        .next = MOVE_NONE};

    return new_node(h, &root);
}

void history_restart(struct history *h)
{
    h->nodes_count = 0;
    for (uint32_t t = 0; t < h->threads_count; t++)
        h->threads[t].root = new_root(h, t);
}

void history_threads(struct history *h, const struct deed_numbers *numbers)
{
    for (size_t t = h->threads_count; t < numbers->threads_count; t++)
        ARRAY_PUSH(h, threads, (struct explored_thread){numbers->threads[t], new_root(h, (uint32_t)t)});
}

uint32_t history_move(struct history *h, const struct move *move)
{
    uint32_t id = names_add(&h->move_bytes, (const char *)move, sizeof *move);

    if (id == h->moves_count) {
        ARRAY_PUSH(h, moves, *move);
        ARRAY_PUSH(h, counted, false);
    }
    assert(h->counted_count == h->moves_count && id < h->moves_count);
    return id;
}

uint32_t history_sight(struct history *h, const uint32_t *words, size_t count)
{
    return names_add(&h->sights, count ? (const char *)words : "", count * sizeof *words);
}

uint32_t history_child(const struct history *h, uint32_t node, uint32_t sight)
{
    uint32_t child = h->nodes[node].first_child;

    assert(child == NODE_NONE || h->nodes[child].parent == node);
    while (child != NODE_NONE && h->nodes[child].sight != sight)
        child = h->nodes[child].next_sibling;
    return child;
}

uint32_t history_back(const struct history *h, uint32_t node, unsigned back)
{
    while (back-- > 0 && node != NODE_NONE)
        node = h->nodes[node].parent;
    return node;
}

bool history_passes(const struct history *h, uint32_t node, uint32_t early)
{
    while (node != NODE_NONE && node != early)
        node = h->nodes[node].parent;
    return node != NODE_NONE;
}

uint64_t history_call(const struct history *h)
{
    return deed_call_ticks(h->java);
}

bool move_glued(const struct move *m)
{
    if (m->kind == MOVE_EXIT)
        return m->value != 0;
    return m->ticks == 0 && m->kind != MOVE_WAKE && m->kind != MOVE_LEAVE && m->kind != MOVE_RESUME &&
           m->kind != MOVE_END && m->kind != MOVE_STUCK;
}

/* Looking changes nothing: a thread that only looks, and sees the same again, is where it was. */
static bool only_looks(const struct history *h, const struct node *n)
{
    uint32_t failed = names_find(&h->sights, (const char *)&(uint32_t){0}, sizeof(uint32_t));

    if (n->move == MOVE_NONE || h->counted[n->move])
        return false;
    switch (h->moves[n->move].kind) {
    case MOVE_READ:
    case MOVE_FENCE:
    case MOVE_COUNT:
        return true;
    case MOVE_ATOMIC:
        return !n->wrote;
    case MOVE_TRY:
    case MOVE_TAKE_TRY:
        return n->sight == failed;
    default:
        return false;
    }
}

/* The length of the shortest round that the thread has just made twice. */
static uint8_t round_before(const struct history *h, uint32_t node)
{
    uint32_t last[2 * LONGEST_ROUND];
    unsigned count = 0;

    for (; count < 2 * LONGEST_ROUND && node != NODE_NONE && only_looks(h, &h->nodes[node]); count++) {
        last[count] = node;
        node = h->nodes[node].parent;
    }
    for (unsigned length = 1; 2 * length <= count; length++) {
        unsigned same = 0;
        while (same < length) {
            const struct node *a = &h->nodes[last[same]], *b = &h->nodes[last[same + length]];
            if (a->move != b->move || a->sight != b->sight)
                break;
            same++;
        }
        if (same == length)
            return (uint8_t)length;
    }
    return 0;
}

uint32_t history_add(struct history *h, uint32_t node, uint32_t move, uint32_t sight, bool wrote)
{
    struct node *before = &h->nodes[node];
    uint32_t child = history_child(h, node, sight);
    bool known = before->next != MOVE_NONE && h->moves[before->next].kind != MOVE_STUCK;

    assert(node < h->nodes_count && move < h->moves_count);
    if (known && before->next != move)
        return NODE_NONE;
    h->facts += before->next != move;
    before->next = move;
    if (child != NODE_NONE)
        return h->nodes[child].wrote == wrote ? child : NODE_NONE;
    struct node new = {.parent = node,
                       .thread = before->thread,
                       .move = move,
                       .sight = sight,
                       .first_child = NODE_NONE,
                       .next_sibling = before->first_child,
                       .next = MOVE_NONE,
                       .wrote = wrote,
                       .position = before->position + h->moves[move].ticks};
    child = new_node(h, &new);
    h->facts++;
    h->nodes[node].first_child = child;
    h->nodes[child].round = round_before(h, child);
    assert(h->nodes[child].round <= LONGEST_ROUND && h->nodes[child].position >= h->nodes[node].position);
    return child;
}

bool history_expect(struct history *h, uint32_t node, const struct move *move)
{
    uint32_t id = history_move(h, move);

    if (h->nodes[node].next == MOVE_NONE) {
        h->nodes[node].next = id;
        h->facts++;
    }
    return h->nodes[node].next == id || move->kind == MOVE_STUCK;
}

bool history_exits(const struct history *h, uint32_t node)
{
    uint32_t next = h->nodes[node].next;

    return next != MOVE_NONE && h->moves[next].kind == MOVE_EXIT;
}

bool history_glue_exit(struct history *h, uint32_t node)
{
    struct move glued = {.kind = MOVE_EXIT, .value = 1};

    if (node == NODE_NONE || !history_exits(h, node) || h->moves[h->nodes[node].next].value)
        return false;
    h->nodes[node].next = history_move(h, &glued);
    h->facts++;
    return true;
}
