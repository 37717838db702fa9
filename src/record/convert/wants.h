/* Accesses that the trace keeps whoever else touches their bytes: what a replayed run is asked about. */
#pragma once
#include "runtime/protocol/session.h"

#include <stdbool.h>
#include <stddef.h>

/* The access that takes a thread to this tick. */
struct want {
    uint32_t thread; /* as the recorder numbers them */
    uint64_t tick;
};

/* Where the threads are while records go by. */
struct wants {
    const struct want *list;
    size_t list_count;
    uint64_t *ticks; /* by thread, as its last slice left it */
    size_t ticks_count, ticks_capacity;
    uint32_t thread;
    uint64_t tick;
};

/* Takes notice of the next record; true when it is one of those wanted. */
bool wants_pass(struct wants *wants, const struct record *record);

/* Whether the thread's access at the tick is wanted. */
bool wants_has(const struct wants *wants, uint32_t thread, uint64_t tick);
void wants_free(struct wants *wants);
