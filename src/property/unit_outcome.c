/* Puts together what properties found out about units. */
#include "property/unit_outcome.h"
#include "base/memory.h"

#include <stdlib.h>

void findings_move(struct finding_list *to, struct finding_list *from)
{
    for (size_t i = 0; i < from->findings_count; i++)
        ARRAY_PUSH(to, findings, from->findings[i]);
    free(from->findings);
    *from = (struct finding_list){0};
}

void stats_add(struct property_stats *to, const struct property_stats *from)
{
    to->subjects += from->subjects;
    to->candidates += from->candidates;
    to->feasible += from->feasible;
    to->undecided += from->undecided;
    to->skipped += from->skipped;
    to->seconds += from->seconds;
    for (int why = 0; why < REFUTATIONS; why++)
        to->refuted[why] += from->refuted[why];
}

void outcome_free(struct unit_outcome *o)
{
    finding_list_free(&o->found);
    finding_list_free(&o->undecided);
}
