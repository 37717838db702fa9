/* Stack maps with all local variables told in each frame, and some of ours behind them. */
#pragma once
#include "pool.h"

/* What is known of a local variable, or of a place of the stack: a tag, and an index or a place. */
struct map_type {
    uint8_t tag;
    uint16_t operand;
};

struct shadows {
    bool from_given;
    unsigned from;          /* the first local variable of ours: an object, … */
    unsigned numbers;       /* … and behind it so many ints */
    uint16_t object;        /* the pool's index of java.lang.Object */
    struct map_type *start; /* local variables of the method at its start */
    size_t start_count, start_capacity;
};

/* Takes the types from the descriptor. `this_index`: the pool's index of the class, 0 for a static method. False
 * when the pool is full. */
bool shadows_start(struct shadows *shadows, struct pool *pool, uint16_t this_index, bool constructs,
                   struct span descriptor);
void shadows_free(struct shadows *shadows);

/* Appends a StackMapTable's content that says the same at the same places with full frames, and tells of our
 * variables. False when `old` is malformed. */
bool stackmap_fill(const struct shadows *shadows, struct span old, struct bytes *to);
