/* A random trace in the making: who holds, waits for and owes what. Private to the generator. */
#pragma once
#include "random/generate.h"

enum actor_stage { ACTOR_UNBORN, ACTOR_RUNNING, ACTOR_ENDED, ACTOR_JOINED };

/* An event that a thread owes: the rest of a wait or a barrier. */
struct duty {
    enum event_kind kind;
    unsigned object;
};

/* A lock held or a block open, by the kind that ends it, and how many events of its thread it still lasts. */
struct scope {
    enum event_kind end;
    unsigned object;
    unsigned lasts;
};

/* A value: a number, as two's complement, or a name. */
struct made_value {
    bool name;
    uint64_t number;
};

/* A read of a thread, for the grounds of later events. */
struct made_read {
    uint32_t event;
    unsigned variable;
    struct made_value saw;
};

#define ACTOR_READS 24 /* that grounds may name */

struct actor {
    enum actor_stage stage;
    unsigned life;         /* events until it may end */
    struct duty duties[3]; /* last first */
    unsigned duty_count;
    bool woken; /* a notify came while it was waiting */
    struct scope scopes[2 * SHAPE_OBJECTS];
    unsigned scope_count;
    unsigned exclusive[SHAPE_OBJECTS], shared[SHAPE_OBJECTS]; /* holds, by lock */
    bool has_word[SHAPE_OBJECTS];                             /* by variable: taken and not given back */
    struct made_read reads[ACTOR_READS];
    unsigned read_count;
};

enum variable_style { STYLE_PLAIN, STYLE_ATOMIC, STYLE_MIXED, STYLES };

struct maker {
    struct trace *trace;
    const struct shape *shape;
    uint64_t random;
    unsigned actor_count;
    struct actor actors[SHAPE_OBJECTS];
    enum variable_style style[SHAPE_OBJECTS];
    struct made_value value[SHAPE_OBJECTS];
    enum value_type type[SHAPE_OBJECTS];
    unsigned tokens[SHAPE_OBJECTS];
    bool used[SHAPE_OBJECTS]; /* semaphores: no seminit may follow */
};

static inline unsigned pick(struct maker *k, unsigned bound)
{
    return random_below(&k->random, bound);
}

static inline bool chance(struct maker *k, unsigned percent)
{
    return pick(k, 100) < percent;
}

static inline bool odd(struct maker *k)
{
    return chance(k, k->shape->odd);
}

/* Appends an event; always true, so that `return maker_emit(…)` reads well. */
bool maker_emit(struct maker *k, struct actor *a, enum event_kind kind, enum memory_ordering order,
                unsigned object);

/* What a write made of its `from`: chooses the list and the value. An rmw or cas, whose number is the next of
 * the trace, has its own read among the thread's. */
struct made_from {
    bool given;
    struct ground items[ACTOR_READS];
    unsigned count;
};

struct made_value maker_choose_from(struct maker *k, const struct actor *a, unsigned variable,
                                    struct made_from *from);

/* Gives the last event, of this thread, its lists: `from` as chosen (NULL: it is no write), `by` at random. */
void maker_give_grounds(struct maker *k, const struct actor *a, const struct made_from *from);

/* A value that a program might write into the variable. */
struct made_value maker_any_value(struct maker *k, unsigned variable);

/* Opens a scope with an event of kind `begin`, to be closed in a while by one of kind `end`. */
bool maker_open_scope(struct maker *k, struct actor *a, enum event_kind begin, enum event_kind end,
                      unsigned object);

/* Each appends one event of its group if the thread can do one; false if not. */
bool make_lock(struct maker *k, struct actor *a);
bool make_shared_lock(struct maker *k, struct actor *a);
bool make_try(struct maker *k, struct actor *a);
bool make_thread(struct maker *k, struct actor *a);
bool make_condition(struct maker *k, struct actor *a);
bool make_barrier(struct maker *k, struct actor *a);
bool make_semaphore(struct maker *k, struct actor *a);

/* The next event that the thread owes. */
bool make_duty(struct maker *k, struct actor *a);
