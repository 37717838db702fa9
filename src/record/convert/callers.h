/* Turns the call paths that a recorder reports into the stacks of a trace: only those that events have, as
 * texts.
 *
 * A call of a function that was inlined is a call as well. Which ones there are depends on the instruction, so
 * an event's stack comes from its path and its place in the code. Calls in the system's headers and calls by
 * the loader are left out. */
#pragma once
#include "record/symbols/symbols.h"
#include "trace/stacks.h"

struct callers {
    struct stacks *stacks;   /* NULL: the recorder reports none */
    struct names *functions; /* where the functions of its places begin, as naming.h notes them; or NULL */
    bool by_frame_pointer;   /* paths were found by frame pointers, and hold as far as functions keep one */
    struct caller_path {
        uint64_t pc; /* where its innermost call will go on */
        uint32_t rest;
        stack_id stack;
        bool known; /* `stack` is */
    } * paths;      /* of number n at n - 1 */
    size_t paths_count, paths_capacity;
    uint32_t *now; /* by thread: the path it is in */
    size_t now_count, now_capacity;
    struct map chains; /* pc → 1 + where its calls of inlined functions begin */
    uint32_t *chain;   /* places in `stacks` from the inside, each list ended by NAME_NONE */
    size_t chain_count, chain_capacity;
    struct caller_recent {
        uint64_t pc;
        uint32_t path;
        stack_id stack;
    } * recent; /* the stacks of the last events */
};

/* Before the first stack of an event is asked for. */
void callers_init(struct callers *callers);
void callers_free(struct callers *callers);

/* A new path, of the next number. */
void callers_add(struct callers *callers, uint64_t number, uint64_t pc, uint64_t rest);

/* The thread is in the path from here on. */
void callers_enter(struct callers *callers, uint32_t thread, uint64_t path);

/* The path that the thread is in; 0: none is known. */
uint32_t callers_path(const struct callers *callers, uint32_t thread);

/* Of the places in the code that the thread is at, the one before `pc` and those of the calls around it, the innermost that is
 * not in the system's headers; `pc` when there is none. */
uint64_t callers_own(struct callers *callers, struct symbols *symbols, uint32_t thread, uint64_t pc);

/* The same, the outermost. */
uint64_t callers_first(struct callers *callers, struct symbols *symbols, uint32_t thread, uint64_t pc);

/* The stack of an event of the thread at the place. */
stack_id callers_of(struct callers *callers, struct symbols *symbols, uint32_t thread, uint64_t pc);
