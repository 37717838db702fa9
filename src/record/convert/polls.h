/* Repeated polls: a thread reads a variable again and again, at the same place, and finds what it found before.
 *
 * From the third on they are left out, if nobody wrote to the variable in between and the thread did nothing else that
 * is an event. Whatever stands on them stands on the second instead, which saw the same (soundness.md: "Repeated
 * polls"). */
#pragma once
#include "trace/trace.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { POLL_STAMPS = 1 << 12 };

struct polls {
    struct poll { /* the last event of a thread */
        uint64_t value;
        uint32_t arg;
        uint32_t number; /* 0: it is no read */
        location_id location;
        event_op op;
        uint8_t value_tag;
        bool second; /* it repeats the event before it */
    } * threads;
    size_t threads_count, threads_capacity;
    uint32_t written[POLL_STAMPS]; /* by the last bits of the variable: the last write */
};

void polls_free(struct polls *polls);

/* The event that `e`, which has no grounds yet, only repeats; 0: none, it is to be put. */
uint32_t polls_repeated(const struct polls *polls, const struct event *e);

/* The event is in the trace. */
void polls_put(struct polls *polls, const struct event *e, uint32_t number);
