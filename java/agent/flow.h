/* Where values of a method come from: a walk over its instructions with what is known of each local variable
 * and each place of the operand stack.
 *
 * A *source* is what a value may come from that a run may change: an access that is seen, an argument, the
 * result of a call. The label of what a source gave last is in a local variable of ours while the method runs;
 * that of a value is made of the labels of its sources. A source that gives something new while a value of an
 * earlier time is still in use keeps both (`again`). */
#pragma once
#include "code.h"
#include "rewrite.h"

enum { FLOW_SOURCES = 56, NO_SOURCE = -1, FLOW_ARGUMENTS = 24 };

/* How a value relates to the only source it has: any function of it, that plus something that no run changes,
 * the same number. */
enum flow_level { LEVEL_MIXED, LEVEL_LINEAR, LEVEL_EQUAL };

struct flow_value {
    uint64_t of; /* bit: source */
    enum flow_level level;
};

struct flow {
    const struct code *code;
    const struct pool *pool;
    const struct rewriter *rewriter;
    struct flow_method {
        struct span class, name, descriptor;
        bool is_static;
    } method;
    unsigned locals, width;    /* local variables; with the stack */
    uint32_t *number;          /* by place: of its instruction; UINT32_MAX: none begins there */
    uint32_t *place;           /* by number */
    uint32_t count;            /* of instructions */
    struct flow_value *values; /* by number, `width` each: before the instruction */
    int32_t *depth;            /* by number: of the stack; -1: it is never reached */
    uint64_t *live;            /* by number: local variables in use before it, as far as there are bits */
    int8_t *source;            /* by number */
    bool *entered;             /* by number: other instructions go there than the one before */
    bool *handles;             /* by number: a handler of exceptions begins there */
    int8_t arguments[FLOW_ARGUMENTS]; /* sources of the arguments without `this` */
    unsigned argument_count;
    unsigned source_count;
    uint64_t again;
    bool *at_once; /* by number: what it brings in decides before anything else happens, so it needs no label */
    bool *
        acts; /* by number: on some way from it to the end of the method something is done that others may notice */
    bool tells;   /* the method returns true or false */
    bool returns; /* some result has a source */
};

/* False when the method cannot be followed; then there is nothing to free. */
bool flow_make(struct flow *flow, const struct code *code, const struct pool *pool,
               const struct rewriter *rewriter, const struct flow_method *method);
void flow_free(struct flow *flow);

/* The value `slot` places below the top of the stack before the instruction (0: the top one); of a value that
 * takes two places, that of the lower one. */
struct flow_value flow_below(const struct flow *flow, size_t at, unsigned slot);

/* The source of the instruction, or NO_SOURCE. */
int flow_source(const struct flow *flow, size_t at);

/* Whether the instruction touches none but arrays that the second of two passes does not record. */
bool flow_unrecorded(const struct flow *flow, size_t at);

/* flow_uses.c: the sources of what decides at the instruction as it is: objects and indices of accesses, what
 * may throw, what goes to code without hooks, operands of jumps unless they can be told as comparisons. */
uint64_t flow_decides(const struct flow *flow, uint32_t number);

/* Finds the instructions that need no source of their own; whether there are any. */
bool flow_find_at_once(struct flow *flow);

/* Whether the jump compares an int that has one source, or none, with one that has none. */
bool flow_compares(const struct flow *flow, uint32_t number);

/* flow_live.c: which local variables are in use. */
void flow_live(struct flow *flow);

/* flow_acts.c: finds `acts`; asks for it by place. */
void flow_find_acts(struct flow *flow);
bool flow_acts_at(const struct flow *flow, size_t place);

/* flow_steps.c: what an instruction does to the values, which begin as those before it. False when it is one
 * that is not understood. */
bool flow_step(const struct flow *flow, uint32_t number, struct flow_value *values, int32_t *depth);

/* Calls `go` with each place that may come after the instruction, but for handlers. */
void flow_next(const struct flow *flow, uint32_t number, void (*go)(void *, uint32_t place), void *to);

/* What is `slot` places below the top of the stack. */
static inline uint64_t flow_of(const struct flow *flow, uint32_t number, unsigned slot)
{
    return flow_below(flow, flow->place[number], slot).of;
}

static inline unsigned flow_u2(const struct flow *flow, size_t at)
{
    return (unsigned)flow->code->bytes.data[at] << 8 | flow->code->bytes.data[at + 1];
}
