/* Places of the program's own code: of an event in a library's code, the innermost call that was made outside of it. */
#include "trace/own_places.h"
#include "base/memory.h"
#include "trace/source.h"
#include "trace/stacks.h"
#include "trace/trace.h"

#include <stdlib.h>

bool place_is_own(const char *place)
{
    struct source source;

    return source_parse(place, &source) && !source_is_library(&source);
}

/* Which names are places of the program's own code. */
static bool *own_names(const struct names *names)
{
    bool *own = memory_new(names_count(names) + 1, sizeof *own);

    for (uint32_t id = 0; id < names_count(names); id++)
        own[id] = place_is_own(names_text(names, id));
    return own;
}

/* For each stack the place of its innermost call from the program's own code: a location of the trace, where one
 * has the same text, or a number beyond all of them. NAME_NONE: there is no such call. */
static uint32_t *places_of_stacks(const struct trace *trace)
{
    const struct stacks *s = trace->stacks;
    const struct names *locations = &trace->names[NAME_LOCATION];
    uint32_t *places = memory_new(s->sites_count + 1, sizeof *places);
    bool *own = own_names(&s->places);

    places[STACK_NONE] = NAME_NONE;
    for (size_t id = 1; id <= s->sites_count; id++) {
        const struct stack_site *site = &s->sites[id - 1];
        if (own[site->place]) {
            uint32_t same = names_find(locations, names_text(&s->places, site->place),
                                       names_length(&s->places, site->place));
            places[id] = same != NAME_NONE ? same : (uint32_t)names_count(locations) + site->place;
        } else {
            places[id] = places[site->rest];
        }
    }
    free(own);
    return places;
}

void trace_find_own_places(struct trace *trace)
{
    const struct names *locations = &trace->names[NAME_LOCATION];
    bool *own, any = false;
    uint32_t *of_stack;

    if (!trace->stacks || trace->own_places.count > 0)
        return;
    own = own_names(locations);
    for (uint32_t id = 0; id < names_count(locations) && !any; id++)
        any = !own[id];
    if (any) {
        of_stack = places_of_stacks(trace);
        for (size_t e = 0; e <= trace->count; e++) {
            location_id location = e > 0 ? trace->location[e] : NAME_NONE;
            stretches_fill(&trace->own_places, e + 1,
                           location == NAME_NONE || own[location] ? NAME_NONE
                                                                  : of_stack[trace_stack(trace, e)]);
        }
        stretches_end(&trace->own_places);
        free(of_stack);
    }
    free(own);
}
