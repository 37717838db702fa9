/* What is known of a program's threads: their histories, gathered from all runs so far.
 *
 * Words used here:
 *   move     what a thread does next, as far as the thread alone decides it: a read of these bytes by this
 *            instruction, taking this lock, … A step that other threads cannot come between may be several
 * moves, each glued to the one before it. sight    what a move shows the thread: for a read, the writes of
 * other threads that its bytes are from; for a try, whether it succeeded. node     a thread's history: the
 * moves it made, each with its sight. Nodes form a tree for each thread.
 *
 * With its input given, a thread's history decides its next move: the tree has at most one move below a node,
 * and one child for each sight that was seen. Threads, memory and objects have the same numbers in every run.
 */
#pragma once
#include "base/map.h"
#include "base/names.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NODE_NONE UINT32_MAX
#define MOVE_NONE UINT32_MAX

enum { EXPLORE_THREADS = 64, LONGEST_ROUND = 16 };

enum move_kind {
    MOVE_READ,
    MOVE_WRITE,
    MOVE_ATOMIC, /* a load, or a change that may turn out to be none */
    MOVE_FENCE,
    MOVE_ACQUIRE,
    MOVE_SHARED_ACQUIRE,
    MOVE_TRY,   /* value: TRIES_…; sight: 1 taken */
    MOVE_TIMED, /* the same, for a time */
    MOVE_RELEASE,
    MOVE_SHARED_RELEASE,
    MOVE_FORK, /* at: the thread */
    MOVE_JOIN,
    MOVE_WAIT,  /* at: the condition; value: 1 for a time only */
    MOVE_WAKE,  /* at: the mutex, taken again; value: as of the wait; sight: 1 the time was over */
    MOVE_WOKEN, /* at: the condition */
    MOVE_NOTIFY,
    MOVE_NOTIFY_ALL,
    MOVE_ENTER, /* a barrier; sight: 1 the last one, or, if value is 1, how many came before */
    MOVE_LEAVE,
    MOVE_COUNT_DOWN, /* a latch */
    MOVE_AWAIT,      /* until it is at 0 */
    MOVE_POST,
    MOVE_TAKE,
    MOVE_TAKE_TRY, /* sight: 1 taken */
    MOVE_TAKE_TIMED,
    MOVE_ONCE, /* sight: 1 the thread is the one that does it */
    MOVE_ONCE_DONE,
    MOVE_NEW,    /* an object begins anew; value: its number */
    MOVE_OUTPUT, /* at: the stream; value: the descriptor; sight: the node of the output before, plus one, if it
                    is another thread's */
    MOVE_INPUT,  /* value: the kind; sight: what it was told */
    MOVE_STUCK,  /* a call that never returned; at: what it waits for; value: enum wait_reason */
    MOVE_END,    /* of the thread */
    MOVE_EXIT,   /* of the process; value: 1 in the middle of the step */
};

struct move {
    uint32_t kind;
    uint32_t ticks; /* since the thread's move before */
    uint64_t at, length, pc, value;
};

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
    uint32_t maker; /* plus one; 0: the first */
    uint32_t ordinal;
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
    uint64_t facts; /* grows with all that becomes known */
};

void history_init(struct history *history);
void history_free(struct history *history);

/* Forgets all nodes; threads, moves and which of them are counted stay. */
void history_restart(struct history *history);

uint32_t history_thread(struct history *history, uint32_t maker, uint32_t ordinal);
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
