/* What reads decide: the first event of its thread that happens because of what a read saw, or whose value is made of it;
 * whether that reaches the output; whether anything depends on it at all. */
#pragma once
#include "finding/results.h"
#include "model/model.h"

/* In the order in which reports tell them. */
enum decision_kind {
    DECIDES_EVENT,   /* whether the event happens, and on what */
    DECIDES_OUTPUT,  /* what is printed, as it is or by way of other variables */
    DECIDES_VALUE,   /* what the event writes */
    DECIDES_UNKNOWN, /* events of the thread do not say what they stand on */
    DECIDES_NOTHING,
};

struct decision {
    enum decision_kind kind;
    event_id event; /* EVENT_INIT: none; of another thread if the read kept its own one from such an event */
};

struct decided; /* of the reads of a list of findings */

struct decided *decided_new(const struct trace *trace, const struct finding_list *list);
void decided_free(struct decided *decided);

/* What is known of a read that some finding of the list is about. A write that it decides comes before other events. */
struct decision decided_by(const struct decided *decided, event_id read);

/* Whether nothing that any thread does or prints can depend on what the read sees: neither itself nor by way of the variables
 * that it becomes part of. */
bool decided_is_idle(const struct decided *decided, event_id read);
