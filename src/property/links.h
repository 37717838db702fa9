/* Which event hands over to which at conditions, barriers and semaphores (semantics §1), in one pass.
 *
 * What is handed over is the caller's: a clock, a node of a graph. It is kept until the last receiver has
 * taken it, so memory follows what is under way. NULL is a load like any other: nothing. Threads' starts and
 * ends are left to the caller. */
#pragma once
#include "model/model.h"

struct link_ops {
    void *(*share)(void *context, void *load); /* another reference to, or a copy of, the load */
    /* Both in one; takes both over. NULL: loads must stay apart, because a giver must not take its own load
     * back. */
    void *(*merge)(void *context, void *into, void *from);
    void (*drop)(void *context, void *load);
    void (*take)(void *context, void *load); /* the event under way comes after what the load stands for */
};

struct links;

struct links *links_new(const struct model *m, const struct link_ops *ops, void *context);
void links_free(struct links *l);

/* Whether the kind hands something over, or is handed something. */
bool links_gives(enum event_kind kind);
bool links_takes(enum event_kind kind);

/* Calls `take` for everything that is handed to `e`. Before links_give of the same event. */
void links_take(struct links *l, event_id e);

/* Hands `load` over, if there is a receiver. Takes ownership of it. */
void links_give(struct links *l, event_id e, void *load);
