/* Witnesses of nondeterminism, as FMCAD'12 counts them (semantics §5): for a read, its source and another write to
 * the variable, three orders in which the read does not see its source. */
#pragma once
#include "model/model.h"

enum witness_kind {
    WITNESS_K1, /* challenger → read → write */
    WITNESS_K2, /* write → challenger → read */
    WITNESS_K3, /* challenger → read, the write absent */
    WITNESS_KINDS
};

struct witness {
    enum witness_kind kind;
    event_id write;      /* the read's source; EVENT_INIT is possible */
    event_id read;       /* … */
    event_id challenger; /* another write; EVENT_INIT is possible */
};

enum witness_verdict {
    WITNESS_CYCLIC,     /* refuted by the witness order graph */
    WITNESS_FREE,       /* feasible, without choices */
    WITNESS_FEASIBLE,   /* by a choice graph */
    WITNESS_INFEASIBLE, /* every choice graph has a cycle */
    WITNESS_UNDECIDED   /* the budget ran out */
};

struct witness_outcome {
    enum witness_verdict verdict;
    uint32_t choices;  /* pairs of sections left to order: |S_choice| */
    uint64_t explored; /* choice graphs looked at */
};

struct ordered_pair {
    event_id before, after;
};

/* The orders a witness demands, without those that hold because the initial write comes first. At most three.
 */
unsigned witness_pairs(const struct witness *w, struct ordered_pair pairs[3]);

/* Whether the witness contradicts that the initial write comes first and is always there. */
bool witness_is_absurd(const struct witness *w);

/* "k1", "k2", "k3" */
const char *witness_word(enum witness_kind kind);

/* Whether two sections of one lock exclude each other. */
static inline bool sections_exclude(const struct section *p, const struct section *q)
{
    return p->owner != q->owner && !(p->shared && q->shared);
}

/* The last event of a section: its release, or the last of its thread. */
static inline event_id section_last(const struct model *m, const struct section *s)
{
    return s->release != EVENT_NONE ? s->release : event_at(m, s->owner, thread_length(m, s->owner) - 1);
}
