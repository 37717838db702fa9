/* What reads decide: the first event of its thread that happens because of what a read saw, or whose value is made of it. */
#pragma once
#include "finding/results.h"
#include "model/model.h"

enum decision_kind {
    DECIDES_EVENT, /* whether the event happens, and on what */
    DECIDES_VALUE, /* what the event writes */
    DECIDES_NOTHING,
    DECIDES_UNKNOWN, /* events of the thread do not say what they stand on */
};

struct decision {
    enum decision_kind kind;
    event_id event;
};

struct decided; /* of the reads of a list of findings */

struct decided *decided_new(const struct trace *trace, const struct finding_list *list);
void decided_free(struct decided *decided);

/* What is known of a read that some finding of the list is about. A write that it decides comes before other events. */
struct decision decided_by(const struct decided *decided, event_id read);
