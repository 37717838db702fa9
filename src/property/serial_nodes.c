/* From which blocks under way something is reached. */
#include "property/serial_nodes.h"
#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { SWEEP_LEAST = 64 };

void nodes_init(struct nodes *p, uint32_t slots)
{
    *p = (struct nodes){.words = ((size_t)slots + 63) / 64, .slots = slots};
    p->blocks = memory_new(slots, sizeof *p->blocks);
}

struct serial_node *node_new(struct nodes *p)
{
    size_t size = sizeof(struct serial_node) + p->words * sizeof(uint64_t);
    struct serial_node *n = p->free_count > 0 ? p->free[--p->free_count] : memory_resize(NULL, 1, size);

    memset(n, 0, size);
    n->refs = 1;
    n->slot = NO_SLOT;
    return n;
}

static void retire(struct nodes *p, struct serial_node *n)
{
    if (n->refs == 0 && n->listed == 0)
        ARRAY_PUSH(p, free, n);
}

void node_drop(struct nodes *p, struct serial_node *n)
{
    if (!n)
        return;
    assert(n->refs > 0);
    n->refs--;
    retire(p, n);
}

bool node_empty(const struct nodes *p, const struct serial_node *n)
{
    for (size_t i = 0; i < p->words; i++)
        if (n->blocks[i])
            return false;
    return true;
}

bool node_includes(const struct nodes *p, const struct serial_node *n, const struct serial_node *other)
{
    for (size_t i = 0; i < p->words; i++)
        if (other->blocks[i] & ~n->blocks[i])
            return false;
    return true;
}

/* Forgets nodes nobody can come after any more; only as often as the list doubles. */
static void sweep(struct nodes *p, struct serial_block *b)
{
    size_t kept = 0;

    for (size_t i = 0; i < b->reached_count; i++) {
        struct serial_node *n = b->reached[i];
        if (n->refs > 0) {
            b->reached[kept++] = n;
        } else {
            n->listed--;
            retire(p, n);
        }
    }
    b->reached_count = kept;
    b->sweep_at = 2 * kept + SWEEP_LEAST;
}

static void list(struct nodes *p, uint32_t slot, struct serial_node *n)
{
    struct serial_block *b = &p->blocks[slot];

    assert(b->node && b->node != n); /* a block under way reaches it */
    if (b->reached_count >= b->sweep_at)
        sweep(p, b);
    ARRAY_PUSH(b, reached, n);
    n->listed++;
}

void node_add(struct nodes *p, struct serial_node *n, const struct serial_node *from)
{
    for (size_t i = 0; i < p->words; i++) {
        uint64_t fresh = from->blocks[i] & ~n->blocks[i];
        n->blocks[i] |= fresh;
        for (; fresh; fresh &= fresh - 1)
            list(p, (uint32_t)(i * 64 + (size_t)__builtin_ctzll(fresh)), n);
    }
}

struct serial_node *node_copy(struct nodes *p, const struct serial_node *from)
{
    struct serial_node *copy = node_new(p);

    node_add(p, copy, from);
    return copy;
}

struct serial_node *block_begin(struct nodes *p, uint32_t slot, const struct serial_node *before)
{
    struct serial_block *b = &p->blocks[slot];
    struct serial_node *n = node_new(p);

    assert(!b->node && b->reached_count == 0);
    b->node = node_share(n);
    b->sweep_at = SWEEP_LEAST;
    n->slot = slot;
    n->blocks[slot / 64] |= (uint64_t)1 << slot % 64;
    if (before)
        node_add(p, n, before);
    return n;
}

bool block_end(struct nodes *p, uint32_t slot)
{
    struct serial_block *b = &p->blocks[slot];
    struct serial_node *own = b->node;
    uint64_t bit = (uint64_t)1 << slot % 64;
    bool cycle = false;

    assert(own && own->slot == slot && own->blocks[slot / 64] & bit);
    own->blocks[slot / 64] &= ~bit;
    own->slot = NO_SLOT;
    for (size_t i = 0; i < b->reached_count; i++) {
        struct serial_node *n = b->reached[i];
        n->listed--;
        if (n->refs == 0) {
            retire(p, n);
            continue;
        }
        n->blocks[slot / 64] &= ~bit;
        cycle |= n->slot != NO_SLOT && node_has(own, n->slot);
        node_add(p, n, own);
    }
    b->reached_count = 0;
    b->node = NULL;
    node_drop(p, own);
    return cycle;
}

void nodes_free(struct nodes *p)
{
    for (uint32_t slot = 0; slot < p->slots; slot++) {
        struct serial_block *b = &p->blocks[slot];
        node_drop(p, b->node);
        for (size_t i = 0; i < b->reached_count; i++) {
            b->reached[i]->listed--;
            retire(p, b->reached[i]);
        }
        free((void *)b->reached);
    }
    for (size_t i = 0; i < p->free_count; i++)
        free(p->free[i]);
    free((void *)p->free);
    free(p->blocks);
}
