/* How terms are stored. Private to the files about processes. */
#pragma once
#include "base/map.h"
#include "base/memory.h"
#include "method/csp/process.h"

enum term_op {
    TERM_STOP,
    TERM_SKIP,
    TERM_PREFIX,      /* event, process */
    TERM_CHOICE,      /* process, process */
    TERM_CHOICE_OVER, /* set, process */
    TERM_INTERLEAVE,  /* process, process */
    TERM_PARALLEL,    /* process, process, set */
    TERM_INTERRUPT,   /* process, process */
    TERM_HIDE,        /* process, set */
    TERM_SEQUENCE,    /* process, process */
    TERM_CALL,        /* parameter, parameter, definition */
};

struct term {
    enum term_op op;
    uint32_t a, b, c;
    process_id body; /* of a call: what it unfolds to; NOT_UNFOLDED until somebody asks */
};

#define NOT_UNFOLDED UINT32_MAX

struct event_bits {
    uint8_t *bits; /* one an event */
    size_t bits_count, bits_capacity;
};

struct csp {
    csp_unfold unfold;
    void *context;
    struct term *terms;
    size_t terms_count, terms_capacity;
    uint32_t *slots; /* open addressing over 1 + index in `terms`; 0 is free */
    size_t slot_count;
    struct event_bits *sets;
    size_t sets_count, sets_capacity;
};

/* The term of a process; valid until the next term is made. */
static inline const struct term *term_of(const struct csp *c, process_id p)
{
    return &c->terms[p];
}

/* The body of a call. */
process_id term_unfold(struct csp *c, process_id call);
