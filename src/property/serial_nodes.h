/* From which blocks under way something is reached: the nodes that serial.c works with. Private to it.
 *
 * A node is a set of blocks, shared by all events that have it: those of a block, or a stretch of unary ones.
 * NULL stands for all nodes with the empty set. */
#pragma once
#include "model/model.h"

#define NO_SLOT UINT32_MAX

struct serial_node {
    uint32_t refs;     /* threads, variables, locks, loads that have it */
    uint32_t listed;   /* how many blocks list it */
    uint32_t slot;     /* of its own block while that is under way, or NO_SLOT */
    uint64_t blocks[]; /* under way, that reach it: a bit for each slot */
};

/* A block under way. */
struct serial_block {
    struct serial_node *node;
    struct serial_node *
        *reached; /* all nodes with its bit but its own; those without references are swept out */
    size_t reached_count, reached_capacity;
    size_t sweep_at;
};

struct nodes {
    size_t words; /* of a node's set */
    uint32_t slots;
    struct serial_block *blocks; /* by slot */
    struct serial_node **free;
    size_t free_count, free_capacity;
};

void nodes_init(struct nodes *p, uint32_t slots);
void nodes_free(struct nodes *p); /* when all nodes but those of blocks have been dropped */

/* An empty node, with one reference. */
struct serial_node *node_new(struct nodes *p);
void node_drop(struct nodes *p, struct serial_node *n); /* a reference; NULL is fine */

/* Adds the blocks of `from` to those of `n`, and lists it with the new ones. */
void node_add(struct nodes *p, struct serial_node *n, const struct serial_node *from);

/* A new node with the set of another. */
struct serial_node *node_copy(struct nodes *p, const struct serial_node *from);

bool node_empty(const struct nodes *p, const struct serial_node *n);
bool node_includes(const struct nodes *p, const struct serial_node *n, const struct serial_node *other);

/* A block begins in a slot that is free, after what `before` stands for. Returns its node, with a reference for
 * the caller. */
struct serial_node *block_begin(struct nodes *p, uint32_t slot, const struct serial_node *before);

/* It ends: everything reached from it learns what it knows in the end, and its bit goes away. True when that
 * closes a cycle: another block under way that it reaches reaches it. */
bool block_end(struct nodes *p, uint32_t slot);

static inline bool node_has(const struct serial_node *n, uint32_t slot)
{
    return n->blocks[slot / 64] >> slot % 64 & 1;
}

static inline struct serial_node *node_share(struct serial_node *n)
{
    if (n)
        n->refs++;
    return n;
}
