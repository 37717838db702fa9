/* A trace in which nothing stands on some reads: what could happen if their values did not matter. */
#pragma once
#include "finding/finding.h"
#include "model/model.h"

struct freed_trace {
    struct trace trace; /* its names are those of the original */
    event_id *number;   /* by event of the original */
    event_id
        *original; /* by event; EVENT_NONE: the exit that was added to a thread which is joined and has none */
};

/* Frees the reads that `freed` has, by event; NULL: all. The claim stays what it is: of `stale`, the write keeps the reads of its
 * variable that it stands on. */
void freed_build(struct freed_trace *f, const struct model *m, const bool *freed, const struct finding *claim);
void freed_free(struct freed_trace *f);
