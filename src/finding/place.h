/* Where in the source an event is, for grouping findings: its location or, in a library's code, the place that
 * called it. Where the trace gives none, what the event is about, so that findings on different objects stay apart. */
#pragma once
#include "trace/trace.h"

static inline uint32_t place_of(const struct trace *trace, uint32_t event)
{
    uint32_t own = trace->own_places.count > 0 ? stretches_at(&trace->own_places, event) : NAME_NONE;
    uint32_t location = own != NAME_NONE ? own : trace->location[event];

    if (event == EVENT_INIT)
        return NAME_NONE;
    if (location >= names_count(&trace->names[NAME_LOCATION]) && location != NAME_NONE)
        return location;
    if (location != NAME_NONE && names_length(&trace->names[NAME_LOCATION], location) > 0)
        return location;
    return 1u << 31 | trace->arg[event];
}
