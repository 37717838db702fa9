/* Whether every woken wait of a run can be given a notify (semantics §2, condition 3). */
#pragma once
#include "solve/carry.h"

struct waker;

struct waker *waker_new(const struct model *m);
void waker_free(struct waker *k);

/* The run as for carrier_check. FLAW_WAKE names a waitpost for which there is no notify. Without a prefix nothing
 * is known of notifies, and nothing is found wrong. */
struct flaw waker_check(struct waker *k, const struct window *w, const struct query *q, event_id start,
                        const event_id *order);
