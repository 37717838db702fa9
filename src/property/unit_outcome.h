/* What a property found out about a batch of units, or a part of one. Private to this room. */
#pragma once
#include "finding/results.h"

struct unit_outcome {
    struct finding_list found, undecided;
    struct property_stats stats;
    uint64_t certified;
};

/* The findings of one list move to the other. */
void findings_move(struct finding_list *to, struct finding_list *from);

void stats_add(struct property_stats *to, const struct property_stats *from);
void outcome_free(struct unit_outcome *o);
