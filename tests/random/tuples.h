/* Sets of small tuples of numbers: how the oracle says what it found, and how tests say what they expect. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define TUPLE_LENGTH 31 /* the longest deadlock of 63 events: two acquires a thread */

struct tuple {
    uint32_t length;
    uint32_t item[TUPLE_LENGTH];
};

/* Sorted, without repetitions; all zero is the empty set. */
struct tuple_set {
    struct tuple *items;
    size_t items_count, items_capacity;
};

/* Adds a tuple unless it is there. */
void tuples_add(struct tuple_set *set, const struct tuple *tuple);
void tuples_add2(struct tuple_set *set, size_t first, size_t second);
void tuples_add3(struct tuple_set *set, size_t first, size_t second, size_t third);

/* Adds what the text lists: tuples separated by blanks, their numbers by commas, as in "5,0 7,3". */
void tuples_add_text(struct tuple_set *set, const char *text);

bool tuples_contain(const struct tuple_set *set, const struct tuple *tuple);
bool tuples_equal(const struct tuple_set *a, const struct tuple_set *b);

/* One line for what only `a` has and one for what only `b` has; nothing where they are equal. */
void tuples_print_difference(FILE *out, const struct tuple_set *a, const char *a_name,
                             const struct tuple_set *b, const char *b_name);

void tuples_free(struct tuple_set *set);
