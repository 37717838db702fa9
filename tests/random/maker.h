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

struct actor {
    enum actor_stage stage;
    unsigned life;         /* events until it may end */
    struct duty duties[3]; /* last first */
    unsigned duty_count;
    bool woken; /* a notify came while it was waiting */
    struct scope scopes[2 * SHAPE_OBJECTS];
    unsigned scope_count;
    unsigned exclusive[SHAPE_OBJECTS], shared[SHAPE_OBJECTS]; /* holds, by lock */
};

enum variable_style { STYLE_PLAIN, STYLE_ATOMIC, STYLE_MIXED, STYLES };

struct maker {
    struct trace *trace;
    const struct shape *shape;
    uint64_t random;
    unsigned actor_count;
    struct actor actors[SHAPE_OBJECTS];
    enum variable_style style[SHAPE_OBJECTS];
    uint64_t value[SHAPE_OBJECTS];
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
