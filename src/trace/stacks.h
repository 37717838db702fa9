/* Call stacks of events: where the calls under way were made, the innermost first.
 *
 * A stack is the place of its innermost call and the id of the rest: a tree, each stack once, a rest before
 * what is built on it. A trace keeps the encoded stacks of its file, a few bytes wherever the stack changes,
 * and decodes a block of events on demand: most analyses never ask. */
#pragma once
#include "base/map.h"
#include "base/names.h"

#include <stdbool.h>

typedef uint32_t stack_id;

#define STACK_NONE 0 /* unknown, or no caller */

struct stack_site {
    uint32_t place; /* in `places` */
    stack_id rest;  /* what is around that call; less than the id of the stack */
};

/* The events of one block of a file. */
struct stacked_events {
    size_t first; /* number */
    uint32_t count;
    uint32_t changes; /* pairs of varints from here on (docs/trace-format.md) */
    size_t bytes;     /* where they begin in `coded` */
};

struct stacks {
    struct names places;      /* "main.c:12 main" */
    struct stack_site *sites; /* of stack id at id - 1 */
    size_t sites_count, sites_capacity;
    struct map known; /* of those made by stacks_add: place and rest → id */

    struct stacked_events *blocks; /* in the order of events */
    size_t blocks_count, blocks_capacity;
    unsigned char *coded;
    size_t coded_count, coded_capacity;
    stack_id *shown; /* of the events of one block, the one that was asked for last */
    size_t shown_block;
};

struct stacks *stacks_new(void);
void stacks_free(struct stacks *stacks);

/* The stack of a call made at the place, with `rest` around it. */
stack_id stacks_add(struct stacks *stacks, const char *place, size_t length, stack_id rest);

/* The same for a place that is in `places`. */
stack_id stacks_call(struct stacks *stacks, uint32_t place, stack_id rest);

static inline const char *stack_place(const struct stacks *stacks, stack_id id)
{
    return names_text(&stacks->places, stacks->sites[id - 1].place);
}

static inline stack_id stack_rest(const struct stacks *stacks, stack_id id)
{
    return stacks->sites[id - 1].rest;
}

struct trace;

/* The stack of an event, in trace->stacks. In the order of events it is cheap. Not from two threads at once. */
stack_id trace_stack(const struct trace *trace, size_t event);
