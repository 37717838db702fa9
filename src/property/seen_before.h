/* What a section has read says which sections of its lock have not come before: what its thread cannot see, or race with. */
#pragma once
#include "model/model.h"

/* About one event at a time. */
struct seen_before {
    const struct model *m;
    event_id at; /* EVENT_NONE: none yet */
    struct later_write {
        const struct section *mine; /* this section around the event has read … */
        event_id write; /* … what this write must come after: it has not come before the section */
        bool is_inside; /* … nor in it: it is in a section of the same lock itself */
    } * list;
    size_t list_count, list_capacity;
};

void seen_before_init(struct seen_before *b, const struct model *m);
void seen_before_free(struct seen_before *b);

/* Whether no run that ends in the read lets it see the write. False where that is not known so. */
bool seen_before_refutes(struct seen_before *b, event_id read, event_id write);

/* Whether there is no run after which both events can come next: what must come before the other one cannot have come before this
 * one does. */
bool seen_before_parts(struct seen_before *b, event_id at, event_id other);
