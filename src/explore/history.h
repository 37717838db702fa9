/* What is known of a program's threads: their histories, gathered from all runs so far.
 *
 * Words used here:
 *   move   what a thread does next, as far as the thread alone decides it: a read of these bytes by this
 *          instruction, taking this lock, … A step that other threads cannot come between may be several moves,
 *          each glued to the one before it.
 *   sight  what a move shows the thread: for a read, the writes of other threads that its bytes are from; for a
 *          try, whether it succeeded.
 *   node   a thread's history: the moves it made, each with its sight. Nodes form a tree for each thread.
 *
 * With its input given, a thread's history decides its next move: the tree has at most one move below a node,
 * and one child for each sight that was seen. */
#pragma once
#include "base/map.h"
#include "record/deeds.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NODE_NONE UINT32_MAX
#define MOVE_NONE UINT32_MAX

enum { EXPLORE_THREADS = 64, LONGEST_ROUND = 16 };

struct node {
    uint32_t parent; /* NODE_NONE: nothing has happened yet */
    uint32_t thread;
    uint32_t move;  /* the last one */
    uint32_t sight; /* in `sights` */
    uint32_t first_child, next_sibling;
    uint32_t next; /* move, or MOVE_NONE: not known */
    uint8_t round; /* the last moves are two equal rounds of so many, which changed nothing; 0: they are not */
    bool wrote;    /* MOVE_ATOMIC: it changed something */
    uint64_t position; /* in ticks */
};

struct explored_thread {
    struct numbered_thread name;
    uint32_t root; /* node */
};

struct history {
    struct explored_thread *threads;
    size_t threads_count, threads_capacity;
    struct names move_bytes;
    struct move *moves;
    size_t moves_count, moves_capacity;
    bool *counted; /* by move: it is in a loop that ends by itself */
    size_t counted_count, counted_capacity;
    struct names sights; /* arrays of words, as bytes */
    struct node *nodes;
    size_t nodes_count, nodes_capacity;
    bool
        java; /* ticks are records, a wait has two of them, and a thread's end comes some after its last move */
    bool timeless;  /* what clocks show is not told apart */
    uint64_t facts; /* grows with all that becomes known */
};

void history_init(struct history *history);
void history_free(struct history *history);

/* Forgets all nodes; threads, moves and which of them are counted stay. */
void history_restart(struct history *history);

/* Begins a history for each thread that has a number and none yet. */
void history_threads(struct history *history, const struct deed_numbers *numbers);
uint32_t history_move(struct history *history, const struct move *move);
uint32_t history_sight(struct history *history, const uint32_t *words, size_t count);

/* The child of the node for a sight, or NODE_NONE. */
uint32_t history_child(const struct history *history, uint32_t node, uint32_t sight);

/* Adds what was seen to happen after the node, if it is new, and returns the node it leads to. NODE_NONE:
 * something else was seen before with the very same history. */
uint32_t history_add(struct history *history, uint32_t node, uint32_t move, uint32_t sight, bool wrote);

/* Says what the thread does next without its having been seen to return; false: something else is known. */
bool history_expect(struct history *history, uint32_t node, const struct move *move);

/* Whether the process ends after the node. */
bool history_exits(const struct history *history, uint32_t node);

/* That end cannot be kept apart from the step before it, as it turned out; false: that was known. */
bool history_glue_exit(struct history *history, uint32_t node);

/* The node `back` moves before. */
uint32_t history_back(const struct history *history, uint32_t node, unsigned back);

/* Whether `early` is `node` or comes before it. */
bool history_passes(const struct history *history, uint32_t node, uint32_t early);

/* Ticks that a thread is given when nobody knows what it does next: enough for a call. */
uint64_t history_call(const struct history *history);

/* Whether the move can only be made together with the one before it. */
bool move_glued(const struct move *move);
