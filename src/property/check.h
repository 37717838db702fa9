/* Checks a trace for the properties of semantics §3: every candidate asked, every schedule certified. */
#pragma once
#include "base/stop.h"
#include "certify/certify.h"
#include "finding/results.h"
#include "model/model.h"

struct unit_helpers;

struct check_options {
    bool properties[PROPERTIES];
    bool all;          /* every event-level finding; otherwise one per set of source locations */
    bool atomic_locks; /* outermost lock scopes are atomic blocks too */
    bool predict;      /* determinism and serializability: in other runs than the observed one, too */
    bool values_ignore, grounds_ignore; /* as the model was built */
    uint64_t budget;                    /* choices tried for one candidate before it is left undecided */
    unsigned thrift; /* reads in doubt may cost one part in so many of what they otherwise do; 0: all of it */
    bool whole;      /* solve every query as a whole, not in windows first: the same answers, slower */
    bool plain;      /* take no shortcuts: the same findings, counts and schedules, slower */
    bool states;     /* decide short traces by the states of runs alone: the same findings, slower */
    unsigned workers;
    void (*progress)(void *context,
                     uint64_t accesses); /* NULL, or called with the accesses that are done; by any worker */
    void *progress_context;
    struct certify_index *index;        /* of the trace, or NULL: it is made when it is needed */
    const struct unit_helpers *helpers; /* NULL, or others that take over units: unit_helpers.h */
};

/* Fills `results`; `stop` may be set from outside (a signal) to end early with what is decided. */
void check_trace(const struct model *m, const struct check_options *options, const stop_flag *stop,
                 struct results *results);
