/* Findings by source locations. */
#include "method/located.h"

#include <assert.h>
#include <time.h>
#include <xxhash.h>

enum { EVENTS_MAX = 3 };

/* The set of source locations, as a number. */
static uint64_t location_key(const struct trace *trace, enum property property, const uint32_t *events,
                             uint32_t count)
{
    uint32_t places[EVENTS_MAX] = {0}, used = 0;

    assert(count <= EVENTS_MAX);
    for (uint32_t i = 0; i < count; i++) { /* inserted in order, each once */
        uint32_t place = trace->location[events[i]], at = used;
        while (at > 0 && places[at - 1] > place)
            at--;
        if (at > 0 && places[at - 1] == place)
            continue;
        for (uint32_t k = used++; k > at; k--)
            places[k] = places[k - 1];
        places[at] = place;
    }
    return XXH3_64bits_withSeed(places, used * sizeof *places, property);
}

struct finding *located_add(struct finding_list *list, struct map *groups, const struct trace *trace,
                            enum property property, const uint32_t *events, uint32_t count)
{
    uint32_t *known = groups ? map_at(groups, location_key(trace, property, events, count)) : NULL;

    if (known && *known > 0) {
        list->findings[*known - 1].count++;
        return &list->findings[*known - 1];
    }
    finding_add(list, property, events, count, (struct schedule){0});
    if (known)
        *known = (uint32_t)list->findings_count;
    return &list->findings[list->findings_count - 1];
}

double located_seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}
