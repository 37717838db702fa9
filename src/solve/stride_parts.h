/* A run in strides, between its steps (stride_steps.c) and the search among them (stride.c). */
#pragma once
#include "base/map.h"
#include "base/rising.h"
#include "solve/stride.h"
#include "solve/stride_wakes.h"

/* What a variable holds. */
struct stride_cell {
    event_id write;
    bool as_written; /* … carries what it wrote in the trace */
    struct known_value value;
};

/* What a read of the run sees. */
struct stride_look {
    event_id read;
    bool as_observed;
    struct stride_cell cell;
};

struct stride_change {
    variable_id variable;
    struct stride_cell before;
    uint32_t age;
};

/* How things were when a stride began. */
struct stride_mark {
    thread_id thread;
    uint32_t changed;
    size_t events, looks, changes;
};

/* A run under way, and what is needed to take its strides back. */
struct strider {
    const struct model *m;
    const struct query *q;
    const uint32_t *least;
    event_id start;
    uint32_t *ranges_of;       /* indices of m->range_demands, by read … */
    struct rising range_from;  /* … and by event where those of it begin */
    struct stride_cell *cells; /* by variable, as far as … */
    uint32_t *ages;            /* … this is not 0: how often it was written in this run */
    uint32_t *touched;         /* variables whose age is not 0 */
    size_t touched_count, touched_capacity;
    struct stride_look *looks;
    size_t looks_count, looks_capacity;
    struct map look_of; /* read → its look, plus 1 */
    event_id *order;    /* the run so far */
    size_t order_count, order_capacity;
    struct stride_change *changes;
    size_t changes_count, changes_capacity;
    struct stride_mark *marks; /* of the strides so far */
    size_t marks_count, marks_capacity;
    uint64_t draw;     /* 0, or whose turn it is, of those who need not go on, is drawn from this */
    uint32_t *most;    /* by thread: the query's, or where a section begins that could not end */
    uint32_t *done;    /* by thread */
    uint32_t *changed; /* by thread: reads that are not as observed */
    uint32_t *owner;   /* by lock: exclusive owner + 1 */
    uint32_t *readers; /* by lock */
    uint32_t
        *held_up; /* by thread: the first of its events that the query has after another; POSITION_END: none */
    struct stride_wakes *wakes;
    struct stride_wait { /* by thread: a stride failed because of this variable … */
        variable_id variable;
        uint32_t age; /* … at that age */
    } * waits;
    uint32_t *tried;     /* by thread: in this round */
    variable_id blocked; /* … of the stride under way, or NAME_NONE */
};

/* Begins a run with the first `start` events as observed, or fewer; and what is to be done before the next one begins. */
void stride_begin(struct strider *r, const struct query *q, const uint32_t *least, event_id start);
void stride_end(struct strider *r);

/* The thread's next stride; false, and nothing has happened, where it cannot be. */
bool stride_take(struct strider *r, thread_id t, uint64_t *steps);

/* Takes the last stride back. */
void stride_take_back(struct strider *r);
