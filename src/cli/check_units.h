/* Units of a trace that rank 0 checks are done by the hands of other ranks, too. */
#pragma once
#include "base/buffer.h"
#include "cli/check_several.h"
#include "crew/hands.h"
#include "property/unit_helpers.h"

struct units_lead {
    struct hands *hands;
    int ranks;
    uint32_t trace;
    struct unit_helpers helpers;
    struct hand_tasks {
        unsigned room; /* tasks that it may have */
        uint32_t *tasks;
        size_t tasks_count, tasks_capacity;
    } * each;            /* by rank */
    struct buffer round; /* the message that began it */
    uint64_t answers;    /* that came */
    uint32_t *orphans;   /* tasks of hands that are gone */
    size_t orphans_count, orphans_capacity;
};

/* Has the hands load that trace of the request's, which checks it with them until units_end. Where they cannot help, because the
 * method has no units or the trace is no file, nothing happens. */
void units_begin(struct units_lead *lead, struct several *several, struct hands *hands, int ranks,
                 uint32_t trace);
void units_end(struct units_lead *lead, struct several *several);

/* Whether the trace is a file, whose units others can do. */
bool units_can(const struct several *several, uint32_t trace);
