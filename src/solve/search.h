/* The search for a run with given cuts, windows and choices; private to this room. */
#pragma once
#include "base/stop.h"
#include "solve/carry.h"
#include "solve/climb.h"
#include "solve/cut.h"
#include "solve/stride.h"
#include "solve/stride_vain.h"
#include "solve/window.h"

/* A step of a refutation: what a contradiction needs to be as observed, and how much of that was refuted otherwise. */
struct proof_step {
    event_id *items;
    size_t items_count, items_capacity;
    size_t refuted; /* so many items with every other write or notify … */
    uint32_t ways;  /* … and the next one with so many */
};

struct solver {
    const struct model *m;
    struct window *window;
    struct query query;
    const stop_flag *stop;
    bool windows;
    uint64_t budget;  /* of one query */
    uint64_t left;    /* of the attempt under way */
    uint64_t allowed; /* by solver_allow */
    bool ran_out;     /* a query was undecided since because it took its part of that … */
    bool may_gain;    /* … and a larger part may decide it */
    bool curbed;      /* strides for the query under way ended because of its part */
    bool is_capped;   /* windows may cost less than that anyway */
    uint64_t work;    /* what windows may still cost where reads or waits are in doubt (solver_allow) */
    bool bounded;     /* the query under way may cost no more than that even where they are not */
    uint64_t charged; /* the window's effort that was taken off it */
    uint64_t brief;   /* what more may be spent on runs near the observed one when that is used up */
    uint32_t *cone;   /* the least cut of the query, as far as it is forced */
    uint32_t *closed; /* the same with what the attempt under way takes as observed: set before search_cut */
    struct rivals rivals, others; /* of the cut under way; of one that is tried meanwhile */
    uint32_t *pinned;             /* sections that stay open in what is tried now: releasing them was tried */
    size_t pinned_count, pinned_capacity;
    bool chosen;      /* the attempt under way has tried choices */
    bool prefix;      /* … takes what is before its window as observed */
    struct pin *pins; /* what is tried now: what reads see, who wakes whom */
    size_t pins_count, pins_capacity;
    uint32_t *pin_of; /* by event: the first pin that is about it, plus 1; made when it is first needed */
    struct carrier *carrier;
    struct climb *climb; /* all made when they are first needed */
    struct strider *strider;
    struct stride_vain *vain;
    bool is_vain; /* the query under way asks for more than one for which strides found no run */
    struct states *states;
    bool only_states; /* solver_search_states */
    event_id *order;
    size_t order_capacity;
    uint64_t refuted;                   /* queries in a row */
    struct proof_step *proof;           /* of the query, as far as smaller windows could tell: … */
    size_t proof_count, proof_capacity; /* … each step on the way that the one before has not refuted yet */
    bool found;                         /* the search for a reason found a run instead: it is in the window */
    event_id *freed;                    /* what the search for a reason leaves open, each once */
    size_t freed_count, freed_capacity;
    uint8_t *is_free; /* by event: it is among these; made when it is first needed */
};

/* Whether there is a run of the events of `cut`, which may grow, after the first `start`; with s->prefix, those
 * before are taken as observed, without it only INFEASIBLE means something. Uses up s->left; the run is in
 * s->order, the window's nodes of it. */
enum answer search_cut(struct solver *s, uint32_t *cut, event_id start);

/* Whether there is a run that holds `least` and takes the first `start` events as observed; without s->prefix as
 * above. Where the query is not about the observed order alone, decides what reads see, who wakes whom and which
 * posts the run holds, as far as that is in doubt. */
enum answer search_run(struct solver *s, const uint32_t *least, event_id start);

/* Whether all runs that hold the cone contradict themselves, as the events after the first `start` alone show; in
 * spite of what reads may see and who may wake whom. Goes on with what was refuted of the query before (s->proof). Uses up s->left.
 * Where it finds a run instead that takes the first `start` events as observed, s->found says so. */
bool search_refutes(struct solver *s, event_id start);

/* Where reads or waits are in doubt, takes what windows have cost since the last time off what is allowed. Whether any
 * of that is left. */
bool search_charge(struct solver *s);

/* Pins are a stack. */
void search_pin(struct solver *s, struct pin pin);
void search_unpin(struct solver *s);

/* The query has the pins and what is free. */
void search_hand_over(struct solver *s);

/* Leaves it open what the read sees, or who ends the wait; all that was left open after the first `count` is assumed to
 * be as observed again. */
void search_leave_open(struct solver *s, event_id e);
void search_close_again(struct solver *s, size_t count);

/* Calls `found`, until it says no, for each write that must-order lets the read see and that may carry what it saw
 * (with `any`, or anything else), but for its source; of a waitpost, for each notify that may end the wait, but for
 * the observed one. Whether it always said yes. */
bool search_alternatives(const struct model *m, event_id e, bool any,
                         bool (*found)(void *context, event_id from), void *context);
