/* Order through objects whose inside is not recorded.
 *
 * A call on such an object takes effect somewhere between its beginning and its end. If all calls keep their
 * observed order, each end comes after every beginning that it followed in the log. So beginnings *give* and
 * ends *take*: an end requires, of each other thread, the last beginning before it. In the trace an edge is a
 * `post` and a `semwait` on a semaphore of its own for each object and pair of threads, which first in, first
 * out pairs up as meant.
 *
 * Calls that only *look* need no order among each other. What must come before a look is every change that began
 * before the look ended, and whatever may have taken effect before such a change: each beginning before the end of a
 * change, and, while a change is under way, each beginning so far. */
#pragma once
#include "base/map.h"

#include <stdbool.h>
#include <stdint.h>

struct java_giver {
    uint32_t thread;
    uint32_t next; /* index + 1 of the object's next */
    uint64_t slot;
    uint64_t changed; /* slot + 1 of the last beginning that does not only look */
    uint64_t passed;  /* slot + 1 of the last beginning before the end of a change */
};

struct java_channel {
    uint32_t object, from, to; /* object, threads */
    uint32_t name;             /* of the semaphore, + 1 */
    uint64_t given;            /* the last slot that was required, + 1 */
};

struct java_edge {
    uint64_t from, to; /* slots */
    uint32_t channel;
};

struct java_edges {
    struct map heads; /* object → giver + 1 */
    struct java_giver *givers;
    size_t givers_count, givers_capacity;
    struct map changing; /* object → changes under way */
    struct map channel_of;
    struct map pair_of; /* pair of threads → its number + 1 */
    uint32_t pairs;
    struct java_channel *channels;
    size_t channels_count, channels_capacity;
    struct java_edge *edges; /* ascending by `to` */
    size_t edges_count, edges_capacity;
    uint32_t *by_from; /* edges ascending by `from`; after edges_sort */
};

void java_edges_free(struct java_edges *edges);

/* A beginning, an end; slots must not descend. `looks`: of a call that changes nothing. */
void java_give(struct java_edges *edges, uint32_t object, uint32_t thread, uint64_t slot, bool looks);
void java_take(struct java_edges *edges, uint32_t object, uint32_t thread, uint64_t slot, bool looks);

/* A change of an object that others look at is under way from now on; is over. */
void java_change_begins(struct java_edges *edges, uint32_t object);
void java_change_ends(struct java_edges *edges, uint32_t object);

/* When all are known. Where several edges begin or end at a slot, their order is that of the threads at their other ends, by
 * the numbers that all runs of a program share (NULL: the log's), and not that of the run. */
void java_edges_sort(struct java_edges *edges, const uint32_t *numbers);
