/* --method=graph: every witness of nondeterminism of a trace by the procedure of FMCAD'12 (semantics §5). */
#pragma once
#include "base/stop.h"
#include "finding/results.h"
#include "method/graph/witness.h"

struct graph_options {
    bool plain;      /* a fresh graph for every witness */
    bool all;        /* every witness; otherwise one finding per set of source locations */
    uint64_t budget; /* choice graphs looked at for one witness before it is left undecided */
    void (*progress)(void *context, uint64_t accesses); /* NULL, or called with the accesses that are done */
    void *progress_context;
};

/* Fills `results`; `stop` may be set from outside to end early. */
void graph_check(const struct model *m, const struct graph_options *options, const stop_flag *stop,
                 struct results *results);

/* The other writes that a read could see: to its variable, neither its source nor itself; the initial one
 * first, the others in trace order. `challengers` has room for one more than the variable has accesses. Returns
 * how many. */
size_t graph_challengers(const struct model *m, event_id read, event_id *challengers);
