/* Checks a trace: hands units of work to workers, puts together what they found. */
#include "property/check.h"
#include "base/memory.h"
#include "property/blocks.h"
#include "property/worker.h"

#include <stdlib.h>
#include <string.h>

static void unit_run(struct worker *w, variable_id x)
{
    const bool *wanted = w->options->properties;

    if (wanted[PROPERTY_NONDET])
        nondet_variable(w, x);
    if (wanted[PROPERTY_FINAL])
        final_variable(w, x);
    if (wanted[PROPERTY_RACE])
        race_variable(w, x);
    if (wanted[PROPERTY_ATOMICITY])
        atomicity_variable(w, x);
}

void check_trace(const struct model *m, const struct check_options *options, const volatile bool *stop,
                 struct results *results)
{
    struct certify_index *index = certify_index_new(m->trace);
    struct blocks *blocks = blocks_new(m, options->atomic_locks);
    struct worker w = {.m = m,
                       .options = options,
                       .stop = stop,
                       .solver = solver_new(m, options->budget),
                       .certifier = certifier_new(index),
                       .blocks = blocks};

    for (variable_id x = 0; x < m->variable_count && !*stop; x++)
        unit_run(&w, x);
    if (options->properties[PROPERTY_DEADLOCK])
        deadlock_all(&w);
    if (options->properties[PROPERTY_UNORDERED])
        unordered_all(&w);
    results->found = w.found;
    results->undecided = w.undecided;
    memcpy(results->stats, w.stats, sizeof results->stats);
    results->certified = w.certified;
    map_free(&w.groups);
    blocks_free(blocks, m);
    solver_free(w.solver);
    certifier_free(w.certifier);
    certify_index_free(index);
}
