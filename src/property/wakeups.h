/* Waits on conditions and the notifies that may end them: which waits were woken in the trace, and whether a
 * wait is served in a run (semantics §2, condition 3).
 *
 * A notify serves one of the threads that wait at that moment, a notifyall all of them. Waits are intervals and
 * notifies points in them, so giving each notify to the open wait that ends first serves all waits if that is
 * possible at all. */
#pragma once
#include "base/map.h"
#include "finding/finding.h"
#include "model/model.h"

struct notifier { /* a thread's notifies of one condition, in order */
    thread_id thread;
    event_id *events;
    size_t events_count, events_capacity;
};

struct lonely_condition {
    struct notifier *notifiers;
    size_t notifiers_count, notifiers_capacity;
    struct woken_wait *waits; /* that were woken, by waitpost */
    size_t waits_count, waits_capacity;
    event_id *notifies; /* of both kinds, in trace order */
    size_t notifies_count, notifies_capacity;
    bool one_waiter; /* all woken waits are of one thread */
};

struct signals {
    const struct model *m;
    struct lonely_condition *conditions;
    struct map ends; /* end → its condition's wait + 1 */
};

void signals_init(struct signals *s, const struct model *m);
void signals_free(struct signals *s);

/* The woken wait that ends with this event, or NULL; and its condition. */
const struct woken_wait *signals_wait(const struct signals *s, event_id end);
const struct lonely_condition *signals_condition(const struct signals *s, const struct woken_wait *wait);

/* Who serves whom in a run. */
struct service {
    const struct woken_wait *wait;
    event_id notify;
};

struct services {
    struct service *list;
    size_t list_count, list_capacity;
};

/* Whether `wait`, which the run has begun and not ended, could end after it; if so, `services` says who would
 * serve it and every other wait that the run has ended. */
bool signals_serve(const struct signals *s, const struct schedule *run, const struct woken_wait *wait,
                   struct services *services);
